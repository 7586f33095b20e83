"""Support vector machines against LIBSVM, LIBLINEAR, an interior-point library, and arithmetic in fifty digits."""

import mpmath
import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import load_iris, load_svmlight_file

from discriminant import LinearSVM
from discriminant.optimise.margins.hard_margin import hard_margin
from discriminant.rows import from_arrays
from tests.reference import constants
from tests.separability.tables_of_reference import TABLES

STANDARDISED = ("german_numeric", "pima", "spambase")


def table(name, shared):
    X, positive = TABLES[name](shared)
    return ((X - X.mean(axis=0)) / X.std(axis=0) if name in STANDARDISED else X), positive


# --- maximal margin -------------------------------------------------------------------------------------

SEPARABLE = (
    "iris_setosa_vs_rest",
    "iris_setosa_vs_versicolor",
    "sonar_all208",
    "sonar_angle_dependent_train104",
    "sonar_angle_dependent_test104",
    "wdbc_zscored",
    "colon",
)


@pytest.mark.parametrize("name", SEPARABLE)
def test_maximal_margin(oracle, shared, name):
    stored = oracle("separability")[name]
    X, positive = table(name, shared)
    rows = from_arrays(X, positive)
    found = hard_margin(rows, rows.signs(1))
    assert found.margin == pytest.approx(stored["max_geometric_margin_unscaled"], rel=1e-9)
    assert abs(found.gap) < 1e-9
    # the distance of the nearest row is the margin, which no reference is needed for
    assert np.abs(X @ found.w + found.b).min() / np.linalg.norm(found.w) == pytest.approx(found.margin, rel=1e-9)
    if "w_hard_margin" in stored:
        assert np.allclose(found.w, stored["w_hard_margin"], rtol=1e-6, atol=1e-6 * np.abs(found.w).max())
        assert found.support.size == stored["support_vectors_at_1e-6"]


def test_maximal_margin_of_sparse_rows(shared):
    X, positive = table("colon", shared)
    dense, csr = (LinearSVM(C=np.inf).fit(form(X), positive) for form in (np.asarray, sparse.csr_array))
    assert np.allclose(dense.coef_, csr.coef_, rtol=1e-9)
    assert dense.margin_ == pytest.approx(csr.margin_, rel=1e-12)


# --- soft margin ----------------------------------------------------------------------------------------

SOFT = (
    "heart_scale",
    "iris_versicolor_vs_virginica",
    "sonar_all208",
    "german_numeric",
    "wdbc_zscored",
    "pima",
    "synth_tr",
)


@pytest.mark.parametrize("name", SOFT)
def test_soft_margin_with_a_free_intercept(oracle, shared, name):
    X, positive = table(name, shared)
    for run in oracle("svm_free_bias_libsvm")[name]["runs"]:
        model = LinearSVM(C=float(run["C"])).fit(X, positive)
        assert model.primal_ == pytest.approx(run["clarabel_primal"], rel=1e-9)
        assert model.primal_ <= run["libsvm_primal"] * (1 + 1e-12)
        assert abs(model.gap_) < 1e-11
        assert np.allclose(model.coef_[0], run["w"], rtol=1e-6, atol=1e-6 * np.abs(run["w"]).max())


# --- LIBLINEAR ------------------------------------------------------------------------------------------


def mirrored(X, positive, B):
    """Rows whose soft margin with a free intercept is that of LIBLINEAR, which penalises its own or has none.

    LIBLINEAR appends a column B (none if negative). Beside each (x, c) stands (−x, −c): then b = 0 is optimal, and C/2
    for twice the rows is C.
    """
    stack = sparse.vstack if sparse.issparse(X) else np.vstack
    if B >= 0:
        X = np.column_stack([X, np.full(X.shape[0], float(B))])
    return stack([X, -X]), np.concatenate([positive, ~positive])


LIBLINEAR = {
    "heart_scale": "heart_scale",
    "sonar": "sonar_all208",
    "german_credit": "german_numeric",
    "wdbc": "wdbc_zscored",
    "spambase": "spambase",
}
LOSSES = {1: "squared_hinge", 2: "squared_hinge", 3: "hinge"}


