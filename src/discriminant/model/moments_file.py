"""Class moments in files: a night's sums kept, so that a model of any set of nights needs no row again.

    8 bytes   length of the header, little-endian
    header    JSON: format, version, classes, columns, which arrays there are, SHA-256 of the numbers
    numbers   float64, little-endian: counts (K), means (K×d), remainders (K×d), scatter, and where they are kept the
              radial sums cubic (K×d) and quartic (K)

A file is data, never code, and is believed only where everything agrees: the size with the header, the numbers with
their hash, and the numbers with one another (counts above zero, scatter symmetric and without negative variances).
"""

import hashlib
import math
import struct
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.model.plain_json import Field, ModelFileError, json_text, read_json
from discriminant.statistics.moments import ClassMoments
from discriminant.table.saving import atomic_write_bytes, open_committed

Array = NDArray[np.float64]

FORMAT, VERSION = "discriminant moments", 1
_MOST_HEADER_BYTES = 1 << 24
_MOST_BYTES = 1 << 32  # of numbers: 16,384 columns pooled over classes, and more
_KEYS = ("format", "version", "classes", "columns", "n_columns", "per_class", "full", "radial", "sha256")


def save_moments(moments: ClassMoments, path: str | PathLike[str]) -> None:
    """Write class moments, complete or not at all.

    Parameters
    ----------
    moments : of rows, such as ``ClassMoments.of(X, y)``, or ``summarise`` of a learner for a source.
    path : of the file, such as ``monday.moments``.

    Examples
    --------
    >>> import tempfile
    >>> from discriminant import ClassMoments, LinearDiscriminantAnalysis
    >>> monday = ClassMoments.of([[0.0], [1.0], [4.0]], ["low", "low", "high"])
    >>> tuesday = ClassMoments.of([[5.0], [6.0]], ["high", "high"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_moments(monday + tuesday, f"{folder}/week.moments")
    ...     week = load_moments(f"{folder}/week.moments")
    >>> LinearDiscriminantAnalysis().fit(week).predict([[2.0], [3.5]]).tolist()
    ['low', 'high']
    """
    data = b"".join(np.ascontiguousarray(a, dtype="<f8").tobytes() for a in _arrays(moments).values())
    header = {
        "format": FORMAT,
        "version": VERSION,
        "classes": moments.classes.tolist(),
        "columns": None if moments.names is None else list(moments.names),
        "n_columns": moments.n_columns,
        "per_class": bool(moments.per_class),
        "full": bool(moments.full),
        "radial": moments.quartic is not None,
        "sha256": hashlib.sha256(data).hexdigest(),
    }
    text = json_text(header).encode()
    content = struct.pack("<Q", len(text)) + text + data
    try:
        _read(content)  # what cannot be read again is not written
    except ModelFileError as error:
        raise ModelFileError(f"the moments cannot be saved: {error}") from None
    atomic_write_bytes(Path(path), content)


def load_moments(path: str | PathLike[str]) -> ClassMoments:
    """The class moments in a file; `ModelFileError` says what is wrong with it, in one line.

    Parameters
    ----------
    path : of a file that `save_moments` wrote.

    Returns
    -------
    ClassMoments
        To the last bit those that were saved.

    Examples
    --------
    >>> import tempfile
    >>> from discriminant import ClassMoments
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_moments(ClassMoments.of([[0.0], [2.0]], ["a", "b"]), f"{folder}/night.moments")
    ...     load_moments(f"{folder}/night.moments").means.tolist()
    [[0.0], [2.0]]
    """
    path = Path(path)
    with open_committed(path) as file:
        content = file.read(_MOST_HEADER_BYTES + _MOST_BYTES)
    try:
        return _read(content)
    except ModelFileError as error:
        raise ModelFileError(f"{path.name}: {error}") from None


def _arrays(m: ClassMoments) -> dict[str, Array]:
    low = np.zeros_like(m.means) if m.remainders is None else m.remainders
    arrays = {"counts": m.counts, "means": m.means, "remainders": low, "scatter": m.scatter}
    if m.cubic is not None and m.quartic is not None:
        arrays |= {"cubic": m.cubic, "quartic": m.quartic}
    return arrays


