"""`GainClassifier` over sources: the thresholds and figures of memory on the same folds, in two passes."""

import pickle
import warnings

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression as Foreign

from discriminant import (
    FisherDiscriminant,
    GainClassifier,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    NaiveBayes,
    Perceptron,
    ScoreCounts,
    rows,
)
from discriminant.validation import IdFolds, source_scores

LEARNERS = [
    LinearDiscriminantAnalysis(),
    LinearDiscriminantAnalysis(shrinkage="auto"),
    FisherDiscriminant(),
    FisherDiscriminant(threshold="accuracy"),
    LeastSquaresClassifier(),
    NaiveBayes(marginal="gaussian"),
]
GAIN = {"a": {"a": 1, "c": -2}, "c": {"a": -1, "c": 3}}


def table(n=500, K=2, d=4, seed=0, spread=1.0):
    random = np.random.default_rng(seed)
    codes = random.integers(0, K, n)
    X = random.normal(size=(n, d)) + random.normal(size=(K, d))[codes] / 2
    X[:, -1] = X[:, 0] + spread * X[:, -1]
    return X, np.array(list("cabd"))[codes]


def source_of(X, y, weight=None, size=97):
    places = [slice(a, a + size) for a in range(0, len(y), size)]
    return rows.from_batches([(X[p], y[p], None if weight is None else weight[p]) for p in places])


def assert_same(model, memory, X):
    assert model.threshold_ == pytest.approx(memory.threshold_, rel=1e-10, abs=1e-12)
    assert model.expected_gain_ == pytest.approx(memory.expected_gain_, rel=1e-12)
    assert model.expected_gain_interval_ == pytest.approx(memory.expected_gain_interval_, rel=1e-9)
    assert model.predict_proba(X) == pytest.approx(memory.predict_proba(X), abs=1e-9)
    assert model.operating_curve_.auc == pytest.approx(memory.operating_curve_.auc, abs=1e-12)
    assert model.calibration_ == memory.calibration_
    assert [type(f) for f in model.findings_] == [type(f) for f in memory.findings_]


@pytest.mark.parametrize("learner", LEARNERS, ids=str)
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_two_classes_as_in_memory(learner, weighted):
    X, y = table()
    weight = np.random.default_rng(1).integers(0, 3, y.size).astype(float) if weighted else None
    source = source_of(X, y, weight)
    model = GainClassifier(learner, GAIN, cv=4, random_state=2).fit(source)
    if learner.get_params().get("threshold") != "accuracy":
        assert source.passes == 2
    assert_same(model, GainClassifier(learner, GAIN, cv=IdFolds(4, 2)).fit(X, y, weight), X)


@pytest.mark.parametrize("spread", [1e-3, 1e-7])
def test_columns_near_dependence(spread):
    X, y = table(spread=spread)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for learner in (LinearDiscriminantAnalysis(), LeastSquaresClassifier()):
            model = GainClassifier(learner, GAIN).fit(source_of(X, y))
            memory = GainClassifier(learner, GAIN, cv=IdFolds(5)).fit(X, y)
            assert model.threshold_ == pytest.approx(memory.threshold_, rel=1e-6, abs=1e-8)
            assert model.expected_gain_ == pytest.approx(memory.expected_gain_, rel=1e-12)


@pytest.mark.parametrize("spool", [False, "auto"])
def test_learners_by_passes_are_fitted_without_each_fold(spool):
    X, y = table(n=300)
    source = source_of(X, y)
    source.spool = spool
    model = GainClassifier(LogisticRegression(), GAIN, cv=3).fit(source)
    memory = GainClassifier(LogisticRegression(), GAIN, cv=IdFolds(3)).fit(X, y)
    assert model.threshold_ == pytest.approx(memory.threshold_, rel=1e-6, abs=1e-8)
    assert model.expected_gain_ == pytest.approx(memory.expected_gain_, rel=1e-9)


