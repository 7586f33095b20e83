"""From given numbers instead of rows: populations (p, μ, Σ), projections, printed rates, weights to start from."""

import numpy as np
import pytest
from scipy.linalg import eigh

from discriminant import (
    Adaline,
    ClassMoments,
    FisherDiscriminant,
    LinearDiscriminantAnalysis,
    NaiveBayes,
    OperatingCurve,
    Perceptron,
    PocketPerceptron,
    best_threshold,
    expected_gain,
    fisher_criterion,
    gradient_descent,
    least_squares,
    projected_moments,
    regression_descent,
)
from discriminant.plots import GainDisplay, OperatingCurveDisplay

PRIORS = [0.3, 0.7]
MEANS = np.array([[1.0, 2.0], [3.0, 1.0]])
COVARIANCES = np.array([[[2.0, 0.5], [0.5, 1.0]], [[1.0, -0.3], [-0.3, 3.0]]])


@pytest.fixture
def population():
    return ClassMoments.of_parameters(PRIORS, MEANS, COVARIANCES, classes=["a", "b"])


def test_the_population_form_of_the_scatters(population):
    apart = MEANS[0] - MEANS[1]
    np.testing.assert_allclose(population.within, 0.3 * COVARIANCES[0] + 0.7 * COVARIANCES[1])
    np.testing.assert_allclose(population.between, 0.21 * np.outer(apart, apart))
    np.testing.assert_allclose(population.total, population.within + population.between)


def test_rows_with_these_parameters_give_the_same_moments(population):
    rng = np.random.default_rng(0)
    parts, labels = [], []
    for k, n in enumerate((300, 700)):
        z = rng.standard_normal((n, 2))
        z = (z - z.mean(axis=0)) @ np.linalg.inv(np.linalg.cholesky(np.cov(z.T, bias=True))).T
        parts.append(z @ np.linalg.cholesky(COVARIANCES[k]).T + MEANS[k])
        labels += ["ab"[k]] * n
    rows = ClassMoments.of(np.vstack(parts), labels)
    np.testing.assert_allclose(rows.within / 1000, population.within, atol=1e-12)
    for learner in (
        FisherDiscriminant(threshold="gaussian"),
        LinearDiscriminantAnalysis(),
        NaiveBayes(marginal="gaussian"),
    ):
        told, seen = learner.fit(population), type(learner)(**learner.get_params()).fit(rows)
        assert told.findings_ == ()
        ratio = (told.coef_ / seen.coef_).ravel()
        np.testing.assert_allclose(ratio, ratio[0])
        np.testing.assert_allclose(told.intercept_, seen.intercept_ * ratio[0])


def test_one_covariance_may_be_shared():
    shared = ClassMoments.of_parameters(PRIORS, MEANS, COVARIANCES[0])
    np.testing.assert_allclose(shared.within, COVARIANCES[0])
    assert shared.classes.tolist() == [0, 1]


def test_classes_are_put_in_order():
    turned = ClassMoments.of_parameters([0.7, 0.3], MEANS[::-1], COVARIANCES[::-1], classes=["b", "a"])
    assert turned == ClassMoments.of_parameters(PRIORS, MEANS, COVARIANCES, classes=["a", "b"])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"priors": [0.3, 0.3]}, "priors"),
        ({"means": [1.0, 2.0]}, "a row for each class"),
        ({"covariances": np.eye(3)}, "must have the shape"),
        ({"covariances": [[1.0, 0.5], [0.2, 1.0]]}, "not symmetric"),
        ({"covariances": [[1.0, 2.0], [2.0, 1.0]]}, "negative variance"),
        ({"covariances": [[1.0, np.nan], [np.nan, 1.0]]}, "finite"),
        ({"classes": ["a", "a"]}, "different labels"),
    ],
)
def test_parameters_that_make_no_sense(change, said):
    given = {"priors": PRIORS, "means": MEANS, "covariances": COVARIANCES, "classes": ["a", "b"]} | change
    with pytest.raises(ValueError, match=said):
        ClassMoments.of_parameters(**given)


# --- projections and the criterion ----------------------------------------------------------------------


def test_a_projection_has_the_quadratic_forms(population):
    w = np.array([2.0, -1.0])
    y = projected_moments(population, w)
    for part in ("within", "between", "total"):
        assert getattr(y, part).item() == pytest.approx(w @ getattr(population, part) @ w)
    np.testing.assert_allclose(y.means[:, 0], MEANS @ w)


def test_the_projection_of_rows_is_that_of_projected_rows():
    rng = np.random.default_rng(1)
    X, y = rng.standard_normal((40, 3)), np.arange(40) % 3
    w = [1.0, -2.0, 0.5]
    told = projected_moments(ClassMoments.of(X, y), w)
    seen = ClassMoments.of((X @ w)[:, None], y)
    for part in ("means", "within", "between"):
        np.testing.assert_allclose(getattr(told, part), getattr(seen, part), atol=1e-12)


