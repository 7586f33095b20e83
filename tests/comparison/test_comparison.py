"""What a comparison tells, decisions by gain, and how it looks."""

import builtins
import importlib.util

import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from discriminant import (
    FisherDiscriminant,
    Gain,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    NaiveBayes,
    OneVsAll,
    compare,
)
from discriminant.comparison.cross_decisions import decide_across_folds
from discriminant.learners.registry import known_learners
from tests.tables import gaussian_table, seeds

CLOSED_FORM = [name for name, entry in known_learners().items() if entry.closed_form]
X, y = gaussian_table(1, n=160, d=3)
GAIN = np.array([[0.0, -1.0], [-4.0, 1.0]])


def test_all_learners_take_part_and_bernoulli_where_the_table_is_binary():
    by_name_alone = [name for name, entry in known_learners().items() if entry.leaves_out]
    others = [name for name in known_learners() if name not in (*by_name_alone, "bernoulli-naive-bayes")]
    assert by_name_alone == ["sparse-logistic"]
    assert compare(X, y, random_state=0).names == others
    assert "bernoulli-naive-bayes" in compare((X > 0) * 1.0, y, random_state=0).names
    assert compare(X, y, learners="closed-form").names == CLOSED_FORM
    assert compare(X, y, learners="lda").names == ["lda"]


def test_generative_and_discriminative_are_told_apart():
    learners = {
        "lda": LinearDiscriminantAnalysis(),
        "fisher": FisherDiscriminant(),
        "piped": make_pipeline(StandardScaler(), GaussianNB()),
        "reduced": OneVsAll(LogisticRegression(alpha=1.0)),
        "theirs": TheirLogistic(),
        "naive": NaiveBayes(marginal="gaussian"),
    }
    kinds = compare(X, y, learners=learners).kinds
    assert {name for name, kind in kinds.items() if kind == "generative"} == {"lda", "piped", "naive"}


def test_the_best_and_the_others():
    rng = np.random.default_rng(0)
    many = 4000
    labels = rng.integers(0, 2, many)
    table = rng.standard_normal((many, 2)) + labels[:, None]
    blind = make_pipeline(Shuffled(), LinearDiscriminantAnalysis())
    learners = {"blind": blind, "lda": LinearDiscriminantAnalysis(), "fisher": FisherDiscriminant()}
    found = compare(table, labels, learners=learners, random_state=0)
    assert found.best in ("lda", "fisher")
    assert found.ranked()[-1] == "blind"
    assert found.distinguishable == {"blind": True, "lda": False, "fisher": False}
    for figure in ("accuracy", "auc"):
        assert found.differences(figure)["blind"].high < 0
        assert found.differences(figure)[found.best].p_value == 1.0
    assert found.differences("log_loss") == {} or found.best == "lda"
    with pytest.raises(ValueError, match="figure must be one of"):
        found.differences("beauty")


class Shuffled(StandardScaler):
    """Hides the columns."""

    def transform(self, X):
        return np.random.default_rng(0).standard_normal(np.shape(X))


def test_refitted_to_all_rows():
    found = compare(X, y, learners=["lda", "svm"], random_state=0, sample_weight=np.full(y.size, 2.0))
    assert found.best_learner is found.best_learner
    again = found.refit("lda")
    assert np.array_equal(again.coef_, LinearDiscriminantAnalysis().fit(X, y, np.full(y.size, 2.0)).coef_)
    assert not hasattr(found.learners["lda"], "coef_")
    with pytest.raises(ValueError, match="'ridge' was not compared; compared were lda, svm"):
        found.refit("ridge")


# --- gain -----------------------------------------------------------------------------------------------


@settings(max_examples=12)
@given(seeds)
def test_no_decision_depends_on_the_label_of_its_own_fold(seed):
    """Labels within a fold are turned round: the decisions there, scores being equal, stay."""
    table, labels = gaussian_table(seed, n=60, d=2)
    found = compare(table, labels, learners=["fisher", "lda"], gain=GAIN, cv=3, random_state=0)
    rejecting = Gain(GAIN, reject=-0.3)
    for fold in range(3):
        inside = found.folds == fold
        turned = np.where(inside, 1 - found.codes, found.codes).astype(np.int32)
        for name, outcome in found.outcomes.items():
            for gain in (Gain(GAIN), rejecting):
                before, after = (
                    decide_across_folds(outcome, gain, codes, found.fold_of_row, None)
                    for codes in (found.codes, turned)
                )
                assert np.array_equal(before[inside], after[inside]), name


def test_decisions_are_those_of_a_gain_classifier():
    """With the threshold of rows of the other folds; within a fold it is one threshold."""
    found = compare(X, y, learners=["fisher", "naive-bayes", "perceptron"], gain=GAIN, random_state=0)
    for name in found.names:
        scores, decisions = found.scores[name], found.decisions[name]
        for f in range(5):
            s, up = scores[found.folds == f], decisions[found.folds == f] == 1
            assert not (up.any() and (~up).any()) or s[up].min() > s[~up].max()
        assert found.gain[name].value == pytest.approx(GAIN[y, decisions].mean())


