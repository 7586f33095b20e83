"""Linear discriminant analysis: the syllabus, shrinkage, singular and wide data, models from kept statistics."""

import tracemalloc

import mpmath
import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.covariance import ledoit_wolf
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as Peer

from discriminant import FisherDiscriminant, LeastSquaresClassifier, LinearDiscriminantAnalysis
from discriminant.findings import MoreColumnsThanRows, SeparatedInNullSpace, SingularCovariance
from discriminant.learners.moment_backends.matrix_free import SparseEvidence
from discriminant.learners.moment_backends.row_space import RowSpaceEvidence
from discriminant.rows import memory
from discriminant.statistics.moments import ClassMoments
from tests.tables import gaussian_table, relative

SINGULAR = np.array([[2.0, 4], [4, 6], [1, 6], [3, 8]]), np.array([1, 1, 2, 2])

pytestmark = pytest.mark.filterwarnings("ignore:There are too few rows:discriminant.FindingWarning")


def matrix_free(monkeypatch):
    """Treat every sparse table as one with very many columns."""
    monkeypatch.setattr(memory, "DENSE_COLUMNS", 1)
    return sparse.csr_array


# --- the syllabus ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), FisherDiscriminant()], ids=str)
@pytest.mark.parametrize("how", ["fit", "partial_fit"])
def test_singular_example(model, how):
    """3.3: along (1, −1) class 1 is always −2 and class 2 always −5; the threshold is −3.5."""
    X, y = SINGULAR
    getattr(model, how)(X, y)
    assert model.predict(X).tolist() == [1, 1, 2, 2]
    plane = model.hyperplane(2, 1)
    direction = plane.w / plane.w[0]
    np.testing.assert_allclose(direction, [1, -1], rtol=1e-9)
    assert np.isclose(plane.theta / plane.w[0], -3.5, rtol=1e-9)
    kinds = {type(f): f for f in model.findings_}
    assert kinds[SingularCovariance].columns == ("column 0", "column 1")
    assert kinds[SeparatedInNullSpace].columns == ("column 0", "column 1")


def test_columns_that_do_not_vary_within_classes_are_not_called_dependent():
    X, y = gaussian_table(3, n=60, d=3)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    leaks = frame.assign(leak=np.where(y == 1, 7.0, 3.0))
    both = leaks.assign(other=5.0 * y, total=frame.a + frame.b)
    within = "The covariance within the classes is singular: "
    for table, words in (
        (leaks, "Column 'leak' does not vary within any class"),
        (leaks.drop(columns=["a", "b", "c"]), "Column 'leak' does not vary within any class"),
        (frame.assign(total=frame.a + frame.b), "Columns 'a', 'b', 'total' are determined by one another"),
        (
            both,
            "Columns 'a', 'b', 'total' are determined by one another; "
            "Columns 'leak', 'other' do not vary within any class",
        ),
    ):
        finding = next(f for f in LinearDiscriminantAnalysis().fit(table, y).findings_ if type(f) is SingularCovariance)
        assert finding.fact == within + words
        assert ("Drop a column of each dependency" in finding.remedy) == ("determined" in words)
        assert ("does not give the class away" in finding.remedy) == ("not vary" in words)


def test_singular_example_means_and_covariance():
    X, y = SINGULAR
    model = LinearDiscriminantAnalysis().fit(X, y)
    np.testing.assert_allclose(model.means_, [[3, 5], [2, 7]])
    np.testing.assert_allclose(model.covariance_, [[1, 1], [1, 1]])


def test_planes_are_the_formulas():
    """3.1, 3.2: w = Σ⁻¹(μ₂ − μ₁) and b, written with an inverse."""
    X, y = gaussian_table(0)
    model = LinearDiscriminantAnalysis(priors=[0.3, 0.7]).fit(X, y)
    n = np.bincount(y)
    S = [np.cov(X[y == k].T, bias=True) for k in (0, 1)]
    sigma = n[0] / n.sum() * S[0] + n[1] / n.sum() * S[1]
    mu = [X[y == k].mean(axis=0) for k in (0, 1)]
    inverse = np.linalg.inv(sigma)
    np.testing.assert_allclose(model.covariance_, sigma)
    np.testing.assert_allclose(model.coef_[0], inverse @ (mu[1] - mu[0]), rtol=1e-9)
    b = -0.5 * mu[1] @ inverse @ mu[1] + 0.5 * mu[0] @ inverse @ mu[0] + np.log(0.7 / 0.3)
    assert np.isclose(model.intercept_[0], b, rtol=1e-9)


