"""Cells tile the box, hold the points of their class, and are bounded by pieces of the planes between classes."""

from fractions import Fraction
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression as TheirLogisticRegression
from sklearn.svm import SVC

from discriminant import (
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    NaiveBayes,
    OneVsAll,
    OneVsOne,
    Perceptron,
)
from discriminant.learners.base import LinearClassifier
from discriminant.multiclass import decision_cells, neighbours
from discriminant.multiclass.cells import polygon_area
from tests.tables import seeds

BOX = ((-2.0, 3.0), (-1.0, 1.5))


class Planes(LinearClassifier):
    def fit(self, X, y):
        return self


def given_planes(coef, intercept):
    """A classifier of given planes."""
    model = Planes()
    model.coef_ = np.array(coef, dtype=float)
    model.intercept_ = np.array(intercept, dtype=float)
    model.classes_ = np.array([chr(97 + k) for k in range(max(len(model.coef_), 2))])
    model.n_features_in_ = model.coef_.shape[1]
    return model


def random_planes(seed, n_classes, whole=False):
    rng = np.random.default_rng(seed)
    shape = (1 if n_classes == 2 else n_classes, 3)
    planes = rng.integers(-3, 4, shape) if whole else rng.standard_normal(shape)
    return given_planes(planes[:, :2], planes[:, 2])


def scores_of_classes(model, points):
    scores = model.decision_function(points)
    return np.column_stack([np.zeros(len(points)), scores]) if scores.ndim == 1 else scores


def inside(polygon, points):
    """How far each point lies inside a counter-clockwise polygon, at least."""
    edges = np.roll(polygon, -1, axis=0) - polygon
    normals = np.column_stack([-edges[:, 1], edges[:, 0]]) / np.linalg.norm(edges, axis=1)[:, None]
    return np.einsum("md,nmd->nm", normals, points[:, None] - polygon).min(axis=1)


def box_size(box):
    return (box[0][1] - box[0][0]) * (box[1][1] - box[1][0])


@given(seeds, st.integers(2, 9), st.booleans())
@settings(max_examples=200)
def test_cells_tile_the_box_and_hold_the_points_of_their_class(seed, n_classes, whole):
    model = random_planes(seed, n_classes, whole)
    found = decision_cells(model, BOX)
    assert all(area >= 0 for area in found.areas.values())
    assert sum(found.areas.values()) == pytest.approx(box_size(BOX), rel=1e-12)
    points = np.random.default_rng(seed).uniform(*np.transpose(BOX), (60, 2))
    ranked = np.sort(scores_of_classes(model, points), axis=1)
    clear = ranked[:, -1] - ranked[:, -2] > 1e-9
    for label in model.classes_.tolist():
        own = points[(model.predict(points) == label) & clear]
        assert not len(own) or inside(found.cells[label], own).min() >= -1e-12


@given(seeds, st.integers(2, 9), st.booleans())
@settings(max_examples=200)
def test_pieces_lie_on_both_planes_and_make_up_all_edges_inside_the_box(seed, n_classes, whole):
    model = random_planes(seed, n_classes, whole)
    found = decision_cells(model, BOX)
    labels = model.classes_.tolist()
    for a, b, start, end in found.pieces:
        points = np.array([start, end, (start + end) / 2])
        scores = scores_of_classes(model, points)
        i, j = labels.index(a), labels.index(b)
        assert i < j
        assert len(found.cells[a])
        assert len(found.cells[b])
        assert np.abs(scores[:, i] - scores[:, j]).max() < 1e-12
        assert (scores.max(axis=1) - scores[:, i]).max() < 1e-12
    inner = sum(np.linalg.norm(end - start) for _, _, start, end in found.pieces)
    around = sum(np.linalg.norm(np.roll(c, -1, axis=0) - c, axis=1).sum() for c in found.cells.values())
    box_edge = 2 * (BOX[0][1] - BOX[0][0] + BOX[1][1] - BOX[1][0])
    assert 2 * inner == pytest.approx(around - box_edge, abs=1e-9)


