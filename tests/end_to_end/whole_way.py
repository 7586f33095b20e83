"""From a file to a decision and out again: fit, predict, evaluate and an export that is run on the same rows."""

import runpy
import sqlite3
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from tests.end_to_end.command import discriminant
from tests.end_to_end.oracle import Answers, read_answers


@dataclass(frozen=True)
class Decision:
    """What came out of the whole way, for the rows it was learnt from."""

    answers: Answers
    exported: list[str]
    run: dict[str, Any]
    evaluation: dict[str, Any]

    @property
    def claims(self) -> dict[str, float]:
        return {name: figure["value"] for name, figure in self.run["comparison"][0]["figures"].items()}


def as_csv(table: pd.DataFrame, folder: Path) -> list[Path]:
    table.to_csv(folder / "table.csv", index=False)
    return [folder / "table.csv"]


def by_python(folder: Path, table: pd.DataFrame) -> list[str]:
    discriminant("export", folder / "run", "--to", "python", "-o", folder / "python")
    label = runpy.run_path(str(folder / "python" / "model.py"))["label"]
    rows = table.astype(object).where(table.notna(), None).to_dict("records")
    return [str(label(row)) for row in rows]


def by_sqlite(folder: Path, table: pd.DataFrame) -> list[str]:
    discriminant(
        "export", folder / "run", "--to", "sql", "--dialect", "sqlite", "--table", "rows", "-o", folder / "sql"
    )
    query = (folder / "sql" / "model.sql").read_text().rstrip().rstrip(";")
    with sqlite3.connect(":memory:") as connection:
        table.assign(place=range(len(table))).to_sql("rows", connection, index=False)
        return [str(r[0]) for r in connection.execute(f'SELECT "label" FROM ({query}) ORDER BY place')]


def go(
    table: pd.DataFrame,
    options: Sequence[str],
    positive: str,
    write: Callable[[pd.DataFrame, Path], list[Path]] = as_csv,
    export: Callable[[Path, pd.DataFrame], list[str]] = by_python,
    target: str = "y",
) -> Decision:
    """The whole way; the exported decision must be the predicted one, whatever the law."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = write(table, folder)
        run = discriminant("fit", *files, "-t", target, *options, "-o", folder / "run", "--json").json
        discriminant("predict", folder / "run", *files, "-o", folder / "answers.csv")
        evaluation = discriminant("evaluate", folder / "run", *files, "--json").json
        classes = [str(c["label"]) for c in run["data"]["classes"]]
        read = pd.read_csv(folder / "answers.csv", dtype=str, keep_default_na=False)
        answers = read_answers(read, classes, positive)
        exported = export(folder, table)
    assert exported == list(answers.label), "the export decides otherwise than predict"
    return Decision(answers, exported, run, evaluation)


def same_figures(one: dict[str, Any], other: dict[str, Any], tolerance: float = 1e-9) -> None:
    """Figures of ``evaluate``, value and interval."""
    for name in ("accuracy", "gain", "auc", "log_loss"):
        for key in ("value", "low", "high"):
            np.testing.assert_allclose(one[name][key], other[name][key], rtol=1e-6, atol=tolerance, err_msg=name)


def same_scores(one: Answers, other: Answers) -> None:
    """Up to rounding, of which there is more where columns are added up in another order."""
    scale = np.abs(one.score).max()
    np.testing.assert_allclose(one.score, other.score, rtol=1e-5, atol=1e-6 * max(scale, 1e-12))
