"""Planes through the origin by rules that go from row to row: the same, with (x, 0) in the place of (x, 1)."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import Perceptron as TheirPerceptron

from discriminant import Adaline, LeastSquaresClassifier, Perceptron, PocketPerceptron

pytestmark = pytest.mark.filterwarnings("ignore::discriminant.findings.FindingWarning")

RANDOM = np.random.default_rng(5)
X = RANDOM.integers(-9, 10, size=(60, 4)) / 2.0
Y = (X @ [1.0, -2.0, 0.5, 0.25] + RANDOM.normal(size=60) > 0).astype(int)
THREE = np.argmax(X @ RANDOM.normal(size=(4, 3)), axis=1)
EACH = {
    "stochastic": Perceptron(max_iter=20, fit_intercept=False, random_state=0),
    "in order": Perceptron(max_iter=20, fit_intercept=False, shuffle=False),
    "batch": Perceptron(rule="batch", max_iter=20, fit_intercept=False),
    "cyclic": Perceptron(rule="cyclic", max_iter=20, fit_intercept=False),
    "average": Perceptron(average=True, max_iter=20, fit_intercept=False, random_state=0),
    "vote": Perceptron(average="vote", max_iter=20, fit_intercept=False, random_state=0),
    "direct": Perceptron(multiclass="direct", max_iter=20, fit_intercept=False, random_state=0),
    "traced": Perceptron(trace=True, max_iter=20, fit_intercept=False, random_state=0),
    "random start": Perceptron(init="random", max_iter=20, fit_intercept=False, random_state=0),
    "pocket": PocketPerceptron(max_iter=20, fit_intercept=False, random_state=0),
    "ratchet": PocketPerceptron(ratchet=True, max_iter=20, fit_intercept=False, random_state=0),
    "adaline": Adaline(fit_intercept=False, random_state=0),
    "adaline in batches": Adaline(rule="batch", fit_intercept=False),
    "normalised": Adaline(schedule="normalised", fit_intercept=False, random_state=0),
    "closed form": Adaline(rule="closed-form", fit_intercept=False),
}


@pytest.mark.parametrize("labels", [Y, THREE], ids=["two", "three"])
@pytest.mark.parametrize("name", EACH)
def test_there_is_no_intercept_and_sparse_rows_are_the_same(name, labels):
    model = EACH[name].fit(X, labels)
    assert not model.intercept_.any()
    found = model.coef_.copy()
    assert np.abs(found).max() > 0
    np.testing.assert_allclose(model.fit(sparse.csr_array(X), labels).coef_, found, rtol=1e-9, atol=1e-12)
    assert not model.intercept_.any()


def _perceptron(rule):
    """The rules as they are written, on (x, 0)."""
    w, c = np.zeros(4), 2.0 * Y - 1
    for _ in range(20):
        if rule == "batch":
            wrong = c * (X @ w) <= 0
            w = w + c[wrong] @ X[wrong]
            continue
        for x, own in zip(X, c, strict=True):
            answer = 1.0 if w @ x > 0 else -1.0
            wrong = own * (w @ x) <= 0 if rule == "in order" else answer != own
            w = w + (wrong * own * x if rule == "in order" else (own - answer) * x)
    return w


@pytest.mark.parametrize("rule", ["in order", "batch", "cyclic"])
def test_perceptron_is_the_rule_without_a_constant(rule):
    model = EACH[rule].set_params(tol=None).fit(X, Y)
    np.testing.assert_allclose(model.coef_[0], _perceptron(rule), rtol=1e-12)


def test_perceptron_is_that_of_scikit_learn():
    theirs = TheirPerceptron(fit_intercept=False, shuffle=False, tol=None, max_iter=7).fit(X, Y)
    ours = Perceptron(fit_intercept=False, shuffle=False, tol=None, max_iter=7).fit(X, Y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-12)
    np.testing.assert_array_equal(ours.intercept_, theirs.intercept_)


@pytest.mark.parametrize("rule", ["closed-form", "batch"])
def test_adaline_goes_to_least_squares_through_the_origin(rule):
    found = Adaline(rule=rule, fit_intercept=False, max_iter=20_000, tol=0).fit(X, Y)
    expected = LeastSquaresClassifier(fit_intercept=False).fit(X, Y)
    # a step that no longer lowers E leaves half of the digits of w
    np.testing.assert_allclose(found.coef_, expected.coef_, rtol=1e-10 if rule == "closed-form" else 1e-6)
    assert found.findings_ == ()


def test_stable_steps_are_those_of_the_columns_alone():
    model = Adaline(rule="batch", fit_intercept=False, max_iter=5).fit(X, Y)
    assert model.eta_ == pytest.approx(1.0 / np.linalg.eigvalsh(X.T @ X)[-1], rel=1e-8)
    opposite = np.column_stack([X[:, 0], -X[:, 0]])  # orthogonal to equal weights
    model.fit(opposite, Y)
    assert model.eta_ == pytest.approx(1.0 / np.linalg.eigvalsh(opposite.T @ opposite)[-1], rel=1e-8)


@pytest.mark.parametrize("rule", ["batch", "stochastic"])
def test_rows_of_zeros_move_nothing(rule):
    model = Adaline(rule=rule, fit_intercept=False, max_iter=5, random_state=0).fit(np.zeros((6, 2)), [0, 1] * 3)
    assert not model.coef_.any()


def test_normalised_steps_do_not_hang_on_the_unit_of_the_columns():
    """Rows so short that a constant beside them would drown them."""
    model = Adaline(schedule="normalised", fit_intercept=False, max_iter=10, random_state=0, shuffle=False)
    whole = model.fit(X, Y).coef_.copy()
    np.testing.assert_allclose(model.fit(X * 2.0**-30, Y).coef_ * 2.0**-30, whole, rtol=1e-12)


def test_pocket_keeps_the_fewest_errors_of_planes_through_the_origin():
    model = PocketPerceptron(fit_intercept=False, max_iter=50, random_state=0).fit(X, Y)
    assert model.pocket_errors_ == np.count_nonzero(model.predict(X) != Y)


def test_rows_are_added_and_a_start_is_taken():
    ones = np.ones_like(Y)
    model = Perceptron(fit_intercept=False, random_state=0).partial_fit(X[:30], Y[:30], classes=[0, 1])
    model.partial_fit(X[30:], Y[30:])
    assert not model.intercept_.any()
    with pytest.raises(ValueError, match="fit_intercept was False"):
        model.set_params(fit_intercept=True).partial_fit(X, Y)
    with pytest.raises(ValueError, match="let its last number be 0"):
        Perceptron(fit_intercept=False, init=[1.0, 0.0, 0.0, 0.0, 0.5]).fit(X, Y)
    begun = Perceptron(fit_intercept=False, init=[1.0, -2.0, 0.5, 0.25, 0.0], trace=True, shuffle=False).fit(X, Y)
    np.testing.assert_array_equal(begun.trace_[0].w, [1.0, -2.0, 0.5, 0.25])
    with pytest.raises(TypeError, match="fit_intercept must be True or False"):
        Adaline(fit_intercept=1).fit(X, ones * Y)


def test_warm_start_forgets_an_intercept():
    model = Perceptron(warm_start=True, max_iter=3, random_state=0).fit(X + 2.0, Y)
    assert model.intercept_.any()
    assert not model.set_params(fit_intercept=False).fit(X, Y).intercept_.any()


def test_bound_of_planes_through_the_origin():
    """Two rows on an axis: R = γ·3, and only the constant could say more."""
    table, labels = [[1.0], [3.0], [-1.0]], [1, 1, 0]
    model = Perceptron(fit_intercept=False, shuffle=False).fit(table, labels)
    bound = model.novikoff(table, labels)
    assert (bound.radius, bound.margin) == (3.0, pytest.approx(1.0))
    assert bound.updates <= bound.bound
    with pytest.raises(ValueError, match="not separable"):
        Perceptron(fit_intercept=False, shuffle=False, max_iter=5).fit([[1.0], [2.0]], [0, 1]).novikoff(
            [[1.0], [2.0]], [0, 1]
        )