@given(seeds, st.integers(3, 6))
@settings(max_examples=30)
def test_areas_are_those_of_exact_clipping(seed, n_classes):
    """The same half-planes in rational numbers."""
    model = random_planes(seed, n_classes)
    found = decision_cells(model, BOX)
    W = [[Fraction(v) for v in w] for w in model.coef_.tolist()]
    b = [Fraction(v) for v in model.intercept_.tolist()]
    for k, label in enumerate(model.classes_.tolist()):
        (left, right), (bottom, top) = [[Fraction(v) for v in side] for side in BOX]
        polygon = [(left, bottom), (right, bottom), (right, top), (left, top)]
        for j in range(n_classes):
            if j != k:
                polygon = exact_cut(polygon, W[k][0] - W[j][0], W[k][1] - W[j][1], b[k] - b[j])
        assert found.areas[label] == pytest.approx(float(exact_area(polygon)), abs=1e-12)


def exact_cut(polygon, u, v, c):
    kept = []
    for (x, y), (x2, y2) in zip(polygon, polygon[1:] + polygon[:1], strict=True):
        s, s2 = u * x + v * y + c, u * x2 + v * y2 + c
        if s >= 0:
            kept.append((x, y))
        if s * s2 < 0:
            t = s / (s - s2)
            kept.append((x + t * (x2 - x), y + t * (y2 - y)))
    return kept


def exact_area(polygon):
    pairs = zip(polygon, polygon[1:] + polygon[:1], strict=True)
    return sum((x * y2 - x2 * y for (x, y), (x2, y2) in pairs), Fraction(0)) / 2


@given(seeds, st.integers(2, 6), st.sampled_from([-300, -12, 8, 250]), st.sampled_from([-200, 0, 12]))
def test_units_of_the_columns_change_nothing_but_units(seed, n_classes, first, second):
    model = random_planes(seed, n_classes)
    units = np.array([10.0**first, 10.0**second])
    scaled = given_planes(model.coef_ / units, model.intercept_)
    box = tuple((low * unit, high * unit) for (low, high), unit in zip(BOX, units, strict=True))
    a, b = decision_cells(model, BOX), decision_cells(scaled, box)
    assert [(p.a, p.b) for p in a.pieces] == [(p.a, p.b) for p in b.pieces]
    for label, corners in a.cells.items():
        assert np.allclose(b.cells[label] / units, corners, atol=1e-12)


def test_three_lines_that_meet_in_a_point():
    found = decision_cells(given_planes([[1, 0], [0, 1], [-1, -1]], [0, 0, 0]), ((-1, 1), (-1, 1)))
    assert {(a, b) for a, b, *_ in found.pieces} == {("a", "b"), ("a", "c"), ("b", "c")}
    for _, _, start, end in found.pieces:
        assert min(np.abs(start).max(), np.abs(end).max()) < 1e-15


def test_a_class_that_is_level_with_an_earlier_one_or_beaten_everywhere_has_no_cell():
    same = decision_cells(given_planes([[1, 0], [1, 0], [-1, 0]], [0, 0, 0]), BOX)
    assert len(same.cells["b"]) == 0
    assert [(a, b) for a, b, *_ in same.pieces] == [("a", "c")]
    touching = decision_cells(given_planes([[1, 0], [0, 0], [-1, 0]], [0, 0, 0]), BOX)  # b ties on the line x = 0 alone
    assert len(touching.cells["b"]) == 0
    assert [(a, b) for a, b, *_ in touching.pieces] == [("a", "c")]
    flat = decision_cells(given_planes([[0, 0]], [0]), BOX)
    assert flat.areas == {"a": box_size(BOX), "b": 0.0}
    assert flat.pieces == []


@pytest.mark.parametrize(
    "model",
    [
        LinearDiscriminantAnalysis(),
        LeastSquaresClassifier(),
        NaiveBayes(marginal="gaussian"),
        Perceptron(random_state=0, average=True),
        OneVsAll(LinearDiscriminantAnalysis()),
        OneVsAll(TheirLogisticRegression()),
        TheirLogisticRegression(),
    ],
    ids=str,
)
def test_fitted_models(model):
    X, y = load_iris(return_X_y=True)
    X = X[:, :2]
    model.fit(X, y)
    found = decision_cells(model, ((4, 8), (2, 4.5)))
    assert sum(found.areas.values()) == pytest.approx(10.0, rel=1e-12)
    for point, label in zip(X, model.predict(X).tolist(), strict=True):
        assert inside(found.cells[label], point[None])[0] > -1e-9


def test_a_model_of_named_columns():
    iris = load_iris()
    frame = pd.DataFrame(iris.data[:, :2], columns=["length", "width"])
    found = decision_cells(LinearDiscriminantAnalysis().fit(frame, iris.target), BOX)
    assert sum(found.areas.values()) == pytest.approx(box_size(BOX))


