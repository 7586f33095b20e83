"""Gains in every form, lined up with a learner's classes, and what they decide."""

import copy
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discriminant import FisherDiscriminant, Gain
from discriminant.gain import DominatedAssignment, IndifferentClass, RewardedError
from tests.tables import seeds

VALUES = [[50.0, -20.0], [-4.0, 0.0]]
NAMED = {"churn": {"churn": 50, "stay": -20}, "stay": {"stay": 0, "churn": -4}}
FORMS = {
    "lists": lambda: Gain(VALUES, classes=["churn", "stay"]),
    "array": lambda: Gain(np.array(VALUES), classes=np.array(["churn", "stay"])),
    "mapping": lambda: Gain(NAMED),
    "pandas index": lambda: Gain(pd.DataFrame([[-20, 50], [0, -4]], ["churn", "stay"], ["stay", "churn"])),
    "pandas column": lambda: Gain(pd.DataFrame({"true": ["churn", "stay"], "churn": [50, -4], "stay": [-20, 0]})),
    "polars": lambda: Gain(pl.DataFrame({"true": ["churn", "stay"], "stay": [-20, 0], "churn": [50, -4]})),
    "pyarrow": lambda: Gain(pa.table({"churn": [50, -4], "stay": [-20, 0]})),
    "csv": lambda: Gain.from_text(",churn,stay\nchurn,50,-20\nstay,-4,0\n"),
    "semicolons": lambda: Gain.from_text(";stay;churn\nchurn;-20;50\nstay;0;-4\n"),
    "toml": lambda: Gain.from_text("[gain.churn]\nchurn = 50\nstay = -20\n[gain.stay]\nchurn = -4\nstay = 0\n"),
    "toml rows": lambda: Gain.from_text('classes = ["churn", "stay"]\ncosts = [[-50, 20], [4, 0]]\n'),
    "costs": lambda: Gain.from_costs([[-50, 20], [4, 0]], classes=["churn", "stay"]),
    "costs by name": lambda: Gain.from_costs({k: {a: -g for a, g in r.items()} for k, r in NAMED.items()}),
    "outcomes": lambda: Gain.binary(tp=50, fp=-4, fn=-20, tn=0, classes=["stay", "churn"]).aligned(["churn", "stay"]),
    "another": lambda: Gain(Gain(NAMED)),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_the_same_gain(form):
    gain = FORMS[form]()
    assert gain == Gain(NAMED)
    assert hash(gain) == hash(Gain(NAMED))
    np.testing.assert_array_equal(np.asarray(gain), VALUES)
    assert gain.aligned(["stay", "churn"]).matrix.tolist() == [[0.0, -4.0], [-20.0, 50.0]]


@pytest.mark.parametrize(
    "gain",
    [
        lambda: Gain([[1, 0, 0.5], [0, 1, 0.5]], classes=["a", "b"]),
        lambda: Gain(np.eye(2), classes=["a", "b"], reject=0.5),
        lambda: Gain(np.eye(2), classes=["a", "b"], reject=[0.5, 0.5]),
        lambda: Gain.from_costs(1 - np.eye(2), classes=["a", "b"], reject=0.5),
        lambda: Gain({"a": {"reject": 0.5, "a": 1, "b": 0}, "b": {"a": 0, "b": 1, "reject": 0.5}}),
        lambda: Gain.from_text(",a,b,reject\na,1,0,.5\nb,0,1,.5"),
        lambda: Gain.from_text('reject = 0.5\nclasses = ["a", "b"]\ngain = [[1, 0], [0, 1]]'),
    ],
)
def test_reject_column(gain):
    value = gain()
    assert value.has_reject
    assert value.reject_code == 2
    assert value.assigned_labels == ("a", "b", "reject")
    raised = Gain(value.matrix + np.array([0, 0, 0.2]))
    assert raised.decide([[0.9, 0.1], [0.55, 0.45], [0.1, 0.9]]).tolist() == [0, 2, 1]
    assert value.aligned(["b", "a"]).matrix.shape == (2, 3)


def test_unit_and_print():
    gain = Gain.from_text("EUR,churn,stay\nchurn,50,-20\nstay,-4,0")
    assert gain.unit == "EUR"
    assert "gain in EUR" in str(gain)
    assert [line.split()[0] for line in str(gain).splitlines()[1:]] == ["true", "churn", "stay"]
    assert repr(gain) == "Gain([[50.0, -20.0], [-4.0, 0.0]], classes=['churn', 'stay'], unit='EUR')"
    assert "mean of 3 rows" in str(Gain(np.ones((3, 2, 2))))


def test_it_does_not_change():
    gain = Gain(NAMED)
    with pytest.raises(AttributeError, match="does not change"):
        gain.unit = "EUR"
    with pytest.raises(AttributeError, match="does not change"):
        del gain.unit
    with pytest.raises(ValueError, match="read-only"):
        gain.matrix[0, 0] = 1
    values = np.eye(2)
    of_array = Gain(values)
    values[0, 0] = 9
    assert of_array.matrix[0, 0] == 1.0
    assert pickle.loads(pickle.dumps(gain)) == copy.deepcopy(gain) == gain


def test_learners_take_it_as_a_matrix():
    X, y = np.arange(8.0)[:, None], np.repeat([0, 1], 4)
    ours = FisherDiscriminant(threshold="gain", gain=Gain([[0, -1], [-9, 0]])).fit(X, y)
    plain = FisherDiscriminant(threshold="gain", gain=[[0, -1], [-9, 0]]).fit(X, y)
    assert ours.intercept_ == plain.intercept_


def test_labels_match_by_their_text():
    assert Gain.from_text(",0,1\n0,1,2\n1,3,4").aligned(np.array([1, 0])).matrix.tolist() == [[4.0, 3.0], [2.0, 1.0]]
    assert Gain({1: {1: 5, 0: 0}, 0: {1: 0, 0: 2}}).aligned(np.array([0.0, 1.0])).matrix.tolist() == [[2, 0], [0, 5]]
    assert Gain(np.eye(2)).aligned(["x", "y"]).classes == ("x", "y")


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: Gain([[1, 2, 3]]), "got shape"),
        (lambda: Gain([1, 2]), "got shape"),
        (lambda: Gain([[1e200, 0], [0, 1]]), "larger unit"),
        (lambda: Gain([[1]]), "got shape"),
        (lambda: Gain(np.ones((2, 4))), "got shape"),
        (lambda: Gain([[1, np.nan], [0, 1]], classes=["a", "b"]), "true class 'a' assigned 'b'"),
        (lambda: Gain([[[1, 0], [0, 1]], [[1, 0], [np.inf, 1]]]), "at row 1"),
        (lambda: Gain([["a", "b"], ["c", "d"]]), "real numbers"),
        (lambda: Gain(np.eye(2), classes=["a", "b", "c"]), "names 3 classes"),
        (lambda: Gain(np.eye(2), classes=["a", "a"]), "twice"),
        (lambda: Gain(NAMED, classes=["churn", "go"]), "itself names"),
        (lambda: Gain(np.eye(2), unit=3), "unit must be text"),
        (lambda: Gain(np.eye(2), reject=[1, 2, 3]), "reject must be"),
        (lambda: Gain(np.ones((2, 3)), reject=1), "already"),
        (lambda: Gain({"a": {"a": 1}, "b": {"a": 0, "b": 1}}), "assigning 'b' to true class 'a' is missing"),
        (lambda: Gain({"a": 1}), "true class"),
        (lambda: Gain({"a": {"x": 1, "b": 2}, "b": {"x": 1, "b": 2}}), "no column for assigning 'a'"),
        (lambda: Gain(pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})), "not numbers"),
        (lambda: Gain.from_text(",a,b,x,z\na,1,2,3,4\nb,1,2,3,4"), "no true class for the columns"),
        (lambda: Gain.from_text(",a,b\na,1,two\nb,1,2"), "line 2 of the gain holds 'two' under 'b'"),
        (lambda: Gain.from_text(",a,b\na,1\nb,1,2"), "line 2"),
        (lambda: Gain.from_text("a,b"), "first line"),
        (lambda: Gain.from_text(""), "empty"),
        (lambda: Gain.from_text("gain = [[1"), "not valid TOML"),
        (lambda: Gain.from_text("gains = [[1, 0], [0, 1]]"), "key 'gains'"),
        (lambda: Gain.from_text("unit = 'EUR'"), "either"),
        (lambda: Gain.from_text(3), "text"),
        (lambda: Gain(NAMED).aligned(["churn", "go"]), "names the classes"),
        (lambda: Gain(np.eye(2)).aligned([1, 2, 3]), "for 2 classes, but there are 3"),
        (lambda: Gain(NAMED).place_of("go"), "not one of the classes"),
        (lambda: Gain(NAMED).decide([0.5, 0.5]), "rows × 2 classes"),
        (lambda: Gain(NAMED).decide([[0.5, 0.5], [np.nan, 1]]), "row 1"),
        (lambda: Gain(NAMED).decide([[0.5, -0.5]]), "row 0"),
        (lambda: Gain(NAMED).expected([[0.5, 0.5], [0.5, 0.9]]), "row 1 sum to 1.4"),
        (lambda: Gain(np.ones((3, 2, 2))).decide([[0.5, 0.5]]), "3 rows but 1"),
        (lambda: Gain(np.ones((3, 2, 2))).for_table(np.ones((2, 1))), "3 rows but the table has 2"),
        (lambda: Gain(NAMED).realised([0, 2], [0, 1]), "true is 2 at row 1"),
        (lambda: Gain(NAMED).realised([0], [0, 1]), "one class a row"),
        (lambda: Gain.identity(1), "got shape"),
    ],
)
def test_bad_input(call, message):
    with pytest.raises((ValueError, TypeError), match=message):
        call()


