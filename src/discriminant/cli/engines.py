"""`--engine dask://host:port`, `spark://host:port`: where the files of a table are read, and all its rows worked on."""

import contextlib
import operator
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from itertools import accumulate
from typing import Any

from discriminant.table.errors import OptionError

_SECONDS = 10  # for a cluster to answer
_CONFIGURED = "spark"  # the master that Spark's own configuration names
_NAMES = {"dask": "the scheduler of Dask", "spark": "the master of Spark"}


def check_engine(address: str | None) -> None:
    """Refuse what is no address of an engine."""
    if address is None or address == _CONFIGURED:
        return
    kind, _, where = address.partition("://")
    if kind not in _NAMES or not where:
        ways = "dask://host:port, spark://host:port, or spark for the master that its configuration names"
        raise OptionError(f"--engine {address!r} is not known", hint=ways)


@dataclass(frozen=True)
class TableFile:
    """One file of a table, to be read wherever it is sent; its rows are numbered from ``first_row`` + 1."""

    source: Any
    place: int
    first_row: int = 0


def files_of(source: Any, resumes: bool = False) -> list[TableFile]:
    """The files of a table, which must be such that they can be opened elsewhere, or again by whoever ``resumes``."""
    asks, does = ("--resume", "goes on file by file") if resumes else ("--engine", "reads files")
    if source.format == "query":
        raise OptionError(f"{asks} {does}, and --sql is a query", hint=f"name files, or leave {asks} out")
    if not source.rereadable():
        raise OptionError(f"{asks}: {source.files[0]} can be read only here", hint="write it to a file first")
    return [TableFile(alone, place) for place, (alone, _) in enumerate(source.each_file())]


def number_rows(files: list[TableFile], engine: Any) -> list[TableFile]:
    """The files with the numbers of their first rows, which are counted wherever the files are read."""
    if len(files) == 1:
        return files
    counts = engine.fold(files, _count_rows, operator.add)
    return [TableFile(f.source, f.place, start) for f, start in zip(files, accumulate(counts, initial=0), strict=False)]


def _count_rows(file: TableFile) -> list[int]:
    return [file.source.count_rows()]


@contextlib.contextmanager
def open_engine(address: str | None) -> Iterator[Any]:
    """The engine at an address, let go at the end; None for threads of this process."""
    if address is None:
        yield None
        return
    kind, _, where = address.partition("://")
    if where:
        _see_that_it_answers(address, kind, where)
    with (_dask if kind == "dask" else _spark)(address, where) as engine:
        yield engine


@contextlib.contextmanager
def _dask(address: str, where: str) -> Iterator[Any]:
    distributed = _module("distributed", "Dask", "dask")
    from discriminant.rows.dask import DaskEngine

    try:
        client = distributed.Client(f"tcp://{where}", timeout=_SECONDS, set_as_default=False)
    except OSError as error:
        raise _no_answer(address, "dask") from error
    with client:
        yield DaskEngine(client)


@contextlib.contextmanager
def _spark(address: str, where: str) -> Iterator[Any]:
    builder = _module("pyspark.sql", "pyspark", "spark").SparkSession.builder.appName("discriminant")
    from discriminant.rows.spark import SparkEngine

    quiet = {"spark.ui.showConsoleProgress": "false", "spark.log.level": "ERROR"}
    try:
        session = (builder.master(address) if where else builder).config(map=quiet).getOrCreate()
    except Exception as error:  # errors of Java, and that there is none
        reason = str(error).partition("\n")[0]
        raise OptionError(f"--engine {address}: Spark does not start: {reason}", hint="is Java installed?") from error
    try:
        yield SparkEngine(session)
    finally:
        session.stop()


def _module(name: str, package: str, extra: str) -> Any:
    try:
        return import_module(name)
    except ImportError as error:
        raise OptionError(f"--engine needs {package}", hint=f"pip install 'discriminant[{extra}]'") from error


def _see_that_it_answers(address: str, kind: str, where: str) -> None:
    """Spark would try for a minute, and say so in pages of Java."""
    host, _, port = where.rpartition(":")
    if not host or not port.isdecimal():
        raise OptionError(f"--engine {address!r} names no port", hint=f"{kind}://host:port")
    try:
        socket.create_connection((host.strip("[]"), int(port)), _SECONDS).close()
    except (OSError, OverflowError, ValueError) as error:  # ValueError: what no host can be called
        raise _no_answer(address, kind) from error


def _no_answer(address: str, kind: str) -> OptionError:
    return OptionError(f"--engine {address} does not answer", hint=f"is {_NAMES[kind]} running there?")
