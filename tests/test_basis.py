"""Gaussian basis functions: the formula, centres and widths, curved boundaries, scikit-learn's contract, errors."""

import importlib.util
import math
import pickle
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, SplineTransformer
from sklearn.utils.estimator_checks import parametrize_with_checks

from discriminant import LeastSquaresClassifier, LinearDiscriminantAnalysis, basis
from discriminant.basis import GaussianBasis
from discriminant.findings import ConstantColumn, SingularCovariance
from tests.tables import seeds

each_way = pytest.mark.parametrize("centres", ["k-means", "rows"])
each_rule = pytest.mark.parametrize("width", ["nearest", "mean", "max"])


def table(seed=0, n=60, d=3):
    return np.random.default_rng(seed).standard_normal((n, d))


def rings(seed=0, n=400):
    """Two concentric rings, of radius 1 and 3."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    radius, angle = np.where(y == 1, 3.0, 1.0) + 0.2 * rng.standard_normal(n), rng.uniform(0, 2 * np.pi, n)
    return np.column_stack([radius * np.cos(angle), radius * np.sin(angle)]), y


def by_hand(X, centres, widths):
    """φ_j(x) = exp(−‖x − μ_j‖²/(2σ_j²)) with one loop inside another."""
    phi = np.empty((len(X), len(centres)))
    for i, x in enumerate(X):
        for j, (mu, sigma) in enumerate(zip(centres, widths, strict=True)):
            phi[i, j] = math.exp(-math.fsum((a - b) ** 2 for a, b in zip(x, mu, strict=True)) / (2 * sigma**2))
    return phi


# --- scikit-learn's contract ----------------------------------------------------------------------------


@parametrize_with_checks([GaussianBasis(), GaussianBasis(centres="rows", width="max")])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
def test_scikit_learn_check(estimator, check):
    check(estimator)


def test_clone_and_pickle_keep_everything():
    model = GaussianBasis(centres=np.eye(3), width=[1.0, 2.0, 3.0], random_state=4).fit(table())
    copy = clone(model)
    assert not hasattr(copy, "centres_")
    np.testing.assert_array_equal(copy.centres, np.eye(3))
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(model)).transform(table()), model.transform(table()))


def test_parameters_are_keywords():
    with pytest.raises(TypeError, match="positional"):
        GaussianBasis("rows")


def test_names_go_in_and_out():
    X = pd.DataFrame(table(), columns=["a", "b", "c"])
    model = GaussianBasis(n_centres=2, random_state=0).set_output(transform="pandas").fit(X)
    assert model.feature_names_in_.tolist() == ["a", "b", "c"]
    assert model.n_features_in_ == 3
    out = model.transform(X)
    assert out.columns.tolist() == model.get_feature_names_out().tolist() == ["gaussianbasis0", "gaussianbasis1"]
    with pytest.raises(ValueError, match="feature names should match"):
        model.transform(X.rename(columns={"a": "z"}))


def test_grid_search_finds_enough_centres():
    X, y = rings()
    pipeline = make_pipeline(GaussianBasis(random_state=0), LeastSquaresClassifier())
    grid = {"gaussianbasis__n_centres": [1, 20], "gaussianbasis__width": ["nearest", "max"]}
    search = GridSearchCV(pipeline, grid, cv=3).fit(X, y)
    assert search.best_params_["gaussianbasis__n_centres"] == 20
    assert search.best_score_ > 0.98


def test_clustering_is_imported_only_when_used(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.cluster", None)  # now it cannot be imported
    spec = importlib.util.find_spec("discriminant.basis")
    fresh = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(fresh)
    assert fresh.GaussianBasis(centres="rows", n_centres=1).fit([[0.0], [1.0]]).centres_.shape == (1, 1)
    with pytest.raises(ImportError, match=r"sklearn\.cluster"):
        fresh.GaussianBasis(n_centres=1).fit([[0.0], [1.0]])


# --- the formula ----------------------------------------------------------------------------------------


@each_way
@each_rule
@given(seed=seeds)
@settings(max_examples=5)
def test_transform_is_the_formula(centres, width, seed):
    X = table(seed, n=30)
    model = GaussianBasis(centres=centres, width=width, n_centres=5, random_state=0).fit(X)
    new = 3 * table(seed + 1, n=20)
    np.testing.assert_allclose(model.transform(new), by_hand(new, model.centres_, model.widths_), rtol=1e-12)


def test_values_do_not_depend_on_the_blocks():
    X = table(n=70000, d=4)
    model = GaussianBasis(centres="rows", n_centres=3, random_state=0).fit(X)
    phi = model.transform(X)
    some = np.r_[0:5, 32765:32775, 65530:65540, 69995:70000]
    np.testing.assert_array_equal(phi[some], model.transform(X[some]))
    np.testing.assert_allclose(phi[some], by_hand(X[some], model.centres_, model.widths_), rtol=1e-12)


@pytest.mark.parametrize("offset", [1e6, 1e9, -1e12])
def test_an_offset_costs_no_digits(offset):
    """Rows and centres on a grid of 1/16, so that the offset itself is exact."""
    near = np.round(table(n=40, d=2) * 16) / 16
    shifted = GaussianBasis(centres=near[:4] + offset, width=0.5).fit(near + offset)
    plain = GaussianBasis(centres=near[:4], width=0.5).fit(near)
    np.testing.assert_array_equal(shifted.transform(near + offset), plain.transform(near))


@each_way
@each_rule
@given(power=st.integers(-900, 900))
@settings(max_examples=10)
def test_the_scale_of_the_columns_does_not_matter(centres, width, power):
    X, model = table(n=30, d=2), GaussianBasis(centres=centres, width=width, n_centres=4, random_state=1)
    scaled = X * 2.0**power
    np.testing.assert_allclose(model.fit_transform(scaled), clone(model).fit_transform(X), rtol=1e-12)


def test_far_away_is_zero_without_a_warning():
    model = GaussianBasis(centres=[[0.0]], width=1e-3).fit([[0.0]])
    with np.errstate(all="raise"):
        assert model.transform([[0.0], [1.0], [-1e300], [1.7e308]]).ravel().tolist() == [1.0, 0.0, 0.0, 0.0]


def test_small_values_have_their_digits():
    model = GaussianBasis(centres=[[0.25, 0.0]], width=0.125).fit([[0.0, 0.0]])
    x = (4.5, 1.0)
    with mp.workdps(40):
        exact = float(mp.exp(-((mp.mpf(4.25) ** 2 + 1) / (2 * mp.mpf(0.125) ** 2))))
    assert 0 < exact < 1e-250
    assert model.transform([x])[0, 0] == pytest.approx(exact, rel=1e-12)


FORMS = {
    "list": lambda X: X.tolist(),
    "integers": lambda X: X.astype(np.int32),
    "float32": lambda X: X.astype(np.float32),
    "columns first": np.asfortranarray,
    "pandas": lambda X: pd.DataFrame(X, columns=["a", "b", "c"]),
    "polars": lambda X: pl.DataFrame(X, schema=["a", "b", "c"]),
    "csr": sparse.csr_array,
    "csc matrix": sparse.csc_matrix,
}


@each_way
@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_every_form_of_table_gives_the_same(centres, form):
    X = np.round(2 * table(n=80))
    model = GaussianBasis(centres=centres, n_centres=4, random_state=0)
    phi = clone(model).fit(form(X)).transform(form(X))
    assert type(phi) is np.ndarray
    assert phi.dtype == np.float64
    np.testing.assert_allclose(phi, model.fit_transform(X), rtol=1e-9)


def test_sparse_rows_with_long_indices():
    X = sparse.csr_array(np.round(table()))
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    phi = GaussianBasis(n_centres=3, random_state=0).fit_transform(X)
    np.testing.assert_allclose(phi, GaussianBasis(n_centres=3, random_state=0).fit_transform(X.toarray()), rtol=1e-9)


# --- centres --------------------------------------------------------------------------------------------


def test_rows_are_drawn_without_repeating_any():
    X = np.repeat(table(n=12), 5, axis=0)
    model = GaussianBasis(centres="rows", n_centres=12, random_state=0).fit(X)
    assert {tuple(c) for c in model.centres_.tolist()} == {tuple(x) for x in X.tolist()}


def test_rows_are_drawn_alike():
    X = np.arange(5.0)[:, None]
    drawn = [GaussianBasis(centres="rows", n_centres=2, random_state=s).fit(X).centres_.ravel() for s in range(400)]
    counts = np.bincount(np.concatenate(drawn).astype(int), minlength=5)
    assert counts.sum() == 800
    # 160 each, and five standard deviations of √(400·0.4·0.6) around it
    assert np.abs(counts - 160).max() < 49


def test_cluster_means_find_the_clusters():
    rng = np.random.default_rng(0)
    means = np.array([[0.0, 0.0], [10.0, 0.0], [0.0, 10.0], [10.0, 10.0]])
    X = np.repeat(means, 25, axis=0) + 0.1 * rng.standard_normal((100, 2))
    found = GaussianBasis(n_centres=4, random_state=0).fit(X).centres_
    expected = X.reshape(4, 25, 2).mean(axis=1)
    np.testing.assert_allclose(found[np.lexsort(found.round().T)], expected[np.lexsort(means.T)], rtol=1e-10)


@each_way
def test_the_seed_decides(centres):
    X = table(n=200)
    first, again, other = (
        GaussianBasis(centres=centres, n_centres=5, random_state=s).fit(X).centres_ for s in (0, 0, 1)
    )
    np.testing.assert_array_equal(first, again)
    assert not np.array_equal(first, other)


@each_way
@pytest.mark.parametrize("distinct", [1, 2, 7])
def test_no_more_centres_than_distinct_rows(centres, distinct, monkeypatch):
    monkeypatch.setattr(basis, "_BLOCK", 12)  # four rows
    X = np.tile(table(n=distinct), (9, 1))
    X[X < 0.2] = np.copysign(0.0, table(seed=1, n=len(X))[X < 0.2])  # the two zeros are one value
    kinds = np.unique(X + 0.0, axis=0)
    model = GaussianBasis(centres=centres, random_state=0).fit(X)
    assert len(model.centres_) == len(kinds)
    np.testing.assert_array_equal(np.unique(model.centres_, axis=0), kinds)


def test_clusters_that_coincide_but_for_rounding_are_one():
    X = np.append(1 + 2e-16 * np.arange(20), 1e6)[:, None]
    model = GaussianBasis(random_state=0).fit(X)
    assert 2 <= len(model.centres_) < 10
    assert len(np.unique(model.centres_)) == len(model.centres_)


def test_given_centres_are_taken_as_they_are():
    given_centres = [[0, 1, 2], [3, 4, 5]]
    model = GaussianBasis(centres=given_centres, n_centres=99).fit(table())
    assert model.centres_.tolist() == given_centres
    assert model.transform(table()).shape == (60, 2)
    frame = pd.DataFrame(given_centres, columns=["a", "b", "c"])
    np.testing.assert_array_equal(GaussianBasis(centres=frame).fit(table()).centres_, model.centres_)


def test_given_centres_are_copied():
    mine = np.eye(3)
    model = GaussianBasis(centres=mine).fit(table())
    mine[:] = 7
    np.testing.assert_array_equal(model.centres_, np.eye(3))


# --- widths ---------------------------------------------------------------------------------------------

# a corner of a 3-4-5 triangle, and a fourth point far along one side
CORNERS = [[0.0, 0.0], [3.0, 0.0], [0.0, 4.0], [0.0, 20.0]]


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        ("nearest", [math.sqrt((9 + 16) / 2), math.sqrt((9 + 25) / 2), math.sqrt((16 + 25) / 2), math.sqrt(328.0)]),
        ("mean", [(3 + 4 + 5 + 20 + 16 + math.sqrt(409)) / 6] * 4),
        ("max", [math.sqrt(409) / math.sqrt(8)] * 4),
        (2, [2.0] * 4),
        ([1, 2, 3, 4], [1.0, 2.0, 3.0, 4.0]),
    ],
    ids=["nearest", "mean", "max", "one", "each"],
)
def test_widths_by_hand(width, expected):
    model = GaussianBasis(centres=CORNERS, width=width).fit([[0.0, 0.0]])
    assert model.widths_ == pytest.approx(expected, rel=1e-14)


def test_two_centres_have_one_neighbour_each():
    assert GaussianBasis(centres=[[0.0], [7.0]]).fit([[0.0]]).widths_.tolist() == [7.0, 7.0]


@each_rule
def test_one_centre_is_as_wide_as_the_rows(width):
    X = table()
    model = GaussianBasis(n_centres=1, width=width, random_state=0).fit(X)
    assert model.widths_ == pytest.approx([np.sqrt(((X - X.mean(axis=0)) ** 2).sum(axis=1).mean())], rel=1e-12)


@each_rule
def test_coinciding_centres_are_as_wide_as_the_rows(width):
    X = table()
    model = GaussianBasis(centres=np.ones((3, 3)), width=width).fit(X)
    assert model.widths_ == pytest.approx([np.sqrt(((X - 1) ** 2).sum(axis=1).mean())] * 3, rel=1e-12)


def test_only_centres_without_a_distance_fall_back():
    X = table(d=1)
    model = GaussianBasis(centres=[[0.0], [0.0], [0.0], [5.0]]).fit(X)
    assert model.widths_ == pytest.approx([np.sqrt((X**2).mean())] * 3 + [5.0], rel=1e-12)


@each_way
@each_rule
def test_rows_all_alike_have_width_one(centres, width):
    model = GaussianBasis(centres=centres, width=width).fit(np.full((6, 2), 3.0))
    assert model.widths_.tolist() == [1.0]
    assert model.transform([[3.0, 3.0], [3.0, 4.0]]).ravel() == pytest.approx([1.0, math.exp(-0.5)])


# --- curved boundaries ----------------------------------------------------------------------------------


@each_way
def test_gaussians_tell_rings_apart_and_a_line_does_not(centres):
    X, y = rings()
    new, classes = rings(seed=1)
    assert LeastSquaresClassifier().fit(X, y).score(new, classes) < 0.7
    curved = make_pipeline(GaussianBasis(centres=centres, n_centres=20, random_state=0), LeastSquaresClassifier())
    assert curved.fit(X, y).score(new, classes) >= 0.98


@pytest.mark.parametrize(
    "basis",
    [PolynomialFeatures(degree=2, include_bias=False), SplineTransformer(n_knots=6, include_bias=False)],
    ids=["polynomial", "spline"],
)
def test_the_bases_of_scikit_learn_tell_rings_apart(basis):
    X, y = rings()
    pipeline = make_pipeline(basis, LinearDiscriminantAnalysis()).fit(X, y)
    assert LinearDiscriminantAnalysis().fit(X, y).score(X, y) < 0.7
    assert pipeline.score(*rings(seed=1)) >= 0.98
    assert pipeline[-1].findings_ == ()


def test_a_bias_in_the_basis_is_found_out():
    """Splines with a bias sum to one for each column: that is φ₀ once more, and the covariance is singular."""
    X, y = rings()
    pipeline = make_pipeline(SplineTransformer(n_knots=6), LinearDiscriminantAnalysis()).fit(X, y)
    assert any(isinstance(finding, SingularCovariance) for finding in pipeline[-1].findings_)


def test_exclusive_or_with_a_centre_at_each_corner():
    corners = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    rng = np.random.default_rng(0)
    X = np.repeat(corners, 30, axis=0) + 0.1 * rng.standard_normal((120, 2))
    y = np.repeat([0, 1, 1, 0], 30)
    assert LeastSquaresClassifier().fit(X, y).score(X, y) < 0.7
    solved = make_pipeline(GaussianBasis(centres=corners, width=0.5), LeastSquaresClassifier()).fit(X, y)
    assert solved.score(X, y) == 1.0
    assert solved.predict(corners).tolist() == [0, 1, 1, 0]


@pytest.mark.parametrize("learner", [LeastSquaresClassifier(), LinearDiscriminantAnalysis()], ids=str)
def test_the_constant_is_the_intercept_and_nothing_else(learner):
    X, y = rings()
    phi = GaussianBasis(n_centres=12, random_state=0).fit_transform(X)
    assert np.ptp(phi, axis=0).min() > 0.1
    plain = clone(learner).fit(phi, y)
    assert not any(isinstance(finding, ConstantColumn) for finding in plain.findings_)
    with_constant = np.column_stack([np.ones(len(phi)), phi])
    doubled = clone(learner).fit(with_constant, y)
    assert [f.columns for f in doubled.findings_ if isinstance(f, ConstantColumn)] == [("column 0",)]
    np.testing.assert_allclose(doubled.decision_function(with_constant), plain.decision_function(phi), rtol=1e-6)


# --- errors ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"n_centres": 0}, ValueError, "n_centres must be a positive integer, got 0"),
        ({"n_centres": -3}, ValueError, "n_centres must be a positive integer, got -3"),
        ({"n_centres": 2.5}, ValueError, r"n_centres must be a positive integer, got 2\.5"),
        ({"n_centres": True}, ValueError, "n_centres must be a positive integer, got True"),
        ({"centres": "medoids"}, ValueError, "centres must be 'k-means', 'rows' or an array of centres, got 'medoids'"),
        ({"centres": [[1.0, 2.0]]}, ValueError, r"centres must be an M×3 array.*got shape \(1, 2\)"),
        ({"centres": np.empty((0, 3))}, ValueError, r"centres must be an M×3 array.*got shape \(0, 3\)"),
        ({"centres": [1.0, 2.0, 3.0]}, ValueError, "Expected 2D array, got 1D array instead: centres"),
        ({"centres": [[1.0, np.nan, 3.0]]}, ValueError, r"centres contains NaN \(at row 0, column 1\)"),
        ({"centres": None}, ValueError, "centres must be a table"),
        ({"width": "median"}, ValueError, "width must be 'nearest', 'mean', 'max', a number or .*got 'median'"),
        ({"width": 0.0}, ValueError, r"width must be finite and > 0, got 0\.0"),
        ({"width": -1}, ValueError, "width must be finite and > 0, got -1"),
        ({"width": np.inf}, ValueError, "width must be finite and > 0, got inf"),
        ({"width": np.nan}, ValueError, "width must be finite and > 0, got nan"),
        ({"width": True}, ValueError, "width must be finite and > 0, got True"),
        ({"width": [1.0] * 9 + [-2.0]}, ValueError, r"width must be finite and > 0, got -2\.0"),
        ({"width": [1.0, 2.0]}, ValueError, r"width must be one number or 10, one for each centre, got shape \(2,\)"),
        ({"width": np.ones((10, 1))}, ValueError, r"width must be one number or 10.*got shape \(10, 1\)"),
        ({"width": "2"}, ValueError, "width must be .*got '2'"),
        ({"width": None}, ValueError, "width must be finite and > 0, got None"),
        ({"width": ["wide"] * 10}, TypeError, "width must be real numbers"),
    ],
    ids=str,
)
def test_bad_parameters_are_refused(parameters, error, message):
    with pytest.raises(error, match=message):
        GaussianBasis(**parameters).fit(table())


@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")])
@pytest.mark.parametrize("form", ["array", "frame", "sparse"])
def test_values_that_are_not_numbers_are_refused_by_row_and_column(value, word, form):
    make = {
        "array": np.asarray,
        "frame": lambda X: pd.DataFrame(X, columns=["a", "b", "c"]),
        "sparse": sparse.csr_array,
    }
    X, bad = table(), table()
    bad[7, 1] = value
    where = rf"{word} \(at row 7, column {repr('b') if form == 'frame' else 1}\)"
    model = GaussianBasis(random_state=0)
    with pytest.raises(ValueError, match=where):
        model.fit(make[form](bad))
    model.fit(make[form](X))
    with pytest.raises(ValueError, match=where):
        model.transform(make[form](bad))


def test_a_failed_fit_leaves_the_model_as_it_was():
    model = GaussianBasis(n_centres=4, random_state=0).fit(table())
    before = model.transform(table())
    with pytest.raises(ValueError, match="NaN"):
        model.fit([[np.nan, 1.0]])
    np.testing.assert_array_equal(model.transform(table()), before)


def test_transform_needs_a_fit_and_the_same_columns():
    with pytest.raises(NotFittedError):
        GaussianBasis().transform(table())
    with pytest.raises(ValueError, match="X has 2 features, but GaussianBasis is expecting 3"):
        GaussianBasis(random_state=0).fit(table()).transform(table(d=2))
