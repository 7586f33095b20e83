"""Ids of rows: what samples and folds are drawn by, the same on every engine.

    an integer    itself
    a text        the first 16 hexadecimal digits of the MD5 of its UTF-8, as a signed 64-bit integer

Both can be computed anywhere; for a text column ``name`` in SQL:

    PostgreSQL    ('x' || substr(md5(name), 1, 16))::bit(64)::bigint
    DuckDB        CAST('0x' || substr(md5(name), 1, 16) AS UBIGINT), of which 2⁶⁴ is taken where it is 2⁶³ or more
"""

from hashlib import md5
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.findings import shown
from discriminant.table.errors import TableError
from discriminant.table.texts import is_text, numpy_of


def hash_texts(texts: list[str]) -> NDArray[np.int64]:
    """The ids of texts.

    >>> hash_texts(["a", "b"]).tolist()
    [919145239626757800, -7860083176248561684]
    """
    digests = b"".join(md5(text.encode(), usedforsecurity=False).digest()[:8] for text in texts)
    return np.frombuffer(digests, dtype=">i8").astype(np.int64)


def ids_of_cells(cells: Any, name: str) -> NDArray[np.int64]:
    """The ids of a column of integers or texts without blanks."""
    import pyarrow as pa

    if pa.types.is_integer(cells.type):
        return numpy_of(cells).astype(np.int64)  # unsigned ones beyond 2⁶³ by their bits
    if is_text(cells.type):
        return hash_texts(cells.to_pylist())
    raise TableError(f"column {shown(name)} holds {cells.type}, which is no id", "name a column of integers or texts")
