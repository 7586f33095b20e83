"""Arrays beside a model: float64 arrays in one file of the safetensors format, read and written.

    8 bytes   length of the header, little-endian
    header    JSON: {name: {"dtype": "F64", "shape": [...], "data_offsets": [start, stop]}, ...}
    data      the numbers of all arrays, one after the other, little-endian

A file is believed only where everything agrees: its size with its header, the header with the shapes that are expected,
and all its bytes with their SHA-256.
"""

import hashlib
import json
import math
import os
import struct
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from discriminant.model.plain_json import Field, ModelFileError, read_json
from discriminant.table.saving import open_committed

Array = NDArray[np.float64]
Shape = tuple[int, ...]

MOST_ARRAY_BYTES = 2**29  # 67 million numbers; a file may say more of itself than it stores, and all of it is loaded
_MOST_HEADER_BYTES = 1 << 16
_FIELDS = ("dtype", "shape", "data_offsets")


def pack_arrays(arrays: Mapping[str, Array]) -> bytes:
    """The bytes of a file with these arrays."""
    header, start = {}, 0
    for name, array in arrays.items():
        stop = start + 8 * array.size
        header[name] = {"dtype": "F64", "shape": list(array.shape), "data_offsets": [start, stop]}
        start = stop
    _refuse_large(start)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    data = (np.ascontiguousarray(array, dtype="<f8").tobytes() for array in arrays.values())
    return b"".join([struct.pack("<Q", len(text)), text, *data])


def unpack_arrays(path: Path, sha256: str, shapes: Mapping[str, Shape]) -> dict[str, Array]:
    """The arrays of a file, which must be those of these shapes and no others."""
    data_bytes = 8 * sum(math.prod(shape) for shape in shapes.values())
    _refuse_large(data_bytes)
    with open_committed(path) as file:
        head = _head(file, path)
        names = _in_order(Field(read_json(head[8:]), key=path.name), shapes)
        size = len(head) + data_bytes
        if os.fstat(file.fileno()).st_size != size:
            raise ModelFileError(f"{path.name} must have {size} bytes, got {os.fstat(file.fileno()).st_size}")
        digest = hashlib.sha256(head)
        arrays = {name: _array(file, path, shapes[name], digest) for name in names}
    if digest.hexdigest() != sha256:
        raise ModelFileError(f"{path.name} does not hold the arrays the model was saved with (its SHA-256 differs)")
    for name, array in arrays.items():
        if not np.isfinite(array).all():
            raise ModelFileError(f"{path.name}: the array {name} must be finite")
    return arrays


def _refuse_large(n_bytes: int) -> None:
    """Refuse what nobody should have to load, before anything is allocated."""
    if n_bytes > MOST_ARRAY_BYTES:
        raise ModelFileError(
            f"the model has {n_bytes // 8:,} numbers, more than the {MOST_ARRAY_BYTES // 8:,} of a file"
        )


def _head(file: IO[bytes], path: Path) -> bytes:
    """The length of the header and the header."""
    first = file.read(8)
    length = struct.unpack("<Q", first)[0] if len(first) == 8 else 0
    if not 2 <= length <= _MOST_HEADER_BYTES:
        raise ModelFileError(f"{path.name} is no safetensors file: its header would have {length} bytes")
    return first + file.read(length)


def _in_order(header: Field, shapes: Mapping[str, Shape]) -> list[str]:
    """The names of the arrays as they follow one another, each with the shape expected and no gap between them."""
    described = {name: field.object(_FIELDS) for name, field in header.object(tuple(shapes)).items()}
    spans = {}
    for name, parts in described.items():
        parts["dtype"].choice(("F64",))
        if parts["shape"].value != list(shapes[name]):
            parts["shape"].refuse(f"{list(shapes[name])}, as the model has it,")
        offsets = [offset.count() for offset in parts["data_offsets"].items()]
        if len(offsets) != 2 or offsets[1] - offsets[0] != 8 * math.prod(shapes[name]):
            parts["data_offsets"].refuse(f"the start and stop of {math.prod(shapes[name])} numbers")
        spans[name] = offsets
    names = sorted(spans, key=lambda name: spans[name])
    stops = [0, *(spans[name][1] for name in names)]
    for name, stop in zip(names, stops, strict=False):
        if spans[name][0] != stop:
            described[name]["data_offsets"].refuse(f"without gap or overlap (start at {stop})")
    return names


def _array(file: IO[bytes], path: Path, shape: Shape, digest: Any) -> Array:
    array = np.empty(shape, dtype="<f8")
    if array.size:
        data = array.reshape(-1).view(np.uint8)
        if file.readinto(data) != len(data):  # type: ignore[attr-defined]
            raise ModelFileError(f"{path.name} ends too early")
        digest.update(data)
    return array.astype(np.float64, copy=False)
