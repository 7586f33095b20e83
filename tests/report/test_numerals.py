"""How numbers are written."""

import pytest

from discriminant.report.numerals import Worth, count, number, percent, plural


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (0.03124, "0.0312"),
        (-1.5, "−1.50"),
        (1234.5678, "1,235"),
        (12.0, "12"),
        (0.0, "0"),
        (1e20, "1.00e+20"),
        (-1e-9, "−1.00e−09"),
        (None, "–"),
        (float("inf"), "–"),
    ],
)
def test_numbers_have_three_digits_that_count(value, written):
    assert number(value) == written


def test_counts_and_shares():
    assert [count(1234), count(12.5), count(-3.0), percent(0.1234), percent(None)] == [
        "1,234",
        "12.5",
        "−3",
        "12.3%",
        "–",
    ]
    assert [plural(1, "row"), plural(2, "row")] == ["1 row", "2 rows"]


def test_amounts_have_their_unit():
    euros = Worth(False, "EUR")
    assert [euros.of(-0.5), euros.difference(2)] == ["−0.500\u00a0EUR", "+2\u00a0EUR"]
    assert euros.between(1, 2) == "1 to 2\u00a0EUR"


def test_accuracy_is_a_percentage():
    accuracy = Worth(True, "")
    assert [accuracy.of(0.5), accuracy.difference(-0.02)] == ["50.0%", "−2.0 points"]
    assert accuracy.between(0, 1) == "0.0% to 100.0%"
