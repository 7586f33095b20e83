"""Findings about the table and the decision: each where it holds, and not where it does not."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discriminant.study.column_texts import done_to, summary_of
from discriminant.study.data_findings import (
    DressedNumbers,
    GivesClassAway,
    NeverAnswered,
    RareClass,
    SimilarClasses,
    data_findings,
    never_answered,
)
from discriminant.study.design import design_of_table
from discriminant.study.leakage import errors_alone, telling_columns
from discriminant.study.study import study
from discriminant.table.encoding import Column, Feature
from discriminant.table.errors import TableError

N = 200
RANDOM = np.random.default_rng(0)
LABEL = np.where(RANDOM.random(N) < 0.4, "yes", "no")
NOISE = RANDOM.standard_normal((3, N))


def table(**columns) -> pa.Table:
    return pa.table({"a": NOISE[0], "b": NOISE[1], **columns})


def found(data: pa.Table, target="y", **options) -> dict[type, object]:
    design = design_of_table(data, target, **options)
    return {type(f): f for f in data_findings(design.question, design.encoding, design.X, 5)}


def flipped(values, count):
    values = np.array(values)
    values[:count] = np.where(values[:count] == "yes", "no", "yes")
    return values


@pytest.mark.parametrize(
    "leak",
    [
        np.where(LABEL == "yes", "closed", "open"),  # a category
        np.where(LABEL == "yes", np.where(NOISE[2] > 0, "c1", "c2"), "open"),  # several levels of a class
        np.where(LABEL == "yes", 13, 3),  # a code
        np.where(LABEL == "yes", 7, np.where(NOISE[2] > 0, 3, 9)),  # a code without an order
        np.abs(NOISE[2]) * np.where(LABEL == "yes", 1, -1),  # a measurement with a threshold
        LABEL == "yes",  # a flag
        [f"2020-01-{i % 28 + 1:02d}" if y == "yes" else None for i, y in enumerate(LABEL)],  # whether it is blank
    ],
)
def test_a_column_that_gives_the_class_away_is_named(leak):
    finding = found(table(code=leak, y=LABEL))[GivesClassAway]
    assert finding.columns == ("code",)
    assert finding.doubtful
    assert "--ignore code" in finding.remedy


def test_several_classes_are_given_away_by_intervals_and_by_levels():
    label = np.array(["lo", "mid", "hi"])[np.digitize(NOISE[0], [-0.5, 0.5])]
    level = np.where(label == "hi", "h", label)
    assert found(pa.table({"a": NOISE[0], "b": NOISE[1], "y": label}))[GivesClassAway].columns == ("a",)
    assert found(pa.table({"b": NOISE[1], "level": level, "y": label}))[GivesClassAway].columns == ("level",)


def test_columns_that_are_wrong_now_and_then_give_nothing_away():
    assert GivesClassAway not in found(table(code=flipped(LABEL, 1), y=LABEL))
    assert GivesClassAway not in found(table(y=LABEL))
    few = pa.table({"a": [1.0, 2.0, 3.0, 4.0], "y": [0, 0, 1, 1]})
    assert GivesClassAway not in found(few)


def test_one_wrong_row_in_many_still_gives_the_class_away():
    x = np.random.default_rng(1).standard_normal(20_000)
    label = x > 0
    label[0] = ~label[0]
    design = design_of_table(pa.table({"x": x, "z": x[::-1], "y": label}), "y")
    assert dict(telling_columns(design.encoding, design.X, design.question.codes)) == {"x": 1}


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 1)), min_size=1, max_size=40), st.booleans())
@settings(max_examples=100, deadline=None)
def test_errors_of_a_number_are_those_of_the_best_rule(rows, measured):
    x = np.array([r[0] for r in rows], dtype=float)
    codes = np.array([r[1] for r in rows])
    role = "value" if measured else "level"
    block = (x if measured else np.where(x > 1, 1.0, -1.0))[:, None]
    key = x if measured else x > 1
    best = sum(min(((key == v) & (codes == k)).sum() for k in (0, 1)) for v in np.unique(key))
    assert errors_alone(block, [role], codes) == best


def test_classes_that_may_be_the_same_are_told():
    """Those that differ in case or in the number of blanks are one class, so the finding is left to missing blanks."""
    label = np.where(LABEL == "yes", np.where(NOISE[2] > 0, "paid up", "paidup"), "no")
    assert found(table(y=label))[SimilarClasses].classes == ("paid up", "paidup")
    assert SimilarClasses not in found(table(y=LABEL))
    spelt = np.where(LABEL == "yes", np.where(NOISE[2] > 0, "Yes", "yes"), "no")
    assert SimilarClasses not in found(table(y=spelt))


def test_rare_classes_are_told_and_single_rows_left_out():
    label = LABEL.astype("<U6").copy()
    label[:3] = "seldom"
    label[3] = "once"
    assert found(table(y=label))[RareClass].classes == ("once", "seldom")
    design = design_of_table(table(y=label), "y", least_rows=2)
    assert design.question.classes == ("no", "seldom", "yes")
    assert design.question.notes == ("1 row of 'once' left out: a class needs 2 rows",)
    assert len(design.X) == N - 1
    assert RareClass not in found(table(y=LABEL))


def test_a_target_of_single_rows_is_refused():
    few = pa.table({"a": [1.0, 2.0, 3.0], "y": ["p", "q", "q"]})
    with pytest.raises(TableError, match="'p' has a single row"):
        design_of_table(few, "y", least_rows=2)


def test_numbers_in_two_units_are_told():
    price = [f"{'$€'[i % 2]}{1000 + 7 * i:,}" for i in range(N)]
    finding = found(table(price=price, y=LABEL))[DressedNumbers]
    assert finding.columns == ("price",)
    assert "'$1,000'" in finding.evidence
    assert DressedNumbers not in found(table(price=[cell.replace("€", "$") for cell in price], y=LABEL))
    assert "plain numbers such as 1234.5" in finding.remedy


@pytest.mark.parametrize(("positive", "gain"), [("yes", "fp=-1,fn=-9"), ("no", "fn=-1,fp=-9")])
def test_a_rule_with_one_answer_is_told_with_a_gain_to_try(positive, gain):
    label = np.where(np.arange(N) % 10 == 0, "yes", "no")
    design = design_of_table(table(y=label), "y", positive=positive)
    done = study(design, learners=["lda"])
    finding = next(f for _, f in done.findings if isinstance(f, NeverAnswered))
    assert finding.fact == "Every row is answered no"
    assert f"--gain {gain}" in finding.remedy
    paid = study(design, gain=gain, learners=["lda"])
    assert not any(isinstance(f, NeverAnswered) for _, f in paid.findings)


def test_even_classes_without_a_rule_are_not_told_to_try_a_gain():
    design = design_of_table(table(y=np.where(np.arange(N) % 2 == 0, "yes", "no")), "y")
    codes = design.question.codes
    assert not list(never_answered(design.question, codes, np.zeros_like(codes), False))


def test_a_learners_words_for_the_same_column_are_left_out():
    design = design_of_table(table(code=np.where(LABEL == "yes", 13, 3), y=LABEL), "y")
    kinds = [type(f).__name__ for _, f in study(design, learners=["fisher", "lda"]).findings]
    assert kinds == ["GivesClassAway"]


def test_a_column_in_pieces_is_read_by_all_of_them():
    x = np.linspace(-5, 5, 200)
    pieces = np.column_stack([np.clip(x, -4, 0), np.clip(x, 0, 4)])
    codes = (x > 2).astype(np.intp)
    assert errors_alone(pieces, ["value", "value"], codes) == 0
    assert errors_alone(pieces[:, :1], ["value"], codes) > 0


def test_the_form_of_a_column_is_said():
    def told(*forms, kind="number"):
        features = tuple(Feature("x", "value", 0.0, 1.0, **form) for form in forms)
        return done_to(Column("x", kind, features, low=-10.0, high=10_000.0))

    assert told({}) == "standardised"
    assert told({"low": 0.5, "high": 98.25}) == "enters clipped from 0.5 to 98.25"
    assert told({"high": 98.25}) == "enters clipped up to 98.25"
    assert told({"unit": 5.0}) == "enters by its logarithm"
    assert told({"unit": 5.0, "low": 0.0}) == "enters by its logarithm"
    assert told({"low": 0.0, "high": 10.0}, {"low": 10.0, "high": 99.0}) == "enters bent at 10"
    assert told({"high": 18262.0}, kind="date") == "days, enters clipped up to 2020-01-01"
    column = Column("x", "number", (Feature("x", "value", 2.0, 1.0, unit=3.0),), low=-10.0, high=1e4)
    assert summary_of(column) == "-10 to 10000"


def test_survey_weights_are_doubted():
    table = pa.table({"x": np.arange(40.0), "w": [190_000.0] * 40, "label": ["a", "b"] * 20})
    found = [type(f).__name__ for f in data_findings(*asked(table, "w"))]
    assert "LargeWeights" in found
    ones = table.set_column(1, "w", pa.array([2.0] * 40))
    assert "LargeWeights" not in [type(f).__name__ for f in data_findings(*asked(ones, "w"))]


def asked(table, weight):
    design = design_of_table(table, "label", weight=weight)
    return design.question, design.encoding, design.X, 5
