"""Logistic regression: laws, inference, and data for which the likelihood has no maximum."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from scipy.stats import chi2
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from discriminant import FindingWarning, LogisticRegression, separate
from discriminant.findings import NotConverged, RedundantColumns, Separable

quiet = pytest.mark.filterwarnings("ignore::discriminant.findings.FindingWarning")


def table(seed=0, n=120, d=3, n_classes=2):
    """Overlapping classes whose log-odds are linear."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, d))
    scores = X @ random.standard_normal((d, n_classes)) + random.gumbel(size=(n, n_classes))
    return X, scores.argmax(axis=1)


# --- laws -----------------------------------------------------------------------------------------------


@given(st.integers(0, 10_000), st.sampled_from([2, 3]))
def test_scores_do_not_change_with_the_units_of_the_columns(seed, n_classes):
    X, y = table(seed % 20, n_classes=n_classes)
    random = np.random.default_rng(seed)
    A = random.standard_normal((3, 3)) @ np.diag(10.0 ** random.uniform(-2, 2, 3))
    moved = X @ A + 100 * random.standard_normal(3)
    plain, other = LogisticRegression().fit(X, y), LogisticRegression().fit(moved, y)
    np.testing.assert_allclose(other.decision_function(moved), plain.decision_function(X), rtol=1e-6, atol=1e-6)
    assert other.log_likelihood_ == pytest.approx(plain.log_likelihood_, rel=1e-10)


