"""Explanations: shares add up to the score, changes really change the answer, and no smaller ones do."""

import datetime as dt
import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse

from discriminant.gain import Gain
from discriminant.model import DecisionModel, Posterior, Target, explain
from discriminant.model.boundary import distance, rivals
from discriminant.model.prediction import encoded_rows
from discriminant.table.encoding import Column, Encoding, Feature, IndexedEncoding
from tests.model.samples import plain_models, random_table
from tests.model.test_prediction import frame_of

seeds = st.integers(0, 10_000)


def one_row(model, seed, blanks=0.1):
    kinds = {column.name: column.kind for column in model.encoding.used}
    assume(kinds)
    return frame_of(random_table(np.random.default_rng(seed), model.encoding, 1, blanks=blanks), kinds)


def changed(table, flip):
    """The table with the cells of a flip in place of its own; dates as days, which an arrow table may hold too."""
    columns = {name: table[name].to_pylist() for name in table.column_names}
    for change in flip.changes:
        columns[change.column] = [change.value]
    return columns


def encoded_with(model, x, flip):
    """The encoded row after a flip, from the description of the encoding."""
    x = x.copy()
    values = {change.column: change.value for change in flip.changes}
    for column, start, _ in model.encoding.places():
        if column.name not in values:
            continue
        for j, feature in enumerate(column.features, start):
            value = values[column.name]
            if feature.role == "value":
                raw = float(feature.raw_of(np.array([float(value)]))[0])
            else:
                raw = float(feature.role == "level" and feature.level == value)
            x[j] = (raw - feature.centre) / feature.scale
    return x


def length_of(model, table, flip):
    """How far a flip goes: numbers and dates in deviations of their clipped values, others in encoded units."""
    cells = {name: table[name][0].as_py() for name in table.column_names}
    x = encoded_rows(model.encoding, table)[0]
    parts = []
    for column, start, stop in model.encoding.places():
        for change in flip.changes:
            if change.column == column.name and column.kind in ("number", "date"):
                low = min(-math.inf if f.low is None else f.low for f in column.values)
                high = max(math.inf if f.high is None else f.high for f in column.values)
                before = cells[column.name]
                before = (before - dt.date(1970, 1, 1)).days if column.kind == "date" else before
                deviation = column.deviation or column.values[0].scale
                parts.append((np.clip(change.value, low, high) - np.clip(before, low, high)) / deviation)
            elif change.column == column.name:
                parts += (encoded_with(model, x, flip) - x)[start:stop].tolist()
    return float(np.linalg.norm(parts))


def is_plain(column):
    """Whether a column enters as it is, and may have any value."""
    return (
        column.kind in ("number", "flag", "category") and column.step is None and all(f.straight for f in column.values)
    )


def flips_of(told):
    return (*told.single, *([told.nearest] if told.nearest else []))


def answer_of(model, x):
    return model.answers[int(model.decide(x[None]).assigned[0])]


@given(plain_models, seeds)
def test_shares_add_up_to_the_scores(model, seed):
    table = one_row(model, seed)
    told = explain(model, table)
    total = np.sum([c.amount for c in told.contributions], axis=0)
    assert np.allclose(total, np.add(told.scores, told.thresholds), rtol=1e-12, atol=1e-12)
    assert [c.column for c in told.contributions] == [column.name for column in model.encoding.used]
    assert told.answer == model.predict(table).tolist()[0]
    if told.posteriors is not None:
        assert np.allclose(told.posteriors, model.predict_proba(table)[0])


@given(plain_models, seeds)
def test_every_flip_changes_the_answer_by_just_as_much_as_it_says(model, seed):
    table = one_row(model, seed)
    x = encoded_rows(model.encoding, table)[0]
    told = explain(model, table)
    for flip in (*told.single, *([told.nearest] if told.nearest else [])):
        after = encoded_with(model, x, flip)
        assert answer_of(model, after) == flip.answer != told.answer
        assert math.isclose(length_of(model, table, flip), flip.size, rel_tol=1e-6, abs_tol=1e-9)
    assert all(len(flip.changes) == 1 for flip in told.single)
    sizes = [flip.size for flip in told.single]
    assert sizes == sorted(sizes)


@given(plain_models, seeds)
def test_just_before_a_flip_of_numbers_the_answer_is_the_old_one(model, seed):
    table = one_row(model, seed, blanks=0.0)
    x = encoded_rows(model.encoding, table)[0]
    told = explain(model, table)
    plain = {column.name for column in model.encoding.used if column.kind == "number" and is_plain(column)}
    straight = all(rival.straight for rival in rivals(model, model.answers.index(told.answer), np.array(told.scores)))
    for flip in flips_of(told):
        if straight and all(change.column in plain for change in flip.changes):
            after = encoded_with(model, x, flip)
            assert answer_of(model, x + (1 - 1e-6) * (after - x)) == told.answer