@pytest.mark.parametrize("name", LIBLINEAR)
def test_liblinears_problems(oracle, shared, name):
    X, positive = table(LIBLINEAR[name], shared)
    runs = [run for run in oracle(f"{name}_liblinear") if run.get("solver") in LOSSES]
    assert runs
    for run in runs:
        rows, classes = mirrored(X, positive, run["B"])
        model = LinearSVM(C=run["C"] / 2, loss=LOSSES[run["solver"]]).fit(rows, classes)
        assert model.primal_ <= run["objective"] * (1 + 1e-9)
        assert model.primal_ == pytest.approx(run["objective"], rel=1e-7)
        w = [*run["w"], *([run["b_weight"]] if run["B"] >= 0 else [])]
        assert np.allclose(model.coef_[0], w, rtol=1e-5, atol=1e-5 * np.abs(w).max())


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
@pytest.mark.parametrize("solver", ["auto", "dual-descent"])
def test_liblinear_on_wide_sparse_rows(oracle, shared, loss, solver):
    X, y = load_svmlight_file(str(shared / "rcv1_small" / "rcv1_small_train.svm.gz"))
    (run,) = [run for run in oracle("rcv1_small_liblinear") if LOSSES.get(run.get("solver")) == loss]
    rows, classes = mirrored(sparse.csr_array(X), y > 0, run["B"])
    model = LinearSVM(C=run["C"] / 2, loss=loss, solver=solver, tol=1e-8).fit(rows, classes)
    assert model.primal_ == pytest.approx(run["objective"], rel=1e-7)
    assert model.dual_ <= run["objective"] * (1 + 1e-9)


def test_one_against_the_rest():
    X, y = load_iris(return_X_y=True)
    run = constants.IRIS_LIBLINEAR
    for k, objective in enumerate(run["per_class_objective"]):
        rows, classes = mirrored(X, y == k, run["B"])
        model = LinearSVM(C=run["C"] / 2, loss="squared_hinge").fit(rows, classes)
        assert model.primal_ == pytest.approx(objective, rel=1e-9)
        assert np.allclose(model.coef_[0], run["W_columns_per_class"][k], rtol=1e-6)


# --- fifty digits ---------------------------------------------------------------------------------------


def exact_optimum(X, c, u, edge, inside):
    """w, b and α of the edge rows from the equations of these sets in fifty digits, and whether they are optimal."""
    mp = mpmath.mp.clone()
    mp.dps = 50
    rows = [[mp.mpf(float(v)) for v in x] for x in X]
    signs = [int(v) for v in c]
    d, k = len(rows[0]), len(edge)
    A, right = mp.zeros(d + 1 + k), mp.zeros(d + 1 + k, 1)
    for j in range(d):  # w − Σ_edge α c x = Σ_inside u c x
        A[j, j] = 1
        for s, i in enumerate(edge):
            A[j, d + 1 + s] = -signs[i] * rows[i][j]
        right[j] = mp.fsum(mp.mpf(u) * signs[i] * rows[i][j] for i in inside)
    for s, i in enumerate(edge):  # Σ α c = 0, and w·x + b = c
        A[d, d + 1 + s] = signs[i]
        for j in range(d):
            A[d + 1 + s, j] = rows[i][j]
        A[d + 1 + s, d] = 1
        right[d + 1 + s] = signs[i]
    right[d] = -mp.fsum(mp.mpf(u) * signs[i] for i in inside)
    solution = mp.lu_solve(A, right)
    w, b, alpha = solution[:d], solution[d], solution[d + 1 :]
    margins = [signs[i] * (mp.fdot(w, x) + b) for i, x in enumerate(rows)]
    tiny = mp.mpf(10) ** -40
    optimal = all(0 <= a <= u for a in alpha) and all(
        abs(m - 1) < tiny if i in edge else m < 1 if i in inside else m > 1 for i, m in enumerate(margins)
    )
    return [float(v) for v in w], float(b), [float(a) for a in alpha], optimal


@pytest.mark.parametrize("C", [0.05, 1.0, 30.0])
@pytest.mark.parametrize("seed", range(4))
def test_optimum_in_fifty_digits(C, seed):
    rng = np.random.default_rng(seed)
    y = np.arange(24) % 2
    X = rng.standard_normal((24, 3)) * [1.0, 10.0, 0.1] + 0.8 * y[:, None]
    model = LinearSVM(C=C).fit(X, y)
    place = model.slab(X, y)
    edge, inside = np.flatnonzero(place == "edge"), np.flatnonzero(place == "inside")
    w, b, alpha, optimal = exact_optimum(X, 2 * y - 1, C, edge.tolist(), inside.tolist())
    assert optimal  # so these are the optimum, whoever found the sets
    assert np.allclose(model.coef_[0], w, rtol=1e-10)
    assert model.intercept_[0] == pytest.approx(b, rel=1e-10)
    assert np.allclose(model.alpha_[edge], alpha, rtol=1e-8)
    assert model.alpha_[inside].tolist() == [C] * inside.size
