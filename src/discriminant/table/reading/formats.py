"""What is in a file, seen in its first bytes; its name is only asked where the bytes could be anything."""

import re

from discriminant.findings import shown
from discriminant.table.errors import TableError
from discriminant.table.reading.inputs import Input

FORMATS = ("csv", "parquet", "arrow", "svmlight")

_SYNONYMS = {"tsv": "csv", "txt": "csv", "feather": "arrow", "ipc": "arrow", "libsvm": "svmlight", "svm": "svmlight"}
_STRANGERS = (
    (b"\x89PNG\r\n", "a PNG picture", "name a table"),
    (b"\xff\xd8\xff", "a JPEG picture", "name a table"),
    (b"GIF8", "a GIF picture", "name a table"),
    (b"II*\x00", "a TIFF picture", "name a table"),
    (b"MM\x00*", "a TIFF picture", "name a table"),
    (b"RIFF", "a sound, film or picture", "name a table"),
    (b"\xd0\xcf\x11\xe0", "an old spreadsheet", "save the sheet as CSV"),
    (b"SQLite format 3", "an SQLite database", "export the table as CSV"),
    (b"\x89HDF", "an HDF5 file", "write the table as Parquet or CSV"),
    (b"ORC", "an ORC file", "write the table as Parquet"),
    (b"Obj\x01", "an Avro file", "write the table as Parquet"),
    (b"FEA1", "a Feather file of version 1", "write it again with a newer library, or as Parquet"),
    (b"\xfd7zXZ", "compressed with xz", "decompress it, or use gzip or zstd"),
    (b"%PDF", "a PDF", "name a table"),
    *((bytes([0x80, v]), "a Python pickle", "write the table as Parquet or CSV") for v in (2, 3, 4, 5)),
    (b"\x93NUMPY", "a NumPy array", "write it as a table with named columns, Parquet or CSV"),
    (b"RDX", "an R workspace", "write the table with write.csv or as Parquet"),
    (b"$FL2", "an SPSS file", "save it as CSV"),
    (b"<stata_dta>", "a Stata file", "save it as CSV"),
    (b"7z\xbc\xaf", "a 7z archive", "unpack it"),
    (b"Rar!", "a RAR archive", "unpack it"),
)
_IN_ZIP = (  # names of files within
    (b"xl/", "an Excel workbook", "save the sheet as CSV"),
    (b"word/", "a Word document", "name a table"),
    (b"ppt/", "a PowerPoint document", "name a table"),
    (b"application/vnd.oasis.opendocument.spreadsheet", "an OpenDocument spreadsheet", "save the sheet as CSV"),
)
_TEXTS = (
    (re.compile(rb"\s*<(!doctype html|html|head|body|table)\b", re.IGNORECASE), "a web page (HTML)", "save the table "
     "in it as CSV"),
    (re.compile(rb"\s*<\?xml\b"), "an XML file", "write the table as CSV or Parquet"),
    (re.compile(rb"(\s*%[^\n]*\n)*\s*@relation\b", re.IGNORECASE), "an ARFF file", "write the table as CSV"),
    (re.compile(rb'\s*(\{\s*"|\[\s*[\[{])'), "a JSON file", "write the table as CSV or Parquet"),
)  # fmt: skip

_NUMBER = rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_PAIR = rb"\d+:(?:" + _NUMBER + rb"|[+-]?(?:nan|inf))"
_SPARSE_LINE = re.compile(
    rb"(?:" + _NUMBER + rb"|" + _PAIR + rb")(?:[ \t]+qid:\d+)?(?:[ \t]+" + _PAIR + rb")*[ \t]*(?:#.*)?", re.IGNORECASE
)


def format_of(source: Input, asked: str | None) -> str:
    """One of `FORMATS`: the one asked for, or the one that the first bytes show."""
    refuse_strangers(source)
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
    return "svmlight" if is_sparse_text(head) or (_is_named_sparse(source) and may_be_sparse_text(head)) else "csv"


def refuse_strangers(source: Input) -> None:
    """Say what a file is that is no table, with the way to one."""
    head = source.head
    found = next(((what, remedy) for magic, what, remedy in _STRANGERS if head.startswith(magic)), None)
    if head.startswith(b"PK\x03\x04"):
        inside = ((what, remedy) for name, what, remedy in _IN_ZIP if name in head)
        found = next(inside, ("a ZIP archive", "unpack it and name the table in it"))
    elif head[257:262] == b"ustar":
        found = ("a TAR archive", "unpack it and name the table in it")
    found = found or next(((what, remedy) for pattern, what, remedy in _TEXTS if pattern.match(head)), None)
    if found is not None:
        raise TableError(f"{source.name} is {found[0]}, which is not read here", found[1])


def is_sparse_text(head: bytes) -> bool:
    """Whether the first lines are ``label index:value index:value ...``."""
    lines = _first_lines(head)
    pairs = [line for line in lines if b":" in line.split(b"#", 1)[0]]
    return bool(pairs) and 2 * len(pairs) >= len(lines) and may_be_sparse_text(head)


def may_be_sparse_text(head: bytes) -> bool:
    """Whether the first lines could be such, though many are labels alone, of rows of zeros.

    >>> is_sparse_text(b"1\\n0\\n"), may_be_sparse_text(b"1\\n0\\n"), may_be_sparse_text(b"a,b\\n")
    (False, True, False)
    """
    return all(map(_SPARSE_LINE.fullmatch, _first_lines(head)))


def _first_lines(head: bytes) -> list[bytes]:
    whole = head.rsplit(b"\n", 1)[0] if b"\n" in head else head
    lines = [line.strip() for line in whole.splitlines()[:50]]
    return [line for line in lines if line and not line.startswith(b"#")]


def _is_named_sparse(source: Input) -> bool:
    endings = re.split(r"\.", source.name.lower())[1:]
    return any(_SYNONYMS.get(ending, ending) == "svmlight" for ending in endings)
