"""C, Python and JavaScript in processes of their own, ONNX by onnxruntime; each takes files and rows, and answers."""

import json
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from discriminant.export.c_language import field_names
from discriminant.export.checks import Answers, RunnerMissing
from discriminant.export.literals import labels_of_one_type
from discriminant.export.onnx_graph import input_names
from discriminant.export.plan import CategoryColumn, Plan
from discriminant.export.vectors import Cell, ExportVectors, days_of
from discriminant.model.decision_model import Label
from discriminant.table.texts import SPACES

FLAGS = ("-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1")
_NODE_SCRIPT = """
import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import * as model from "./MODULE.mjs";
const common = createRequire(import.meta.url)("./MODULE.cjs");
const rows = JSON.parse(readFileSync(0, "utf8"));
const plain = (x) => (typeof x === "bigint" ? x.toString() : x);
const answer = (m, row) => {
  try {
    return { scores: m.scores(...row), probabilities: m.probabilities(...row), label: plain(m.label(...row)) };
  } catch (problem) {
    if (!(problem instanceof RangeError)) throw problem;
    return null;
  }
};
const answers = rows.map((row) => answer(model, row));
const same = rows.length === 0 || JSON.stringify(answer(common, rows[0])) === JSON.stringify(answers[0]);
if (!same) throw new Error("module and require differ");
process.stdout.write(JSON.stringify(answers));
"""
_PYTHON_SCRIPT = """
import datetime, json, sys
sys.path.insert(0, ".")
import exported

def cell(value):
    return datetime.datetime.fromisoformat(value["date"]) if isinstance(value, dict) else value

def answer(row):
    row = [{k: cell(v) for k, v in a.items()} if isinstance(a, dict) else a for a in row]
    try:
        return {"scores": exported.scores(*row), "probabilities": exported.probabilities(*row),
                "label": exported.label(*row)}
    except ValueError:
        return None

json.dump([answer(row) for row in json.load(sys.stdin)], sys.stdout)
"""
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
_SECONDS = 300


