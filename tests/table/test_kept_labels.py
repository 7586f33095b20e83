"""What must not be merged or guessed in silence: labels that begin with a zero, and dates that two orders fit."""

import pyarrow as pa
import pytest

from discriminant.table.learning import learn_column
from discriminant.table.reading import open_table
from discriminant.table.summaries import ColumnSummary


def test_labels_that_begin_with_a_zero_stay_two(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("x,y\n1,01\n2,1\n3,01\n")
    assert open_table([path]).read(labels="y").column("y").to_pylist() == ["01", "1", "01"]
    assert open_table([path]).read(labels="y").column("x").to_pylist() == [1, 2, 3]
    path.write_text("x,y\n1,0\n2,1\n3,10\n")
    assert open_table([path]).read(labels="y").column("y").to_pylist() == [0, 1, 10]


def test_dates_that_two_orders_fit_are_no_identifiers():
    cells = pa.array([f"{1 + i % 12:02}/{1 + i * 7 % 12:02}/{1990 + i}" for i in range(30)])
    column = learn_column(ColumnSummary.of("day", cells))
    assert column.kind == "dropped"
    assert column.reason.startswith("dates that can be read day first or month first, such as '01/01/1990'")
    clear = learn_column(ColumnSummary.of("day", pa.concat_arrays([cells, pa.array(["25/01/2020"])])))
    assert (clear.kind, clear.date_format) == ("date", "%d/%m/%Y")


@pytest.mark.parametrize(("day_first", "days"), [(True, 31), (False, 1)])
def test_dates_that_could_be_either_are_read_as_asked(day_first, days):
    """01/01, 01/02: a month apart, or a day."""
    cells = pa.array(["01/01/1990", "01/02/1990"] * 10)
    column = learn_column(ColumnSummary.of("seen", cells), day_first=day_first)
    assert (column.kind, column.date_format) == ("date", "%d/%m/%Y" if day_first else "%m/%d/%Y")
    assert column.high - column.low == days


def test_what_is_asked_yields_to_what_the_cells_say():
    column = learn_column(ColumnSummary.of("seen", pa.array(["12/31/1990", "01/02/1990"] * 10)), day_first=True)
    assert column.date_format == "%m/%d/%Y"