def test_scores_off_their_scale_earn_as_much_as_any():
    """Naive Bayes of copied columns is far too sure; a threshold from the other folds does not mind."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 3000)
    column = rng.standard_normal((3000, 1)) + labels[:, None]
    costs = Gain.from_costs([[0, 1], [10, 0]])
    found = compare(np.repeat(column, 8, axis=1), labels, learners=["naive-bayes"], gain=costs, random_state=0)
    alone = compare(column, labels, learners=["naive-bayes"], gain=costs, random_state=0)
    assert found.gain["naive-bayes"].value > alone.gain["naive-bayes"].value - 0.02


def test_probabilities_of_several_classes_are_taken_at_their_word():
    table, labels = gaussian_table(2, n=150, d=3, K=3)
    gain = np.array([[1.0, 0.0, -2.0], [0.0, 1.0, 0.5], [-1.0, 0.0, 3.0]])
    learners = {"lda": LinearDiscriminantAnalysis(), "theirs": TheirLogistic()}
    found = compare(table, labels, learners=learners, gain=gain, cv=4)
    assert found.criterion == "gain"
    for name in found.names:
        p = np.exp(found.outcomes[name].log_posteriors())
        assert np.array_equal(found.decisions[name], (p @ gain).argmax(axis=1))


def test_a_cost_matrix_makes_gain_and_accuracy_disagree():
    gain = Gain.from_costs([[0, 1], [20, 0]], unit="EUR")
    found = compare(X, y, learners="closed-form", gain=gain, random_state=0)
    always = gain.matrix[y, 1].mean()
    for name in found.names:
        assert found.gain[name].value > always - 0.3
        assert found.gain[name].value > gain.matrix[y, found.outcomes[name].assigned].mean()
    assert "gain (EUR)" in str(found)


@pytest.mark.parametrize("learner", ["perceptron", "svm", "lda"])
def test_several_classes_reject_columns_and_gains_by_row(learner):
    table, labels = gaussian_table(2, n=150, d=3, K=3)
    by_class = compare(table, labels, learners=[learner], gain=np.eye(3), random_state=0)
    assert by_class.gain[learner].value > 0.4
    never = compare(table, labels, learners=[learner], gain=Gain(np.eye(3), reject=-9), random_state=0)
    assert np.array_equal(never.decisions[learner], by_class.decisions[learner])
    always = compare(table, labels, learners=[learner], gain=Gain(np.eye(3), reject=9), random_state=0)
    assert (always.decisions[learner] == 3).all()
    assert always.gain[learner].value == 9
    weight = np.ones(150)
    weight[::5] = 0
    by_row = Gain.by_row(lambda t: np.abs(t[:, 0])[:, None, None] * np.eye(3))
    found = compare(table, labels, learners=[learner], gain=by_row, sample_weight=weight, random_state=0)
    right = found.decisions[learner] == labels[weight > 0]
    assert found.gain[learner].value == pytest.approx((np.abs(table[weight > 0, 0]) * right).mean())


def test_gains_by_name_in_any_order():
    names = np.array(["ok", "bad"])[y]
    backwards = {"ok": {"ok": 1, "bad": -4}, "bad": {"ok": -1, "bad": 0}}
    found = compare(X, names, learners=["lda", "fisher"], gain=backwards, random_state=0)
    expected = compare(X, 1 - (names == "bad"), learners=["lda", "fisher"], gain=GAIN, random_state=0)
    for name in found.names:
        assert found.gain[name].value == pytest.approx(expected.gain[name].value)


# --- to look at -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("frame", "kind"), [(pd.DataFrame, pd.DataFrame), (pl.DataFrame, pl.DataFrame), (pa.table, pa.Table)]
)
def test_the_table_is_of_the_users_kind(frame, kind):
    given_frame = frame({name: X[:, j] for j, name in enumerate("abc")})
    found = compare(given_frame, y, learners=["lda", "hard-margin"], gain=GAIN, random_state=0)
    table = found.table()
    assert isinstance(table, kind)
    columns = nw.from_native(table).to_dict(as_series=False)
    assert columns["learner"] == ["lda", "hard-margin"]
    assert columns["accuracy"][0] == found.accuracy["lda"].value
    assert columns["gain_p_value"][0] == 1.0
    assert columns["best"] == [True, False]
    assert found.best_learner.feature_names_in_.tolist() == ["a", "b", "c"]


def test_an_array_gives_pandas_or_else_lists(monkeypatch):
    found = compare(X, y, learners=["lda"], random_state=0)
    assert isinstance(found.table(), pd.DataFrame)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    table = found.table()
    assert type(table) is builtins.dict
    assert table["learner"] == ["lda"]


def test_text_for_a_terminal():
    found = compare(X, y, learners=["lda", "fisher", "logistic"], random_state=0)
    lines = str(found).splitlines()
    assert lines[0] == "3 learners, 160 rows, 2 classes, 5 folds"
    assert lines[1].split()[:3] == ["learner", "kind", "accuracy"]
    assert lines[2].startswith(f"*  {found.best}")
    assert "McNemar" in lines[-1]
    assert repr(found) == "Comparison(3 learners, 160 rows, 5 folds)"


def test_names_are_escaped_on_pages():
    named = {"<script>alert(1)</script>": LinearDiscriminantAnalysis(), "b & c": FisherDiscriminant()}
    page = compare(X, np.array(["<i>", "<b>"])[y], learners=named, random_state=0)._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert "b &amp; c" in page
    assert page.count("<tr") == page.count("</tr>") == 3


def test_doubtful_findings_are_told():
    found = compare(np.column_stack([X[:, 0] * 1e6, X[:, 1:]]), y, learners=["lda-shrinkage"], random_state=0)
    assert [type(finding).__name__ for finding in found.findings["lda-shrinkage"]] == ["UnequalScales"]
    assert "lda-shrinkage: Columns have wildly different scales" in str(found)
    assert "Columns have wildly different scales" in found.table()["findings"].iloc[0]


def test_times_are_told():
    found = compare(X, y, learners=["lda", "svm"], random_state=0)
    assert all(0 < seconds < 60 for seconds in found.seconds.values())


def test_predictions_are_labels():
    names = np.array(["no", "yes"])[y]
    found = compare(X, names, learners=["lda"], random_state=0)
    assert found.accuracy["lda"].value == (found.predictions["lda"] == names).mean()


# --- decisions by gain ----------------------------------------------------------------------------------


COSTS = [[0, -1], [-5, 0]]


def two_of_iris():
    X, y = load_iris(return_X_y=True)
    return X[50:], y[50:]


def test_weights_are_repetitions_in_every_figure():
    X, y = load_iris(return_X_y=True)
    weight = np.random.default_rng(0).integers(0, 4, y.size)
    folds, copies = np.arange(y.size) % 5, np.repeat(np.arange(y.size), weight)
    options = {"learners": ["lda", "fisher", "svm"], "gain": [[5, -1, -3], [-2, 4, -8], [0, -10, 9]], "random_state": 0}
    weighed = compare(X, y, sample_weight=weight, cv=folds, **options)
    repeated = compare(X[copies], y[copies], cv=folds[copies], **options)
    for figure in ("gain", "accuracy", "log_loss", "auc"):
        for name, estimate in weighed.figures(figure).items():
            other = repeated.figures(figure)[name]
            assert (estimate.value, estimate.low, estimate.high) == pytest.approx((other.value, other.low, other.high))


def test_gains_by_row_in_every_form():
    X, y = two_of_iris()
    matrices = np.zeros((len(y), 2, 2))
    matrices[:, 0, 1], matrices[:, 1, 0] = -1.0, -X[:, 0]
    entries = {(1, 2): -1, (2, 1): lambda table: -table[:, 0], (1, 1): 0, (2, 2): 0}
    forms = [matrices, lambda table: matrices, entries, Gain.by_row(entries), Gain(matrices)]
    found = [compare(X, y, learners=["lda"], gain=gain, random_state=0).gain["lda"] for gain in forms]
    assert len(set(found)) == 1


def test_a_gain_turned_round_is_refused_at_once_with_the_names_of_the_classes():
    X, y = two_of_iris()
    with pytest.raises(ValueError, match="rewards taking 1 for 2 and 2 for 1"):
        compare(X, y, learners=["lda"], gain=[[0, 1], [1, 0]])


def test_no_loss_among_these_rows_is_no_proof():
    X, y = load_iris(return_X_y=True)
    estimate = compare(X[:100], y[:100], learners=["lda"], gain=COSTS, random_state=0).gain["lda"]
    assert estimate.value == 0.0
    assert estimate.low < -0.05
    assert estimate.high == 0.0


def test_the_best_in_another_figure():
    X, y = load_iris(return_X_y=True)
    found = compare(X, y, learners=["lda", "naive-bayes", "least-squares"], random_state=0)
    losses = {name: estimate.value for name, estimate in found.log_loss.items()}
    assert found.best_in("log_loss") == min(losses, key=losses.get)
    assert found.ranked("log_loss") == sorted(losses, key=losses.get)
    to_worst = found.differences("accuracy", to="least-squares")
    assert to_worst["least-squares"].value == 0.0
    assert to_worst["lda"].value == pytest.approx(found.accuracy["lda"].value - found.accuracy["least-squares"].value)
    with pytest.raises(ValueError, match="compare with gain="):
        found.best_in("gain")
    with pytest.raises(ValueError, match="'x' was not compared"):
        found.differences(to="x")