def run_python(files: Mapping[str, bytes], plan: Plan, vectors: ExportVectors) -> Answers:
    """The module, in a process of its own that sees no package but the standard library."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "exported.py").write_bytes(next(iter(files.values())))
        Path(folder, "run.py").write_text(_PYTHON_SCRIPT)
        rows = json.dumps(_arguments(vectors, lambda date: {"date": date.isoformat()}))  # told from texts
        return _answers_of(_run([sys.executable, "-I", "-S", "-B", "run.py"], folder, rows.encode()), vectors)


def run_node(files: Mapping[str, bytes], plan: Plan, vectors: ExportVectors) -> Answers:
    """Both modules, by node."""
    node = shutil.which("node")
    if node is None:
        raise RunnerMissing("no node here")
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            Path(folder, f"model{Path(name).suffix}").write_bytes(content)
        Path(folder, "run.mjs").write_text(_NODE_SCRIPT.replace("MODULE", "model"))
        rows = json.dumps(_arguments(vectors, datetime.isoformat))
        return _answers_of(_run([node, "run.mjs"], folder, rows.encode()), vectors)


def run_onnx(files: Mapping[str, bytes], plan: Plan, vectors: ExportVectors) -> Answers:
    """Run the graph by onnxruntime."""
    try:
        import onnxruntime
    except ImportError:
        raise RunnerMissing("no onnxruntime here (pip install onnxruntime)") from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(next(iter(files.values())), options, providers=["CPUExecutionProvider"])
    inputs = {name: _tensor(c, vectors.cells[c.name]) for c, name in zip(plan.columns, input_names(plan), strict=True)}
    wanted = [output.name for output in session.get_outputs()]
    given = dict(zip(wanted, session.run(wanted, inputs), strict=True))
    return Answers(given["scores"], given.get("probabilities"), given["label"].tolist())


def _arguments(vectors: ExportVectors, of_date: Callable[[datetime], Any]) -> list[tuple[Any, ...]]:
    """What the functions of an export are called with, row by row, as JSON has it."""
    if vectors.sparse_rows is not None:
        return [(list(indices), list(values)) for indices, values in vectors.sparse_rows]
    columns = [[of_date(c) if isinstance(c, datetime) else c for c in cells] for cells in vectors.cells.values()]
    return [(dict(zip(vectors.cells, row, strict=True)),) for row in zip(*columns, strict=True)]


def _run(command: list[str], folder: str, given: bytes = b"") -> bytes:
    done = subprocess.run(command, cwd=folder, input=given, capture_output=True, timeout=_SECONDS)
    if done.returncode:
        raise RuntimeError(f"{Path(command[0]).name}: {done.stderr.decode(errors='replace').strip()[-500:]}")
    return done.stdout


def _answers_of(output: bytes, vectors: ExportVectors) -> Answers:
    """Row by row, None where the row was refused."""
    answers = json.loads(output)
    planes = vectors.scores.shape[1]
    scores = np.array([[np.nan] * planes if a is None else a["scores"] for a in answers], dtype=float)
    posteriors = None
    if any(a is not None and a["probabilities"] is not None for a in answers) and vectors.probabilities is not None:
        classes = vectors.probabilities.shape[1]
        given = [[np.nan] * classes if a is None else a["probabilities"] for a in answers]
        posteriors = np.array(given, dtype=float)
    return Answers(
        scores.reshape(len(answers), planes), posteriors, [None if a is None else a["label"] for a in answers]
    )


def _tensor(column: Any, cells: Any) -> Any:
    if isinstance(column, CategoryColumn):
        return np.array([["" if c is None else c.strip(SPACES)] for c in cells], dtype=object)
    return np.array([[number_of(c)] for c in cells], dtype=np.float64)


def number_of(cell: Cell) -> float:
    """A number, flag or date as C and ONNX take it: NaN where blank, dates in days."""
    if cell is None:
        return np.nan
    return days_of(cell) if isinstance(cell, datetime) else float(cell)


# --- C -----------------------------------------------------------------------------------------------------


def run_c(files: Mapping[str, bytes], plan: Plan, vectors: ExportVectors) -> Answers:
    """Compiled with warnings as errors, then run."""
    compiler = shutil.which("gcc") or shutil.which("cc") or shutil.which("clang")
    if compiler is None:
        raise RunnerMissing("no C compiler here")
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            Path(folder, name).write_bytes(content)
        header = next(name for name in files if name.endswith(".h"))
        Path(folder, "program.c").write_text(program(plan).replace('"model.h"', f'"{header}"', 1))
        sources = [name for name in files if name.endswith(".c")]
        _run([compiler, *FLAGS, "-o", "program", "program.c", *sources, "-lm"], folder)
        return _answers_of_c(plan, _run([str(Path(folder, "program"))], folder, _rows_for_c(plan, vectors)))


def program(plan: Plan) -> str:
    """main, and how a row is read."""
    if plan.indexed is not None:
        call = "discriminant_scores((size_t)row.n, row.indices, row.values, scores);"
        return _filled_in("struct sparse_row", call, _READ_SPARSE)
    fields = field_names([c.name for c in plan.columns])
    reads = "\n".join(
        f"    if (!{'read_text' if isinstance(c, CategoryColumn) else 'read_number'}(&row->{f})) return 0;"
        for f, c in zip(fields, plan.columns, strict=True)
    )
    reader = f"static int read_row(discriminant_row *row)\n{{\n{reads}\n    return 1;\n}}\n"
    reader = (_READ_TEXT if plan.chosen else "") + (_READ_NUMBER if plan.measured else "") + reader
    return _filled_in("discriminant_row", "discriminant_scores(&row, scores);", reader)


def _filled_in(row_type: str, call: str, reader: str) -> str:
    """The reader last: it holds names of columns, which must not be taken for places to fill in."""
    return _PROGRAM.replace("ROW row;", f"{row_type} row;").replace("CALL", call).replace("READ_ROW", reader)


def _rows_for_c(plan: Plan, vectors: ExportVectors) -> bytes:
    parts: list[bytes] = []
    if vectors.sparse_rows is not None:
        for indices, values in vectors.sparse_rows:
            parts += [struct.pack("i", len(indices)), np.array(indices, dtype=np.dtype("long")).tobytes()]
            parts.append(np.array(values, dtype=np.float64).tobytes())
        return b"".join(parts)
    for row in zip(*(vectors.cells[c.name] for c in plan.columns), strict=True):
        for column, cell in zip(plan.columns, row, strict=True):
            if not isinstance(column, CategoryColumn):
                parts.append(struct.pack("d", number_of(cell)))
                continue
            text = None if cell is None else str(cell).encode()
            parts.append(struct.pack("i", -1) if text is None else struct.pack("i", len(text)) + text)
    return b"".join(parts)


def _answers_of_c(plan: Plan, output: bytes) -> Answers:
    record = np.dtype(
        [("scores", "f8", plan.planes), ("probabilities", "f8", len(plan.classes)), ("answer", "i4")], align=False
    )
    given = np.frombuffer(output, dtype=record)
    answers = labels_of_one_type(plan.answers)
    labels: list[Label | None] = [answers[a] if a >= 0 else None for a in given["answer"].tolist()]
    scores = given["scores"].reshape(len(given), plan.planes)
    return Answers(scores, given["probabilities"] if plan.offsets is not None else None, labels)
