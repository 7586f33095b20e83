"""LinearSVM: the notes' formulas, the laws of a slab, all solvers alike, and hard tables."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.utils.estimator_checks import parametrize_with_checks

from discriminant import LinearSVM, NotSeparableError
from discriminant.findings import FindingWarning, FlatScore, NotConverged
from discriminant.optimise.margins.slab import SlabOptimum
from discriminant.rows import from_arrays
from tests.tables import gaussian_table, seeds, well_conditioned

quiet = pytest.mark.filterwarnings("ignore::discriminant.findings.FindingWarning")
LOSSES = ["hinge", "squared_hinge"]
losses = st.sampled_from(LOSSES)
costs = st.sampled_from([0.01, 1.0, 50.0])


@pytest.mark.filterwarnings("ignore::discriminant.findings.FindingWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@parametrize_with_checks([LinearSVM(class_weight="balanced")])
def test_scikit_learn_check(estimator, check):
    """The hard margin is not among them: many of these tables have none, and it says so."""
    check(estimator)


def same(a, b, tolerance=1e-7):
    """Whether two models have the same planes."""
    weights = np.allclose(a.coef_, b.coef_, rtol=tolerance, atol=tolerance * (1e-3 + np.abs(b.coef_).max()))
    atol = tolerance * (1 + np.abs(b.intercept_).max())
    return weights and np.allclose(a.intercept_, b.intercept_, rtol=tolerance, atol=atol)


# --- the notes ------------------------------------------------------------------------------------------


def test_the_notes_formulas_of_the_hard_margin():
    X = np.array([[1.0, 1.0], [2.0, 0.0], [0.0, -1.0], [4.0, 4.0], [5.0, 2.0], [3.0, 6.0]])
    c = np.array([-1, -1, -1, 1, 1, 1])
    model = LinearSVM(C=np.inf).fit(X, c)
    w, S = model.coef_[0], model.support_
    assert np.allclose(w, (model.alpha_ * c) @ X)
    assert -model.intercept_[0] == pytest.approx(np.mean(X[S] @ w - c[S]), rel=1e-12)
    assert model.alpha_ @ c == pytest.approx(0, abs=1e-14)
    gram = (c[:, None] * X) @ (c[:, None] * X).T
    assert model.dual_ == pytest.approx(model.alpha_.sum() - 0.5 * model.alpha_ @ gram @ model.alpha_, rel=1e-12)
    assert model.primal_ == pytest.approx(0.5 * w @ w, rel=1e-12)
    assert model.margin_ == pytest.approx(np.abs(X @ w + model.intercept_[0]).min() / np.linalg.norm(w), rel=1e-12)
    assert (model.slab(X, c)[S] == "edge").all()
    assert set(model.slab(X, c)) == {"edge", "outside"}


@quiet
def test_no_margin_comes_with_a_proof():
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    with pytest.raises(NotSeparableError, match="finite C") as error:
        LinearSVM(C=np.inf).fit(X, y)
    assert error.value.separation.verify(X, y)
    assert LinearSVM(C=1.0).fit(X, y).gap_ <= 1e-12


def test_a_margin_too_narrow_for_a_blind_start_is_found_from_the_separating_plane():
    X, y = np.array([[3e5, 3e-2, 0.3], [1e5, 1e-2, -0.2], [-2e5, 3e-2, 0.1], [-1e5, -1e-2, 0.3]]), [0, 1, 0, 1]
    model = LinearSVM(C=np.inf).fit(X, y)
    assert abs(model.gap_) < 1e-6
    assert model.score(X, y) == 1.0


# --- laws -----------------------------------------------------------------------------------------------


@quiet
@given(seed=seeds, C=costs, loss=losses)
def test_weights_are_repetitions_and_zero_is_absence(seed, C, loss):
    X, y = gaussian_table(seed, n=40, d=3)
    weight = np.random.default_rng(seed).integers(0, 4, len(y))
    weight[:12] = 2
    weighed = LinearSVM(C=C, loss=loss).fit(X, y, sample_weight=weight)
    repeated = LinearSVM(C=C, loss=loss).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    assert same(weighed, repeated)
    assert weighed.primal_ == pytest.approx(repeated.primal_, rel=1e-10)


@given(seed=seeds, loss=losses)
def test_alpha_is_of_the_users_rows(seed, loss):
    X, y = gaussian_table(seed, n=40, d=3)
    weight = np.random.default_rng(seed).integers(0, 3, len(y)).astype(float)
    weight[:8] = 1
    model = LinearSVM(loss=loss).fit(X, y, sample_weight=weight)
    assert model.alpha_.shape == (40,)
    assert not model.alpha_[weight == 0].any()
    assert np.allclose((model.alpha_ * (2 * y - 1)) @ X, model.coef_[0], atol=1e-6)
    assert set(model.support_) == set(np.flatnonzero(model.alpha_))


@quiet
@given(seed=seeds, C=costs, loss=losses)
def test_permuted_rows_permute_alpha(seed, C, loss):
    X, y = gaussian_table(seed, n=40, d=3)
    order = np.random.default_rng(seed).permutation(len(y))
    plain, permuted = LinearSVM(C=C, loss=loss).fit(X, y), LinearSVM(C=C, loss=loss).fit(X[order], y[order])
    assert same(permuted, plain)
    assert np.allclose(permuted.alpha_, plain.alpha_[order], rtol=1e-5, atol=1e-6 * C)


@quiet
@given(seed=seeds, C=costs, loss=losses)
def test_rotation_rotates_the_plane(seed, C, loss):
    X, y = gaussian_table(seed, n=50, d=3)
    Q, _ = np.linalg.qr(well_conditioned(seed, 3))
    plain, turned = LinearSVM(C=C, loss=loss).fit(X, y), LinearSVM(C=C, loss=loss).fit(X @ Q, y)
    assert np.allclose(turned.coef_, plain.coef_ @ Q, atol=1e-7 * (1 + np.abs(plain.coef_).max()))
    assert turned.primal_ == pytest.approx(plain.primal_, rel=1e-10)


@quiet
@given(seed=seeds, C=costs, loss=losses, factor=st.sampled_from([1e-3, 7.0, 1e3]))
def test_units_and_price(seed, C, loss, factor):
    """x → kx, C → C/k² gives w/k: the price of a loss is in units of length."""
    X, y = gaussian_table(seed, n=50, d=3)
    plain, scaled = LinearSVM(C=C, loss=loss).fit(X, y), LinearSVM(C=C / factor**2, loss=loss).fit(X * factor, y)
    assert np.allclose(scaled.coef_ * factor, plain.coef_, atol=1e-6 * (1e-3 + np.abs(plain.coef_).max()))
    assert scaled.primal_ * factor**2 == pytest.approx(plain.primal_, rel=1e-9)


@quiet
@given(seed=seeds, C=costs, loss=losses)
def test_class_weights_multiply_row_weights(seed, C, loss):
    X, y = gaussian_table(seed, n=50, d=3)
    by_class = LinearSVM(C=C, loss=loss, class_weight={0: 0.5, 1: 3.0}).fit(X, y)
    assert same(by_class, LinearSVM(C=C, loss=loss).fit(X, y, sample_weight=np.where(y, 3.0, 0.5)))
    balanced = LinearSVM(C=C, loss=loss, class_weight="balanced").fit(X, y)
    shares = len(y) / (2 * np.bincount(y))
    assert same(balanced, LinearSVM(C=C, loss=loss, class_weight=dict(enumerate(shares))).fit(X, y))


@quiet
@given(seed=seeds, loss=losses)
def test_labels_swapped_swap_the_sides(seed, loss):
    X, y = gaussian_table(seed, n=50, d=3)
    plain, swapped = LinearSVM(loss=loss).fit(X, y), LinearSVM(loss=loss).fit(X, 1 - y)
    assert np.allclose(swapped.coef_, -plain.coef_, atol=1e-8)
    assert swapped.primal_ == pytest.approx(plain.primal_, rel=1e-11)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_large_price_is_the_hard_margin_of_separable_classes(loss):
    X, y = load_iris(return_X_y=True)
    hard, soft = LinearSVM(C=np.inf).fit(X, y == 0), LinearSVM(C=1e9, loss=loss).fit(X, y == 0)
    assert soft.margin_ == pytest.approx(hard.margin_, rel=1e-6)


# --- solvers --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("loss", "solver"),
    [
        ("hinge", "interior-point"),
        ("hinge", "dual-descent"),
        ("squared_hinge", "newton"),
        ("squared_hinge", "truncated-newton"),
        ("squared_hinge", "dual-descent"),
    ],
)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, np.asfortranarray, lambda X: X.astype(np.float32)])
def test_every_solver_reaches_the_optimum(loss, solver, form):
    X, y = gaussian_table(7, n=150, d=6, correlated=False)
    X = X.astype(np.float32).astype(float)
    auto = LinearSVM(C=0.3, loss=loss).fit(X, y)
    model = LinearSVM(C=0.3, loss=loss, solver=solver, tol=1e-8, max_iter=20_000).fit(form(X), y)
    assert model.solver_ == solver
    assert model.primal_ == pytest.approx(auto.primal_, rel=1e-7)
    assert model.dual_ <= auto.primal_ * (1 + 1e-12)
    assert np.allclose(model.coef_, auto.coef_, atol=1e-3)


def test_solver_follows_the_shape():
    rng = np.random.default_rng(0)
    y = np.arange(4000) % 2
    wide = sparse.random_array((4000, 5000), density=0.002, rng=rng, format="csr")
    dense = rng.standard_normal((4000, 3))
    assert LinearSVM(tol=0.1).fit(wide, y).solver_ == "dual-descent"
    assert LinearSVM(tol=0.1, loss="squared_hinge").fit(wide, y).solver_ == "newton"
    assert LinearSVM().fit(dense, y).solver_ == "interior-point"
    assert LinearSVM(loss="squared_hinge").fit(dense, y).solver_ == "newton"
    assert LinearSVM().fit(wide[:200], y[:200]).solver_ == "interior-point"


def test_descent_that_does_not_get_there_is_finished_exactly():
    """Rows of unequal lengths, which coordinate descent is slow on."""
    rng = np.random.default_rng(0)
    wide = sparse.random_array((700, 3000), density=0.02, rng=rng, format="csr") * 30.0
    y = np.asarray(wide[:, :300].sum(axis=1)).ravel() + 10 * rng.standard_normal(700) > 25
    slow = {"tol": 1e-9, "max_iter": 20}
    with pytest.warns(FindingWarning, match="stopped after 20 iterations"):
        descended = LinearSVM(solver="dual-descent", **slow).fit(wide, y)
    finished = LinearSVM(**slow).fit(wide, y)
    exact = LinearSVM(solver="interior-point").fit(wide, y)
    assert abs(finished.gap_) < 1e-9 < descended.gap_
    assert finished.primal_ == pytest.approx(exact.primal_, rel=1e-9)
    assert np.allclose(finished.coef_, exact.coef_, atol=1e-6 * np.abs(exact.coef_).max())
    assert (descended.solver_, finished.solver_, exact.solver_) == ("dual-descent", "interior-point", "interior-point")


@quiet
@pytest.mark.parametrize(
    ("first", "second", "answer"), [(0.1, 0.2, 0), (0.2, 0.1, 1), (np.nan, 0.1, 1), (0.1, np.nan, 0)]
)
def test_solver_and_gap_are_those_of_the_answer(monkeypatch, first, second, answer):
    """One solver follows another where the gap is too wide; what cannot be judged (a gap of NaN) is no answer."""
    gaps = {"newton": first, "dual-descent": second}

    def solved(self, solver, slab, sign):
        gap = gaps[solver]
        return SlabOptimum(np.full(2, gap), 0.0, np.zeros(slab.rows.n_rows), 1.0, 1.0 - gap, 1)

    monkeypatch.setattr(LinearSVM, "_solved", solved)
    model = LinearSVM(loss="squared_hinge").fit(BASE, LABELS)
    assert model.solver_ == list(gaps)[answer]
    assert model.gap_ == pytest.approx([first, second][answer])


@quiet
def test_every_plane_of_several_classes_names_its_solver(monkeypatch):
    """Rows of which one class only needs a second solver."""
    found = iter([("newton", 0.0), ("newton", 0.5), ("dual-descent", 0.0), ("newton", 0.0)])

    def solved(self, solver, slab, sign):
        name, gap = next(found)
        assert solver == name
        return SlabOptimum(np.ones(4), 0.0, np.zeros(slab.rows.n_rows), 1.0, 1.0 - gap, 1)

    monkeypatch.setattr(LinearSVM, "_solved", solved)
    model = LinearSVM(loss="squared_hinge").fit(*load_iris(return_X_y=True))
    assert model.solver_ == ("newton", "dual-descent", "newton")
    assert model.gap_.tolist() == [0.0, 0.0, 0.0]


# --- several classes ------------------------------------------------------------------------------------


@quiet
@pytest.mark.parametrize("loss", LOSSES)
def test_several_classes_are_learnt_one_against_the_rest(loss):
    X, y = load_iris(return_X_y=True)
    model = LinearSVM(loss=loss).fit(X, y)
    assert model.alpha_.shape == (3, 150)
    assert len(model.support_) == 3
    for k in range(3):
        alone = LinearSVM(loss=loss).fit(X, y == k)
        assert np.allclose(model.coef_[k], alone.coef_[0], atol=1e-9)
        assert model.primal_[k] == pytest.approx(alone.primal_, rel=1e-12)
        assert model.margin_[k] == pytest.approx(alone.margin_)
        assert model.slab(X, y)[:, k].tolist() == alone.slab(X, y == k).tolist()


def test_a_rows_source():
    X, y = gaussian_table(0, n=50, d=3)
    weight = np.arange(50) % 3
    rows = from_arrays(X, y, weight)
    model = LinearSVM().fit(rows)
    assert same(model, LinearSVM().fit(X, y, sample_weight=weight))
    assert model.alpha_.shape == (rows.n_rows,)


# --- hard tables ----------------------------------------------------------------------------------------

BASE, LABELS = gaussian_table(11, n=80, d=4)
TABLES = {
    "a constant column": np.column_stack([BASE, np.full(80, 7.0)]),
    "columns twice": np.column_stack([BASE, BASE]),
    "tiny columns": BASE * [1e-300, 1, 1, 1],
    "columns of all sizes": BASE * [1e-5, 1e5, 1e-2, 1],
    "an offset": BASE + 1e8,
    "all tiny": BASE * 1e-300,
    "more columns than rows": np.random.default_rng(0).standard_normal((80, 300)),
    "whole numbers": BASE.round(),
}


@quiet
@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("C", [1e-12, 1.0, 1e12])
def test_hard_tables_end_at_the_optimum(name, loss, C):
    model = LinearSVM(C=C, loss=loss, tol=1e-4).fit(TABLES[name], LABELS)
    assert abs(model.gap_) <= 1e-4 or any(isinstance(f, NotConverged) for f in model.findings_)
    assert np.isfinite(model.coef_).all()
    if C <= 1:
        assert abs(model.gap_) <= 1e-4


@quiet
@pytest.mark.parametrize("loss", LOSSES)
def test_two_rows(loss):
    model = LinearSVM(loss=loss, C=100.0).fit([[0.0], [2.0]], [0, 1])
    assert model.decision_function([[1.0]]) == pytest.approx(0, abs=1e-12)
    assert abs(model.gap_) < 1e-12


@pytest.mark.parametrize("loss", LOSSES)
def test_rows_all_alike_have_no_direction(loss):
    X, y = np.ones((5, 2)), [0, 0, 0, 1, 1]
    with pytest.warns(FindingWarning, match="every weight is zero"):
        model = LinearSVM(loss=loss).fit(X, y)
    assert isinstance(model.findings_[0], FlatScore)
    assert model.predict(X).tolist() == [0] * 5
    with pytest.raises(NotSeparableError):
        LinearSVM(C=np.inf).fit(X, y)


@pytest.mark.parametrize("tol", [1e-2, 1e-10])
def test_tolerance_is_the_gap(tol):
    X, y = gaussian_table(3, n=100, d=4)
    for loss in LOSSES:
        assert abs(LinearSVM(loss=loss, tol=tol).fit(X, y).gap_) <= tol


def test_what_is_not_reached_is_said():
    X, y = gaussian_table(3, n=100, d=4)
    with pytest.warns(FindingWarning, match="Raise max_iter"):
        model = LinearSVM(solver="dual-descent", max_iter=2, tol=1e-10).fit(1e3 * X, y)
    assert isinstance(model.findings_[0], NotConverged)
    assert model.gap_ > 1e-10


def test_numbers_whose_squares_overflow_are_refused():
    with pytest.raises(ValueError, match="rescale that column"):
        LinearSVM().fit(BASE * 1e300, LABELS)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"C": 0.0}, ValueError, "C must be finite and greater than zero"),
        ({"C": -np.inf}, ValueError, "C must be"),
        ({"C": np.nan}, ValueError, "C must be"),
        ({"C": "1"}, TypeError, "C must be a number"),
        ({"loss": "logistic"}, ValueError, "loss must be one of"),
        ({"tol": 0.0}, ValueError, "tol must be"),
        ({"solver": "smo"}, ValueError, "solver must be one of"),
        ({"solver": "newton"}, ValueError, "does not solve loss='hinge'"),
        ({"solver": "dual-descent", "C": np.inf}, ValueError, "does not solve the hard margin"),
        ({"class_weight": "heavy"}, ValueError, "class_weight must be"),
        ({"class_weight": {5: 1.0}}, ValueError, "class_weight names class 5"),
        ({"class_weight": {0: 0.0}}, ValueError, "class_weight is 0 for"),
        ({"max_iter": 0}, ValueError, "max_iter must be at least 1"),
    ],
)
def test_bad_parameters_are_named(options, error, message):
    with pytest.raises(error, match=message):
        LinearSVM(**options).fit(BASE, LABELS)


def test_a_failed_fit_leaves_the_model_as_it_was():
    model = LinearSVM(C=np.inf).fit([[0.0], [1.0]], [0, 1])
    before = clone(model), model.coef_.copy()
    with pytest.raises(NotSeparableError):
        model.fit([[0.0], [1.0], [2.0]], [0, 1, 0])
    assert np.array_equal(model.coef_, before[1])


def test_slab_of_unknown_classes_is_refused():
    model = LinearSVM().fit(BASE, LABELS)
    with pytest.raises(ValueError, match="class 9"):
        model.slab(BASE[:1], [9])


def test_a_matrix_too_large_to_factor_is_refused():
    wide = sparse.random_array((13_000, 3000), density=1e-4, rng=np.random.default_rng(0), format="csr")
    with pytest.raises(ValueError, match="take 'auto' or 'dual-descent'"):
        LinearSVM(solver="interior-point").fit(wide, np.arange(13_000) % 2)


@pytest.mark.parametrize(("C", "tol"), [(1.0, 1e-4), (30.0, 1e-4), (1.0, 1e-8)])
def test_sparse_overlapping_rows_reach_the_gap_asked_for(C, tol):
    rng = np.random.default_rng(5)
    X = sparse.random_array((2400, 800), density=0.02, format="csr", rng=rng, data_sampler=rng.standard_normal)
    score = X @ rng.standard_normal(800)
    y = score + score.std() * rng.standard_normal(2400) > 0
    model = LinearSVM(C=C, tol=tol).fit(X, y)
    assert model.solver_ == ("dual-descent" if C == 1.0 else "interior-point")
    assert 0 <= model.gap_ <= tol
    exact = LinearSVM(C=C, solver="interior-point").fit(X, y)
    assert exact.gap_ < 1e-9
    assert exact.primal_ <= model.primal_ <= exact.primal_ * (1 + 2 * tol)


def test_the_hinge_through_the_origin_by_descent_is_that_of_the_rows_and_their_images():
    random = np.random.default_rng(3)
    X = random.standard_normal((200, 6)) + 0.4
    y = (X[:, 0] + random.standard_normal(200) > 0.3).astype(int)
    exact = LinearSVM(loss="hinge", fit_intercept=False, solver="interior-point").fit(X, y)
    descended = LinearSVM(loss="hinge", fit_intercept=False, solver="dual-descent", tol=1e-9).fit(X, y)
    assert descended.intercept_.tolist() == [0.0]
    assert descended.alpha_.shape == (200,)
    assert abs(descended.gap_) <= 1e-9
    assert descended.primal_ == pytest.approx(exact.primal_, rel=1e-8)
    np.testing.assert_allclose(descended.coef_, exact.coef_, atol=1e-4)


def test_descent_gives_way_to_the_interior_point_where_it_would_take_longer():
    random = np.random.default_rng(5)
    X = sparse.random_array((5000, 60), density=0.05, format="csr", rng=random, data_sampler=random.standard_normal)
    y = X @ random.standard_normal(60) + random.standard_normal(5000) > 0
    for fit_intercept in (True, False):
        easy, hard = (LinearSVM(C=C, fit_intercept=fit_intercept).fit(X, y) for C in (0.01, 1e4))
        assert (easy.solver_, hard.solver_) == ("dual-descent", "interior-point")
        assert easy.gap_ <= 1e-4
        assert hard.gap_ <= 1e-10


@pytest.mark.parametrize("shape", [(9000, 40), (300, 3000)])
def test_the_squared_hinge_through_the_origin_is_that_of_the_rows_and_their_images(shape):
    random = np.random.default_rng(6)
    X = sparse.random_array(shape, density=0.05, format="csr", rng=random, data_sampler=random.standard_normal)
    y = X @ random.standard_normal(shape[1]) + random.standard_normal(shape[0]) > 0.2
    found = LinearSVM(loss="squared_hinge", fit_intercept=False, tol=1e-8).fit(X, y)
    images = LinearSVM(loss="squared_hinge", tol=1e-10).fit(
        sparse.vstack([X, -X]), np.concatenate([y, ~y]), np.full(2 * shape[0], 0.5)
    )
    assert found.intercept_.tolist() == [0.0]
    assert abs(found.gap_) <= 1e-8
    assert found.primal_ == pytest.approx(images.primal_, rel=1e-8)
    np.testing.assert_allclose(found.alpha_, images.alpha_[: shape[0]] + images.alpha_[shape[0] :], atol=1e-4)


def test_squared_hinge_of_many_indicators_takes_a_few_newton_steps():
    rng = np.random.default_rng(1)
    n, fields, levels = 40_000, 12, 25
    share = 1.0 / np.arange(1, levels + 1)
    places = rng.choice(levels, size=(n, fields), p=share / share.sum()) + levels * np.arange(fields)
    X = sparse.csr_array((np.ones(n * fields), places.ravel(), np.arange(n + 1) * fields), (n, fields * levels))
    y = X @ rng.normal(scale=0.5, size=fields * levels) + rng.logistic(size=n) > 0
    model = LinearSVM(loss="squared_hinge").fit(X, y)
    assert model.gap_ <= 1e-4
    assert model.n_iter_ <= 8  # by the Hessian of some of the rows alone it would be some forty
