"""Text cells as numbers, dates and flags: the same cell means the same wherever it stands."""

import datetime as dt
import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discriminant.export.text_vectors import hostile_texts
from discriminant.table.cells import days_of_cells, flags_of, numbers_of, numbers_of_cells, with_decimal_points
from discriminant.table.date_texts import DATE_FORMATS, dates_of, fitting_date_formats
from discriminant.table.encoding import Column
from discriminant.table.texts import BLANK_TOKENS

EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
ODD = st.text(st.sampled_from("0123456789+-.,eEinfaNx _:TZ/"), max_size=8)
HABITS = st.sampled_from(
    [
        "1,234",
        "1,234,567",
        "-1,234.5",
        "inf",
        "-Infinity",
        "nan",
        "NAN",
        "1e999",
        "0x10",
        "1_0",
        "5.",
        ".5",
        "+3",
        " 12 ",
    ]
)


def texts(cells):
    return pa.array(cells, pa.string())


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.none()))
def test_numbers_are_read_bit_for_bit(numbers):
    values, wrong = numbers_of(texts([None if v is None else repr(v) for v in numbers]))
    assert not wrong.any()
    np.testing.assert_array_equal(values, np.array([np.nan if v is None else v for v in numbers], dtype=float))


@given(st.lists(ODD | HABITS | st.none(), max_size=12))
def test_a_number_does_not_depend_on_the_cells_beside_it(cells):
    values, wrong = numbers_of(texts(cells))
    alone = [numbers_of(texts([cell])) for cell in cells]
    np.testing.assert_array_equal(values, [v[0] for v, _ in alone] if alone else [])
    assert wrong.tolist() == [bool(w[0]) for _, w in alone]
    assert not np.isinf(values).any()
    chunked, _ = numbers_of(pa.chunked_array([texts(cells[:3]), texts(cells[3:])]))
    np.testing.assert_array_equal(chunked, values)


@pytest.mark.parametrize(
    ("cell", "number"),
    [("1e5", 1e5), (" 12 ", 12), ("1,234,567", 1234567), ("-1,234.5", -1234.5), ("5.", 5), (".5", 0.5), ("+3", 3)],
)
def test_what_is_a_number(cell, number):
    for beside in ("1", "x"):
        values, wrong = numbers_of(texts([cell, beside]))
        assert values[0] == number
        assert not wrong[0]


@pytest.mark.parametrize(
    "cell", ["inf", "-inf", "Infinity", "1e999", "1,234", "1,23,456", "0x10", "1_0", "x", "1 2", "NAN"]
)
def test_what_is_no_number(cell):
    for beside in ("1", "x"):
        values, wrong = numbers_of(texts([cell, beside]))
        assert wrong[0]
        assert math.isnan(values[0])


def test_blanks_are_no_strangers():
    cells = texts([*BLANK_TOKENS, " ? ", None])
    for reader in (numbers_of, dates_of, flags_of):
        values, wrong = reader(cells)
        assert np.isnan(values).all()
        assert not wrong.any()


def test_decimal_commas_become_points():
    cells = ["3,14", "1.234,5", "1.234.567", "7", "a,b", None, "1,2,3"]
    assert with_decimal_points(texts(cells)).to_pylist() == ["3.14", "1234.5", "1234567", "7", "a,b", None, "1,2,3"]


moments = st.datetimes(dt.datetime(1, 1, 2), dt.datetime(9998, 12, 30))
zones = st.integers(-14 * 60, 14 * 60).map(lambda m: dt.timezone(dt.timedelta(minutes=m)))


