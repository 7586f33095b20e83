"""Odd text through the table reader, the encoding of its columns, and a fit."""

import gzip
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from discriminant import LeastSquaresClassifier
from discriminant.study.design import design_of_sparse, design_of_table
from discriminant.table.reading import open_table
from tests.fuzz.judging import REFUSALS, require, require_among, require_finite
from tests.fuzz.kinds.hostile_cells import DATES, NUMBERS, WORDS, cell

_NAMES = (
    "x",
    "y",
    "id",
    "a b",
    "",
    " ",
    "é",
    "x",
    "1",
    "target",
    '"',
    "a,b",
    "#",
    "\ufeff",
    "date",
    "=1",
    "NA",
    "\x00",
)
_ENCODINGS = ("utf-8-sig", "utf-16", "utf-16-le", "latin-1", "cp1252", "utf-32")


def attempt(random: Random, folder: Path) -> None:
    sparse = random.random() < 0.2
    text = _svmlight(random) if sparse else _delimited(random)
    data = _damaged(random, _in_bytes(random, text))
    path = folder / (
        "t" + random.choice((".csv", ".tsv", ".txt", "", ".csv.gz", ".svm") if not sparse else (".svm", ".txt"))
    )
    path.write_bytes(data)
    source = open_table([path], delimiter=None if random.random() < 0.97 else random.choice(",;| ab"))
    on_error = random.choice(("stop", "skip"))
    if source.format == "svmlight":
        _fit_sparse(source, on_error)
    else:
        _fit(random, source, on_error)


def _fit(random: Random, source: Any, on_error: str) -> None:
    table = source.read(on_error=on_error)
    names = list(source.names)
    require(table.column_names == names, "columns of other names than the source has")
    batches = list(source.batches(on_error=on_error, block_bytes=random.choice((1 << 22, 64))))
    require(sum(batch.table.num_rows for batch in batches) == table.num_rows, "batches of other rows than the table")
    target = "y" if "y" in names and random.random() < 0.95 else random.choice(names)
    design = design_of_table(table, target, least_rows=2, forms="straight" if random.random() < 0.97 else "auto")
    require_finite(design.X, "a design matrix")
    _judge(design)
    _same_in_batches(source, design, on_error)


def _fit_sparse(source: Any, on_error: str) -> None:
    X, labels = source.read_sparse(on_error=on_error)
    rows = sum(
        batch.matrix.shape[0] for batch in source.sparse_batches(X.shape[1], source.first_index, on_error=on_error)
    )
    require(rows == X.shape[0] == len(labels), "batches of other rows than the table")
    if X.shape[1] < 10_000:
        _judge(design_of_sparse(X, labels, first_index=source.first_index, least_rows=2))


def _judge(design: Any) -> None:
    rows = design.rows
    model = LeastSquaresClassifier(alpha=1.0).fit(design.X, rows.codes)
    require_among(model.predict(design.X), model.classes_)
    require_finite(model.decision_function(design.X), "scores")


def _same_in_batches(source: Any, design: Any, on_error: str) -> None:
    """Rows are encoded alike when they come as text in blocks, as they do in `predict`, and as a whole, as in `fit`."""
    encoding = design.encoding
    used = [column.name for column in encoding.used]
    parts = [encoding.encode(b.table) for b in source.batches(used, on_error=on_error, as_written=encoding.as_written)]
    starts = np.cumsum([0, *(len(part.matrix) for part in parts)])
    refused = {start + cell.row for start, part in zip(starts, parts, strict=False) for cell in part.bad}
    # fit leaves out rows without a class, or of a class too rare, and never looks at their cells
    require(refused.isdisjoint(design.row_numbers), "cells that fit took and predict refuses")
    whole = np.concatenate([part.matrix for part in parts])[design.row_numbers]
    require(np.allclose(whole, design.X, rtol=1e-9, atol=1e-12), "rows that predict encodes otherwise than fit did")


# --- text -----------------------------------------------------------------------------------------------


