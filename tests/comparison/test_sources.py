"""`compare` over sources: the figures of memory on the same folds."""

import numpy as np
import pytest

from discriminant import FisherDiscriminant, LinearDiscriminantAnalysis, NaiveBayes, compare, rows
from discriminant.validation import IdFolds, source_scores

LEARNERS = ["lda", "lda-shrinkage", "fisher", "least-squares", "naive-bayes"]
GAIN = {"a": {"a": 1, "c": -2}, "c": {"a": -1, "c": 3}}


def table(n=400, K=2, d=4, seed=0):
    random = np.random.default_rng(seed)
    codes = random.integers(0, K, n)
    X = random.normal(size=(n, d)) + random.normal(size=(K, d))[codes] / 2
    return X, np.array(list("cabd"))[codes]


def source_of(X, y, weight=None, size=97):
    places = [slice(a, a + size) for a in range(0, len(y), size)]
    return rows.from_batches([(X[p], y[p], None if weight is None else weight[p]) for p in places])


def numbers(estimate):
    return [estimate.value, estimate.low, estimate.high]


@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
@pytest.mark.parametrize(("K", "gain"), [(2, GAIN), (2, None), (4, None)], ids=str)
def test_figures_are_those_of_memory(K, gain, weighted):
    X, y = table(K=K)
    weight = np.random.default_rng(1).integers(0, 3, y.size).astype(float) if weighted else None
    source = source_of(X, y, weight)
    found = compare(source, learners=LEARNERS, gain=gain, cv=4, random_state=3)
    memory = compare(X, y, learners=LEARNERS, gain=gain, cv=IdFolds(4, 3), sample_weight=weight)
    assert source.passes == 2
    for figure in ("accuracy", "log_loss", "auc", *(["gain"] if gain else [])):
        mine, theirs = found.figures(figure), memory.figures(figure)
        assert list(mine) == list(theirs)
        for name in mine:
            assert numbers(mine[name]) == pytest.approx(numbers(theirs[name]), rel=1e-9, abs=1e-12)
    assert found.best == memory.best
    assert found.distinguishable == memory.distinguishable
    assert found.folds.size == (y.size if weight is None else np.count_nonzero(weight))
    assert found.best_learner.coef_ == pytest.approx(memory.best_learner.coef_, rel=1e-10)
    assert str(found).splitlines()[0] == str(memory).splitlines()[0]
    assert len(found.table()) == len(LEARNERS)


def test_one_that_fails_is_a_row_with_its_reason():
    X, y = table()
    learners = {"lda": LinearDiscriminantAnalysis(), "counts": NaiveBayes(marginal="multinomial")}
    with pytest.raises(ValueError, match="Negative values"):  # no sum can be made of such rows
        compare(source_of(X, y), learners=learners)
    learners = {"lda": LinearDiscriminantAnalysis(), "fisher": FisherDiscriminant(priors=[0.2, 0.3, 0.5])}
    found = compare(source_of(X, y), learners=learners)
    assert list(found.failures) == ["fisher"]
    assert found.best == "lda"


def test_many_rows_are_judged_by_some(monkeypatch):
    X, y = table(n=3000)
    monkeypatch.setattr(source_scores.HeldOutScores, "__init__", _kept(source_scores.HeldOutScores.__init__, 500))
    found = compare(source_of(X, y), learners=["lda", "fisher"])
    assert found.codes.size == 500
    memory = compare(X, y, learners=["lda", "fisher"], cv=IdFolds(5))
    for name in ("lda", "fisher"):
        assert numbers(found.accuracy[name]) == pytest.approx(numbers(memory.accuracy[name]), rel=1e-12)
        assert numbers(found.auc[name]) == pytest.approx(numbers(memory.auc[name]), rel=1e-12)
    assert numbers(found.log_loss["lda"]) == pytest.approx(numbers(memory.log_loss["lda"]), rel=1e-9)
    assert found.differences("accuracy", to="lda")["fisher"].p_value > 0
    three = compare(source_of(*table(n=3000, K=3)), learners=["lda"])
    low, high = three.accuracy["lda"].low, three.accuracy["lda"].high
    assert low < compare(*table(n=3000, K=3), learners=["lda"], cv=IdFolds(5)).accuracy["lda"].value < high


def test_figures_of_many_rows_with_gain(monkeypatch):
    X, y = table(n=2000)
    monkeypatch.setattr(source_scores.HeldOutScores, "__init__", _kept(source_scores.HeldOutScores.__init__, 300))
    found = compare(source_of(X, y), learners=["lda", "fisher"], gain=GAIN)
    memory = compare(X, y, learners=["lda", "fisher"], gain=GAIN, cv=IdFolds(5))
    for name in ("lda", "fisher"):
        assert numbers(found.gain[name]) == pytest.approx(numbers(memory.gain[name]), rel=1e-9)


def _kept(init, most):
    def with_most(self, *given, **named):
        init(self, *given, **{"most_rows": most} | named)

    return with_most


def test_what_a_source_does_not_tell_is_refused():
    X, y = table()
    with pytest.raises(ValueError, match="id= name"):
        compare(source_of(X, y), groups=np.arange(y.size))
    with pytest.raises(ValueError, match="leave y and sample_weight out"):
        compare(source_of(X, y), y)
    with pytest.raises(ValueError, match="one gain holds"):
        compare(source_of(X, y), learners=["lda"], gain=np.ones((y.size, 2, 2)))
