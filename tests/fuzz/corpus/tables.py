"""Tables that were misread."""

from pathlib import Path

import numpy as np
import pyarrow as pa

from discriminant.study.design import design_of_table
from discriminant.table.reading import open_table
from tests.fuzz.judging import REFUSALS, require, require_finite
from tests.fuzz.kinds import commands


def labels_01_and_1(folder: Path) -> None:
    """Two texts are two labels, though they are one number."""
    _write(folder, ["x,y", *(f"{i * i % 7},{('01', '1')[i % 2]}" for i in range(20))])
    design = design_of_table(open_table([folder / "t.csv"]).read(), "y")
    require(len(design.question.classes) == 2, "labels that became one", design.question.classes)


def days_and_months_in_doubt(folder: Path) -> None:
    """No day beyond 12: dd/mm or mm/dd? It is asked about, or read; it is no identifier."""
    _write(folder, ["when,y", *(f"{1 + i % 12:02}/{1 + i * 5 % 12:02}/20{10 + i % 13},{i % 2}" for i in range(30))])
    design = design_of_table(open_table([folder / "t.csv"]).read(), "y", least_rows=2)
    require(design.encoding.columns[0].kind != "dropped", "dates that were dropped", design.encoding.columns[0].reason)


def sparse_index_far_away(folder: Path) -> None:
    """Few bytes that ask for a matrix of many columns."""
    (folder / "t.svm").write_text("".join(f"{i % 2} {i + 1}:1 300000000:{i}\n" for i in range(20)))
    result = commands.run("fit", "t.svm", "--learner", "lda-shrinkage")
    require(result.code in (0, 3), f"exit code {result.code}", result.err)


def stray_quote_in_a_row_without_class(folder: Path) -> None:
    """Fit leaves the row out and takes the column for numbers; predict says which cell of it is none."""
    _write(folder, ["x,y", *(f"{i * i % 17},{'ab'[i % 2]}" for i in range(40)), '3",'])
    source = open_table([folder / "t.csv"])
    design = design_of_table(source.read(), "y")
    require(design.encoding.columns[0].kind == "number", "a column of numbers that is none")
    bad = [cell for batch in source.batches(["x"]) for cell in design.encoding.encode(batch.table).bad]
    require([cell.text for cell in bad] == ['3"'], "another cell than the one with a quote", str(bad))


def numbers_in_base_16(folder: Path) -> None:
    """0x1F is no number to predict, and so none to fit, whether the table is read at once or by blocks."""
    _write(folder, ["x,z,y", *(f"{('0x1F', i)[i % 3 > 0]},{i % 5},{'ab'[i % 2]}" for i in range(40))])
    source = open_table([folder / "t.csv"])
    kinds = [str(kind) for kind in source.read().schema.types]
    require(kinds == ["string", "int64", "string"], "text that was read as a number", kinds)
    found = source.find_types("stop")
    require([str(found[name]) for name in source.names] == kinds, "other types by blocks than at once", found)


def _write(folder: Path, lines: list[str]) -> None:
    (folder / "t.csv").write_text("\n".join(lines) + "\n")


def places_that_round_beyond_a_double(folder: Path) -> None:
    """The ends of a column near the largest double stay where they are."""
    top = np.finfo(float).max
    for share in (1.0, 0.999, 0.99, 0.9):
        values = np.concatenate([np.linspace(-top, top * share, 60) * 0.4, [top, top * share]])
        table = pa.table({"x": values, "y": ["a", "b"] * 31})
        try:
            design = design_of_table(table, "y", least_rows=2, forms="auto")
        except REFUSALS:
            continue
        require_finite(design.X, "a design matrix")
