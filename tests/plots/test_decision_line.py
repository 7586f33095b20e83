"""The line that is drawn is the model's; rings, shades and paths are those of its mistakes, sides and updates."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Text
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures, StandardScaler
from sklearn.svm import SVC

from discriminant import (
    FisherDiscriminant,
    GaussianBasis,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    Perceptron,
)
from discriminant.plots import DecisionLineDisplay
from discriminant.plots.canvas import CLASS_COLOURS


def axes():
    return Figure().subplots()


def overlapping(seed=0, n=80):
    rng = np.random.default_rng(seed)
    y = np.repeat(["no", "yes"], n // 2)
    return rng.normal(size=(n, 2)) + np.where(y == "yes", 1.3, 0.0)[:, None], y


def separable():
    X, _ = overlapping(3)
    return X[np.abs(X.sum(axis=1) - 1) > 0.1], (X.sum(axis=1) > 1)[np.abs(X.sum(axis=1) - 1) > 0.1]


def rings(seed=0):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], 60)
    angle, radius = rng.uniform(0, 2 * np.pi, 120), 1 + 1.3 * y + rng.normal(0, 0.3, 120)
    return radius[:, None] * np.column_stack([np.cos(angle), np.sin(angle)]), y


def vertices(contour):
    return np.vstack([path.vertices for path in contour.get_paths()])


# --- the line -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("learner", [FisherDiscriminant(), LinearDiscriminantAnalysis(), LeastSquaresClassifier()])
def test_the_line_is_the_plane_of_the_model(learner):
    X, y = overlapping()
    model = learner.fit(X, y)
    display = DecisionLineDisplay.from_estimator(model, X, y, ax=axes())
    (line,) = display.boundaries_
    points = vertices(line)
    assert np.abs(model.hyperplane().signed_distance(points)).max() < 1e-9
    # from edge to edge of the picture
    ends = np.abs(points - [display.across.mean(), display.up.mean()]) / [np.ptp(display.across), np.ptp(display.up)]
    assert np.count_nonzero(np.isclose(ends.max(axis=1), 0.5)) >= 2
    np.testing.assert_allclose(display.plane.w, model.coef_[0])
    assert display.plane.theta == pytest.approx(-model.intercept_[0])


def test_a_scaled_pipeline_has_its_line_in_the_units_of_the_rows():
    X, y = overlapping()
    X = X * [1.0, 1000.0] + [50.0, 0.0]
    model = make_pipeline(StandardScaler(), FisherDiscriminant()).fit(X, y)
    display = DecisionLineDisplay.from_estimator(model, X, y, ax=axes())
    direct = FisherDiscriminant().fit(X, y).hyperplane()
    assert display.plane.angle(direct) < 1e-6
    assert display.ax_.get_aspect() == "auto"


def test_the_normal_stands_on_the_line_and_points_to_the_positive_side():
    X, y = overlapping()
    model = FisherDiscriminant().fit(X, y)
    display = DecisionLineDisplay.from_estimator(model, X, y, ax=axes())
    arrow, name = display.ax_.texts
    foot, tip = np.array(arrow.xyann), np.array(arrow.xy)
    plane = model.hyperplane()
    assert plane.signed_distance(foot) == pytest.approx(0, abs=1e-9)
    assert plane.signed_distance(tip) == pytest.approx(np.linalg.norm(tip - foot))
    assert name.get_text() == "$w$"
    assert display.ax_.get_aspect() == 1.0


def test_a_line_out_of_sight_is_not_drawn():
    X, y = overlapping()
    model = FisherDiscriminant().fit(X, y)
    far = np.array([[10.0, 10.0], [11.0, 10.0], [10.0, 11.0]])
    display = DecisionLineDisplay.from_estimator(model, far, ["yes", "yes", "no"], ax=axes())
    assert len(display.rings_.get_offsets()) == 1
    assert display.boundaries_ == []
    assert not display.ax_.texts


def test_a_basis_bends_the_line():
    X, y = rings()
    model = make_pipeline(GaussianBasis(n_centres=12, random_state=0), LeastSquaresClassifier()).fit(X, y)
    display = DecisionLineDisplay.from_estimator(model, X, y, ax=axes())
    (curve,) = display.boundaries_
    points = vertices(curve)
    assert np.abs(model.decision_function(points)).max() < 1e-3 * np.abs(model.decision_function(X)).max()
    assert display.plane is None
    assert not display.ax_.texts
    turned = np.unwrap(np.arctan2(points[:, 1], points[:, 0]))
    assert np.ptp(turned) > 1.9 * np.pi  # all the way round


def test_a_finer_grid_comes_closer_to_the_curve():
    X, y = rings()
    model = make_pipeline(PolynomialFeatures(2, include_bias=False), LinearDiscriminantAnalysis()).fit(X, y)

    def away(resolution):
        display = DecisionLineDisplay.from_estimator(model, X, y, ax=axes(), resolution=resolution)
        return np.abs(model.decision_function(vertices(display.boundaries_[0]))).max()

    assert away(200) < away(20) / 20


def test_several_classes_meet_where_their_scores_are_equal():
    rng = np.random.default_rng(1)
    y = np.repeat(["a", "b", "c", "d"], 25)
    X = np.repeat([[0, 0], [4, 0], [0, 4], [4, 4]], 25, axis=0) + rng.normal(size=(100, 2))
    model = LinearDiscriminantAnalysis().fit(X, y)
    display = DecisionLineDisplay.from_estimator(model, X, y, ax=axes())
    assert len(display.boundaries_) == 3
    points = np.vstack([vertices(line) for line in display.boundaries_])
    scores = np.sort(model.decision_function(points), axis=1)
    assert np.median(scores[:, -1] - scores[:, -2]) < 1e-9
    assert (scores[:, -1] - scores[:, -2]).max() < 0.02 * np.ptp(scores)  # where three regions meet
    assert len(display.rows_) == 4
    assert display.plane is None


def test_the_positive_side_is_shaded_in_the_colour_of_its_class():
    X, y = overlapping()
    model = FisherDiscriminant().fit(X, y)
    ax = axes()
    display = DecisionLineDisplay.from_estimator(model, X, y, ax=ax)
    shade = ax.collections[0]
    assert to_hex(shade.get_facecolor()[0]).upper() == CLASS_COLOURS[1]
    (path,) = shade.get_paths()
    for point in X:
        positive = model.hyperplane().side(point) > 0
        assert path.contains_point(point) == positive
    assert display.ax_ is ax


# --- the rows -------------------------------------------------------------------------------------------


def test_every_row_is_drawn_and_every_wrong_one_ringed():
    X, y = overlapping()
    model = FisherDiscriminant().fit(X, y)
    display = DecisionLineDisplay.from_estimator(model, X, y, ax=axes())
    for label, drawn in zip(model.classes_, display.rows_, strict=True):
        np.testing.assert_array_equal(drawn.get_offsets(), X[y == label])
        assert drawn.get_label() == label
    wrong = model.predict(X) != y
    assert wrong.any()
    np.testing.assert_array_equal(display.rings_.get_offsets(), X[wrong])
    assert display.ax_.get_title() == f"FisherDiscriminant: {wrong.sum()} of 80 rows wrong"


def test_classes_differ_in_marker_and_colour():
    X, y = overlapping()
    display = DecisionLineDisplay.from_estimator(FisherDiscriminant().fit(X, y), X, y, ax=axes())
    first, second = display.rows_
    assert first.get_paths()[0].vertices.shape != second.get_paths()[0].vertices.shape
    assert not np.array_equal(first.get_facecolor(), second.get_facecolor())


def test_rows_of_some_classes_only_keep_the_colours_of_the_model():
    X, y = overlapping()
    display = DecisionLineDisplay.from_estimator(
        FisherDiscriminant().fit(X, y), X[y == "yes"], y[y == "yes"], ax=axes()
    )
    assert [len(rows.get_offsets()) for rows in display.rows_] == [0, 40]


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame], ids=["pandas", "polars"])
def test_data_frames_name_the_axes(frame):
    X, y = overlapping()
    table = frame({"height": X[:, 0], "weight": X[:, 1]})
    model = make_pipeline(GaussianBasis(n_centres=5, random_state=0), FisherDiscriminant()).fit(table, y)
    display = DecisionLineDisplay.from_estimator(model, table, y, ax=axes())
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("height", "weight")


def test_sparse_rows_and_lists_are_drawn_alike():
    X, y = overlapping()
    model = FisherDiscriminant().fit(X, y)
    for table in (sparse.csr_array(X), X.tolist()):
        display = DecisionLineDisplay.from_estimator(model, table, y, ax=axes())
        np.testing.assert_array_equal(display.points, X)


# --- the trace ------------------------------------------------------------------------------------------


def test_the_path_is_the_trace():
    X, y = separable()
    model = Perceptron(trace=True, random_state=0).fit(X, y)
    display = DecisionLineDisplay.from_estimator(model, X, y)
    rows, path = display.axes_[0]
    assert rows is display.ax_
    drawn = path.collections[0].get_offsets()
    assert len(drawn) == len(model.trace_) > 3
    np.testing.assert_array_equal(drawn, model.trace_.w)
    lines = {line.get_label(): line.get_xydata() for line in path.lines}
    np.testing.assert_array_equal(lines["start"], model.trace_.w[:1])
    np.testing.assert_array_equal(lines["end"], model.coef_)
    assert path.get_title() == f"Path of $w$: {model.n_updates_} updates"


def test_earlier_lines_are_planes_of_the_trace_and_grow_stronger():
    X, y = separable()
    model = Perceptron(trace=True, random_state=0).fit(X, y)
    display = DecisionLineDisplay.from_estimator(model, X, y, ax=axes())
    assert len(display.axes_.flat) == 1
    assert 1 < len(display.earlier_) <= 12
    planes = [(step.w, step.theta) for step in model.trace_ if step.w.any()]
    for line in display.earlier_:
        points = vertices(line)
        off = min(np.abs(points @ w - theta).max() / np.linalg.norm(w) for w, theta in planes[:-1])
        assert off < 1e-9
    strengths = [line.get_alpha() for line in display.earlier_]
    assert strengths == sorted(strengths)
    assert strengths[0] < strengths[-1] < 1


def test_the_earlier_curves_of_a_basis_are_drawn_without_a_path():
    X, y = rings()
    model = make_pipeline(
        PolynomialFeatures(2, include_bias=False), Perceptron(trace=True, average=True, max_iter=20, random_state=0)
    ).fit(X, y)
    display = DecisionLineDisplay.from_estimator(model, X, y)
    assert display.path is None
    assert len(display.figure_.axes) == 1
    assert display.earlier_
    trace, phi = model[-1].trace_, model[0].transform(vertices(display.earlier_[0]))
    scores = np.abs(phi @ trace.w.T - trace.theta) / np.linalg.norm(trace.w, axis=1).clip(1e-9)
    assert scores.max(axis=0).min() < 0.01


@pytest.mark.parametrize("kept", [False, True])
def test_without_a_trace_there_are_no_earlier_lines(kept):
    X, y = separable()
    model = Perceptron(trace=kept, random_state=0).fit(X, y)
    display = DecisionLineDisplay.from_estimator(model, X, y, trace=False)
    assert display.earlier_ == []
    assert len(display.figure_.axes) == 1


def test_traces_of_several_planes_are_left_out():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 20)
    X = np.repeat([[0, 0], [6, 0], [0, 6]], 20, axis=0) + rng.normal(size=(60, 2))
    model = Perceptron(trace=True, random_state=0).fit(X, y)
    display = DecisionLineDisplay.from_estimator(model, X, y)
    assert display.earlier_ == []
    assert len(display.boundaries_) == 2


def test_votes_bend_the_line():
    X, y = overlapping()
    model = Perceptron(average="vote", max_iter=5, random_state=0).fit(X, y)
    display = DecisionLineDisplay.from_estimator(model, X, y, ax=axes())
    assert display.plane is None
    assert len(display.rings_.get_offsets()) == (model.predict(X) != y).sum()


# --- refusals -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [1, 3])
def test_other_than_two_columns_are_refused(d):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(20, d)), np.repeat([0, 1], 10)
    model = FisherDiscriminant().fit(X, y)
    with pytest.raises(ValueError, match=f"X must have two columns, got {d}"):
        DecisionLineDisplay.from_estimator(model, X, y, ax=axes())


def test_what_makes_no_sense_is_refused():
    X, y = overlapping()
    model = FisherDiscriminant().fit(X, y)
    with pytest.raises(ValueError, match="'perhaps', which is not among"):
        DecisionLineDisplay.from_estimator(model, X, np.where(y == "no", "perhaps", y), ax=axes())
    with pytest.raises(ValueError, match=r"NaN|nan"):
        DecisionLineDisplay.from_estimator(model, np.where(X > 2, np.nan, X), y, ax=axes())
    with pytest.raises(NotFittedError):
        DecisionLineDisplay.from_estimator(FisherDiscriminant(), X, y, ax=axes())
    with pytest.raises(TypeError, match="KMeans has no decision_function"):
        DecisionLineDisplay.from_estimator(KMeans(2, n_init=1, random_state=0).fit(X), X, y, ax=axes())
    with pytest.raises(ValueError, match="resolution must be"):
        DecisionLineDisplay.from_estimator(model, X, y, ax=axes(), resolution=1)


def test_labels_are_shown_as_they_are():
    X, y = overlapping()
    display = DecisionLineDisplay.from_estimator(
        LeastSquaresClassifier().fit(X, np.where(y == "no", "$1^$", "_hidden")),
        X,
        np.where(y == "no", "$1^$", "_hidden"),
        ax=axes(),
    )
    display.ax_.figure.canvas.draw()
    shown = {text.get_text() for text in display.figure_.findobj(Text)}
    assert r"\$1^\$" in shown
    assert any(text.endswith("_hidden") for text in shown)


def test_scores_of_pairs_of_classes_are_refused():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 2)), np.arange(80) % 4
    model = SVC(kernel="linear", decision_function_shape="ovo").fit(X, y)
    with pytest.raises(ValueError, match="6 scores for 4 classes"):
        DecisionLineDisplay.from_estimator(model, X, y, ax=axes())
