"""Damaged Arrow and Parquet files, each from a seed, and a process that reads as many of them as it is given.

The process reads names of files and answers each with a line: the two ways of reading it, whole and in batches, as
"rows <hash>", "refused <why>" or "raised <what>".
"""

import datetime
import decimal
import hashlib
import io
import random
import struct
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq

HOW = 7  # ways to damage a file


def sample_table(n=60):
    """A column of every kind that is stored in a way of its own."""
    draw = random.Random(7)
    return pa.table(
        {
            "x": [draw.random() for _ in range(n)],
            "n": pa.array([draw.choice([None, i]) for i in range(n)], pa.int32()),
            "text": [draw.choice(["abc", "d", "", None, "long text " * 3]) for _ in range(n)],
            "large": pa.array([str(i) for i in range(n)], pa.large_string()),
            "view": pa.array([f"a text of more than twelve letters {i}" for i in range(n)], pa.string_view()),
            "code": pa.array([draw.choice(["red", "green", "blue"]) for _ in range(n)]).dictionary_encode(),
            "flag": [draw.random() < 0.5 for _ in range(n)],
            "list": [[1, 2, 3][: i % 4] for i in range(n)],
            "parts": [{"a": i, "b": str(i)} for i in range(n)],
            "day": [datetime.date(2020, 1, 1)] * n,
            "price": [decimal.Decimal("1.5")] * n,
            "none": pa.nulls(n),
            "bytes": pa.array([bytes([i] * 4) for i in range(n)], pa.binary(4)),
            "class": [i % 2 for i in range(n)],
        }
    )


def whole_files():
    """{name: bytes} of one table in each format and compression."""
    table, files = sample_table(), {}
    for name, writer in (("file", pa.ipc.new_file), ("stream", pa.ipc.new_stream)):
        for packed in (None, "lz4", "zstd"):
            out = io.BytesIO()
            with writer(out, table.schema, options=pa.ipc.IpcWriteOptions(compression=packed)) as sink:
                sink.write_table(table, max_chunksize=25)
            files[f"{name}-{packed}.arrow"] = out.getvalue()
    for packed in ("lz4", "zstd", "uncompressed"):
        out = io.BytesIO()
        feather.write_feather(table, out, compression=packed)
        files[f"{packed}.feather"] = out.getvalue()
    stored = table.drop_columns(["view"])
    for packed in ("snappy", "none", "zstd"):
        out = io.BytesIO()
        pq.write_table(stored, out, compression=packed, row_group_size=25)
        files[f"{packed}.parquet"] = out.getvalue()
    out = io.BytesIO()
    encodings = {"n": "DELTA_BINARY_PACKED", "text": "DELTA_BYTE_ARRAY", "x": "BYTE_STREAM_SPLIT"}
    pq.write_table(stored, out, data_page_version="2.0", use_dictionary=False, column_encoding=encodings)
    files["encoded.parquet"] = out.getvalue()
    return files


def damaged(content, draw):
    """Cut short, or with some bytes, bits, numbers or stretches that are others; the first eight stay."""
    data, how = bytearray(content), draw.randrange(HOW)
    if how == 0:
        return bytes(data[: draw.randrange(8, len(data))])
    for _ in range(draw.choice([1, 1, 1, 2, 4])):
        at = draw.randrange(8, len(data))
        if draw.random() < 0.4:  # where the descriptions of most formats are
            at = max(8, len(data) - 1 - draw.randrange(min(len(data) - 8, 3000)))
        n = draw.randrange(1, 64)
        if how == 1:
            data[at] = draw.randrange(256)
        elif how == 2:
            data[at] ^= 1 << draw.randrange(8)
        elif how == 3:
            _put(data, at & ~3, "<i", draw.choice([-1, 2**31 - 1, -(2**31), 0, *_places(data, draw)]))
        elif how == 4:
            _put(data, at & ~7, "<q", draw.choice([-1, 2**63 - 1, -(2**63), 2**40, *_places(data, draw)]))
        elif how == 5:
            data[at : at + n] = bytes(len(data[at : at + n]))
        else:
            other = draw.randrange(8, len(data))
            data[at : at + n] = data[other : other + n]
    return bytes(data)


def _places(data, draw):
    return draw.randrange(len(data)), draw.randrange(-1000, 1000)


def _put(data, at, form, number):
    packed = struct.pack(form, number)
    data[at : at + len(packed)] = packed[: len(data) - at]


class Reader:
    """The process that reads; a new one where a file has ended it."""

    def __init__(self):
        self.signals = []
        self._start()

    def _start(self):
        command = [sys.executable, "-m", "tests.table.damaged"]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, text=True)

    def answers(self, path):
        """The line for a file, in two parts; nothing if it ended the process."""
        self._process.stdin.write(f"{path}\n")
        self._process.stdin.flush()
        if answer := self._process.stdout.readline().strip():
            return answer.split("\t")
        self.signals.append((str(path), self._process.wait()))
        self._start()
        return []

    def close(self):
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait()


def read_damaged(folder, seeds):
    """(how often each format was answered how, what must not be: (seed, name, answers), signals)."""
    files, reader = whole_files(), Reader()
    counts, wrong = Counter(), []
    for seed in seeds:
        draw = random.Random(seed)
        name = draw.choice(sorted(files))
        path = Path(folder) / name
        path.write_bytes(damaged(files[name], draw))
        found = reader.answers(path)
        kinds = [answer.split()[0] for answer in found]
        counts[path.suffix, kinds[0] if kinds else "signal"] += 1
        if not found or "raised" in kinds or (kinds[0] == "rows" and found[0] != found[1]):
            wrong.append((seed, name, found))
    reader.close()
    return counts, wrong, reader.signals


def _answer(read):
    from discriminant.table.errors import TableError

    try:
        rows = [row for batch in read() for row in _rows(batch)]
    except TableError as error:
        return f"refused {error}"
    except BaseException as error:
        return f"raised {type(error).__name__} {error}"
    return f"rows {hashlib.sha256(repr(rows).encode('utf-8', 'surrogatepass')).hexdigest()}"


def _rows(batch):
    """Of Python's values; dates as numbers, for Python has not all of them."""
    cells = [c.cast(pa.int32()) if pa.types.is_date32(c.type) else c for c in batch.columns]
    cells = [c.cast(pa.int64()) if pa.types.is_temporal(c.type) else c for c in cells]
    return zip(*(c.to_pylist() for c in cells), strict=True)


def main():
    from discriminant.table.reading import open_table

    for line in sys.stdin:
        path = line.strip()
        whole = _answer(lambda path=path: open_table([path]).read().to_batches())
        parts = _answer(lambda path=path: (batch.table for batch in open_table([path]).batches()))
        sys.stdout.write("\t".join(" ".join(part.split()) for part in (whole, parts)) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
