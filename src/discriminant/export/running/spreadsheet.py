"""A workbook calculated by LibreOffice, where it is installed."""

import csv
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from discriminant.export.checks import Answers, RunnerMissing
from discriminant.export.excel import Layout
from discriminant.export.excel_texts import spreadsheet_label
from discriminant.export.literals import as_text
from discriminant.export.plan import Plan
from discriminant.model.decision_model import Label

_SECONDS = 180
# comma, double quote, UTF-8, from line 1; texts in quotes, numbers in full; then the sheet
_CSV = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,true,false,false,false,false,{sheet}"


def run_libreoffice(workbook: bytes, sheet: int) -> list[list[str]]:
    """The cells of a sheet (from 1) as texts, after everything was calculated."""
    program = shutil.which("soffice") or shutil.which("libreoffice")
    if program is None:
        raise RunnerMissing("no LibreOffice here; the sheet Test says in Excel how many rows differ")
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "model.xlsx").write_bytes(workbook)
        own = f"-env:UserInstallation={(Path(folder) / 'profile').as_uri()}"
        command = [program, own, "--headless", "--convert-to", _CSV.format(sheet=sheet), "model.xlsx"]
        try:
            done = subprocess.run(
                command, cwd=folder, capture_output=True, timeout=_SECONDS, check=False, stdin=subprocess.DEVNULL
            )
        except subprocess.TimeoutExpired:
            raise RunnerMissing(f"LibreOffice took more than {_SECONDS} seconds") from None
        written = sorted(Path(folder).glob("*.csv"))
        if not written:
            said = (done.stderr + done.stdout).decode(errors="replace").strip()
            raise RunnerMissing("LibreOffice wrote nothing: " + said.split("\n")[0])
        with written[0].open(encoding="utf-8", newline="") as file:
            return list(csv.reader(file))


def answers_of_test(plan: Plan, made: Layout, rows: Sequence[Sequence[str]]) -> Answers:
    """What the formulas of the rows of the sheet Test said."""
    answer, *numbers = made.shown
    values = np.array([[_float(row[cell.place]) for cell in numbers] for row in rows], dtype=np.float64)
    posterior = len(made.probabilities)
    scores = values[:, -len(made.scores) :]
    given: list[Label | None] = [_label_of(row[answer.place], plan) for row in rows]
    return Answers(scores, values[:, :posterior] if posterior else None, given)


def _label_of(text: str, plan: Plan) -> Label | None:
    """The answer that a cell says; numbers may be written in another way."""
    for label in plan.answers:
        value = spreadsheet_label(label)
        if isinstance(value, str):
            same = value == text
        else:
            same = as_text(value).upper() == text if isinstance(value, bool) else value == _float(text)
        if same:
            return label
    return None


def _float(text: str) -> float:
    try:
        return float(text[:-1]) / 100 if text.endswith("%") else float(text)
    except ValueError:
        return float("nan")
