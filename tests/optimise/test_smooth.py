"""Smooth criteria over rows: their derivatives, and one minimum whatever the method."""

import numpy as np
import pytest
from scipy import sparse

from discriminant.losses import HINGE, LOGISTIC, SQUARED, SQUARED_HINGE
from discriminant.optimise import smooth
from discriminant.optimise.firth import FirthRisk
from discriminant.optimise.profile import constrained_minimum, free_minimum, profile_interval
from discriminant.optimise.rare_columns import has_rare_columns
from discriminant.optimise.smooth import METHODS, minimise
from discriminant.rows import from_arrays
from discriminant.statistics import scaling
from discriminant.statistics.margin_risk import MarginRisk
from discriminant.statistics.penalised_risk import draw_stratified
from discriminant.statistics.softmax_risk import SoftmaxRisk
from tests.tables import relative

SMOOTH = [LOGISTIC, SQUARED_HINGE, SQUARED]


def table(n=600, d=5, seed=0):
    """Badly scaled, offset and correlated columns, three classes, weights and offsets."""
    random = np.random.default_rng(seed)
    Z = random.standard_normal((n, d))
    y = (Z[:, 0] + random.standard_normal(n) > 0).astype(int) + (Z[:, 1] + random.standard_normal(n) > 1)
    Z[:, 1] += 0.9 * Z[:, 0]
    X = Z * 10.0 ** random.uniform(-2, 2, d) + random.uniform(-3, 3, d)
    return X, y, random.uniform(0.1, 2, n), random.standard_normal(n)


FORMS = {
    "dense": lambda X: X,
    "fortran": np.asfortranarray,
    "float32": lambda X: X.astype(np.float32),
    "integers": lambda X: np.rint(X).astype(np.int64),
    "sparse": lambda X: sparse.csr_array(np.where(np.abs(X) > np.median(np.abs(X), axis=0), X, 0.0)),
    "few entries": lambda X: sparse.csr_array(np.where(np.abs(X) > np.quantile(np.abs(X), 0.85, axis=0), X, 0.0)),
    "far": lambda X: X + 1e5 * X.std(axis=0),
}


def binary_risk(X, y, weight=None, loss=LOGISTIC, penalty=0.0, offset=None, kind=MarginRisk):
    rows = from_arrays(X, (y > 0).astype(int), weight)
    return kind(rows, rows.signs(1), loss, penalty, offset)


def risks(form):
    X, y, weight, offset = table()
    X = FORMS[form](X)
    yield from (binary_risk(X, y, weight, loss, 0.7, offset) for loss in SMOOTH)
    yield binary_risk(X, y)
    yield SoftmaxRisk(from_arrays(X, y, weight), 0.7, np.column_stack([offset, -offset, offset**2]))
    yield binary_risk(X, y, weight, offset=offset, kind=FirthRisk)


@pytest.mark.parametrize("form", FORMS)
def test_gradient_is_the_slope_of_the_value(form):
    random = np.random.default_rng(5)
    for risk in risks(form):
        u, v = 0.3 * random.standard_normal((2, risk.n_weights))
        _, gradient = risk.value_and_gradient(u)
        step = 1e-5
        above, below = (risk.value_and_gradient(u + s * step * v)[0] for s in (1, -1))
        assert gradient @ v == pytest.approx((above - below) / (2 * step), rel=1e-5)


@pytest.mark.parametrize("form", FORMS)
def test_hessian_its_products_and_its_diagonal(form):
    random = np.random.default_rng(6)
    for risk in list(risks(form))[:5]:  # Firth's criterion has the Hessian of the plain one
        u, v = 0.3 * random.standard_normal((2, risk.n_weights))
        if isinstance(risk, SoftmaxRisk):  # its Hessian is made regular where all classes move together
            u, v = ((w.reshape(risk.shape) - w.reshape(risk.shape).mean(axis=0)).ravel() for w in (u, v))
        step = 1e-6
        above, below = (risk.value_and_gradient(u + s * step * v)[1] for s in (1, -1))
        product = risk.products(u)(v)
        np.testing.assert_allclose(product, (above - below) / (2 * step), rtol=1e-3, atol=1e-4 * np.abs(product).max())
        H = risk.hessian(u)
        np.testing.assert_allclose(H @ v, product, rtol=1e-8, atol=1e-9 * np.abs(product).max())
        product = risk.products(u)
        own = [product(unit)[j] for j, unit in enumerate(np.eye(risk.n_weights))]
        np.testing.assert_allclose(risk.diagonal(u), own, rtol=1e-9)