@given(st.integers(0, 10_000), st.sampled_from([2, 3]), st.sampled_from([0.0, 0.5]))
def test_weights_are_repetitions_and_order_is_irrelevant(seed, n_classes, alpha):
    X, y = table(seed % 20, n=150, n_classes=n_classes)
    y[::5] = np.arange(30) % n_classes  # enough mistakes for a maximum to exist
    random = np.random.default_rng(seed)
    weight = random.integers(0, 4, len(y))
    weight[::5] += 1
    order = random.permutation(len(y))
    one = LogisticRegression(alpha=alpha).fit(X[order], y[order], sample_weight=weight[order])
    other = LogisticRegression(alpha=alpha).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(one.coef_, other.coef_, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(one.intercept_, other.intercept_, rtol=1e-7, atol=1e-9)
    if not alpha:
        np.testing.assert_allclose(one.covariance_, other.covariance_, rtol=1e-6, atol=1e-10)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("alpha", [1e-3, 1.0])
@pytest.mark.parametrize("d", [60, 1800])  # with and without a curvature of all columns
def test_of_more_columns_than_rows_the_gradient_of_the_penalised_criterion_vanishes(n_classes, alpha, d):
    random = np.random.default_rng(d)
    X, y = table(5, n=40, d=d, n_classes=n_classes)
    X = X * 10.0 ** random.uniform(-1, 1, d) + 100 * random.standard_normal(d)
    weight, offset = random.uniform(0.5, 2, 40), random.standard_normal((40, n_classes) if n_classes > 2 else 40)
    model = LogisticRegression(alpha=alpha).fit(X, y, sample_weight=weight, offset=offset)
    assert model.coef_.shape == (1 if n_classes == 2 else n_classes, d)
    p = model.predict_proba(X, offset=offset)
    off = weight[:, None] * (p - np.eye(n_classes)[y])
    off = off[:, 1:] if n_classes == 2 else off
    pull = off.T @ X
    np.testing.assert_allclose(pull, -alpha * model.coef_, rtol=0, atol=1e-6 * np.abs(pull).max())
    np.testing.assert_allclose(off.sum(axis=0), 0.0, atol=1e-6 * np.abs(off).sum())
    sparse_rows = LogisticRegression(alpha=alpha).fit(sparse.csr_array(X), y, sample_weight=weight, offset=offset)
    scores = model.decision_function(X, offset=offset)
    np.testing.assert_allclose(sparse_rows.decision_function(X, offset=offset), scores, atol=1e-3 * np.ptp(scores))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_sparse_rows_are_dense_rows(n_classes):
    X, y = table(3, n_classes=n_classes)
    X = X * (np.abs(X) > 0.4)
    dense, thin = LogisticRegression().fit(X, y), LogisticRegression().fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(thin.coef_, dense.coef_, rtol=1e-7)
    np.testing.assert_allclose(thin.standard_errors_, dense.standard_errors_, rtol=1e-7)


def test_an_offset_takes_the_place_of_a_weight():
    X, y = table(1)
    plain = LogisticRegression().fit(X, y)
    known = 0.7 * X[:, 1] - 0.2
    rest = LogisticRegression().fit(X, y, offset=known)
    np.testing.assert_allclose(rest.coef_[0] + [0, 0.7, 0], plain.coef_[0], rtol=1e-7)
    np.testing.assert_allclose(rest.intercept_ - 0.2, plain.intercept_, rtol=1e-7)
    np.testing.assert_allclose(rest.predict_proba(X, offset=known), plain.predict_proba(X), atol=1e-9)
    np.testing.assert_allclose(rest.decision_function(X, offset=known), plain.decision_function(X), rtol=1e-6)
    assert (rest.predict(X, offset=known) == plain.predict(X)).all()
    assert rest.deviance_ == pytest.approx(plain.deviance_, rel=1e-10)
    assert rest.null_deviance_ != pytest.approx(plain.null_deviance_, rel=1e-3)


def test_offsets_of_several_classes():
    X, y = table(1, n_classes=3)
    plain = LogisticRegression().fit(X, y)
    known = X @ np.array([[0.5, 0.0, -0.5], [0.0, 0.3, -0.3], [0.0, 0.0, 0.0]])
    rest = LogisticRegression().fit(X, y, offset=known)
    np.testing.assert_allclose(rest.predict_proba(X, offset=known), plain.predict_proba(X), atol=1e-8)


def test_the_gradient_vanishes_so_the_mean_probabilities_are_the_class_shares():
    X, y = table(2, n_classes=3)
    for alpha in (0.0, 2.0):  # the intercept is never penalised
        model = LogisticRegression(alpha=alpha).fit(X, y)
        np.testing.assert_allclose(model.predict_proba(X).mean(axis=0), np.bincount(y) / len(y), atol=1e-8)
        np.testing.assert_allclose(model.coef_.sum(axis=0), 0, atol=1e-8)
        np.testing.assert_allclose(model.intercept_.sum(), 0, atol=1e-8)


def test_class_weights_are_weights():
    X, y = table(5, n_classes=3)
    model = LogisticRegression(alpha=0.5, class_weight={0: 3.0, 2: 0.5}).fit(X, y)
    other = LogisticRegression(alpha=0.5).fit(X, y, sample_weight=np.array([3.0, 1.0, 0.5])[y])
    np.testing.assert_allclose(model.coef_, other.coef_, rtol=1e-7)
    with pytest.raises(ValueError, match="class_weight must be None, 'balanced' or a mapping"):
        LogisticRegression(class_weight="even").fit(X, y)


def test_alpha_is_one_over_c():
    from sklearn.linear_model import LogisticRegression as Peer

    X, y = table(5)
    peer = Peer(C=0.25, tol=1e-12, max_iter=10_000).fit(X, y)
    model = LogisticRegression(alpha=4.0).fit(X, y)
    np.testing.assert_allclose(model.coef_, peer.coef_, rtol=1e-5)


# --- inference ------------------------------------------------------------------------------------------


def test_a_profile_end_is_where_the_ratio_test_rejects():
    X, y = table(7, n=80)
    model = LogisticRegression().fit(X, y)
    ends = model.intervals(0.9, "profile", X=X, y=y)
    for j in range(3):
        for end in ends[1 + j]:
            held = LogisticRegression().fit(np.delete(X, j, axis=1), y, offset=end * X[:, j])
            assert held.deviance_ - model.deviance_ == pytest.approx(chi2.ppf(0.9, 1), rel=1e-6)


def test_profile_of_the_intercept_and_of_several_classes():
    X, y = table(8, n=200, n_classes=3)
    model = LogisticRegression().fit(X, y)
    wald, profile = model.intervals(), model.intervals(kind="profile", X=X, y=y)
    assert wald.shape == profile.shape == (8, 2)
    assert np.abs(wald - profile).max() < 0.3 * np.ptp(wald, axis=1).max()
    assert (profile[:, 0] < wald.mean(axis=1)).all()
    assert (profile[:, 1] > wald.mean(axis=1)).all()


def test_ratio_test_is_the_difference_of_two_fits():
    X, y = table(9, n_classes=3)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    model = LogisticRegression().fit(frame, y)
    without = LogisticRegression().fit(X[:, [1]], y)
    test = model.likelihood_ratio_test(["a", "c"], X=frame, y=y)
    assert test.statistic == pytest.approx(without.deviance_ - model.deviance_, rel=1e-8)
    assert (test.degrees, test.columns) == (4, ("a", "c"))
    assert test.p_value == pytest.approx(chi2.sf(test.statistic, 4))
    everything = model.likelihood_ratio_test()
    assert everything.statistic == pytest.approx(model.null_deviance_ - model.deviance_, rel=1e-9)
    shares = np.bincount(y) / len(y)
    assert model.null_deviance_ == pytest.approx(-2 * len(y) * (shares * np.log(shares)).sum(), rel=1e-9)


@quiet
@pytest.mark.parametrize("n_classes", [2, 3])
def test_ratio_test_counts_only_what_columns_add(n_classes):
    X, y = table(14, n=200, n_classes=n_classes)
    repeated = np.column_stack([X, X[:, 0]])
    plain, copied = LogisticRegression().fit(X, y), LogisticRegression().fit(repeated, y)
    assert copied.likelihood_ratio_test().degrees == plain.likelihood_ratio_test().degrees == 3 * (n_classes - 1)
    nothing = copied.likelihood_ratio_test([0], X=repeated, y=y)
    assert nothing.degrees == 0
    assert nothing.statistic == pytest.approx(0, abs=1e-6)
    both = copied.likelihood_ratio_test([0, 3], X=repeated, y=y)
    one = plain.likelihood_ratio_test([0, 0], X=X, y=y)
    assert both.degrees == one.degrees == n_classes - 1
    assert both.statistic == pytest.approx(one.statistic, rel=1e-6)
    ends = copied.intervals()
    assert np.isnan(ends[1]).all()
    np.testing.assert_allclose(ends[2], plain.intervals()[2], rtol=1e-5)


@quiet
def test_an_infinite_estimate_has_an_infinite_end():
    random = np.random.default_rng(0)
    X = np.column_stack([np.repeat([0.0, 1.0], [60, 8]), random.standard_normal(68)])
    y = np.concatenate([random.integers(0, 2, 60), np.ones(8, dtype=int)])
    model, rest = LogisticRegression().fit(X, y), LogisticRegression().fit(X[:60, 1:], y[:60])
    assert np.isinf(model.standard_errors_[0, 0])
    assert model.standard_errors_[0, 1] == pytest.approx(rest.standard_errors_[0, 0], rel=1e-4)
    ends = model.intervals(kind="profile", X=X, y=y)
    expected = rest.intervals(kind="profile", X=X[:60, 1:], y=y[:60])
    assert np.isfinite(ends[1, 0])
    assert ends[1, 1] == np.inf
    np.testing.assert_allclose(ends[[0, 2]], expected, rtol=1e-3)


def test_errors_of_contrasts_do_not_depend_on_how_weights_are_centred():
    """Three classes, of which two are compared: as a fit of differences in which the first class has zero weights."""
    X, y = table(10, n=300, n_classes=3)
    model = LogisticRegression().fit(X, y)
    table_of = {(row["classes"], row["column"]): row for row in model.summary().rows}
    Z, P = np.column_stack([X, np.ones(len(y))]), model.predict_proba(X)
    H = np.zeros((8, 8))
    for k in (1, 2):
        for j in (1, 2):
            h = P[:, k] * ((k == j) - P[:, j])
            H[4 * k - 4 : 4 * k, 4 * j - 4 : 4 * j] = Z.T @ (h[:, None] * Z)
    errors = np.sqrt(np.diagonal(np.linalg.inv(H)))
    assert table_of["2 against 0", "column 1"]["std_error"] == pytest.approx(errors[5], rel=1e-6)
    assert table_of["1 against 0", "(intercept)"]["std_error"] == pytest.approx(errors[3], rel=1e-6)
    assert table_of["2 against 0", "column 1"]["estimate"] == pytest.approx(model.coef_[2, 1] - model.coef_[0, 1])


def test_summary_reads_as_a_table_and_as_columns():
    X, y = table(11)
    frame, y = pd.DataFrame(X, columns=["age", "dose", "time"]), np.array(["no", "yes"])[y]
    model = LogisticRegression().fit(frame, y)
    summary = model.summary(level=0.9, kind="profile", X=frame, y=y)
    text = str(summary)
    assert "Logistic regression of 120 rows" in text
    assert "yes against no" in text
    assert "90% low" in text
    assert "profile likelihood" in text
    assert len([line for line in text.splitlines() if line.startswith(("age", "dose", "time", "(intercept)"))]) == 4
    frame = pd.DataFrame(summary.columns)
    assert frame["column"].tolist() == ["(intercept)", "age", "dose", "time"]
    np.testing.assert_allclose(frame["estimate"][1:], model.coef_[0])
    np.testing.assert_allclose(frame["p"][1:], model.p_values_[0])


def test_inference_belongs_to_a_likelihood_alone():
    X, y = table()
    model = LogisticRegression(alpha=1.0).fit(X, y)
    assert not hasattr(model, "standard_errors_")
    with pytest.raises(AttributeError, match=r"alpha=1\.0 pulls the weights towards zero"):
        model.summary()
    plain = LogisticRegression().fit(X, y)
    with pytest.raises(ValueError, match="level must lie between 0 and 1"):
        plain.intervals(level=95)
    with pytest.raises(ValueError, match="kind must be one of 'wald', 'profile'"):
        plain.intervals(kind="bootstrap")
    with pytest.raises(ValueError, match="'dose' is not a column of the fit"):
        plain.likelihood_ratio_test("dose")


def test_a_stored_model_keeps_its_errors_but_not_its_rows():
    X, y = table()
    model = LogisticRegression().fit(X, y)
    stored = pickle.dumps(model)
    assert len(stored) < X.nbytes
    again = pickle.loads(stored)
    np.testing.assert_allclose(again.standard_errors_, model.standard_errors_)
    assert again.null_deviance_ == model.null_deviance_
    assert again.likelihood_ratio_test() == model.likelihood_ratio_test()
    with pytest.raises(ValueError, match="a fitted model keeps no rows"):
        again.likelihood_ratio_test([0])


# --- no maximum -----------------------------------------------------------------------------------------


def finding_of(model, kind):
    return next(f for f in model.findings_ if isinstance(f, kind))


def test_separable_classes_are_named_with_the_plane():
    X, y = table(0, n=40)
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    y = np.where(X[:, 1] - 0.2 * X[:, 0] > 0.1, "ill", "well")
    with pytest.warns(FindingWarning, match="the likelihood has no maximum"):
        model = LogisticRegression().fit(frame, y)
    finding = finding_of(model, Separable)
    assert finding.separation.kind == "complete"
    assert finding.separation.verify(frame, y)
    assert set(finding.classes) == {"ill", "well"}
    assert finding.fact.startswith("A plane separates 'ill' from 'well', so that")
    assert finding.evidence.startswith("It has every row strictly on the right side, by ")
    assert np.isfinite(model.coef_).all()
    assert (model.predict(frame) == y).all()


def test_quasi_separation_names_the_guilty_column():
    X, y = table(4, n=200, d=2)
    dummy = np.zeros(200)
    dummy[np.flatnonzero(y == 1)[:15]] = 1.0  # only ever seen with one class
    frame = pd.DataFrame({"x": X[:, 0], "treated": dummy, "z": X[:, 1]})
    with pytest.warns(FindingWarning, match="the likelihood has no maximum"):
        model = LogisticRegression().fit(frame, y)
    finding = finding_of(model, Separable)
    assert finding.separation.kind == "quasi"
    assert finding.columns == ("treated",)
    assert finding.fact.startswith(
        "A plane tells 15 of 200 rows of '0' and '1' apart without error and leaves the others open, so that"
    )
    assert finding.evidence == "It has 185 rows on it and all others strictly on the right side, by 'treated'"
    # what is not on the plane is as it would be without the rows beside it
    rest = LogisticRegression().fit(frame.loc[dummy == 0, ["x", "z"]], y[dummy == 0])
    np.testing.assert_allclose(model.coef_[0, [0, 2]], rest.coef_[0], rtol=1e-6)


def test_several_classes_without_a_maximum():
    X, y = load_iris(return_X_y=True)
    with pytest.warns(FindingWarning, match="'0' from 'the rest'"):
        model = LogisticRegression().fit(X, y)
    assert finding_of(model, Separable).separation.verify(X, y)


def test_three_classes_none_of_which_lies_apart_from_the_rest():
    """On a line in the order a b c, with b between: planes exist, though no plane parts b from the rest."""
    x = np.array([0.0, 1.0, 1.0, 2.0, 2.0, 3.0])[:, None]
    y = np.array(["a", "a", "b", "b", "c", "c"])
    with pytest.warns(FindingWarning, match="the likelihood has no maximum"):
        model = LogisticRegression().fit(x, y)
    finding = finding_of(model, Separable)
    assert finding.columns == ("column 0",)
    assert finding.fact.startswith(
        "A plane tells 4 of 6 rows of 'a' and 'the rest' apart without error and leaves the others open, so that"
    )


@pytest.mark.parametrize("touching", [False, True])
def test_three_classes_parted_though_each_lies_among_the_rest(touching):
    """Sectors of 120°, each with two far rows and a near one, which the far rows of the others surround."""
    angle = np.deg2rad([120 * k + turn for k in range(3) for turn in (-55, 0, 55)])
    X = np.tile([10.0, 1.0, 10.0], 3)[:, None] * np.column_stack([np.cos(angle), np.sin(angle)])
    y = np.repeat(["a", "b", "c"], 3)
    if touching:
        X, y = np.vstack([X, np.zeros((3, 2))]), np.append(y, ["a", "b", "c"])
    assert [separate(X, y == label).kind for label in "abc"] == ["none"] * 3
    with pytest.warns(FindingWarning, match="the likelihood has no maximum"):
        model = LogisticRegression().fit(X, y)
    finding = finding_of(model, Separable)
    fact, evidence = finding.fact.split(", so that")[0], finding.evidence.split(" strictly on the right side")[0]
    assert finding.separation.kind == ("quasi" if touching else "complete")
    if touching:
        assert fact == "Planes have no row of 'a', 'b', 'c' on the wrong side, though some on them"
        assert evidence == "They have some rows on them and all others"
    else:
        assert fact == "Planes separate 'a', 'b', 'c'"
        assert evidence == "They have every row"


def test_overlapping_classes_with_far_scores_have_a_maximum():
    random = np.random.default_rng(0)
    x = np.concatenate([random.uniform(-1, 1, 300), [-60.0, 60.0]])[:, None]
    y = (x[:, 0] + 0.3 * random.standard_normal(302) > 0).astype(int)
    model = LogisticRegression().fit(x, y)
    assert np.abs(model.decision_function(x)).max() > 100
    assert model.findings_ == ()


def test_firth_in_a_table_of_two_by_two_adds_half_a_row_to_each_cell():
    """Of a saturated model, which is known in closed form; one cell is empty, so that the likelihood has no maximum."""
    counts = {(0, 0): 9, (0, 1): 4, (1, 0): 7, (1, 1): 0}
    x = np.array([[k[0]] for k, n in counts.items() for _ in range(n)], dtype=float)
    y = np.array([k[1] for k, n in counts.items() for _ in range(n)])
    model = LogisticRegression(firth=True, tol=1e-12).fit(x, y)
    half = {k: n + 0.5 for k, n in counts.items()}
    low, high = (np.log(half[k, 1] / half[k, 0]) for k in (0, 1))
    np.testing.assert_allclose(model.intercept_[0], low, rtol=1e-8)
    np.testing.assert_allclose(model.coef_[0, 0], high - low, rtol=1e-8)
    assert model.findings_ == ()
    interval = model.intervals(kind="profile", X=x, y=y)[1]
    assert interval[0] < model.coef_[0, 0] < interval[1] < 1.0
    assert interval[0] > -8


def test_firth_of_weights_and_offsets():
    X, y = table(6, n=50)
    weight = np.random.default_rng(0).integers(1, 4, 50)
    one = LogisticRegression(firth=True).fit(X, y, sample_weight=weight)
    other = LogisticRegression(firth=True).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(one.coef_, other.coef_, rtol=1e-6)
    moved = LogisticRegression(firth=True).fit(X, y, sample_weight=weight, offset=0.5 * X[:, 0])
    np.testing.assert_allclose(moved.coef_[0] + [0.5, 0, 0], one.coef_[0], rtol=1e-6)


@pytest.mark.parametrize(("shape", "most"), [((38, 7129), 1000), ((1200, 1200), 1000)])
def test_firth_of_more_columns_than_rows_is_refused_at_once(shape, most):
    """Every step would factor a singular matrix of all columns, for minutes."""
    X, y = np.random.default_rng(0).standard_normal(shape), np.arange(shape[0]) % 2
    said = rf"{shape[1]} columns are too many for {shape[0]} rows \(at most {most}\); set alpha instead"
    with pytest.raises(ValueError, match=said):
        LogisticRegression(firth=True).fit(X, y)


def test_firth_is_for_two_classes_and_without_alpha():
    X, y = table(0, n_classes=3)
    with pytest.raises(ValueError, match="firth=True is for two classes, and y has 3"):
        LogisticRegression(firth=True).fit(X, y)
    with pytest.raises(ValueError, match="leave alpha at 0"):
        LogisticRegression(firth=True, alpha=1.0).fit(X, y)


# --- hard tables ----------------------------------------------------------------------------------------


@quiet
@pytest.mark.parametrize("n_classes", [2, 3])
def test_redundant_columns_are_named_and_change_no_score(n_classes):
    X, y = table(12, n_classes=n_classes)
    wide = np.column_stack([X, X[:, 0] - 2 * X[:, 1], np.full(len(y), 7.0)])
    plain = LogisticRegression().fit(X, y)
    model = LogisticRegression().fit(wide, y)
    np.testing.assert_allclose(model.decision_function(wide), plain.decision_function(X), rtol=1e-6, atol=1e-7)
    assert set(finding_of(model, RedundantColumns).columns) >= {"column 0", "column 1", "column 3"}
    errors = model.standard_errors_[0]
    assert np.isnan(errors[[0, 1, 3]]).all()
    assert errors[2] == pytest.approx(plain.standard_errors_[0, 2], rel=1e-6)
    assert "not unique" in str(model.summary())


@quiet
@pytest.mark.parametrize("alpha", [0.0, 1.0])
@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1e-30, 1e30, 1e140])
def test_extreme_scales(scale, alpha):
    X, y = table(13)
    X[:, 1] *= scale
    model = LogisticRegression(alpha=alpha).fit(X, y)
    assert np.isfinite(model.coef_).all()
    if not alpha:
        plain = LogisticRegression().fit(table(13)[0], y)
        np.testing.assert_allclose(model.decision_function(X), plain.decision_function(table(13)[0]), rtol=1e-6)