# --- decisions ------------------------------------------------------------------------------------------


def random_gain(rng, K, reject=False):
    return rng.integers(-9, 10, (K, K + reject)).astype(float)


@given(seeds, st.integers(2, 5), st.booleans())
def test_decisions_are_best_by_definition(seed, K, reject):
    rng = np.random.default_rng(seed)
    values = random_gain(rng, K, reject)
    posteriors = rng.dirichlet(np.ones(K), 20)
    gain = Gain(values)
    for p, a, expected in zip(posteriors, gain.decide(posteriors), gain.expected(posteriors), strict=True):
        by_hand = [sum(p[k] * values[k, b] for k in range(K)) for b in range(values.shape[1])]
        np.testing.assert_allclose(expected, by_hand, atol=1e-12)
        assert by_hand[a] == pytest.approx(max(by_hand), abs=1e-9)


@given(seeds, st.integers(2, 5), st.floats(1e-3, 1e3))
def test_shift_and_scale_change_no_decision(seed, K, scale):
    rng = np.random.default_rng(seed)
    values = random_gain(rng, K)
    posteriors = rng.dirichlet(np.ones(K), 30)
    expected = np.sort(posteriors @ values, axis=1)
    posteriors = posteriors[expected[:, -1] - expected[:, -2] > 1e-9]  # equal ones may fall either way
    shifted = Gain(scale * values + rng.uniform(-1e3, 1e3, (K, 1)))
    np.testing.assert_array_equal(shifted.decide(posteriors), Gain(values).decide(posteriors))
    np.testing.assert_allclose(shifted.canonical().matrix, Gain(values).canonical().matrix, atol=1e-6)


