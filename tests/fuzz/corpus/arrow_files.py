"""Arrow files with single damages of the worst kind."""

from pathlib import Path

import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet

from discriminant.table.reading import open_table
from tests.fuzz.judging import REFUSALS
from tests.fuzz.kinds.arrow_files import require_valid

_WORDS = ["one", "two", "three", None] * 2


def offset_too_far(folder: Path) -> None:
    """Each number of four bytes in turn made too large, the offsets of texts among them."""
    _every_number(folder, pa.table({"word": _WORDS, "y": [0, 1] * 4}), 10**6)


def offset_below_zero(folder: Path) -> None:
    _every_number(folder, pa.table({"word": _WORDS}), -7)


def place_beyond_the_dictionary(folder: Path) -> None:
    _every_number(folder, pa.table({"word": pa.array(_WORDS).dictionary_encode()}), 99)


def length_of_a_null_view(folder: Path) -> None:
    """Arrow validates no view under a null, but follows it."""
    views = pa.array(_WORDS, pa.string_view())
    _every_number(folder, pa.table({"word": views.slice(3), "y": [0, 1, 0, 1, 0]}), -(2**31))


def _every_number(folder: Path, table: pa.Table, number: int) -> None:
    path = folder / "t.feather"
    pa.feather.write_feather(table, path, compression="uncompressed")
    sound = path.read_bytes()
    for at in range(0, len(sound) - 4, 4):
        path.write_bytes(sound[:at] + number.to_bytes(4, "little", signed=True) + sound[at + 4 :])
        try:
            source = open_table([path])
            require_valid(source.read())
            for batch in source.batches():
                require_valid(batch.table)
        except REFUSALS:
            continue


def page_said_to_be_large(folder: Path) -> None:
    """No room is made for the two gigabytes that a page of a small file is said to have."""
    table = pa.table({"word": ["w" * 50] * 12})
    pa.parquet.write_table(table, folder / "t.parquet", compression="none", use_dictionary=False)
    sound = (folder / "t.parquet").read_bytes()
    for at in range(4, 40):
        (folder / "t.parquet").write_bytes(sound[:at] + b"\xff\xff\xff\xff\x0f" + sound[at + 5 :])
        try:
            open_table([folder / "t.parquet"]).read()
        except REFUSALS:
            continue
