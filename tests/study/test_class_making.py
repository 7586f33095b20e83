"""Classes of a target: spellings are one, strays are asked about, numbers are cut, and a model knows how."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discriminant.model.decision_model import Target
from discriminant.study.class_making import ClassOptions, cut_codes, cut_names, cut_points
from discriminant.study.evaluation import codes_of_target
from discriminant.study.question import ask, ask_labels
from discriminant.table.errors import TableError


def question(values, **options):
    return ask(pa.table({"y": pa.array(values)}), "y", **options)


def test_spellings_of_a_class_are_one_and_told():
    asked = question(["Yes", "Yes", "yes ", "YES", "no", "No", "no", None])
    assert asked.classes == ("Yes", "no")
    assert asked.counts.tolist() == [4, 3]
    assert asked.notes == (
        "1 row where y is blank (or NA, None, null and the like) left out",
        "spellings of a class: 'YES', 'yes' count as 'Yes'; 'No' counts as 'no'",
    )
    assert question(["Yes", "yes", "Yes", "no"], positive="YES").classes == ("no", "Yes")


def test_evaluation_knows_the_spellings():
    target = Target("y", ("Yes", "no"))
    assert codes_of_target(pa.array(["yes", "NO ", "maybe", None]), target).tolist() == [0, 1, -1, -1]


def test_a_few_stray_values_are_asked_about():
    values = ["0"] * 3000 + ["1"] * 1000 + ["N"] * 12
    with pytest.raises(TableError, match=r"'N' \(12 rows\), which may be no class") as refused:
        question(values)
    assert "--classes '0,1' leaves" in refused.value.hint
    assert "--classes '0,1,N' keeps" in refused.value.hint
    kept = question(values, asked=ClassOptions(keep=("0", "1")))
    assert kept.classes == (0, 1)
    assert kept.codes.size == 4000
    assert kept.notes == ("12 rows of 'N' left out, as --classes asks",)
    assert question(values, asked=ClassOptions(keep=("0", "1", "N"))).classes == ("0", "1", "N")
    with pytest.raises(TableError, match="'z' is no class"):
        question(values, asked=ClassOptions(keep=("0", "z")))


@pytest.mark.parametrize(("one", "other"), [("TRUE", "FALSE"), ("yes", "No"), (True, False), ("1", "0")])
def test_a_few_texts_beside_a_yes_and_a_no_are_asked_about(one, other):
    with pytest.raises(TableError, match=r"'N' \(12 rows\), which may be no class"):
        question([str(one)] * 496 + [str(other)] * 482 + ["N"] * 12)


@pytest.mark.parametrize(
    "values",
    [
        ["a"] * 100 + ["b"] * 100 + ["c"] * 5,  # as many as others
        ["a"] * 600 + ["b"] * 400 + ["c"] * 9,  # rare, but a class
        ["a"] * 60 + ["b"] * 40 + ["c"] * 3,  # few rows in all
    ],
)
def test_rare_classes_are_classes(values):
    assert question(values).classes == ("a", "b", "c")


def test_a_rare_slip_among_words_is_asked_about_too():
    with pytest.raises(TableError, match=r"'c' \(4 rows\)"):
        question(["a"] * 600 + ["b"] * 400 + ["c"] * 4)
    with pytest.raises(TableError, match="may be no class"):
        ask_labels(np.array([0.0] * 600 + [1.0] * 400 + [7.0] * 3))


def test_numbers_are_refused_with_the_way_out_and_cut():
    values = np.arange(400) * 20.0
    with pytest.raises(TableError, match="measurements") as refused:
        question(values)
    assert "--above 3990" in refused.value.hint
    assert "--bins 3" in refused.value.hint
    above = question(values, asked=ClassOptions(above=4000))
    assert (above.classes, above.cut) == (("up to 4000", "above 4000"), (4000.0,))
    assert above.counts.tolist() == [201, 199]
    bins = question(values, asked=ClassOptions(bins=4))
    assert bins.counts.tolist() == [100] * 4
    assert bins.classes == ("up to 1980", "above 1980 to 3980", "above 3980 to 5980", "above 5980")


def test_numbers_as_people_write_them_are_cut_and_evaluated():
    texts = [f"${v:,.2f}" for v in np.arange(400) * 20.0]
    with pytest.raises(TableError, match="measurements"):
        question(texts)
    asked = question(texts, asked=ClassOptions(above=4000))
    target = Target("y", asked.classes, asked.cut, asked.number_format)
    cells = pa.array(["$4,000.00", "$4,000.01", None, "above 4000"])
    assert codes_of_target(cells, target).tolist() == [0, 1, -1, 1]


def test_a_target_turned_around_is_evaluated_turned_around():
    asked = question(np.arange(10.0), asked=ClassOptions(above=4), positive="up to 4")
    assert asked.classes == ("above 4", "up to 4")
    target = Target("y", asked.classes, asked.cut)
    np.testing.assert_array_equal(codes_of_target(pa.array(np.arange(10.0)), target), asked.codes)


@pytest.mark.parametrize(
    ("values", "asked", "said"),
    [
        ([1.0, 2.0], {"above": 9.0}, "leaves one class"),
        ([1.0, 1.0], {"bins": 2}, "the same"),
        (["a", "b"], {"above": 1.0}, "no numbers"),
        (["1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "x"], {"above": 1.0}, "row 11 of 'y' is 'x'"),
    ],
)
def test_what_cannot_be_cut_is_refused(values, asked, said):
    with pytest.raises(TableError, match=said):
        question(values, asked=ClassOptions(**asked))


@pytest.mark.parametrize("options", [{"above": 1.0, "bins": 2}, {"keep": ("a",), "bins": 2}, {"bins": 1}])
def test_options_that_make_no_sense_together_are_refused(options):
    with pytest.raises(TableError):
        ClassOptions(**options)


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=50), st.integers(2, 6))
def test_bins_are_all_filled_and_in_order(numbers, bins):
    values = np.array(numbers)
    try:
        points = cut_points(values, ClassOptions(bins=bins), "y")
    except TableError:
        return
    codes = cut_codes(values, points)
    assert len(points) < bins
    assert sorted(set(codes.tolist())) == list(range(len(points) + 1))
    assert (np.diff(codes[np.argsort(values)]) >= 0).all()
    assert len(set(cut_names(points))) == len(points) + 1


def test_many_blanks_are_told_with_what_counts_as_one():
    """A class written None is read as a blank: half of the rows would go without a word."""
    asked = question(["Some", "Marked", "Some", "Marked", None, None])
    assert asked.notes == ("2 rows where y is blank (or NA, None, null and the like) left out",)
    with pytest.raises(TableError, match="'None' is no class") as refused:
        question(["Some", "Marked", None], asked=ClassOptions(keep=("None", "Some")))
    assert "None stands for a blank" in refused.value.hint