def test_squares_of_few_entries_are_not_made_of_dense_blocks(monkeypatch):
    X, y, *_ = table()
    risks = [binary_risk(FORMS[form](X), y) for form in ("few entries", "sparse")]
    hessians = [risk.hessian(np.full(risk.n_weights, 0.1)) for risk in risks]
    dense = binary_risk(FORMS["few entries"](X).toarray(), y)
    back = risks[0].scaling.from_user(dense.scaling.to_user(np.eye(6)))
    H = dense.hessian(dense.from_user(risks[0].to_user(np.full(6, 0.1))))
    assert relative(back @ hessians[0] @ back.T, H) < 1e-10
    monkeypatch.setattr(scaling, "dense_block", None)
    risks[0].hessian(np.zeros(6))
    with pytest.raises(TypeError):
        risks[1].hessian(np.zeros(6))


@pytest.mark.parametrize("form", FORMS)
def test_all_methods_reach_the_same_minimum(form):
    for risk in list(risks(form))[:5]:
        found = {method: minimise(risk, method=method, tolerance=1e-10) for method in METHODS}
        assert all(m.converged for m in found.values())
        scores = {method: risk.scores(risk.from_user(m.weights)) for method, m in found.items()}
        for method in METHODS:
            assert found[method].value == pytest.approx(found["newton"].value, rel=1e-12)
            np.testing.assert_allclose(scores[method], scores["newton"], rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_steps_below_the_rounding_of_the_gradient_do_not_wander(seed):
    """The scores of all classes may move together without a change of F: nothing may be followed that way."""
    random = np.random.default_rng(seed)
    X, y = random.random((15, 30)), np.arange(15) % 3
    risk = SoftmaxRisk(from_arrays(sparse.csr_array(X), y, random.integers(1, 5, 15).astype(float)), 0.1)
    found = minimise(risk, method="truncated-newton", tolerance=1e-10)
    exact = minimise(risk, method="newton", tolerance=1e-12)
    assert found.converged
    assert found.n_passes < 200
    scores, wanted = (S - S.mean(axis=1, keepdims=True) for S in (risk.scores(found.u), risk.scores(exact.u)))
    np.testing.assert_allclose(scores, wanted, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_many_rows_start_from_a_sample(n_classes, monkeypatch):
    """The minimum does not depend on how it was approached."""
    monkeypatch.setattr(smooth, "_SAMPLE_ROWS", 500)
    X, y, weight, _ = table(20_000)
    risk = binary_risk(X, y, weight) if n_classes == 2 else SoftmaxRisk(from_arrays(X, y, weight))
    near = minimise(risk, tolerance=1e-10)
    exact = minimise(risk, method="newton", start=np.zeros_like(near.weights), tolerance=1e-10)
    assert near.method == "quasi-newton"
    assert near.n_passes < 25
    np.testing.assert_allclose(near.weights, exact.weights, rtol=1e-7, atol=1e-9)


def test_a_start_in_the_units_of_the_columns():
    X, y, weight, _ = table()
    risk = binary_risk(X, y, weight)
    found = minimise(risk, tolerance=1e-10)
    again = minimise(risk, start=found.weights, tolerance=1e-10)
    assert again.n_iterations == 0
    np.testing.assert_allclose(again.weights, found.weights, rtol=1e-9)
    np.testing.assert_allclose(risk.to_user(risk.from_user(found.weights)), found.weights, rtol=1e-10)


def test_a_loss_with_a_kink_is_refused():
    X, y, _, _ = table()
    with pytest.raises(ValueError, match="needs a loss with a continuous slope, and the hinge loss has a kink"):
        binary_risk(X, y, loss=HINGE)


def test_stratified_sample_stands_for_all_rows():
    codes = np.random.default_rng(0).choice(3, 10_000, p=[0.9, 0.099, 0.001]).astype(np.int32)
    chosen, factor = draw_stratified(codes, 3, 300)
    assert (np.diff(chosen) > 0).all()
    totals = np.bincount(codes[chosen], factor, minlength=3)
    np.testing.assert_allclose(totals, np.bincount(codes, minlength=3))
    assert (np.bincount(codes[chosen]) >= np.minimum(np.bincount(codes), 50)).all()


def test_held_weights_stay_and_the_rest_is_minimal():
    X, y, weight, _ = table()
    risk = binary_risk(X, y, weight)
    best = minimise(risk, tolerance=1e-10)
    A = np.eye(risk.n_weights)[[0, 3]]
    c = np.array([0.2, -0.1])
    u, value = constrained_minimum(risk, best.u, A, c)
    np.testing.assert_allclose(A @ u, c, atol=1e-12)
    gradient = risk.value_and_gradient(u)[1]
    np.testing.assert_allclose(np.delete(gradient, [0, 3]), 0, atol=1e-5)
    assert value > best.value


def test_weights_that_are_not_free_are_held():
    X, y, weight, _ = table()
    risk = binary_risk(X, y, weight)
    free = np.arange(risk.n_weights) % 2 == 0
    u = np.linspace(-0.3, 0.3, risk.n_weights)
    held, value = constrained_minimum(risk, u, np.eye(u.size)[~free], u[~free])
    np.testing.assert_allclose(held[~free], u[~free], atol=1e-12)
    assert free_minimum(risk, u, free) == pytest.approx(value, rel=1e-12)


def test_profile_interval_of_a_parabola_is_that_of_its_standard_error():
    X, y, _, _ = table()
    risk = binary_risk(X, y, loss=SQUARED)
    best = minimise(risk, tolerance=1e-12)
    a = np.eye(risk.n_weights)[1]
    error = float(np.sqrt(np.linalg.inv(risk.hessian(best.u))[1, 1]))
    low, high = profile_interval(risk, best.u, a, error, 1.96)
    assert low == pytest.approx(best.u[1] - 1.96 * error, rel=1e-6)
    assert high == pytest.approx(best.u[1] + 1.96 * error, rel=1e-6)


# --- Hessians of earlier points -------------------------------------------------------------------------


class CountedRisk(MarginRisk):
    """Counts the Hessians of all rows."""

    n_hessians = 0

    def hessian(self, u):
        CountedRisk.n_hessians += self.rows.n_rows == 6000
        return super().hessian(u)


@pytest.mark.parametrize("form", ["dense", "few entries", "far"])
@pytest.mark.parametrize("penalty", [0.0, 1.0])
def test_fewer_hessians_end_at_the_same_minimum(form, penalty):
    X, y, weight, offset = table(6000)
    X = FORMS[form](X)
    best = minimise(binary_risk(X, y, weight, penalty=penalty, offset=offset), method="newton", tolerance=1e-10)
    CountedRisk.n_hessians = 0
    risk = binary_risk(X, y, weight, penalty=penalty, offset=offset, kind=CountedRisk)
    found = minimise(risk, tolerance=1e-8)
    assert found.converged
    assert found.value == pytest.approx(best.value, rel=1e-12)
    np.testing.assert_allclose(risk.scores(found.u), risk.scores(best.u), atol=1e-6)
    # a likelihood has that at its maximum besides
    assert CountedRisk.n_hessians - (not penalty) < found.n_iterations


def test_a_likelihood_has_the_hessian_of_its_maximum():
    X, y, *_ = table(6000)
    risk = binary_risk(X, y)
    found = minimise(risk)
    np.testing.assert_allclose(found.hessian, risk.hessian(found.u), rtol=1e-6, atol=1e-6)


# --- what a sample does not show ------------------------------------------------------------------------


def rare_table(n=60_000, seed=0):
    """A column of numbers, a constant, and indicators of which the last have a few rows each, of both classes."""
    random = np.random.default_rng(seed)
    g = np.minimum(random.geometric(0.3, n) - 1, 24)
    X = np.hstack([random.standard_normal((n, 1)), np.ones((n, 1)), (g[:, None] == np.arange(1, 25)) * 1.0])
    y = (random.random(n) < 0.3).astype(int)
    for level in range(25):  # no level of a single class
        rows = np.flatnonzero(g == level)
        y[rows[:1]], y[rows[1:2]] = 0, 1
    return X[:, [j for j in range(26) if j < 2 or np.unique(y[X[:, j] == 1]).size == 2]], y


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_rare_levels_are_not_judged_by_a_sample(form):
    X, y = rare_table()
    risk = binary_risk(form(X), y)
    assert has_rare_columns(form(X), 10_000)
    found = minimise(risk, tolerance=1e-10)
    assert found.method == "newton"
    assert found.converged
    assert np.abs(risk.scores(found.u)).max() < 20
    assert np.linalg.norm(found.gradient) < 1e-5


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_constant_and_common_columns_are_not_rare(form):
    X = np.random.default_rng(0).standard_normal((5000, 3))
    X[:, 1] = 7.0
    X[:, 2] = X[:, 0] > 1
    assert not has_rare_columns(form(X), 500)


def test_heavy_tails_are_not_rare():
    X = np.random.default_rng(0).standard_t(1.5, size=(5000, 20))
    assert not has_rare_columns(X, 500)


def test_a_likelihood_without_a_maximum_ends_in_few_steps():
    X, y = rare_table(n=5000)
    X = np.column_stack([X, (np.arange(5000) < 5) * 1.0])
    found = minimise(binary_risk(X, np.where(X[:, -1] > 0, 0, y)), method="newton", tolerance=1e-8)
    assert found.converged
    assert found.n_iterations < 20
    assert 10 < np.abs(found.weights).max() < 60