def test_values_whose_squares_overflow_are_refused_by_column():
    X, y = table(13)
    X[:, 1] *= 1e300
    with pytest.raises(ValueError, match="column 1 reaches"):
        LogisticRegression().fit(X, y)


@quiet
@pytest.mark.parametrize(
    ("X", "y"),
    [
        ([[1.0], [1.0]], [0, 1]),
        ([[0.0], [1.0]], [0, 1]),
        (np.ones((6, 3)), [0, 1, 0, 1, 0, 0]),
        (np.random.default_rng(0).standard_normal((5, 40)), [0, 1, 0, 1, 2]),
        ([[0.0, 1.0], [0.0, 1.0], [0.0, 1.0]], [0, 1, 2]),
    ],
)
def test_tables_with_little_in_them(X, y):
    model = LogisticRegression().fit(X, y)
    assert np.isfinite(model.coef_).all()
    shares = model.predict_proba(X).mean(axis=0)
    np.testing.assert_allclose(shares, np.unique(y, return_counts=True)[1] / len(y), atol=1e-6)


def test_few_iterations_are_said():
    X, y = table()
    with pytest.warns(FindingWarning, match=r"stopped after 1 iteration\."):
        model = LogisticRegression(max_iter=1).fit(X, y)
    assert finding_of(model, NotConverged)