def test_the_criterion_is_greatest_at_fishers_direction(population):
    model = FisherDiscriminant().fit(population)
    best = fisher_criterion(population, model.coef_[0])
    assert best == pytest.approx(model.criterion_)
    assert best == pytest.approx(eigh(population.between, population.within, eigvals_only=True)[-1])
    for angle in np.linspace(0, np.pi, 50):
        assert fisher_criterion(population, [np.cos(angle), np.sin(angle)]) <= best * (1 + 1e-12)


def test_the_two_conventions_differ_by_the_factor_of_the_counts(population):
    w = [0.3, 1.0]
    assert fisher_criterion(population, w) == pytest.approx(0.21 * fisher_criterion(population, w, between="plain"))
    rows = ClassMoments.of([[3, 2], [5, 2], [1, 4], [3, 6], [2, 2]], [1, 1, 2, 2, 2])
    plain = fisher_criterion(rows, w, between="plain")
    assert fisher_criterion(rows, w) == pytest.approx(2 * 3 / 5 * plain)
    y = projected_moments(rows, w)
    assert plain == pytest.approx((y.means[1, 0] - y.means[0, 0]) ** 2 / y.scatter.sum())


def test_a_direction_without_spread():
    rows = ClassMoments.of([[2, 4], [4, 6], [1, 6], [3, 8]], [1, 1, 2, 2])
    assert fisher_criterion(rows, [1, -1]) == np.inf


@pytest.mark.parametrize("w", [[1.0], [0.0, 0.0], [np.nan, 1.0]])
def test_what_is_no_direction(population, w):
    with pytest.raises(ValueError, match="w must"):
        fisher_criterion(population, w)


def test_what_a_projection_cannot_be_made_of(population):
    with pytest.raises(ValueError, match="full=True"):
        projected_moments(population.diagonal(), [1.0, 1.0])
    three = ClassMoments.of([[0, 1], [1, 0], [2, 2]], [0, 1, 2])
    with pytest.raises(ValueError, match="two classes"):
        fisher_criterion(three, [1, 1], between="plain")


# --- rates ----------------------------------------------------------------------------------------------

FALSE_ALARM = np.arange(11) / 10
MISDETECT = [1, 0.790, 0.619, 0.478, 0.363, 0.269, 0.192, 0.129, 0.077, 0.035, 0]
GAIN = [[2, -3], [-4, 4]]


@pytest.fixture
def printed():
    return OperatingCurve.of_rates(FALSE_ALARM, MISDETECT, [0.6, 0.4])


def test_the_printed_example(printed):
    earned = expected_gain(printed, GAIN)
    expected = [-0.200, 0.110, 0.303, 0.406, 0.431, 0.393, 0.304, 0.173, 0.009, -0.185, -0.400]
    np.testing.assert_allclose(earned, expected, atol=6e-4)
    np.testing.assert_allclose(printed.joint(0.5), [[0.4386, 0.1614], [0.2, 0.2]])
    best = best_threshold(printed, gain=GAIN)
    assert (round(best.false_alarm, 9), round(best.misdetect, 9)) == (0.4, 0.363)
    np.testing.assert_allclose(printed.false_alarm, FALSE_ALARM)
    np.testing.assert_allclose(printed.misdetect, MISDETECT)


def test_both_figures_of_it_are_one_call(printed):
    assert OperatingCurveDisplay.from_curve(printed, gain=GAIN).figure_ is not None
    assert GainDisplay.from_curve(printed, gain=GAIN).figure_ is not None


def test_one_pair_is_enough():
    one = OperatingCurve.of_rates([0.5], [0.269], [0.6, 0.4])
    np.testing.assert_allclose(one.joint(0.5), [[0.4386, 0.1614], [0.2, 0.2]])
    np.testing.assert_allclose(expected_gain(one, GAIN), [0.393])
    assert best_threshold(one, gain=GAIN).misdetect == pytest.approx(0.269)
    assert OperatingCurveDisplay.from_curve(one, gain=GAIN).figure_ is not None
    assert GainDisplay.from_curve(one, gain=GAIN).figure_ is not None


def test_other_priors_than_those_of_the_curve(printed):
    even = expected_gain(printed, GAIN, priors=[0.5, 0.5])
    np.testing.assert_allclose(even, expected_gain((MISDETECT, FALSE_ALARM), GAIN, priors=[0.5, 0.5]))


def test_pairs_in_any_order():
    turned = OperatingCurve.of_rates(FALSE_ALARM[::-1], MISDETECT[::-1], [0.6, 0.4])
    np.testing.assert_allclose(turned.false_alarm, FALSE_ALARM)


def test_rates_have_no_bounds_without_a_number_of_rows(printed):
    with pytest.raises(ValueError, match="number of rows"):
        printed.bands()


