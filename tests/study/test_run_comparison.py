"""Saved runs side by side: what anybody may have done to their files is named, not stumbled over."""

import json

import pytest

from discriminant.study.run_comparison import compared_runs
from discriminant.study.run_file import RunFileError
from tests.report.runs import bare, one_sided, two_classes, with_more


def test_figures_and_what_changed():
    first, second = two_classes(60), with_more(two_classes(60))
    second["columns"][0]["done"] = "clipped"
    second["data"]["sha256"] = "0" * 64
    found = compared_runs(["a", "b"], [first, second])
    assert [row["run"] for row in found["runs"]] == ["a", "b"]
    assert found["runs"][0]["expected"] == {end: first["expected"][end] for end in ("value", "low", "high")}
    assert found["runs"][1]["test"]["value"] == second["test"]["figures"]["gain"]["value"]
    (changes,) = found["changes"]
    assert [change["after"] for change in changes["columns_changed"]] == ["clipped"]
    assert found["comparable"] == [["they were made from different data"]]


@pytest.mark.parametrize(
    ("place", "value", "words"),
    [
        (["comparison"], None, "comparison must be a list, got null"),
        (["best"], 3, "best must be text, got 3"),
        (["expected", "low"], "x", "expected.low must be a number, got 'x'"),
        (["columns", 0, "done"], [], "columns[0].done must be text, got a list of 0"),
        (["weights", "features", 1, "standardised"], [None], "standardised[0] must be a number, got null"),
        (["data"], {}, "data lacks the key 'used_rows'"),
        (["two", "offset"], {}, "two.offset must be a number, got an object of 0"),
        (["criterion"], "luck", "criterion must be one of gain, accuracy, got 'luck'"),
    ],
)
def test_a_damaged_run_is_refused_by_the_place(place, value, words):
    damaged = two_classes(60)
    holder = damaged
    for key in place[:-1]:
        holder = holder[key]
    holder[place[-1]] = value
    with pytest.raises(RunFileError) as caught:
        compared_runs(["sound", "damaged"], [two_classes(60), damaged])
    assert words in str(caught.value)
    assert str(caught.value).startswith("damaged: ")


@pytest.mark.parametrize("run", [bare(), one_sided()], ids=["bare", "one-sided"])
def test_a_run_that_lacks_what_is_compared(run):
    with pytest.raises(RunFileError, match="lacks the key"):
        compared_runs(["a", "b"], [run, json.loads(json.dumps(run))])