@given(seeds, st.integers(2, 6))
def test_identity_assigns_the_likeliest(seed, K):
    posteriors = np.random.default_rng(seed).dirichlet(np.ones(K), 50)
    np.testing.assert_array_equal(Gain.identity(K).decide(posteriors), posteriors.argmax(axis=1))


@given(seeds)
def test_alignment_is_a_relabelling(seed):
    rng = np.random.default_rng(seed)
    K = 4
    names, order = list("abcd"), rng.permutation(K)
    gain = Gain(rng.standard_normal((K, K + 1)), classes=names)
    posteriors = rng.dirichlet(np.ones(K), 20)
    moved = gain.aligned([names[i] for i in order])
    codes = moved.decide(posteriors[:, order])
    np.testing.assert_array_equal(np.r_[order, K][codes], gain.decide(posteriors))


def test_ties_go_to_the_first():
    """As learners do: a score of exactly zero is not assigned the positive class."""
    assert Gain.identity(2).decide([[0.5, 0.5]]).tolist() == [0]


@given(seeds)
def test_realised_gain_of_rows(seed):
    rng = np.random.default_rng(seed)
    true, assigned = rng.integers(0, 3, 12), rng.integers(0, 4, 12)
    by_row = Gain(rng.standard_normal((12, 3, 4)))
    one = Gain(by_row.matrix[0])
    np.testing.assert_array_equal(
        one.realised(true, assigned), [one.matrix[k, a] for k, a in zip(true, assigned, strict=True)]
    )
    np.testing.assert_array_equal(by_row.realised(true, assigned), by_row.matrix[np.arange(12), true, assigned])
    np.testing.assert_array_equal(
        by_row.take([3, 5]).realised(true[[3, 5]], assigned[[3, 5]]), by_row.realised(true, assigned)[[3, 5]]
    )


# --- findings -------------------------------------------------------------------------------------------