@given(st.lists(st.tuples(moments, zones | st.none()), max_size=8))
def test_iso_dates(stamps):
    zoned = [moment if zone is None else moment.replace(tzinfo=zone) for moment, zone in stamps]
    days, wrong = dates_of(texts([stamp.isoformat() for stamp in zoned]))
    assert not wrong.any()
    utc = [stamp.replace(tzinfo=dt.UTC) if stamp.tzinfo is None else stamp for stamp in zoned]
    exact = [((stamp - EPOCH) // dt.timedelta(microseconds=1)) / 86_400e6 for stamp in utc]
    np.testing.assert_allclose(days, exact, rtol=0, atol=1e-9)


@given(st.lists(st.dates(), min_size=1, max_size=8), st.sampled_from(DATE_FORMATS))
def test_every_format_reads_what_it_writes(dates, date_format):
    written = [
        date_format.replace("%Y", f"{d.year:04}").replace("%m", f"{d.month:02}").replace("%d", f"{d.day:02}")
        for d in dates
    ]
    days, wrong = dates_of(texts(written), date_format)
    assert not wrong.any()
    assert days.tolist() == [(d - EPOCH.date()).days for d in dates]
    assert date_format in fitting_date_formats(texts(written))


ALMOST = st.from_regex(
    r"(2020|1999)-[01]?[0-9]-[0-3]?[0-9]"
    r"([T ][0-2]?[0-9](:[0-6][0-9](:[0-6][0-9](\.[0-9]{1,3})?)?)?)?(Z|[+-]0[0-9]:?[03]0)?",
    fullmatch=True,
)


@given(st.lists(ALMOST | ODD | st.none(), max_size=6))
def test_a_date_does_not_depend_on_the_cells_beside_it(cells):
    days, wrong = dates_of(texts(cells))
    alone = [dates_of(texts([cell])) for cell in cells]
    np.testing.assert_array_equal(days, [d[0] for d, _ in alone] if alone else [])
    assert wrong.tolist() == [bool(w[0]) for _, w in alone]


def test_dates_as_text_and_as_dates_are_the_same_days():
    dates = [dt.date(2020, 2, 29), None, dt.date(1969, 12, 31)]
    typed = dates_of(pa.array(dates))[0]
    written = dates_of(texts([None if d is None else d.isoformat() for d in dates]))[0]
    np.testing.assert_array_equal(typed, written)
    noon = pa.array([dt.datetime(2020, 1, 1, 12)], pa.timestamp("ns"))
    assert dates_of(noon)[0].tolist() == [18262.5]


@pytest.mark.parametrize("cell", ["2020-02-30", "2020-13-01", "31.12.2020", "20201231", "2020-01-01 24:01", "x", "12"])
def test_what_is_no_date(cell):
    assert dates_of(texts([cell, "2020-01-01"]))[1].tolist() == [True, False]


@pytest.mark.parametrize(
    ("cells", "date_format"),
    [
        (["31/12/2020", "1/2/2020"], "%d/%m/%Y"),
        (["12/31/2020", None, "1/2/2020 10:30"], "%m/%d/%Y"),
        (["1/2/2020", "3/4/2020"], None),
        (["31.12.2020"], "%d.%m.%Y"),
        (["2020-12-31", "2020-01-01T10:00:00Z"], "%Y-%m-%d"),
        (["2020-12-31", "soon"], None),
        ([None, ""], None),
        (["12", "13"], None),
    ],
)
def test_the_format_of_dates_is_found_only_where_one_fits(cells, date_format):
    found = fitting_date_formats(texts(cells))
    assert (found[0] if len(found) == 1 else None) == date_format


def test_flags_are_two_words_and_two_digits():
    values, wrong = flags_of(texts(["true", "FALSE", " True ", None, "yes", "t", "1"]))
    np.testing.assert_array_equal(values, [1, 0, 1, np.nan, np.nan, np.nan, 1])
    assert wrong.tolist() == [False, False, False, False, True, True, False]
    assert flags_of(pa.array([1, 0, 2, None]))[1].tolist() == [False, False, True, False]
    assert flags_of(pa.array([True, None, False]))[0][[0, 2]].tolist() == [1, 0]


@pytest.mark.parametrize("hostile", ["%Y(", "%Y-%m", "(?P<year>x)%Y-%m-%d", ".*", "%Y-%m-%d%d", ""])
def test_a_format_of_dates_is_no_pattern(hostile):
    with pytest.raises(ValueError, match="is no format of dates; it must be one of"):
        dates_of(texts(["5 Jan"]), hostile)


def test_a_date_in_iso_is_read_in_every_column():
    days, wrong = dates_of(texts(["1970-01-02", "03/01/1970", "13/13/1970", "0000-01-01"]), "%d/%m/%Y")
    assert days[:2].tolist() == [1.0, 2.0]
    assert wrong.tolist() == [False, False, True, True]


def test_what_a_text_means_does_not_depend_on_its_column():
    """The quick ways of reading whole columns know more, or less, than cell by cell."""
    for kind, of in (("number", numbers_of_cells), ("date", lambda cells, blank: days_of_cells(cells, blank, None))):
        column = Column("x", kind, ())
        cells = list(hostile_texts(column))
        together, wrong = of(texts(cells), ())
        for i, cell in enumerate(cells):
            alone, alone_wrong = of(texts([cell]), ())
            assert alone_wrong[0] == wrong[i], cell
            assert alone[0] == together[i] or (alone[0] != alone[0] and together[i] != together[i]), cell