@given(seeds, st.integers(2, 7), st.sampled_from([1e-9, 1.0, 1e9]))
def test_without_a_box_the_meeting_points_are_shown(seed, n_classes, unit):
    model = random_planes(seed, n_classes)
    model.coef_ /= [unit, 1.0]
    found = decision_cells(model)
    assert sum(found.areas.values()) == pytest.approx(box_size(found.box), rel=1e-9)
    assert found.pieces or (scores_of_classes(model, np.zeros((1, 2))).argmax() >= 0 and len(neighbours(model)) == 0)


def test_polygon_area():
    assert polygon_area(np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0]]) + 1e6) == 2.0
    assert polygon_area(np.empty((0, 2))) == 0.0


# --- neighbours -----------------------------------------------------------------------------------------


@given(seeds, st.integers(2, 7))
@settings(max_examples=40)
def test_neighbours_in_the_plane_are_the_pairs_with_a_piece_in_a_large_box(seed, n_classes):
    model = random_planes(seed, n_classes)
    found = decision_cells(model, ((-1e4, 1e4), (-1e4, 1e4)))
    long_enough = {(a, b) for a, b, start, end in found.pieces if np.linalg.norm(end - start) > 1e-4}
    assert set(neighbours(model)) >= long_enough
    assert set(neighbours(model)) <= {(a, b) for a, b, *_ in decision_cells(model, ((-1e7, 1e7),) * 2).pieces}


@given(seeds)
@settings(max_examples=20)
def test_classes_in_a_row_have_neighbours_beside_them_alone(seed):
    """Equal steps along one direction, in five columns of any unit."""
    rng = np.random.default_rng(seed)
    direction = rng.standard_normal(5) * 10.0 ** rng.integers(-100, 100, 5)
    steps = np.arange(4.0)
    model = given_planes(steps[:, None] * direction, -(steps**2))
    assert neighbours(model) == [("a", "b"), ("b", "c"), ("c", "d")]


def test_independent_planes_are_all_neighbours():
    model = given_planes(np.random.default_rng(0).standard_normal((5, 8)), np.zeros(5))
    assert neighbours(model) == list(combinations("abcde", 2))
    assert neighbours(given_planes([[1.0, 2.0]], [0.5])) == [("a", "b")]
    assert neighbours(given_planes([[0.0, 0.0]], [0.5])) == []
    assert neighbours(given_planes([[1, 0], [1, 0], [-1, 0]], [0, 0, 0])) == [("a", "c")]
    assert neighbours(given_planes([[1, 0], [0, 0], [-1, 0]], [0, 0, 0])) == [("a", "c")]
    assert neighbours(given_planes([[1, 0], [0, 0], [-1, 0]], [0, -1, 0])) == [("a", "c")]
    assert neighbours(given_planes([[1, 0], [0, 0], [-1, 0]], [0, 1, 0])) == [("a", "b"), ("b", "c")]


# --- bad input ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("box", "message"),
    [
        ((0, 1), "left, right"),
        (((1, 0), (0, 1)), "left < right"),
        (((0, np.inf), (0, 1)), "finite"),
        (((-1.7e308, 1.7e308), (0, 1)), "finite"),
        (((0, 1), (0, 0)), "bottom < top"),
    ],
)
def test_boxes_that_are_none(box, message):
    with pytest.raises(ValueError, match=message):
        decision_cells(given_planes([[1, 2]], [0]), box)


def test_models_whose_regions_are_not_those_of_planes():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(ValueError, match="two columns, and it has 4"):
        decision_cells(LinearDiscriminantAnalysis().fit(X, y))
    X = X[:, :2]
    with pytest.raises(TypeError, match="does not decide by"):
        decision_cells(OneVsOne(LinearDiscriminantAnalysis()).fit(X, y))
    with pytest.raises(TypeError, match="does not decide by"):
        decision_cells(SVC(kernel="linear").fit(X, y))
    with pytest.raises(TypeError, match="does not decide by"):
        decision_cells(NaiveBayes().fit(X > 4, y))
    with pytest.raises(TypeError, match="6 planes for 4 classes"):
        neighbours(OneVsOne(LinearDiscriminantAnalysis()).fit(X, np.arange(150) % 4))
    with pytest.raises(TypeError, match="no coef_"):
        neighbours(SVC().fit(X, y))