def test_posteriors_in_the_log_domain():
    """At −10⁴ probabilities are zero; their logarithms are not, and have all their digits."""
    X, y = np.array([[-1.0], [1.0], [4.0], [6.0], [9.0], [11.0]]), [0, 0, 1, 1, 2, 2]
    model = LinearDiscriminantAnalysis().fit(X, y)
    far = np.array([[2000.0], [-1000.0], [2.5]])
    with mpmath.workdps(50):
        for row, ours in zip(far[:, 0], model.predict_log_proba(far), strict=True):
            joint = [-((mpmath.mpf(row) - m) ** 2) / 2 for m in (0, 5, 10)]  # Σ = 1
            total = mpmath.log(sum(mpmath.exp(j) for j in joint))
            np.testing.assert_allclose(ours, [float(j - total) for j in joint], rtol=1e-12, atol=1e-300)
    assert model.predict_log_proba(far).min() < -1e4
    assert model.predict_proba(far)[0, 0] == 0.0
    two = LinearDiscriminantAnalysis().fit(X[:4], y[:4])
    assert np.isclose(two.predict_log_proba([[-3000.0]])[0, 1], -5 * 3000 - 12.5, rtol=1e-12)


def test_transform_whitens_the_classes():
    X, y = load_iris(return_X_y=True)
    model = LinearDiscriminantAnalysis(method="moment").fit(X, y)
    Z = model.transform(X)
    assert Z.shape == (150, 2)
    centred = Z - np.array([Z[y == k].mean(axis=0) for k in range(3)])[y]
    np.testing.assert_allclose(centred.T @ centred / 147, np.eye(2), atol=1e-10)
    assert model.explained_variance_ratio_[0] > 0.99
    assert LinearDiscriminantAnalysis(n_components=1).fit_transform(X, y).shape == (150, 1)
    with pytest.raises(ValueError, match="n_components"):
        LinearDiscriminantAnalysis(n_components=3).fit(X, y)