def kinds(gain):
    return {type(f): f for f in gain.findings()}


def test_a_sensible_gain_has_no_findings():
    assert Gain(NAMED).findings() == ()
    assert Gain.identity(5).findings() == ()
    assert Gain([[1e12, 0], [0, 1e-12]]).findings() == ()
    text = Gain(NAMED).explain()
    assert "No decision changes" in text
    assert "'stay' where its posterior probability is above 0.9459" in text


def test_dominated_by_one_or_by_a_mixture():
    pure = Gain([[1, 0, -1], [0, 1, -1]], classes=["a", "b"])
    found = kinds(pure)[DominatedAssignment]
    assert found.classes == ("reject",)
    assert "earns more" in found.evidence
    mixed = Gain(np.eye(2), reject=0.49)
    assert kinds(mixed)[DominatedAssignment].classes == ("reject",)
    assert not Gain(np.eye(2), reject=0.51).findings()
    assert "only best" in kinds(Gain(np.eye(2), reject=0.5))[DominatedAssignment].evidence


@given(seeds, st.integers(2, 4))
def test_an_assignment_without_finding_is_best_somewhere(seed, K):
    rng = np.random.default_rng(seed)
    gain = Gain(random_gain(rng, K, reject=True))
    named = {f.classes[0] for f in gain.findings() if isinstance(f, DominatedAssignment)}
    grid = rng.dirichlet(np.full(K, 0.5), 4000)
    expected = gain.expected(grid)
    clear = np.sort(expected, axis=1)
    chosen = set(np.unique(expected.argmax(axis=1)[clear[:, -1] - clear[:, -2] > 1e-6]))
    dominated = {a for a, label in enumerate(gain.assigned_labels) if str(label) in named}
    assert not chosen & dominated


def test_indifference_and_rewarded_errors():
    found = kinds(Gain([[2, 2], [-1, 3]], classes=["a", "b"]))
    assert found[IndifferentClass].classes == ("a",)
    found = kinds(Gain([[0, 5], [1, 0]], classes=["a", "b"]))
    assert found[RewardedError].classes in (("a",), ("b",))
    assert "from_costs" in str(found[RewardedError])
    by_row = np.tile([[2.0, 2.0, 2.0], [-1.0, 3.0, -2.0]], (5, 1, 1))
    assert set(kinds(Gain(by_row))) == {IndifferentClass, DominatedAssignment}
    by_row[3, 0, 1] = 1.0
    assert IndifferentClass not in kinds(Gain(by_row))
    assert "largest sum" in Gain.identity(3).explain()


# --- names in place of places ---------------------------------------------------------------------------


def test_realised_takes_names_where_the_gain_has_them():
    gain = Gain([[5, -1, 0], [-20, 0, -2]], classes=["good", "bad"])
    by_name = gain.realised(["good", "bad", "bad"], ["bad", "good", "reject"])
    np.testing.assert_array_equal(by_name, gain.realised([0, 1, 1], [1, 0, 2]))
    np.testing.assert_array_equal(by_name, [-1, -20, -2])
    np.testing.assert_array_equal(gain.realised([False, True], gain.decide([[1.0, 0.0], [0.0, 1.0]])), [5, 0])
    assert gain.realised([], []).shape == (0,)


@pytest.mark.parametrize(
    ("true", "assigned", "message"),
    [
        (["good"], ["goo"], "assigned is 'goo' at row 0, which is not one of"),
        (["reject"], ["good"], "true is 'reject' at row 0"),
        ([0, 2], [0, 0], r"true is 2 at row 1; numbers are places among \['good', 'bad'\], from 0 to 1"),
        ([0, 0], [0, -1], "assigned is -1 at row 1"),
        ([0.5], [0], "true is 0.5 at row 0"),
        ([np.nan], [0], "true is nan at row 0"),
        ([[0]], [0], "true must be one class for each row"),
        ([0, 1], [0], "got 2 and 1"),
    ],
)
def test_realised_refuses_what_is_no_class(true, assigned, message):
    with pytest.raises(ValueError, match=message):
        Gain([[5, -1], [-20, 0]], classes=["good", "bad"]).realised(true, assigned)


@pytest.mark.parametrize("ask", ["decide", "expected"])
def test_posteriors_sum_to_one(ask):
    with pytest.raises(ValueError, match=r"posteriors of row 1 sum to 0\.7, not to one"):
        getattr(Gain.identity(2), ask)([[0.5, 0.5], [0.5, 0.2]])
