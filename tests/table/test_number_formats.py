"""Numbers as people write them: what a column means is decided from all its cells, and new cells are read the same."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discriminant.table.encoding import Column, Encoding
from discriminant.table.learning import learn_column, spread_of_values
from discriminant.table.number_format import NumberFormat
from discriminant.table.summaries import ColumnSummary


def column_of(cells, times=10, name="x") -> Column:
    return learn_column(ColumnSummary.of(name, pa.array(list(cells) * times, pa.string())))


def values_of(column: Column, cells):
    values, wrong = column.number_format.numbers_of(pa.array(list(cells), pa.string()))
    assert not wrong.any()
    return values.tolist()


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["$23,455.61", "$12.00", "($5.50)", "-$1,000", "$ 7"], [23455.61, 12, -5.5, -1000, 7]),
        (["€ 12", "€ 13,5", "€ 1.000,25"], [12, 13.5, 1000.25]),
        (["17.7%", "3 %", "100%"], [17.7, 3, 100]),
        (["21.138,79 €", "5,00 €", "-3,10 €", "7,00"], [21138.79, 5, -3.1, 7]),
        (["1 234,5", "3", "1\u00a0000\u202f000,25", "12\u2009345,0"], [1234.5, 3, 1000000.25, 12345]),
        (["1'234.50", "12.00", "2’000.00"], [1234.5, 12, 2000]),
        (["1,234", "1,234,567", "999"], [1234, 1234567, 999]),
        (["1,234", "5,678.9"], [1234, 5678.9]),
        (["123-", "5", "\u22123", "+4"], [-123, 5, -3, 4]),
        (["$1.2M", "$350k", "$4,500", "$4bn"], [1.2e6, 350e3, 4500, 4e9]),
        (["1,2 Mio. €", "350 Tsd. €", "4.500 €"], [1.2e6, 350e3, 4500]),
        (["USD 5", "5.5 USD", "USD 7"], [5, 5.5, 7]),
        (["5 €", "6 EUR", "7,5€"], [5, 6, 7.5]),
    ],
)
def test_columns_are_read_as_people_mean_them(cells, numbers):
    column = column_of(cells)
    assert column.kind == "number"
    assert values_of(column, cells) == numbers
    assert (column.low, column.high) == (min(numbers), max(numbers))
    encoded = Encoding((column,)).encode({"x": cells})
    assert not encoded.bad
    feature = column.features[0]
    np.testing.assert_allclose(encoded.matrix[:, 0], (np.array(numbers) - feature.centre) / feature.scale)


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["$23,455.61", "$12.00", "($5.50)"], [-5.5, 12, 23455.61]),
        (["1,2 Mio. €", "350 Tsd. €", "4.500 €"], [4500, 350e3, 1.2e6]),
        (["7", "8", "9", "10", "11", "12", "13", "14", "15", "?"], [7, 8, 9, 10, 11, 12, 13, 14, 15]),
        (["31/12/2020", "01/01/2021", "02/01/2021"], [18627, 18628, 18629]),
        (["2020-12-31", "2021-01-01", "2021-01-02"], [18627, 18628, 18629]),
    ],
)
def test_values_are_spread_as_they_are_read(cells, numbers):
    summary = ColumnSummary.of("x", pa.array(cells * 10, pa.string()))
    column = learn_column(summary)
    spread = spread_of_values(summary, column)
    assert (spread.low, spread.high, spread.mean) == (column.low, column.high, column.features[0].centre)
    assert spread.quantiles.values.tolist() == pytest.approx(numbers, rel=1e-14)
    assert spread.quantiles.counts.tolist() == [10.0] * len(numbers)


@pytest.mark.parametrize(
    ("cells", "step"),
    [
        (["$1,234", "$5", "$6.00"], 1.0),
        (["$1,234.50", "$5"], None),
        (["1.5k", "2k", "3k €"], None),
        ([f"{i}k €" for i in range(20)], 1.0),
        (["a", "1,5", "2,5"] + ["3,5"] * 30, None),
    ],
)
def test_whole_numbers_have_a_step_however_they_are_written(cells, step):
    column = column_of(cells)
    assert column.kind == "number"
    assert column.step == step


def test_words_behind_many_numbers_are_a_unit_or_multiply():
    assert values_of(column_of([f"{i} kg" for i in range(20)]), ["3 kg", "4"]) == [3, 4]
    assert values_of(column_of([f"{i}m" for i in range(20)]), ["3m"]) == [3]
    followers = [f"{i}.{i % 10}k" for i in range(20)] + ["1.1m", "950"]
    assert values_of(column_of(followers), ["1.1k", "1.1m", "950"]) == [1100, 1.1e6, 950]


@pytest.mark.parametrize(
    "cells",
    [
        ["36 months", "60 months"],  # names
        ["3G", "4G", "5G"],
        ["$5", "€6", "$7"],  # two units
        ["1,234.5", "1.234,5"],  # two ways to write
        ["1,234", "1.234"],
        ["(1)", "(2)", "(3)"],
        ["18-24", "25-34"],
        ["1st", "2nd"],
        ["Q1", "Q2"],
    ],
)
def test_what_is_not_understood_is_no_number(cells):
    assert column_of(cells).number_format is None


def test_what_could_mean_two_things_is_said():
    column = column_of(["1,234", "999", "12,345"])
    assert values_of(column, ["1,234"]) == [1234]
    assert column.reason == "'12,345' is read as 12345: a comma before three digits is taken to group thousands"
    money = column_of(["1.234 €", "2.000 €"])
    assert values_of(money, ["1.234 €"]) == [1234]
    assert money.reason.endswith("a point before three digits is taken to group thousands")
    share = column_of(["1.234 %", "2.000 %"])
    assert values_of(share, ["1.234 %"]) == [1.234]
    sure = column_of(["1,234", "1,234,567"])
    assert sure.reason == "'1,234' is read as 1234"


def test_words_among_such_numbers_are_blank():
    column = column_of([f"${i}.50" for i in range(40)] + ["on request"], times=1)
    assert (column.kind, column.also_blank, column.blanks) == ("number", ("on request",), 1)
    assert "'on request' count as blank" in column.reason


def test_new_cells_that_do_not_fit_are_refused_with_an_example():
    column = column_of(["$23,455.61", "$12.00", "$1,000"])
    encoded = Encoding((column,)).encode({"x": ["$5", "7.25", "€5", "5,5", "($5)", "1.234.567", None, "$1,234,567.5"]})
    assert [(b.row, b.text) for b in encoded.bad] == [(2, "€5"), (3, "5,5"), (4, "($5)"), (5, "1.234.567")]
    assert encoded.bad[0].wanted == "a number written like '$1,234.50'"


def test_stored_numbers_are_taken_as_they_are():
    column = column_of(["17.7%", "3%"])
    encoded = Encoding((column,)).encode({"x": pa.array([17.7, 3.0])})
    texts = Encoding((column,)).encode({"x": ["17.7%", "3%"]})
    np.testing.assert_array_equal(encoded.matrix, texts.matrix)


def test_infinity_and_what_is_no_number_stay_what_they_were():
    column = column_of([*(f"${i}" for i in range(40)), "1e400"], times=1)
    assert column.also_blank == ("1e400",)
    encoded = Encoding((replace(column, also_blank=()),)).encode({"x": ["1e400", "inf", "nan", "$1e400"]})
    assert [cell.row for cell in encoded.bad] == [0, 1, 3]


def test_names_of_identifiers_are_heeded():
    assert column_of([f"123 456 {i}" for i in range(100, 200)], name="customer_id").kind == "dropped"


FORMATS = st.builds(
    NumberFormat,
    st.just("."),
    st.sampled_from(["", ",", " ", "'"]),
    st.sampled_from([(), ("$",), ("%",), ("EUR",), ("kg",)]),
    st.just({}),
    st.booleans(),
) | st.builds(
    NumberFormat,
    st.just(","),
    st.sampled_from(["", ".", " ", "'"]),
    st.sampled_from([(), ("€",), ("%",), ("CHF",)]),
    st.just({}),
    st.booleans(),
)
NUMBERS = st.lists(st.integers(-(10**11), 10**11).map(lambda cents: cents / 100), min_size=1, max_size=30)


@given(FORMATS, NUMBERS)
def test_what_a_format_writes_it_reads(number_format, numbers):
    values, wrong = number_format.numbers_of(pa.array([number_format.written(x) for x in numbers]))
    assert not wrong.any()
    assert values.tolist() == numbers


@given(FORMATS, NUMBERS)
def test_a_column_in_a_format_is_understood(number_format, numbers):
    numbers = [*numbers, 1234.5, 0.25, -3.75, *(float(i) for i in range(12))]
    column = column_of([number_format.written(x) for x in numbers], times=1)
    cells = pa.array([number_format.written(x) for x in numbers])
    if column.number_format is None:  # plain numbers, perhaps with grouped thousands
        assert Encoding((column,)).encode({"x": cells}).bad == []
    else:
        assert column.number_format.numbers_of(cells)[0].tolist() == numbers
    assert column.kind == "number"
    assert column.low == min(numbers)
    assert column.high == max(numbers)


WRITTEN = st.sampled_from(
    [
        "$1,234.50",
        "$3",
        "1.234,5 €",
        "(12)",
        "12%",
        "1,234",
        "1.234",
        "3k",
        "1.2M",
        "yes",
        None,
        "7",
        "1 000",
        "-",
        "5-",
    ]
)


@given(st.lists(WRITTEN, max_size=40), st.integers(0, 40))
def test_readings_of_parts_add_to_that_of_the_whole(cells, cut):
    def of(part):
        return ColumnSummary.of("x", pa.array(part, pa.string()))

    whole, parts = of(cells), of(cells[:cut]) + of(cells[cut:])
    for one, other in zip(whole.readings, parts.readings, strict=True):
        assert (one.odd, one.grouping, one.has_decimals, one.enclosed, one.example) == (
            other.odd, other.grouping, other.has_decimals, other.enclosed, other.example,
        )  # fmt: skip
        assert {k: s.n for k, s in one.spreads.items()} == {k: s.n for k, s in other.spreads.items()}
        for key, spread in one.spreads.items():
            assert spread.mean == pytest.approx(other.spreads[key].mean)
    if whole.n:
        a, b = learn_column(whole), learn_column(parts)
        assert (a.kind, a.number_format, a.also_blank, a.reason) == (b.kind, b.number_format, b.also_blank, b.reason)


def test_more_different_texts_than_are_counted_fail_in_parts_as_in_the_whole():
    prose = [f"text {i}" for i in range(150)]
    parts = ColumnSummary.of("x", pa.array(prose[:80])) + ColumnSummary.of("x", pa.array(prose[80:]))
    assert all(r.fails for r in parts.readings)
    assert parts.readings == ColumnSummary.of("x", pa.array(prose)).readings


# --- spellings ------------------------------------------------------------------------------------------------


def test_levels_that_differ_in_case_or_blanks_are_one():
    column = column_of(["Yes"] * 5 + ["yes", "YES", "no", "no", "No ", "New  York", "new york", "New York", "New York"])
    assert column.reference == "Yes"
    assert column.levels == ("New York", "no")
    assert dict(column.aliases) == {
        "YES": "Yes", "yes": "Yes", "No": "no", "New  York": "New York", "new york": "New York",
    }  # fmt: skip
    assert column.reason.startswith("'YES', 'yes' count as 'Yes'")
    encoding = Encoding((column,))
    same = encoding.encode({"x": ["Yes", " yes ", "YES"]}).matrix
    assert (same == same[0]).all()
    spelt, named = (encoding.encode({"x": [text]}).matrix for text in ("new york", "New York"))
    np.testing.assert_array_equal(spelt, named)


@given(
    st.lists(st.sampled_from(["Yes", "yes", "YES ", "no", "NO", "maybe"]), min_size=20, max_size=60), st.integers(0, 60)
)
def test_spellings_are_learnt_from_parts_as_from_the_whole(cells, cut):
    whole = learn_column(ColumnSummary.of("x", pa.array(cells)))
    parts = learn_column(ColumnSummary.of("x", pa.array(cells[:cut])) + ColumnSummary.of("x", pa.array(cells[cut:])))
    assert (whole.reference, whole.levels, whole.aliases) == (parts.reference, parts.levels, parts.aliases)


def test_an_exponent_beside_a_multiplier_is_no_number():
    values, wrong = NumberFormat(multipliers={"k": 3}).numbers_of(pa.array(["1e5k", "1.5k", ""]))
    assert wrong.tolist() == [True, False, False]
    assert values[1] == 1500.0