def test_bad_offsets_name_the_row():
    X, y = table()
    offset = np.zeros(120)
    offset[17] = np.nan
    with pytest.raises(ValueError, match="offset is nan at row 17"):
        LogisticRegression().fit(X, y, offset=offset)
    with pytest.raises(ValueError, match=r"offset must have shape \(120,\)"):
        LogisticRegression().fit(X, y, offset=np.zeros(7))
    weight = np.arange(120) % 2
    with pytest.raises(ValueError, match=r"offset must have shape \(120,\)"):
        LogisticRegression().fit(X, y, offset=np.zeros(240), sample_weight=weight)
    model = LogisticRegression().fit(X, y, offset=X[:, 0], sample_weight=weight)
    half = LogisticRegression().fit(X[1::2], y[1::2], offset=X[1::2, 0])
    np.testing.assert_allclose(model.coef_, half.coef_, rtol=1e-6)


# --- simulations ----------------------------------------------------------------------------------------


def test_probabilities_are_calibrated():
    random = np.random.default_rng(3)
    X = random.standard_normal((40_000, 4))
    chance = 1 / (1 + np.exp(-(X @ [1.0, -2.0, 0.5, 0.0] + 0.3)))
    y = (random.random(40_000) < chance).astype(int)
    p = LogisticRegression().fit(X[:20_000], y[:20_000]).predict_proba(X[20_000:])[:, 1]
    tenth = np.minimum((10 * p).astype(int), 9)
    for k in range(10):
        said, seen, n = p[tenth == k].mean(), y[20_000:][tenth == k].mean(), (tenth == k).sum()
        assert abs(said - seen) < 4 * np.sqrt(said * (1 - said) / n)
    assert np.abs(p - chance[20_000:]).max() < 0.05


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["wald", "profile"])
def test_intervals_cover_as_often_as_they_say(kind):
    random = np.random.default_rng(11)
    true = np.array([0.5, 1.0, -0.7])
    covered = np.zeros(3)
    for _ in range(2000):
        X = random.standard_normal((300, 2))
        y = (random.random(300) < 1 / (1 + np.exp(-(true[0] + X @ true[1:])))).astype(int)
        ends = LogisticRegression().fit(X, y).intervals(kind=kind, X=X, y=y)
        covered += (ends[:, 0] <= true) & (true <= ends[:, 1])
    assert (covered >= 0.93 * 2000).all()
    assert (covered <= 0.97 * 2000).all()