@given(plain_models, seeds)
def test_no_smaller_change_of_numbers_changes_the_answer(model, seed):
    table = one_row(model, seed)
    assume(all(is_plain(column) for column in model.encoding.used))
    x = encoded_rows(model.encoding, table)[0]
    told = explain(model, table)
    free = [
        start + j
        for column, start, _ in model.encoding.places()
        for j, feature in enumerate(column.features)
        if column.kind in ("number", "date") and feature.role == "value" and table[column.name][0].as_py() is not None
    ]
    assume(free)
    rng = np.random.default_rng(seed)
    directions = rng.standard_normal((2000, len(free)))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    exact = told.distance is not None  # the boundary is made of planes; a bent one is searched
    reach = 50.0 if told.nearest is None else told.nearest.size * (1 - 1e-6 if exact else 0.99)
    lengths = reach * rng.uniform(0.2, 1.0, 2000) ** (1 / len(free))
    around = np.repeat(x[None], 2000, axis=0)
    around[:, free] += directions * lengths[:, None]
    answers = model.decide(around).assigned
    assert (answers == model.answers.index(told.answer)).all()
    if told.nearest is not None and told.distance is not None:
        assert told.nearest.size >= told.distance * (1 - 1e-9)  # of all features, flags and levels too


@given(plain_models, seeds)
def test_held_columns_do_not_change(model, seed):
    table = one_row(model, seed)
    names = [column.name for column in model.encoding.used]
    hold = names[: len(names) // 2]
    told = explain(model, table, hold=hold)
    free = explain(model, table)
    touched = {change.column for flip in (*told.single, told.nearest) if flip for change in flip.changes}
    assert not touched & set(hold)
    assert [f for f in free.single if f.changes[0].column not in hold] == list(told.single)
    plain = all(is_plain(column) for column in model.encoding.used)  # others are not always the shortest of all
    if plain and told.nearest is not None and free.nearest is not None:
        assert free.nearest.size <= told.nearest.size * (1 + 1e-9)


@given(plain_models, seeds)
def test_values_said_in_few_digits_are_enough(model, seed):
    table = one_row(model, seed, blanks=0.0)
    told = explain(model, table)
    kinds = {column.name: column.kind for column in model.encoding.used}
    straight = all(rival.straight for rival in rivals(model, model.answers.index(told.answer), np.array(told.scores)))
    for flip in (*told.single, *([told.nearest] if told.nearest else [])):
        columns = {name: table[name].to_pylist() for name in table.column_names}
        for change in flip.changes:
            columns[change.column] = [_read(kinds[change.column], change.after)]
        if straight and all("days" not in change.after for change in flip.changes):
            assert model.predict(columns).tolist() != [told.answer]


def _read(kind, text):
    if kind == "number":
        return float(text.replace(",", ""))
    return text == "true" if kind == "flag" else text


def test_categories_and_flags_take_the_nearest_level_that_flips():
    level = [Feature(f"town = {t}", "level", c, s, t) for t, c, s in (("b", 0.3, 0.46), ("c", 0.1, 0.3))]
    columns = (
        Column("town", "category", tuple(level), reference="a"),
        Column("member", "flag", (Feature("member", "value", 0.5, 0.5),)),
    )
    model = DecisionModel(
        Target("class", ("no", "yes")),
        Encoding(columns),
        np.array([[1.0, 3.0, 0.2]]),
        np.array([1.0]),
        rule="threshold",
        gain=Gain(np.eye(2)),
    )
    told = explain(model, {"town": ["a"], "member": [True]})
    assert told.answer == "no"
    assert told.nearest is None
    assert [str(flip) for flip in told.single] == ["yes with town from a to c"]
    back = explain(model, {"town": ["c"], "member": [True]})
    assert [str(flip) for flip in back.single] == ["no with town from c to a"]
    unseen = explain(model, {"town": [None], "member": [None]})
    assert unseen.contributions[0].cell == "blank"


def two_numbers(**changed):
    columns = (
        Column("income", "number", (Feature("income", "value", 1000.0, 500.0),), low=200.0, high=1500.0),
        Column("since", "date", (Feature("since", "value", 18000.0, 100.0),)),
    )
    parts = {"posterior": None, "rule": "threshold", "gain": Gain(np.eye(2))} | changed
    return DecisionModel(Target("class", ("no", "yes")), Encoding(columns), [[1.0, -0.5]], [1.0], **parts)


def test_changes_are_told_in_the_units_of_the_table():
    told = explain(two_numbers(), {"income": [1200.0], "since": ["2019-04-14"]})
    # score = 0.4 − 0 − 1: 0.6 short, which is 300 of income or 120 days; and a score of 0 is still "no"
    assert np.allclose(told.scores, [-0.6])
    assert [str(flip) for flip in told.single] == [
        "yes with income from 1200 to 1501 (beyond all values seen)",
        "yes with since from 2019-04-14 to 2018-12-14",
    ]
    assert np.isclose(told.distance, 0.6 / np.hypot(1, 0.5))
    assert np.isclose(told.nearest.size, told.distance)
    assert np.allclose(told.contributions[0].per_unit, [1 / 500])
    assert told.contributions[1].cell == "2019-04-14"
    assert told.as_dict()["nearest"]["answer"] == "yes"


def test_two_thresholds_of_a_model_that_may_reject():
    gain = Gain(np.array([[1.0, -1.0, 0.5], [-1.0, 1.0, 0.5]]))
    model = two_numbers(rule="gain", gain=gain, posterior=Posterior(1.0, (0.0, 0.0)))
    told = explain(model, {"income": [1500.0], "since": ["2019-04-14"]})
    assert told.answer == "reject"
    # between log-odds ∓log 3 nobody decides
    assert np.isclose(told.distance, math.log(3) / np.hypot(1, 0.5))
    assert {flip.answer for flip in told.single} <= {"no", "yes"}
    assert told.as_dict()["probabilities"][1] == {"class": "yes", "probability": told.probabilities["yes"]}


def test_bent_boundaries_have_no_distance_but_near_changes():
    gain = Gain(np.array([[3.0, 0.0, 2.0], [0.0, 2.0, 1.0], [0.0, 1.0, 2.0]]))
    columns = tuple(Column(n, "number", (Feature(n, "value", 0.0, 1.0),)) for n in "ab")
    posterior = Posterior(1.0, (0.0, 0.0, 0.0))
    weights = np.array([[1.0, 0.0], [-0.5, 0.8], [-0.5, -0.8]])
    model = DecisionModel(
        Target("k", ("x", "y", "z")),
        Encoding(columns),
        weights,
        np.zeros(3),
        rule="gain",
        gain=gain,
        posterior=posterior,
    )
    rng = np.random.default_rng(0)
    for x in rng.standard_normal((30, 2)) * 2:
        told = explain(model, x[None])
        assert told.distance is None
        angles = np.linspace(0, 2 * np.pi, 720, endpoint=False)
        circle = np.column_stack([np.cos(angles), np.sin(angles)])
        inside = x + circle * told.nearest.size * 0.999
        outside = x + circle * told.nearest.size * 1.02
        here = model.decide(x[None]).assigned[0]
        assert (model.decide(inside).assigned == here).all()
        assert (model.decide(outside).assigned != here).any()


@given(plain_models, seeds)
def test_distance_is_that_of_a_bisection_along_the_normal(model, seed):
    x = np.random.default_rng(seed).standard_normal(model.n_features)
    decided = model.decide(x[None])
    answer = int(decided.assigned[0])
    found = distance(model, answer, decided.scores[0])
    assume(found is not None)
    assert found >= 0
    if decided.distance is not None:
        assert np.isclose(found, decided.distance[0])
    directions = np.random.default_rng(seed).standard_normal((500, model.n_features))
    directions *= found * (1 - 1e-9) / np.maximum(np.linalg.norm(directions, axis=1, keepdims=True), 1e-300)
    assert (model.decide(x + directions).assigned == answer).all()


def test_indexed_rows():
    rng = np.random.default_rng(0)
    weights = rng.standard_normal((1, 30))
    model = DecisionModel(
        Target("y", (-1, 1)), IndexedEncoding(30, 1), weights, np.zeros(1), "threshold", Gain(np.eye(2))
    )
    X = sparse.random_array((5, 30), density=0.2, rng=rng, format="csr")
    told = explain(model, X, 2)
    present = X.toarray()[2].nonzero()[0]
    assert [c.column for c in told.contributions] == [f"index {j + 1}" for j in present]
    assert np.isclose(sum(c.amount[0] for c in told.contributions), told.scores[0])
    assert told.nearest is not None
    assert told.unit == "units"


@pytest.mark.parametrize(("scale", "unit"), [(1.0, "units"), (2.5, "standard deviations")])
def test_lengths_are_counted_in_what_the_columns_are(scale, unit):
    columns = (Column("a", "number", (Feature("a", "value", 0.0, scale),)),)
    model = DecisionModel(
        Target("k", (0, 1)), Encoding(columns), np.ones((1, 1)), np.ones(1), "threshold", Gain(np.eye(2))
    )
    told = explain(model, [[6.0]])
    assert (told.unit, told.as_dict()["unit"]) == (unit, unit)
    assert told.distance == pytest.approx(6.0 / scale - 1.0)


# --- what cannot be asked -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("place", "hold", "words"),
    [
        (3, (), "there is no row 3: the table has 1 rows"),
        (-1, (), "there is no row -1"),
        (0, ("incom",), "the model has no column 'incom'; did you mean 'income'"),
        (0, ("income", "since"), "every column that the model uses is held"),
    ],
)
def test_impossible_requests_are_refused(place, hold, words):
    with pytest.raises(ValueError, match=words):
        explain(two_numbers(), {"income": [1200.0], "since": ["2019-04-14"]}, place, hold)


def test_a_model_without_weights_says_that_nothing_helps():
    columns = (Column("a", "number", (Feature("a", "value", 0.0, 1.0),)),)
    model = DecisionModel(
        Target("k", (0, 1)), Encoding(columns), np.zeros((1, 1)), np.ones(1), "threshold", Gain(np.eye(2))
    )
    told = explain(model, [[1.0]])
    assert (told.nearest, told.single) == (None, ())
    assert "no change" in told.why_none
    assert told.distance is None
