"""What a longer study adds to a run is shown where it is there, and checked like the rest of it."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discriminant.report import render
from discriminant.report.sections.score_axis import robust_histogram
from tests.report import runs
from tests.report.payloads import PAYLOADS, poisoned
from tests.report.reading import Page
from tests.report.test_rendering import ANYTHING

ADDED = ("importance", "trees", "shapes", "test")


def rich():
    return runs.with_more(runs.two_classes(60))


def test_what_leaving_a_column_out_costs_is_told_in_the_unit():
    text = Page(render(rich())).text
    assert "What leaving a column out costs" in text
    assert "0.210\u00a0EUR" in text
    assert "Measured by fitting again without the column" in text


def test_without_a_gain_importance_is_in_points_of_accuracy():
    assert "21.0 points" in Page(render(runs.with_more(runs.two_classes(60, gain=False)))).text


def test_trees_are_told_and_not_offered():
    page = Page(render(rich()))
    assert "Boosted trees would lose 0.1 less." in page.text
    assert "for comparison, not offered" in page.text
    assert "trees-row" in page.ids()


def test_rows_kept_apart_stand_beside_the_claim():
    page = Page(render(rich()))
    assert "1,234 rows of kept-apart.csv" in " ".join(page.text.split())
    assert "outside the claim" in page.text
    assert "held-out" in page.ids()


def test_curves_are_embedded_from_left_to_right():
    run = rich()
    run["shapes"][0]["points"].reverse()
    assert Page(render(run)).numbers["shapes"][0] == [[250, -1], [4000, 0.3], [18000, 0.7]]


@pytest.mark.parametrize("key", ADDED)
@pytest.mark.parametrize("instead", ["nothing", None, {}, "text", -1, [None], [{}], {"columns": [{}]}, {"figures": 3}])
def test_what_is_missing_or_wrong_breaks_nothing(key, instead):
    run = rich()
    if instead == "nothing":
        del run[key]
    else:
        run[key] = instead
    assert "reproduce" in Page(render(run)).ids()


@pytest.mark.parametrize("bends", ["text", 3, [[1]], [[1, None]], [["a", "b"]], [[0, 1]] * 1000])
def test_bends_that_cannot_be_read_are_not_reckoned_with(bends):
    run = rich()
    run["two"]["bends"] = bends
    assert Page(render(run)).numbers["two"]["bends"] is None


def test_a_run_without_bends_is_straight():
    assert Page(render(runs.two_classes(60))).numbers["two"]["bends"] == []


@settings(max_examples=40)
@given(st.sampled_from(ADDED), ANYTHING, ANYTHING)
def test_any_content_breaks_nothing(key, content, inner):
    run = rich()
    if isinstance(run[key], dict) and content is None:
        run[key] = dict.fromkeys(run[key], inner)
    else:
        run[key] = content
    assert Page(render(run)).numbers["classes"]


@pytest.mark.parametrize("payload", PAYLOADS[::4])
def test_text_of_the_added_parts_stays_text(payload):
    harmless = Page(render(poisoned(rich(), lambda: "harmless")))
    page = Page(render(poisoned(rich(), lambda: payload)))
    assert page.skeleton == harmless.skeleton
    assert not set("<>&") & set(next(text for tag, text in page.sources if tag == "script"))


def test_added_parts_of_any_length_stay_under_a_megabyte():
    run = rich()
    run["importance"]["columns"] *= 5000
    run["shapes"] = [{**run["shapes"][0], "points": [[i, i % 7] for i in range(5000)]}] * 500
    run["trees"]["sentence"] *= 5000
    assert len(render(run).encode()) < 1_000_000


def test_the_bars_of_a_squeezed_axis_hold_every_row_that_is_not_beyond():
    thresholds = [5000.0, *(2 - 0.1 * i for i in range(40)), -4000.0]
    counts = list(range(42))
    two = {"thresholds": thresholds, "positives": counts, "negatives": counts, "totals": [41, 41], "chosen": 20}
    bars, beyond = robust_histogram(two, {"edges": [-4000.0, 5000.0], "counts": [[41], [41]]})
    assert sum(map(sum, bars["counts"])) + int(beyond or 0) == 82
    assert bars["edges"][0] > -20
    assert bars["edges"][-1] < 20


@pytest.mark.parametrize("thresholds", [[1.0] * 40, [float(i) for i in range(40)], [1.0]])
def test_thresholds_in_no_order_leave_the_bars_as_they_are(thresholds):
    counts = list(range(len(thresholds)))
    two = {"thresholds": thresholds, "positives": counts, "negatives": counts, "totals": [40, 40], "chosen": 0}
    stored = {"edges": [0.0, 9e9], "counts": [[40], [40]]}
    assert robust_histogram(two, stored) == (stored, "")


def test_a_loss_is_told_as_a_loss():
    run = runs.two_classes()
    text = " ".join(Page(render(run)).text.split())
    assert "Expected loss a row" in text
    assert "lost a row by the best answer that ignores the columns" in text
    run["expected"] = {"value": -0.1, "low": -0.3, "high": 0.2}
    assert "a loss of 0.300\u00a0EUR to a gain of 0.200\u00a0EUR" in Page(render(run)).text


def test_a_version_of_python_is_no_program():
    run = rich() | {"reproduce": {"commands": [], "python": "Python 3.13.1"}}
    page = Page(render(json.loads(json.dumps(run))))
    assert "In Python" not in page.text
    assert "3.13.1" in page.text


def test_gains_by_row_are_said_to_have_no_threshold():
    run = runs.two_classes(60)
    assert "no threshold is its rule" not in Page(render(run)).text
    run["row_gain"] = {"columns": ["amount"], "text": "-amount for bad answered good"}
    assert "its own gain (-amount for bad answered good), so no threshold is its rule" in Page(render(run)).text


def test_long_lists_of_classes_are_folded():
    text = Page(render(runs.several_classes(50))).text
    assert "38 more classes" in text
    assert "more classes" not in Page(render(runs.several_classes(12))).text