# --- rare levels ----------------------------------------------------------------------------------------


def with_rare_levels(n, n_classes, seed=0):
    """A column of numbers and a full set of indicators, the last of them rare; and which are of one class."""
    random = np.random.default_rng(seed)
    g = np.minimum(random.geometric(0.12, n) - 1, 59)
    X = np.hstack([random.standard_normal((n, 1)), (g[:, None] == np.arange(60)) * 1.0])
    y = random.integers(0, n_classes, n)
    pure = [j for j in range(1, 61) if X[:, j].any() and np.unique(y[X[:, j] == 1]).size == 1]
    return X, y, pure


@quiet
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
@pytest.mark.parametrize("n", [4000, 50_000])
def test_rare_levels_of_one_class_are_the_guilty_columns(form, n):
    X, y, pure = with_rare_levels(n, 2)
    model = LogisticRegression().fit(form(X), y)
    finding = finding_of(model, Separable)
    assert pure
    assert set(finding.columns) >= {f"column {j}" for j in pure}
    assert finding.separation.verify(X, y)
    assert np.abs(model.coef_).max() < 100


@quiet
def test_of_several_classes_the_guilty_one_is_named():
    X, y = table(n=200, n_classes=3)
    y[::7] = np.arange(len(y[::7])) % 3
    names = np.array(["blue", "green", "red"])[y]
    given_away = np.zeros(200)
    given_away[np.flatnonzero(names == "red")[:5]] = 1.0
    model = LogisticRegression().fit(np.column_stack([X, given_away]), names)
    finding = finding_of(model, Separable)
    assert finding.classes == ("red", "the rest")
    assert finding.columns == ("column 3",)
    assert "firth" not in finding.remedy


