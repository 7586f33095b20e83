"""`--engine dask://host:port`: where the chosen learner is fitted to all rows of a table."""

import contextlib
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from discriminant.table.errors import OptionError

_DASK = "dask://"


def check_engine(address: str | None) -> None:
    """Refuse what is no address of an engine."""
    if address is not None and not (address.startswith(_DASK) and address.removeprefix(_DASK)):
        raise OptionError(f"--engine {address!r} is not known", hint="name a scheduler of Dask, dask://host:port")


@contextlib.contextmanager
def open_engine(address: str | None) -> Iterator[Any]:
    """The engine at an address, let go at the end; None for threads of this process."""
    if address is None:
        yield None
        return
    try:
        distributed: Any = import_module("distributed")
    except ImportError as error:
        raise OptionError("--engine needs Dask", hint="pip install 'discriminant[dask]'") from error
    from discriminant.rows.dask import DaskEngine

    where = f"tcp://{address.removeprefix(_DASK)}"
    try:
        client = distributed.Client(where, timeout=10, set_as_default=False)
    except OSError as error:
        raise OptionError(
            f"--engine {address} does not answer", hint="is the scheduler of Dask running there?"
        ) from error
    with client:
        yield DaskEngine(client)