@pytest.mark.parametrize(
    ("false_alarm", "misdetect", "options", "said"),
    [
        ([0, 1], [1, 0, 0], {}, "as many rates"),
        ([], [], {}, "at least one"),
        ([0, 2], [1, 0], {}, "between 0 and 1"),
        ([0, 0.5, 1], [0.2, 0.5, 0], {}, "no operating curve"),
        ([0, 0, 1], [1, 0.5, 0], {}, "same threshold"),
        ([0, 1], [1, 0], {"thresholds": [3]}, "1 thresholds"),
    ],
)
def test_pairs_that_are_no_curve(false_alarm, misdetect, options, said):
    with pytest.raises(ValueError, match=said):
        OperatingCurve.of_rates(false_alarm, misdetect, [0.6, 0.4], **options)


# --- starts ---------------------------------------------------------------------------------------------

ROWS, LABELS = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [0, 0, 0, 1]


def test_a_perceptron_from_given_weights_follows_the_rule():
    model = Perceptron(init=[0.5, -1.0, 0.25], shuffle=False, trace=True).fit(ROWS, LABELS)
    w = np.array([0.5, -1.0, 0.25])
    path = [w.copy()]
    for _ in range(model.n_iter_):
        for x, label in zip(ROWS, LABELS, strict=True):
            c = 2 * label - 1
            if c * (w @ [*x, 1.0]) <= 0:
                w = w + c * np.array([*x, 1.0])
                path.append(w.copy())
    np.testing.assert_allclose([[*step.w, -step.theta] for step in model.trace_], path)


def test_the_right_weights_need_no_update():
    model = Perceptron(init=[1.0, 1.0, -1.5]).fit(ROWS, LABELS)
    assert (model.n_updates_, model.coef_.tolist(), model.intercept_.tolist()) == (0, [[1.0, 1.0]], [-1.5])
    assert PocketPerceptron(init=np.array([[1.0, 1.0, -1.5]])).fit(ROWS, LABELS).pocket_errors_ == 0


def test_a_start_for_each_of_several_planes():
    X, y = [[0.0], [5.0], [10.0]], ["a", "b", "c"]
    start = [[-1.0, 2.0], [0.0, 0.0], [1.0, -7.0]]
    model = Perceptron(init=start, max_iter=1, average=True).fit(X, y)
    assert model.coef_.shape == (3, 1)


def test_the_start_is_left_as_it_was():
    start = np.array([0.5, -1.0, 0.25])
    Adaline(rule="batch", init=start).fit(ROWS, LABELS)
    assert start.tolist() == [0.5, -1.0, 0.25]


@pytest.mark.parametrize(
    ("init", "said"),
    [
        ("ones", "init"),
        ([1.0, 2.0], "2 weights and the intercept, 3 numbers"),
        ([1.0, np.inf, 0.0], "finite"),
        (3, "init"),
    ],
)
def test_starts_that_make_no_sense(init, said):
    with pytest.raises(ValueError, match=said):
        Perceptron(init=init).fit(ROWS, LABELS)


def test_the_bound_is_of_a_zero_start():
    model = Perceptron(init=[1.0, 1.0, -1.5]).fit(ROWS, LABELS)
    with pytest.raises(ValueError, match="Novikoff"):
        model.novikoff(ROWS, LABELS)


# --- descent for numbers --------------------------------------------------------------------------------


def test_descent_of_signs_is_that_of_the_squared_loss():
    signs = np.array([-1.0, -1.0, -1.0, 1.0])
    for step in (0.05, "curvature"):
        told = regression_descent(ROWS, signs, step=step, max_iter=20)
        seen = gradient_descent(ROWS, LABELS, loss="squared", step=step, max_iter=20)
        np.testing.assert_allclose(told.w, seen.w, atol=1e-12)
        np.testing.assert_allclose(told.risk, seen.risk, atol=1e-12)


def test_descent_ends_at_least_squares():
    rng = np.random.default_rng(3)
    X, y = rng.standard_normal((30, 3)), rng.standard_normal(30)
    path = regression_descent(X, y, tol=1e-10, max_iter=10_000)
    fit = least_squares(X, y)
    assert path.converged
    np.testing.assert_allclose(path.w[-1], fit.coef, atol=1e-8)
    assert -path.theta[-1] == pytest.approx(fit.intercept, abs=1e-8)
    assert path.risk[-1] == pytest.approx(fit.residual_sum_of_squares)


def test_a_step_too_long_diverges():
    assert regression_descent([[1.0], [2.0]], [1.0, 2.0], step=1.0, max_iter=50).diverged


@pytest.mark.parametrize(("X", "y"), [([1.0], [1.0]), ([[1.0]], [1.0, 2.0]), ([[np.nan]], [1.0])])
def test_what_cannot_be_descended_on(X, y):
    with pytest.raises(ValueError, match="X"):
        regression_descent(X, y)
