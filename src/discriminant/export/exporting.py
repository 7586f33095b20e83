"""A model in another language: its files, rows to try them on, and whether they agree with the model."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from discriminant.export.c_language import c_files
from discriminant.export.checks import Answers, CheckResult, RunnerMissing, compare_answers
from discriminant.export.literals import ExportError
from discriminant.export.onnx_graph import onnx_files
from discriminant.export.plan import Plan, plan_of
from discriminant.export.running.databases import run_duckdb, run_sqlite
from discriminant.export.running.programs import run_c, run_node, run_onnx, run_python
from discriminant.export.running.spreadsheet import answers_of_test, run_libreoffice
from discriminant.export.scripts import js_files, python_files
from discriminant.export.sql.dialects import DIALECTS
from discriminant.export.sql.query import expressions_text, select
from discriminant.export.vectors import ExportVectors, vectors_of
from discriminant.export.workbook import TEST_HEADER, TEST_PLACE, layout_of_test, spreadsheet_vectors, workbook_bytes
from discriminant.model.decision_model import DecisionModel
from discriminant.table.saving import NewFile, write_together

TARGETS = ("sql", "c", "js", "python", "onnx", "excel")
Files = dict[str, bytes]

_READ_TEXTS = ("js", "python")  # beside SQL: in the others, numbers and dates are no texts


@dataclass(frozen=True)
class Export:
    """The files of a model in another language, and vectors with its answers."""

    target: str
    dialect: str | None
    files: Files
    vectors: ExportVectors
    _run: Callable[[ExportVectors], Answers] = field(repr=False)
    _where: str = ""

    def check(self, vectors: ExportVectors | None = None) -> CheckResult:
        """Run where that can be done, and compared with the model; never "passed" without having run."""
        expected = self.vectors if vectors is None else vectors
        try:
            answers = self._run(expected)
        except RunnerMissing as reason:
            return CheckResult("not checked", str(reason))
        except Exception as problem:  # whatever refuses the export or stumbles over it has found it wanting
            return CheckResult("failed", f"{self._where} did not run it: {problem}")
        return compare_answers(expected, answers, self._where)


@dataclass(frozen=True)
class Written:
    """The files an export was written to, and what its check said."""

    paths: tuple[Path, ...]
    check: CheckResult


def export(
    model: DecisionModel, to: str, *, dialect: str | None = None, table: str = "your_table", name: str = "model"
) -> Export:
    """A model as SQL ("sql", with ``dialect`` sqlite, duckdb, postgresql or bigquery), "c", "js", "python", "onnx" or
    "excel". ``table`` stands in the SELECT, a dot after its schema; files are called ``name``.
    """
    if to not in TARGETS:
        raise ExportError(f"cannot export to {to!r}; it must be one of {', '.join(TARGETS)}")
    if dialect is not None and (to != "sql" or dialect not in DIALECTS):
        raise ExportError(
            f"dialect {dialect!r} is none of {', '.join(DIALECTS)}" if to == "sql" else f"{to} has no dialects"
        )
    if not re.fullmatch(r"[^\x00-\x1f\"\\/]+", name):
        raise ExportError(f"{name!r} cannot be the name of a file")
    plan = plan_of(model)
    if to == "sql":
        return _sql(model, plan, dialect or "sqlite", table, name)
    if to == "excel":
        return _excel(model, plan, name)
    write, run, where = LANGUAGES[to]
    files = write(plan, name)
    expected = vectors_of(model, texts=to in _READ_TEXTS)
    return Export(to, None, files, expected, lambda vectors: run(files, plan, vectors), where)


def write_export(
    model: DecisionModel,
    to: str,
    out_path: str | Path,
    *,
    dialect: str | None = None,
    table: str = "your_table",
    check: bool = True,
    before_writing: Callable[[Sequence[Path]], None] = lambda _: None,
) -> Written:
    """Written beside the vectors, unless a check that ran found a difference; then nothing is written.

    ``out_path`` names the first file (others share its stem), or a folder. Without ``check`` nothing is run.
    ``before_writing`` is told the paths, and may refuse them by raising.
    """
    out = Path(out_path)
    folder, name = (out, "model") if out.is_dir() else (out.parent, out.stem)
    made = export(model, to, dialect=dialect, table=table, name=name)
    result = made.check() if check else CheckResult("not checked", "it was not asked for")
    if result.status == "failed":
        raise ExportError(f"the export does not agree with the model and was not written: {result.text}")
    contents = made.files | {f"{name}.vectors.json": made.vectors.to_json()}
    paths = tuple(folder / file for file in contents)
    before_writing(paths)
    write_together([NewFile(path, content) for path, content in zip(paths, contents.values(), strict=True)])
    return Written(paths, result)


def _sql(model: DecisionModel, plan: Plan, dialect: str, table: str, name: str) -> Export:
    d = DIALECTS[dialect]
    query = select(plan, d, table)
    files = {f"{name}.sql": query.encode(), f"{name}.expression.sql": expressions_text(plan, d).encode()}

    def run(vectors: ExportVectors) -> Answers:
        if dialect not in ("sqlite", "duckdb"):
            raise RunnerMissing(f"there is no {dialect} here to run it in")
        if table.count(".") > 1:
            raise RunnerMissing(f"a table called {table!r} cannot be made here")
        runner = run_sqlite if dialect == "sqlite" else run_duckdb
        return runner(query, plan, vectors.cells, table)

    texts = d.reads_formats or not plan.written
    return Export("sql", dialect, files, vectors_of(model, texts=texts), run, dialect)


def _excel(model: DecisionModel, plan: Plan, name: str) -> Export:
    own = spreadsheet_vectors(model)

    def run(vectors: ExportVectors) -> Answers:
        tried = workbook_bytes(model, plan, vectors, every_row=True)
        rows = run_libreoffice(tried, TEST_PLACE)[TEST_HEADER:]
        return answers_of_test(plan, layout_of_test(plan), rows)

    return Export("excel", None, {f"{name}.xlsx": workbook_bytes(model, plan, own)}, own, run, "LibreOffice")


# what writes the files of a language, what runs them, and where
LANGUAGES: dict[str, tuple[Callable[[Plan, str], Files], Callable[[Files, Plan, ExportVectors], Answers], str]] = {
    "c": (c_files, run_c, "C"),
    "js": (js_files, run_node, "node"),
    "python": (python_files, run_python, "Python"),
    "onnx": (onnx_files, run_onnx, "onnxruntime"),
}