def _read(content: bytes) -> ClassMoments:
    size = struct.unpack("<Q", content[:8])[0] if len(content) >= 8 else 0
    if not 0 < size <= min(_MOST_HEADER_BYTES, len(content) - 8):
        raise ModelFileError("not a file of moments: its header is missing or cut off")
    top = Field(read_json(content[8 : 8 + size]))
    top.at("format").choice((FORMAT,))
    if (version := top.at("version").count(1)) > VERSION:
        raise ModelFileError(f"version {version} is newer than this program knows ({VERSION}); update discriminant")
    fields = top.object(_KEYS)
    data = content[8 + size :]
    classes, names = _classes(fields["classes"]), _names(fields)
    per_class, full, radial = (_flag(fields[key]) for key in ("per_class", "full", "radial"))
    arrays = _unpack(data, _shapes(classes.size, fields["n_columns"].count(1), per_class, full, radial))
    if hashlib.sha256(data).hexdigest() != fields["sha256"].text():
        raise ModelFileError("the numbers are not those that were saved: the file is damaged")
    _refuse_inconsistent(arrays)
    return ClassMoments(classes=classes, per_class=per_class, names=names, **arrays)


def _classes(field: Field) -> NDArray[Any]:
    labels = [item.label() for item in field.items()]
    kinds = {str if isinstance(label, str) else type(label) for label in labels}
    if not labels or len(set(labels)) < len(labels) or len(kinds) > 1:
        field.refuse("different labels of one type")
    return np.array(labels)


def _names(fields: Mapping[str, Field]) -> tuple[str, ...] | None:
    field, d = fields["columns"], fields["n_columns"].count(1)
    if field.value is None:
        return None
    names = tuple(item.text() for item in field.items())
    if len(names) != d:
        field.refuse(f"the names of {d} columns")
    return names


def _flag(field: Field) -> bool:
    if not isinstance(field.value, bool):
        field.refuse("true or false")
    return bool(field.value)


def _shapes(K: int, d: int, per_class: bool, full: bool, radial: bool) -> dict[str, tuple[int, ...]]:
    if radial and not (per_class and full):
        raise ModelFileError("radial sums belong to the full scatter of each class")
    scatter = (K if per_class else 1, d, d) if full else (K if per_class else 1, d)
    shapes: dict[str, tuple[int, ...]] = {"counts": (K,), "means": (K, d), "remainders": (K, d), "scatter": scatter}
    return shapes | ({"cubic": (K, d), "quartic": (K,)} if radial else {})


def _unpack(data: bytes, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Array]:
    wanted = 8 * sum(math.prod(shape) for shape in shapes.values())
    if len(data) != wanted:
        raise ModelFileError(
            f"there must be {wanted} bytes of numbers, got {len(data)}: the file is cut off or damaged"
        )
    arrays, start = {}, 0
    for name, shape in shapes.items():
        stop = start + 8 * math.prod(shape)
        arrays[name] = np.frombuffer(data[start:stop], dtype="<f8").reshape(shape).astype(np.float64)
        start = stop
    return arrays


def _refuse_inconsistent(arrays: Mapping[str, Array]) -> None:
    for name in ("counts", "means", "remainders", "scatter"):
        if not np.isfinite(arrays[name]).all():
            raise ModelFileError(f"{name} must be finite numbers")
    scatter = arrays["scatter"]
    variances = np.einsum("kjj->kj", scatter) if scatter.ndim == 3 else scatter
    if not (arrays["counts"] > 0).all():
        raise ModelFileError("counts must be above zero")
    if not (variances >= 0).all():
        raise ModelFileError("scatter must have no negative variance")
    largest = np.abs(scatter).max(axis=(1, 2), keepdims=True) if scatter.ndim == 3 else 0.0
    if scatter.ndim == 3 and (np.abs(scatter - np.swapaxes(scatter, 1, 2)) > 1e-9 * largest).any():
        raise ModelFileError("scatter must be symmetric")
