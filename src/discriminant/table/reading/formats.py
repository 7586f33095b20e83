"""What is in a file, seen in its first bytes; its name is only asked where the bytes could be anything."""

import re

from discriminant.findings import shown
from discriminant.table.errors import TableError
from discriminant.table.reading.inputs import Input

FORMATS = ("csv", "parquet", "arrow", "svmlight")

_SYNONYMS = {"tsv": "csv", "txt": "csv", "feather": "arrow", "ipc": "arrow", "libsvm": "svmlight", "svm": "svmlight"}
_STRANGERS = (
    (b"PK\x03\x04", "a spreadsheet or zip archive", "save the sheet as CSV, or unpack it"),
    (b"\xd0\xcf\x11\xe0", "an old spreadsheet", "save the sheet as CSV"),
    (b"SQLite format 3", "an SQLite database", "export the table as CSV"),
    (b"\x89HDF", "an HDF5 file", "write the table as Parquet or CSV"),
    (b"ORC", "an ORC file", "write the table as Parquet"),
    (b"Obj\x01", "an Avro file", "write the table as Parquet"),
    (b"FEA1", "a Feather file of version 1", "write it again with a newer library, or as Parquet"),
    (b"\xfd7zXZ", "compressed with xz", "decompress it, or use gzip or zstd"),
    (b"%PDF", "a PDF", "name a table"),
    (b"\x80\x04", "a Python pickle", "write the table as Parquet or CSV"),
    (b"\x80\x05", "a Python pickle", "write the table as Parquet or CSV"),
)

_NUMBER = rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_PAIR = rb"\d+:(?:" + _NUMBER + rb"|[+-]?(?:nan|inf))"
_SPARSE_LINE = re.compile(
    rb"(?:" + _NUMBER + rb"|" + _PAIR + rb")(?:[ \t]+qid:\d+)?(?:[ \t]+" + _PAIR + rb")*[ \t]*(?:#.*)?", re.IGNORECASE
)


def format_of(source: Input, asked: str | None) -> str:
    """One of `FORMATS`: the one asked for, or the one that the first bytes show."""
    if asked is not None:
        known = _SYNONYMS.get(asked.lower().lstrip("."), asked.lower().lstrip("."))
        if known not in FORMATS:
            raise TableError(f"{shown(asked)} is no format of tables", f"choose from {', '.join(FORMATS)}")
        return known
    head = source.head
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith((b"ARROW1", b"\xff\xff\xff\xff")):
        return "arrow"
    for magic, what, remedy in _STRANGERS:
        if head.startswith(magic):
            raise TableError(f"{source.name} is {what}, which is not read here", remedy)
    if re.match(rb'\s*(\{\s*"|\[\s*[\[{])', head):
        raise TableError(f"{source.name} looks like JSON, which is not read here", "write the table as CSV or Parquet")
    return "svmlight" if is_sparse_text(head) else "csv"


def is_sparse_text(head: bytes) -> bool:
    """Whether the first lines are ``label index:value index:value ...``."""
    whole = head.rsplit(b"\n", 1)[0] if b"\n" in head else head
    lines = [line.strip() for line in whole.splitlines()[:50]]
    lines = [line for line in lines if line and not line.startswith(b"#")]
    pairs = [line for line in lines if b":" in line.split(b"#", 1)[0]]
    return bool(pairs) and 2 * len(pairs) >= len(lines) and all(map(_SPARSE_LINE.fullmatch, lines))
