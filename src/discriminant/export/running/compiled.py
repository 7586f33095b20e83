"""C, compiled where a compiler is at hand, with a small program around it that reads rows and writes answers."""

import shutil
import struct
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from discriminant.export.c_language import field_names
from discriminant.export.checks import Answers, NotAtHand
from discriminant.export.labels import unified
from discriminant.export.plan import Chosen, Plan
from discriminant.export.running.languages import number_of
from discriminant.export.vectors import Vectors
from discriminant.model.decision_model import Label

FLAGS = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1")
_SECONDS = 300

_PROGRAM = """#include "model.h"
#include <stdio.h>
#include <stdlib.h>

static int read_bytes(void *to, size_t n) { return fread(to, 1, n, stdin) == n; }
READ_ROW
int main(void)
{
    ROW row;
    while (read_row(&row)) {
        double scores[DISCRIMINANT_PLANES], probabilities[DISCRIMINANT_CLASSES] = {0.0};
        int answer;
        CALL
#if DISCRIMINANT_HAS_PROBABILITIES
        discriminant_probabilities(scores, probabilities);
#endif
        answer = discriminant_decide(scores);
        if (answer >= 0)
            (void)discriminant_label(answer);
        fwrite(scores, sizeof scores, 1, stdout);
        fwrite(probabilities, sizeof probabilities, 1, stdout);
        fwrite(&answer, sizeof answer, 1, stdout);
    }
    return 0;
}
"""
_READ_TEXT = """static int read_text(const char **to)
{
    int length;
    char *text;
    if (!read_bytes(&length, sizeof length))
        return 0;
    *to = NULL;
    if (length < 0)
        return 1;
    text = malloc((size_t)length + 1);
    if (text == NULL || !read_bytes(text, (size_t)length))
        return 0;
    text[length] = '\\0';
    *to = text;
    return 1;
}
"""
_READ_NUMBER = "static int read_number(double *to) { return read_bytes(to, sizeof *to); }\n"
_READ_SPARSE = """struct sparse_row { int n; long indices[4096]; double values[4096]; };
static int read_row(struct sparse_row *row)
{
    return read_bytes(&row->n, sizeof row->n) && read_bytes(row->indices, (size_t)row->n * sizeof(long))
        && read_bytes(row->values, (size_t)row->n * sizeof(double));
}
"""


def run_c(files: Mapping[str, bytes], plan: Plan, vectors: Vectors) -> Answers:
    """Compiled with warnings as errors, then run."""
    compiler = shutil.which("gcc") or shutil.which("cc") or shutil.which("clang")
    if compiler is None:
        raise NotAtHand("no C compiler here")
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            Path(folder, name).write_bytes(content)
        header = next(name for name in files if name.endswith(".h"))
        Path(folder, "program.c").write_text(program(plan).replace('"model.h"', f'"{header}"', 1))
        sources = [name for name in files if name.endswith(".c")]
        _run([compiler, *FLAGS, "-o", "program", "program.c", *sources, "-lm"], folder)
        return _answers(plan, _run([str(Path(folder, "program"))], folder, _rows(plan, vectors)))


def program(plan: Plan) -> str:
    """main, and how a row is read."""
    if plan.indexed is not None:
        call = "discriminant_scores((size_t)row.n, row.indices, row.values, scores);"
        return _filled_in("struct sparse_row", call, _READ_SPARSE)
    fields = field_names([c.name for c in plan.columns])
    reads = "\n".join(
        f"    if (!{'read_text' if isinstance(c, Chosen) else 'read_number'}(&row->{f})) return 0;"
        for f, c in zip(fields, plan.columns, strict=True)
    )
    reader = f"static int read_row(discriminant_row *row)\n{{\n{reads}\n    return 1;\n}}\n"
    reader = (_READ_TEXT if plan.chosen else "") + (_READ_NUMBER if plan.measured else "") + reader
    return _filled_in("discriminant_row", "discriminant_scores(&row, scores);", reader)


def _filled_in(row_type: str, call: str, reader: str) -> str:
    """The reader last: it holds names of columns, which must not be taken for places to fill in."""
    return _PROGRAM.replace("ROW row;", f"{row_type} row;").replace("CALL", call).replace("READ_ROW", reader)


def _rows(plan: Plan, vectors: Vectors) -> bytes:
    parts: list[bytes] = []
    if vectors.sparse_rows is not None:
        for indices, values in vectors.sparse_rows:
            parts += [struct.pack("i", len(indices)), np.array(indices, dtype=np.dtype("long")).tobytes()]
            parts.append(np.array(values, dtype=np.float64).tobytes())
        return b"".join(parts)
    for row in zip(*(vectors.cells[c.name] for c in plan.columns), strict=True):
        for column, cell in zip(plan.columns, row, strict=True):
            if not isinstance(column, Chosen):
                parts.append(struct.pack("d", number_of(cell)))
                continue
            text = None if cell is None else str(cell).encode()
            parts.append(struct.pack("i", -1) if text is None else struct.pack("i", len(text)) + text)
    return b"".join(parts)


def _answers(plan: Plan, output: bytes) -> Answers:
    record = np.dtype(
        [("scores", "f8", plan.planes), ("probabilities", "f8", len(plan.classes)), ("answer", "i4")], align=False
    )
    given = np.frombuffer(output, dtype=record)
    answers = unified(plan.answers)
    labels: list[Label | None] = [answers[a] if a >= 0 else None for a in given["answer"].tolist()]
    scores = given["scores"].reshape(len(given), plan.planes)
    return Answers(scores, given["probabilities"] if plan.offsets is not None else None, labels)


def _run(command: list[str], folder: str, given: bytes = b"") -> bytes:
    done = subprocess.run(command, cwd=folder, input=given, capture_output=True, timeout=_SECONDS)
    if done.returncode:
        raise RuntimeError(f"{Path(command[0]).name}: {done.stderr.decode(errors='replace').strip()[:500]}")
    return done.stdout
