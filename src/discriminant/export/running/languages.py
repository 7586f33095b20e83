"""Python in a process of its own, JavaScript by node, ONNX by onnxruntime."""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np

from discriminant.export.checks import Answers, NotAtHand
from discriminant.export.onnx_graph import input_names
from discriminant.export.plan import Chosen, Plan
from discriminant.export.vectors import Cell, Vectors, days_of
from discriminant.table.texts import SPACES

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
_SECONDS = 120


def run_python(source: bytes, vectors: Vectors) -> Answers:
    """The module, in a process of its own that sees no package but the standard library."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "exported.py").write_bytes(source)
        Path(folder, "run.py").write_text(_PYTHON_SCRIPT)
        rows = json.dumps([[_tagged(a) for a in row] for row in _arguments(vectors)])
        command = [sys.executable, "-I", "-S", "-B", "run.py"]
        done = subprocess.run(command, cwd=folder, input=rows.encode(), capture_output=True, timeout=_SECONDS)
    if done.returncode:
        raise RuntimeError(f"python: {done.stderr.decode(errors='replace').strip()[-500:]}")
    return _answers_of(json.loads(done.stdout), vectors)


def run_node(files: Mapping[str, bytes], vectors: Vectors) -> Answers:
    """Both modules, by node."""
    node = shutil.which("node")
    if node is None:
        raise NotAtHand("no node here")
    with tempfile.TemporaryDirectory() as folder:
        for name, content in files.items():
            Path(folder, f"model{Path(name).suffix}").write_bytes(content)
        Path(folder, "run.mjs").write_text(_NODE_SCRIPT.replace("MODULE", "model"))
        rows = json.dumps([[_as_json(a) for a in row] for row in _arguments(vectors)])
        done = subprocess.run([node, "run.mjs"], cwd=folder, input=rows.encode(), capture_output=True, timeout=_SECONDS)
    if done.returncode:
        raise RuntimeError(f"node: {done.stderr.decode(errors='replace').strip()[:500]}")
    return _answers_of(json.loads(done.stdout), vectors)


def run_onnx(model: bytes, plan: Plan, vectors: Vectors) -> Answers:
    """By onnxruntime."""
    try:
        import onnxruntime
    except ImportError:
        raise NotAtHand("no onnxruntime here (pip install onnxruntime)") from None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    inputs = {name: _tensor(c, vectors.cells[c.name]) for c, name in zip(plan.columns, input_names(plan), strict=True)}
    wanted = [output.name for output in session.get_outputs()]
    given = dict(zip(wanted, session.run(wanted, inputs), strict=True))
    return Answers(given["scores"], given.get("probabilities"), given["label"].tolist())


def _arguments(vectors: Vectors) -> list[tuple[Any, ...]]:
    """What the functions of an export are called with, row by row."""
    if vectors.sparse_rows is not None:
        return [(list(indices), list(values)) for indices, values in vectors.sparse_rows]
    names = list(vectors.cells)
    return [(dict(zip(names, row, strict=True)),) for row in zip(*vectors.cells.values(), strict=True)]


def _answers_of(answers: Sequence[Mapping[str, Any] | None], vectors: Vectors) -> Answers:
    """Row by row, None where the row was refused."""
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


def _tagged(argument: Any) -> Any:
    """As JSON, with dates told from texts."""
    if isinstance(argument, dict):
        return {k: {"date": v.isoformat()} if isinstance(v, datetime) else v for k, v in argument.items()}
    return argument


def _as_json(argument: Any) -> Any:
    if isinstance(argument, dict):
        return {k: v.isoformat() if isinstance(v, datetime) else v for k, v in argument.items()}
    return argument


def _tensor(column: Any, cells: Any) -> Any:
    if isinstance(column, Chosen):
        return np.array([["" if c is None else c.strip(SPACES)] for c in cells], dtype=object)
    return np.array([[number_of(c)] for c in cells], dtype=np.float64)


def number_of(cell: Cell) -> float:
    """A number, flag or date as C and ONNX take it: NaN where blank, dates in days."""
    if cell is None:
        return np.nan
    return days_of(cell) if isinstance(cell, datetime) else float(cell)