def test_learners_that_go_back_to_rows_are_fitted_to_the_spool():
    X, y = table(n=200)
    learner = Perceptron(average=True, max_iter=5, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = GainClassifier(learner, GAIN, cv=3).fit(source_of(X, y))
        memory = GainClassifier(learner, GAIN, cv=IdFolds(3)).fit(X, y)
    assert model.threshold_ == pytest.approx(memory.threshold_, rel=1e-9)
    assert model.expected_gain_ == pytest.approx(memory.expected_gain_, rel=1e-9)


def test_several_classes_as_in_memory():
    X, y = table(K=4)
    for learner in (LinearDiscriminantAnalysis(), LeastSquaresClassifier()):
        model = GainClassifier(learner, reject=0.3).fit(source_of(X, y))
        memory = GainClassifier(learner, reject=0.3, cv=IdFolds(5)).fit(X, y)
        assert model.expected_gain_ == pytest.approx(memory.expected_gain_, rel=1e-12)
        assert model.predict(X).tolist() == memory.predict(X).tolist()
        assert model.predict_proba(X) == pytest.approx(memory.predict_proba(X), abs=1e-9)


def test_what_is_kept_does_not_grow_with_the_rows(monkeypatch):
    monkeypatch.setattr(source_scores, "MOST_CELLS", 1 << 12)
    X, y = table(n=30_000)
    model = GainClassifier(LinearDiscriminantAnalysis(), GAIN, cv=2).fit(source_of(X, y, size=4000))
    assert all(isinstance(counts, ScoreCounts) for counts in model.held_out_counts_.values())
    assert all(counts.keys.size <= 1 << 12 for counts in model.held_out_counts_.values())
    width = max(counts.relative_width for counts in model.held_out_counts_.values())
    assert 0 < width < 0.01
    memory = GainClassifier(LinearDiscriminantAnalysis(), GAIN, cv=IdFolds(2)).fit(X, y)
    assert model.threshold_ == pytest.approx(memory.threshold_, rel=4 * width)
    assert model.expected_gain_ == pytest.approx(memory.expected_gain_, rel=1e-2)
    assert model.operating_curve_.auc == pytest.approx(memory.operating_curve_.auc, abs=1e-4)


def test_a_sample_of_rows_is_the_same_whatever_the_blocks():
    X, y = table(n=900, K=4)
    models = tuple(LinearDiscriminantAnalysis().fit(X, y) for _ in range(3))
    asked = source_scores.HeldOutScores((models,), IdFolds(3), models[0].classes_, most_rows=200)
    asked = pickle.loads(pickle.dumps(asked))
    found = [source_of(X, y, size=size).fold(asked) for size in (1, 90, 900)]
    assert [part.n_rows for part in found] == [900] * 3
    assert found[0].codes.size == 200
    for part in found[1:]:
        assert part.draws.tolist() == found[0].draws.tolist()
        assert part.scores[0] == pytest.approx(found[0].scores[0], rel=1e-12, abs=1e-12)


def test_what_a_source_does_not_tell_is_refused():
    X, y = table()
    source = source_of(X, y)
    with pytest.raises(TypeError, match=r"takes tables.*rows\.collect\(\)"):
        GainClassifier(Foreign()).fit(source)
    with pytest.raises(ValueError, match="id= name"):
        GainClassifier(LinearDiscriminantAnalysis()).fit(source, groups=np.arange(len(y)))
    with pytest.raises(ValueError, match="one gain holds for all rows"):
        GainClassifier(LinearDiscriminantAnalysis(), lambda t: np.ones((len(t), 2, 2))).fit(source)
    with pytest.raises(ValueError, match="leave y and sample_weight out"):
        GainClassifier(LinearDiscriminantAnalysis()).fit(source, y)


def test_a_class_in_one_fold_is_refused():
    X, y = table(n=60)
    folds = IdFolds(3).of_ids(np.arange(60))
    y = np.where(folds == 1, y, "a")
    with pytest.raises(ValueError, match=r"class.*two folds|one class only"):
        GainClassifier(LinearDiscriminantAnalysis(), cv=3).fit(source_of(X, y))


def test_a_later_fit_in_memory_leaves_nothing_of_a_source_behind():
    X, y = table()
    model = GainClassifier(LinearDiscriminantAnalysis()).fit(source_of(X, y))
    assert not hasattr(model, "held_out_scores_")
    model.fit(X, y)
    assert not hasattr(model, "held_out_counts_")
    assert model.held_out_scores_.shape == (500,)