# --- shrinkage ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("K", [2, 3])
def test_auto_is_ledoit_and_wolf_on_class_centred_rows(K):
    X, y = gaussian_table(4, n=60, d=6, K=K)
    centred = X - np.array([X[y == k].mean(axis=0) for k in range(K)])[y]
    covariance, intensity = ledoit_wolf(centred, assume_centered=True)
    model = LinearDiscriminantAnalysis(shrinkage="auto").fit(X, y)
    assert np.isclose(model.shrinkage_, intensity, rtol=1e-10)
    np.testing.assert_allclose(model.covariance_, covariance, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("s", [0.0, 0.1, 0.9, 1.0])
def test_a_number_is_what_scikit_learn_means_by_it(s):
    X, y = gaussian_table(5, K=3)
    ours, theirs = LinearDiscriminantAnalysis(shrinkage=s).fit(X, y), Peer(solver="lsqr", shrinkage=s).fit(X, y)
    np.testing.assert_allclose(ours.predict_log_proba(X), theirs.predict_log_proba(X), rtol=1e-8, atol=1e-9)


@pytest.mark.parametrize("s", [None, 0.2, "auto", 1.0])
@pytest.mark.parametrize(("n", "d"), [(150, 5), (40, 70)])
@pytest.mark.parametrize("weighted", [False, True])
def test_every_path_gives_the_same_model(s, n, d, weighted, monkeypatch):
    """Moments, row space (when d > n), chunks, and matrix-free sparse rows."""
    rng = np.random.default_rng(d)
    y = rng.integers(0, 3, n)
    X = rng.standard_normal((n, d)) + y[:, None] * rng.uniform(0, 1, d)
    w = rng.uniform(0.5, 2, n) if weighted else None
    model = LinearDiscriminantAnalysis(shrinkage=s).fit(X, y, sample_weight=w)
    chunks = LinearDiscriminantAnalysis(shrinkage=s)
    for part in (slice(0, 15), slice(15, None)):
        chunks.partial_fit(X[part], y[part], sample_weight=None if w is None else w[part])
    form = matrix_free(monkeypatch)
    free = LinearDiscriminantAnalysis(shrinkage=s).fit(form(X), y, sample_weight=w)
    for other in (chunks, free):
        assert np.isclose(other.shrinkage_, model.shrinkage_, rtol=1e-9)
        assert relative(other.coef_, model.coef_) < 1e-7
        assert relative(other.decision_function(X), model.decision_function(X)) < 1e-7
        assert relative(other.scalings_, model.scalings_) < 1e-6
        assert [type(f) for f in other.findings_ if isinstance(f, SeparatedInNullSpace)] == [
            type(f) for f in model.findings_ if isinstance(f, SeparatedInNullSpace)
        ]


def test_matrix_free_shrinkage_by_probes_is_near(monkeypatch):
    from discriminant.linalg import matrix_free as solver

    X, y = gaussian_table(3, n=400, d=30)
    form = matrix_free(monkeypatch)
    exact = LinearDiscriminantAnalysis(shrinkage="auto").fit(form(X), y)
    monkeypatch.setattr(solver, "_MOST_EXACT_ROWS", 10)
    probed = LinearDiscriminantAnalysis(shrinkage="auto").fit(form(X), y)
    assert abs(probed.shrinkage_ - exact.shrinkage_) < 0.3 * exact.shrinkage_
    assert [type(f).__name__ for f in probed.findings_] == ["EstimatedShrinkage"]


# --- wide tables ----------------------------------------------------------------------------------------


def test_wide_tables_stay_in_the_row_space():
    """200×10,000: memory of a few copies of X, never d² (800 MB)."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((200, 10_000)), rng.integers(0, 2, 200)
    tracemalloc.start()
    with pytest.warns(UserWarning, match="too few rows"):
        model = LinearDiscriminantAnalysis().fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5 * X.nbytes
    assert (model.predict(X) == y).all()
    assert {type(f) for f in model.findings_} == {MoreColumnsThanRows, SeparatedInNullSpace}


def singular(X, y):
    """What the fit says of its singular covariance."""
    (found,) = (f for f in LinearDiscriminantAnalysis().fit(X, y).findings_ if isinstance(f, SingularCovariance))
    return found


def test_remedy_keeps_columns_whose_dependency_tells_the_classes_apart():
    """3.3: b = a + constant within each class, but with another constant in each; without a or b nothing is left."""
    y = [1, 1, 2, 2]
    assert singular(pd.DataFrame({"a": [2.0, 4, 1, 3], "b": [4.0, 6, 6, 8]}), y).remedy == (
        "Keep 'a', 'b' together: the constant of their dependency differs between the classes and tells them apart, "
        "which may be lost without one of them"
    )
    for column in ([[2.0], [4], [1], [3]], [[4.0], [6], [6], [8]]):  # what the old advice led to
        assert (LinearDiscriminantAnalysis().fit(column, y).predict(column) != y).any()


def test_remedy_drops_columns_whose_dependency_tells_nothing():
    X, y = gaussian_table(5)
    decisions = []
    for kept in ([0, 1], [0, 2]):
        copy = np.column_stack([X[:, :2], 3 * X[:, 1] - 1])
        decisions.append(LinearDiscriminantAnalysis().fit(copy[:, kept], y).predict(copy[:, kept]))
    assert singular(copy, y).remedy == "Drop a column of each dependency; the decisions do not depend on which"
    decisions.append(LinearDiscriminantAnalysis().fit(copy, y).predict(copy))
    assert (decisions[0] == decisions[1]).all()
    assert (decisions[0] == decisions[2]).all()


def test_remedy_says_which_dependency_to_keep():
    rng = np.random.default_rng(1)
    y = np.repeat([0, 1], 20)
    a, b = rng.normal(size=(2, 40))
    table = pd.DataFrame({"a": a, "b": b, "twin": 2 * a, "shifted": b + y})
    keep, drop = singular(table, y).remedy.split(". ")
    assert keep.startswith("Keep 'b', 'shifted' together")
    assert drop == "Drop a column of each other dependency; the decisions do not depend on which"


def test_wide_direction_is_the_farthest_apart_without_spread():
    """w ∝ the projection of m₂ − m₁ on the null space of S_W: within each class scores coincide."""
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((30, 80)), np.repeat([0, 1], 15)
    model = LinearDiscriminantAnalysis().fit(X, y)
    centred = X - np.array([X[y == k].mean(axis=0) for k in (0, 1)])[y]
    _, _, V = np.linalg.svd(centred)
    null = V[28:]
    delta = X[y == 1].mean(axis=0) - X[y == 0].mean(axis=0)
    expected = null.T @ (null @ delta)
    assert np.isclose(model.hyperplane().w @ expected, model.hyperplane().norm * np.linalg.norm(expected), rtol=1e-10)


@pytest.mark.parametrize("offset", [0.0, 0.1, 1e8])
@pytest.mark.parametrize("how", ["fit", "partial_fit", "sparse"])
def test_classes_that_coincide_in_the_null_space_are_told_apart_by_the_rest(offset, how, monkeypatch):
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1, 2], 40)
    X = np.column_stack([rng.standard_normal(120) + 8 * (y == 1), (y == 2).astype(float)]) + offset
    if how == "sparse":
        X = matrix_free(monkeypatch)(X - offset)
    model = getattr(LinearDiscriminantAnalysis(), "partial_fit" if how == "partial_fit" else "fit")(X, y)
    assert model.score(X, y) == 1.0
    found = next(f for f in model.findings_ if isinstance(f, SeparatedInNullSpace))
    assert found.columns == (("column 1",) if how != "sparse" else ())
    assert model.transform(X).shape == (120, 2)
    assert np.isinf(model.eigenvalues_[0])
    assert np.isfinite(model.eigenvalues_[1])


# --- models from kept statistics ------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(150, 5), (30, 50)])
def test_with_priors_and_with_shrinkage(shape):
    rng = np.random.default_rng(9)
    X, y = rng.standard_normal(shape), rng.integers(0, 3, shape[0])
    model = LinearDiscriminantAnalysis(shrinkage=0.1).fit(X, y)
    p = {0: 0.2, 1: 0.5, 2: 0.3}
    assert (
        relative(model.with_priors(p).coef_, LinearDiscriminantAnalysis(shrinkage=0.1, priors=p).fit(X, y).coef_)
        < 1e-12
    )
    for s in ("auto", 0.7):
        refitted = LinearDiscriminantAnalysis(shrinkage=s).fit(X, y)
        assert relative(model.with_shrinkage(s).decision_function(X), refitted.decision_function(X)) < 1e-9
    assert model.shrinkage == 0.1
    assert model.priors is None
    assert model.with_priors(p).get_params()["priors"] == p


@pytest.mark.parametrize("s", [None, 0.3, "auto"])
@pytest.mark.parametrize("method", ["mle", "moment"])
@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("priors", [None, "given"])
def test_leaving_out_is_refitting(s, method, K, weighted, priors):
    X, y = gaussian_table(20, n=40, d=3, K=K)
    w = np.random.default_rng(0).uniform(0.5, 2, len(X)) if weighted else None
    p = None if priors is None else np.arange(1, K + 1) / np.arange(1, K + 1).sum()
    make = lambda: LinearDiscriminantAnalysis(shrinkage=s, method=method, priors=p)  # noqa: E731
    model = make().fit(X, y, sample_weight=w)
    left_out = model.loo_decision_function(X, y, sample_weight=w)
    folds = np.arange(len(X)) % 4
    by_fold = model.kfold_decision_function(X, y, folds, sample_weight=w)
    for i in range(0, len(X), 7):
        rest = np.arange(len(X)) != i
        one = make().fit(X[rest], y[rest], sample_weight=None if w is None else w[rest])
        np.testing.assert_allclose(left_out[i], one.decision_function(X[[i]])[0], rtol=1e-8, atol=1e-8)
    for f in range(4):
        rest = folds != f
        one = make().fit(X[rest], y[rest], sample_weight=None if w is None else w[rest])
        np.testing.assert_allclose(by_fold[~rest], one.decision_function(X[~rest]), rtol=1e-8, atol=1e-8)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("s", [None, 0.3])
def test_leaving_out_of_a_wide_table_is_refitting_and_never_takes_moments(monkeypatch, form, s):
    rng = np.random.default_rng(23)
    X = rng.standard_normal((24, 2100))  # sparse rows of more than 2,000 columns are never made dense
    X[np.abs(X) < 1.5] = 0.0
    y = np.arange(24) // 2 % 2
    w = np.where(np.arange(len(X)) == 3, 0.0, 1.0)
    table = form(X)
    model = LinearDiscriminantAnalysis(shrinkage=s).fit(table, y, sample_weight=w)
    monkeypatch.setattr(ClassMoments, "__sub__", None)
    monkeypatch.setattr(RowSpaceEvidence, "moments", None)
    monkeypatch.setattr(SparseEvidence, "moments", None)
    left_out = model.loo_decision_function(table, y, sample_weight=w)
    folds = np.arange(len(X)) % 4
    by_fold = model.kfold_decision_function(table, y, folds, sample_weight=w)
    np.testing.assert_allclose(left_out[3], model.decision_function(table[[3]])[0], rtol=1e-10)
    for i in (0, 8):
        rest = np.flatnonzero((np.arange(len(X)) != i) & (w > 0))
        one = LinearDiscriminantAnalysis(shrinkage=s).fit(table[rest], y[rest])
        np.testing.assert_allclose(left_out[i], one.decision_function(table[[i]])[0], rtol=1e-10)
    for f in range(4):
        rest, tested = np.flatnonzero((folds != f) & (w > 0)), np.flatnonzero(folds == f)
        one = LinearDiscriminantAnalysis(shrinkage=s).fit(table[rest], y[rest])
        np.testing.assert_allclose(by_fold[tested], one.decision_function(table[tested]), rtol=1e-10)


def test_leaving_out_the_only_row_of_a_class():
    X, y = gaussian_table(21, n=40, d=3, K=3)
    alone = np.concatenate([np.flatnonzero(y != 2), np.flatnonzero(y == 2)[:1]])
    X, y = X[alone], y[alone]
    model = LinearDiscriminantAnalysis().fit(X, y)
    scores = model.loo_decision_function(X, y)
    assert scores[-1, 2] == -np.inf
    assert np.isfinite(scores[-1, :2]).all()
    with pytest.raises(ValueError, match="class counts differ"):
        model.loo_decision_function(X[1:], y[1:])


def test_leaving_out_when_singular():
    X, y = gaussian_table(22, n=40, d=3)
    X = np.column_stack([X, X[:, 0] + X[:, 1]])
    model = LinearDiscriminantAnalysis().fit(X, y)
    rest = np.arange(len(X)) != 5
    one = LinearDiscriminantAnalysis().fit(X[rest], y[rest])
    np.testing.assert_allclose(model.loo_decision_function(X, y)[5], one.decision_function(X[[5]])[0], rtol=1e-7)


def test_nearly_dependent_columns_keep_their_digits():
    """A condition number of 1e9 among the columns, 1e18 in the scatter: the factor of the rows still knows."""
    X, y = gaussian_table(23, n=500, d=3)
    near = X[:, 0] + 1e-9 * np.random.default_rng(0).standard_normal(len(X))
    model = LinearDiscriminantAnalysis().fit(np.column_stack([X, near]), y)
    clean = LinearDiscriminantAnalysis().fit(np.column_stack([X, (near - X[:, 0]) * 1e9]), y)
    ours, theirs = (
        model.decision_function(np.column_stack([X, near])),
        clean.decision_function(np.column_stack([X, (near - X[:, 0]) * 1e9])),
    )
    assert relative(ours, theirs) < 1e-5
    assert not any(isinstance(f, SingularCovariance) for f in model.findings_)


def test_k_classes_of_least_squares_and_fisher_agree_with_lda_on_directions():
    """For two classes Fisher, LDA and least squares point the same way."""
    X, y = gaussian_table(24)
    planes = [
        m.fit(X, y).hyperplane() for m in (LinearDiscriminantAnalysis(), FisherDiscriminant(), LeastSquaresClassifier())
    ]
    assert planes[0].angle(planes[1]) < 1e-7
    assert planes[0].angle(planes[2]) < 1e-7


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("extra", ["zeros", "constants", "copies", "sums", "all"])
def test_columns_that_say_nothing_new_change_no_decision(seed, extra):
    """Null directions found beside others carry traces of them, which are no separation of classes."""
    random = np.random.default_rng(seed)
    n, d, K = 300, 40, 6
    y = random.integers(0, K, n)
    X = random.standard_normal((n, d)) * 10.0 ** random.uniform(-2, 2, d) + random.standard_normal(d)
    X += random.standard_normal((K, d))[y]
    more = {
        "zeros": np.zeros((n, 5)),
        "constants": np.ones((n, 3)) * [1.0, 1e3, -7.5],
        "copies": X[:, :3],
        "sums": X[:, :4] @ random.standard_normal((4, 3)),
    }
    added = np.hstack(list(more.values())) if extra == "all" else more[extra]
    places = random.permutation(d + added.shape[1])
    wide = np.hstack([X, added])[:, places]
    plain, padded = LinearDiscriminantAnalysis().fit(X, y), LinearDiscriminantAnalysis().fit(wide, y)
    assert not any(isinstance(f, SeparatedInNullSpace) for f in padded.findings_)
    np.testing.assert_allclose(padded.predict_log_proba(wide), plain.predict_log_proba(X), rtol=1e-6, atol=1e-6)


# --- any estimator of the covariance --------------------------------------------------------------------


@pytest.mark.parametrize("K", [2, 3])
def test_covariance_estimators_give_the_rule_of_scikit_learn(K):
    from sklearn.covariance import OAS
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as Theirs

    X, y = gaussian_table(5, n=90, d=4, K=K)
    ours = LinearDiscriminantAnalysis(covariance_estimator=OAS()).fit(X, y)
    theirs = Theirs(solver="lsqr", covariance_estimator=OAS()).fit(X, y)
    np.testing.assert_allclose(ours.covariance_, theirs.covariance_, rtol=1e-9)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-6, atol=1e-10)
    folds = np.arange(90) % 3
    rest = folds != 0
    part = LinearDiscriminantAnalysis(covariance_estimator=OAS()).fit(X[rest], y[rest])
    scores = ours.kfold_decision_function(X, y, folds)
    np.testing.assert_allclose(scores[~rest], part.decision_function(X[~rest]), rtol=1e-8)


def test_covariance_estimators_that_do_not_fit_are_refused():
    from sklearn.covariance import OAS

    X, y = gaussian_table(5, n=60, d=4)
    with pytest.raises(ValueError, match="give one of them"):
        LinearDiscriminantAnalysis(covariance_estimator=OAS(), shrinkage=0.1).fit(X, y)
    with pytest.raises(ValueError, match="knows no weights"):
        LinearDiscriminantAnalysis(covariance_estimator=OAS()).fit(X, y, sample_weight=np.arange(1.0, 61.0))
    with pytest.raises(AttributeError, match="has no attribute 'partial_fit'"):
        LinearDiscriminantAnalysis(covariance_estimator=OAS()).partial_fit(X, y)
    with pytest.raises(ValueError, match="must have fit and covariance_"):
        LinearDiscriminantAnalysis(covariance_estimator=3).fit(X, y)