def _delimited(random: Random) -> str:
    delimiter = random.choice(",,,;\t|: ")
    end = random.choice(("\n", "\n", "\n", "\r\n", "\r", "\n\r"))
    n = random.choice((8, 12, 30)) if random.random() < 0.9 else random.choice((0, 1, 2))
    odd = random.choice((0.0, 0.0, 0.02, 0.1))
    names = _header(random)
    columns = [_column(random, n, odd) for _ in names[:-1]]
    odd_classes = (("1", "01"), ("a", "A"), ("1.0", "1"), ("2020-01-01", "x"), ("é", "e\u0301"), ("0", ""))
    classes = random.choice((("yes", "no"), ("1", "2", "3")) if random.random() < 0.9 else odd_classes)
    columns.append([classes[i % len(classes)] for i in range(n)])
    lines = [names, *map(list, zip(*columns, strict=True))]
    for line in lines[1:]:
        if random.random() < odd:
            line.append("extra") if random.random() < 0.5 else line.pop()
    quoting = random.choice((False, False, True))
    written = [delimiter.join(_quoted(text, delimiter, quoting) for text in line) for line in lines]
    if random.random() < 0.1:
        written.insert(random.randrange(len(written) + 1), random.choice(("", "# comment", "Title", "---", ",,,", '"')))
    return end.join(written) + random.choice((end, end, "", end + end, '"'))


def _header(random: Random) -> list[str]:
    width = random.choice((1, 2, 3, 4, 8))
    if random.random() < 0.7:
        return [f"x{j}" for j in range(width)] + ["y"]
    return [random.choice(_NAMES) for _ in range(width)] + ["y" if random.random() < 0.9 else random.choice(_NAMES)]


def _column(random: Random, n: int, odd: float) -> list[str]:
    ordinary = (
        lambda: f"{random.gauss(0, 10):.3g}",
        lambda: str(random.randrange(20)),
        lambda: random.choice(("red", "green", "blue", "")),
        lambda: random.choice(("yes", "no", "Yes", "NA")),
        lambda: f"20{random.randrange(10, 30)}-{random.randrange(1, 13):02}-{random.randrange(1, 29):02}",
    )
    written_oddly = (
        lambda: f"{random.gauss(50, 20):.2f}".replace(".", ","),
        lambda: f"${random.uniform(0, 5000):,.2f}",
        lambda: f"{random.uniform(0, 100):.1f}%",
        lambda: f"{random.randrange(1, 29):02}/{random.randrange(1, 13):02}/2020",
        lambda: str(random.getrandbits(70)),
        lambda: random.choice(NUMBERS),
        lambda: random.choice(DATES),
        lambda: random.choice(WORDS),
    )
    make = random.choice(ordinary if random.random() < 0.8 else written_oddly)
    return [cell(random) if random.random() < odd else make() for _ in range(n)]


def _quoted(text: str, delimiter: str, always: bool) -> str:
    needed = always or any(c in text for c in (delimiter, '"', "\n", "\r"))
    return '"' + text.replace('"', '""') + '"' if needed else text


def _svmlight(random: Random) -> str:
    first, n = random.choice((0, 1)), random.choice((1, 3, 10))
    lines = []
    for i in range(n):
        places = sorted(random.sample(range(first, first + 12), random.randrange(6)))
        pairs = [f"{j}:{random.choice((*NUMBERS[:5], '2.5', '-3', '1e3'))}" for j in places]
        lines.append(" ".join([("1", "+1", "1.0")[i % 3] if i % 2 else "-1", *pairs]))
    if random.random() < 0.4:
        odd = (
            "1 5:1 3:1", "1 -1:2", "1 0:1", "1 99999999999:1", "1 2147483648:1", "1 :1", "1 1:", "1 qid:3 1:1",
            "# only",
            "1,2 1:1", "x 1:1", "1 1:1 1:2", "nan 1:1", "1 1:nan", "1 1:1e400", "", "1 1:1 # said", "1\t1:1",
            "1 1 :1", "1e0 1:1",
            "1 100000000:1",
        )  # fmt: skip
        lines.insert(random.randrange(len(lines) + 1), random.choice(odd))
    return "\n".join(lines) + random.choice(("\n", ""))


# --- bytes ----------------------------------------------------------------------------------------------


def _in_bytes(random: Random, text: str) -> bytes:
    if random.random() < 0.9:
        return text.encode("utf-8", "surrogatepass")
    try:
        return text.encode(random.choice(_ENCODINGS))
    except REFUSALS:
        return text.encode()


def _damaged(random: Random, data: bytes) -> bytes:
    if random.random() < 0.1:
        data = gzip.compress(data, 1)
    if random.random() < 0.85 or not data:
        return data
    a, b = sorted(random.randrange(len(data) + 1) for _ in range(2))
    changed = bytearray(data)
    changed[random.randrange(len(data))] = random.randrange(256)
    return random.choice((data[:a], data[a:], data[:a] + data[b:], data + data[a:b], bytes(changed), data * 3))
