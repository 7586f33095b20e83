"""Adaline against the rules of the notes, and against the least-squares plane it approaches."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_breast_cancer

from discriminant import Adaline, LeastSquaresClassifier
from discriminant.findings import Diverged, FindingWarning, NotConverged
from discriminant.schedules import Power, robbins_monro
from tests import transcriptions
from tests.learners.test_perceptron import FORMS, signs
from tests.tables import gaussian_table, relative, seeds

pytestmark = pytest.mark.filterwarnings("ignore:Adaline is still far")
quiet = pytest.mark.filterwarnings("ignore::discriminant.findings.FindingWarning")


def scaled_table(seed, **shape):
    X, y = gaussian_table(seed, **shape)
    return (X - X.mean(axis=0)) / X.std(axis=0), y


def plane(model):
    return np.append(model.coef_[0], model.intercept_[0])


@quiet
@given(seed=seeds, form=st.sampled_from(["dense", "csr", "F"]), weighted=st.booleans())
def test_stochastic_rule(seed, form, weighted):
    X, y = scaled_table(seed, n=50)
    weight = np.random.default_rng(seed).uniform(0.5, 2, len(y)) if weighted else None
    n = len(y)
    schedules = {
        "constant": lambda t, x: 0.02,
        "inverse": lambda t, x: 0.02 / (1 + t / n),
        "normalised": lambda t, x: 0.02 / transcriptions.dot(x, x),
    }
    for schedule, steps in schedules.items():
        model = Adaline(eta=0.02, schedule=schedule, shuffle=False, max_iter=3, tol=0)
        model.fit(FORMS[form](X), y, sample_weight=weight)
        expected = transcriptions.stochastic_adaline(X, signs(y), steps, 3, weight)
        assert np.allclose(plane(model), expected, rtol=1e-11, atol=1e-13)


@given(seed=seeds, form=st.sampled_from(["dense", "csr", "F"]))
def test_batch_rule(seed, form):
    X, y = scaled_table(seed, n=50)
    model = Adaline(rule="batch", eta=0.002, max_iter=4, tol=0).fit(FORMS[form](X), y)
    assert np.allclose(plane(model), transcriptions.batch_adaline(X, signs(y), 0.002, 4), rtol=1e-11, atol=1e-13)


@given(seed=seeds, rule=st.sampled_from(["batch", "stochastic"]))
def test_it_approaches_the_least_squares_plane(seed, rule):
    X, y = scaled_table(seed, n=150, d=3, correlated=False)
    exact = plane(LeastSquaresClassifier().fit(X, y))
    few, many = (Adaline(rule=rule, max_iter=epochs, tol=0, random_state=0).fit(X, y) for epochs in (3, 300))
    assert relative(plane(many), exact) < (1e-6 if rule == "batch" else 0.02)
    assert relative(plane(many), exact) < relative(plane(few), exact)
    assert np.allclose(plane(Adaline(rule="closed-form").fit(X, y)), exact, rtol=1e-10, atol=1e-13)


@given(seed=seeds)
def test_loss_is_half_the_sum_of_squares_before_and_after_each_epoch(seed):
    X, y = scaled_table(seed, n=60)
    weight = np.random.default_rng(seed).uniform(0.5, 2, len(y))
    model = Adaline(max_iter=4, tol=0, random_state=0).fit(X, y, sample_weight=weight)
    c = np.array(signs(y))
    final = 0.5 * (weight * (c - model.decision_function(X)) ** 2).sum()
    assert model.loss_.shape == (5,)
    assert model.loss_[0] == pytest.approx(0.5 * weight.sum())
    assert model.loss_[-1] == pytest.approx(final)
    assert model.n_iter_ == 4


def test_several_classes_are_learnt_one_against_the_rest():
    X, y = scaled_table(3, n=200, K=3)
    model = Adaline(rule="batch", max_iter=5000, tol=0).fit(X, y)
    exact = LeastSquaresClassifier().fit(X, y)
    assert relative(model.coef_, exact.coef_) < 1e-6
    assert np.allclose(Adaline(rule="closed-form").fit(X, y).coef_, exact.coef_)
    assert model.loss_[-1] == pytest.approx(Adaline(rule="closed-form").fit(X, y).loss_[-1])


@pytest.mark.parametrize("rule", ["batch", "stochastic"])
def test_too_large_a_step_is_said_with_the_largest_stable_one(rule):
    X, y = scaled_table(1, n=200)
    augmented = np.column_stack([X, np.ones(len(X))])
    squares = (augmented**2).sum(axis=1).max()
    stable = 2 / (np.linalg.eigvalsh(augmented.T @ augmented)[-1] if rule == "batch" else squares)
    model = Adaline(rule=rule, eta=(1.05 if rule == "batch" else 20) * stable, schedule="constant", max_iter=1000)
    with pytest.warns(FindingWarning, match=f"{stable:.3g}"):
        model.fit(X, y)
    (finding,) = model.findings_
    assert isinstance(finding, Diverged)
    assert not model.converged_
    assert np.isfinite(model.coef_).all()
    below = Adaline(rule=rule, eta=0.95 * stable, schedule="constant", max_iter=2000).fit(X, y)
    assert not any(isinstance(f, Diverged) for f in below.findings_)
    assert below.converged_ or rule == "stochastic"  # a constant step keeps rows tugging at the weights


@quiet
@given(seed=seeds, schedule=st.sampled_from(["inverse", "constant", "normalised"]))
def test_shuffled_fit_ignores_row_order_and_takes_weights_for_repetition(seed, schedule):
    X, y = scaled_table(seed, n=40)
    rng = np.random.default_rng(seed)
    weight = rng.integers(0, 4, len(y))
    weight[np.unique(y, return_index=True)[1]] = 1
    repeated = rng.permutation(np.repeat(np.arange(len(y)), weight))
    options = {"max_iter": 4, "random_state": 3, "schedule": schedule, "tol": 0}
    weighed = Adaline(**options).fit(X, y, sample_weight=weight)
    again = Adaline(**options).fit(sparse.csr_array(X[repeated]), y[repeated])
    assert np.allclose(weighed.coef_, again.coef_, rtol=1e-10, atol=1e-13)


def test_schedules_of_ones_own():
    X, y = scaled_table(2)
    one = Adaline(schedule=Power(0.01, decay=100, exponent=0.75), random_state=0).fit(X, y)
    same = Adaline(schedule=lambda t: 0.01 / (1 + t / 100) ** 0.75, random_state=0).fit(X, y)
    assert robbins_monro(Power(0.01, decay=100, exponent=0.75)).satisfied
    assert np.allclose(one.coef_, same.coef_, rtol=1e-12)
    assert one.eta_ == 0.01


@pytest.mark.parametrize(
    ("schedule", "message"),
    [
        (lambda t: np.full(np.shape(t), np.nan), "t = 0"),
        (lambda t: -0.1, "t = 0"),
        (lambda t: None, "t = 0"),
        (lambda t: "fast", "t = 0"),
        (lambda t: 0.01 if t < 130 else 0.0, "t = 130"),
        (lambda t: 1 / (t - 5) if t < 5 else 0.1, "t = 0"),
        ("falling", "schedule"),
        (3, "schedule"),
    ],
)
def test_a_schedule_that_returns_nonsense(schedule, message):
    X, y = scaled_table(2)
    with pytest.raises((ValueError, TypeError), match=message):
        Adaline(schedule=schedule).fit(X, y)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"eta": 0.0}, "eta"),
        ({"eta": -1.0}, "eta"),
        ({"eta": np.nan}, "eta"),
        ({"max_iter": 0}, "max_iter"),
        ({"tol": -1.0}, "tol"),
        ({"rule": "online"}, "rule"),
        ({"schedule": "normalised", "eta": 2.0}, "below 2"),
        ({"schedule": "normalised", "rule": "batch"}, "rule='stochastic'"),
    ],
)
def test_nonsense_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        Adaline(**options).fit([[0.0], [1.0]], [0, 1])


def test_partial_fit_goes_on_from_there():
    X, y = scaled_table(4, n=120)
    whole = Adaline(eta=0.01, schedule="constant", shuffle=False, max_iter=1, tol=0).fit(X, y)
    parts = Adaline(eta=0.01, schedule="constant")
    for a in range(0, len(X), 40):
        parts.partial_fit(X[a : a + 40], y[a : a + 40], classes=[0, 1])
    assert np.allclose(parts.coef_, whole.coef_, rtol=1e-12)


@quiet
def test_unscaled_columns_crawl_but_do_not_diverge():
    X, y = load_breast_cancer(return_X_y=True)
    for rule in ("batch", "stochastic"):
        model = Adaline(rule=rule, random_state=0).fit(X, y)
        assert model.loss_[-1] < model.loss_[0]
        assert [type(f) for f in model.findings_] == [NotConverged]


def test_repeated_rows_take_small_steps_each():
    X = np.tile([[0.0, 0], [0, 1], [1, 0], [1, 1]], (500, 1))
    y = np.tile([0, 0, 0, 1], 500)
    for options in ({"eta": 0.01}, {"schedule": "normalised"}, {}):
        model = Adaline(**options, random_state=0).fit(X, y)
        assert not any(isinstance(f, Diverged) for f in model.findings_)
        assert 250 <= model.loss_[-1] < 350


@quiet
def test_heavy_rows_do_not_make_normalised_steps_diverge():
    X, y = scaled_table(9, n=200)
    model = Adaline(schedule="normalised", shuffle=False).fit(X, y, sample_weight=np.full(len(y), 30.0))
    assert not any(isinstance(f, Diverged) for f in model.findings_)


@pytest.mark.parametrize("factor", [1.005, 1.01, 1.5])
def test_slow_divergence_is_found_too(factor):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((300, 3)) + 5
    y = X[:, 0] > 5
    augmented = np.column_stack([X, np.ones(len(X))])
    step = factor * 2 / np.linalg.eigvalsh(augmented.T @ augmented)[-1]
    with pytest.warns(FindingWarning, match="too large"):
        model = Adaline(rule="batch", eta=step, max_iter=400, tol=0).fit(X, y)
    c = np.array(signs(y))
    assert 0.5 * ((c - model.decision_function(X)) ** 2).sum() == pytest.approx(model.loss_.min())


def test_a_fit_far_from_least_squares_says_so():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((500, 2)) * [1, 1e-3]
    y = X[:, 1] + 1e-4 * rng.standard_normal(500) > 0
    for rule in ("batch", "stochastic"):
        with pytest.warns(FindingWarning, match="far from the least-squares plane"):
            model = Adaline(rule=rule, random_state=0).fit(X, y)
        assert not model.converged_
        assert "column 1" in model.findings_[0].evidence


def test_chunks_do_not_undo_one_another():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((102, 3))
    y = (X[:, 0] > 0).astype(int)
    y[:2] = 0, 1
    model = Adaline(eta=0.1, schedule="constant")
    for part in (slice(0, 2), slice(2, 52), slice(52, 102)):
        model.partial_fit(X[part], y[part], classes=[0, 1])
    expected = transcriptions.stochastic_adaline(X, signs(y), lambda t, x: 0.1, 1)
    assert np.allclose(plane(model), expected, rtol=1e-10)
    first = Adaline().partial_fit(X[:10], y[:10], classes=[0, 1])
    step = first.eta_
    assert first.partial_fit(100 * X[10:], y[10:]).eta_ == step  # fixed by the first rows


def test_the_closed_form_takes_all_rows_at_once():
    X, y = scaled_table(1)
    with pytest.raises(AttributeError, match="partial_fit") as caught:
        Adaline(rule="closed-form").partial_fit(X, y)
    assert "LeastSquaresClassifier.partial_fit" in str(caught.value.__cause__)
    model = Adaline().fit(X, y).set_params(rule="closed-form").fit(np.column_stack([X, X[:, 0]]), y)
    assert not hasattr(model, "eta_")
    assert type(model.findings_[0]).__name__ == "RedundantColumns"