@quiet
def test_an_offset_beyond_all_odds_is_blamed():
    X, y = table()
    model = LogisticRegression().fit(X, y, offset=np.full(len(y), 1e8))
    finding = finding_of(model, NotConverged)
    assert "offset reaches 1e+08" in finding.evidence
    assert "units of offset" in finding.remedy


# --- what scikit-learn's users look for ------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("l1_ratio", [0.0, 0.5])
def test_iterations_are_counted_in_an_array_of_one_number(n_classes, l1_ratio):
    X, y = table(n_classes=n_classes)
    model = LogisticRegression(alpha=1.0, l1_ratio=l1_ratio).fit(X, y)
    assert model.n_iter_.shape == (1,)
    assert model.n_iter_[0] > 0


@pytest.mark.parametrize("max_iter", [1, 2, 3])
@pytest.mark.parametrize("solver", ["newton", "quasi-newton", "truncated-newton"])
def test_an_iteration_cut_short_has_made_as_many_steps_and_says_so(solver, max_iter):
    iris = load_iris()
    y = np.where(iris.target == 2, 0, iris.target)
    model = LogisticRegression(alpha=1.0, solver=solver, max_iter=max_iter, tol=1e-15)
    with pytest.warns(ConvergenceWarning, match=f"stopped after {max_iter} iteration"):
        model.fit(iris.data, y)
    assert model.n_iter_[0] == max_iter


@quiet
@pytest.mark.parametrize("solver", ["auto", "newton", "quasi-newton", "truncated-newton"])
def test_no_iteration_leaves_the_weights_at_zero(solver):
    X, y = table()
    model = LogisticRegression(alpha=1.0, solver=solver, max_iter=0).fit(X, y)
    assert model.n_iter_[0] == 0
    assert not model.coef_.any()
    np.testing.assert_array_equal(model.predict_proba(X), 0.5)
    assert [type(finding) for finding in model.findings_] == [NotConverged]


def test_an_infinite_c_is_no_penalty():
    X, y = table()
    free, plain = LogisticRegression(C=np.inf).fit(X, y), LogisticRegression().fit(X, y)
    np.testing.assert_array_equal(free.coef_, plain.coef_)
    np.testing.assert_array_equal(free.standard_errors_, plain.standard_errors_)
    with pytest.raises(ValueError, match="C must be greater than zero, got nan"):
        LogisticRegression(C=np.nan).fit(X, y)


def test_a_likelihood_without_a_maximum_is_a_convergence_warning_too():
    with pytest.warns(ConvergenceWarning, match="the likelihood has no maximum"):
        LogisticRegression().fit([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1])


def test_newton_refuses_a_matrix_that_no_machine_should_factor():
    X = sparse.random_array((40, 20_000), density=0.001, format="csr", rng=np.random.default_rng(0))
    y = np.arange(40) % 2
    with pytest.raises(ValueError, match="would factor a matrix of 20,001 rows and columns"):
        LogisticRegression(alpha=1.0, solver="newton").fit(X, y)


def test_wide_sparse_rows_through_the_origin_have_the_optimum_of_the_same_rows_in_full():
    random = np.random.default_rng(0)
    X = sparse.random_array((60, 2000), density=0.01, format="csr", rng=random, data_sampler=random.standard_normal)
    y = X @ random.standard_normal(2000) > 0.3
    found = LogisticRegression(alpha=0.1, fit_intercept=False, tol=1e-12).fit(X, y)
    exact = LogisticRegression(alpha=0.1, fit_intercept=False, tol=1e-12).fit(X.toarray(), y)
    assert found.intercept_.tolist() == [0.0]
    np.testing.assert_allclose(found.coef_, exact.coef_, atol=1e-7)
