"""A row exactly on the threshold: score > θ assigns the second (the positive) class, so that such a row gets the first.

Scores here are small whole numbers, which no sum rounds.
"""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import discriminant as dc
from discriminant.cli.main import main
from discriminant.export import Vectors, export
from discriminant.gain import best_threshold, operating_curve
from discriminant.model import load, save
from discriminant.model.decision_model import Posterior
from discriminant.model.settings import with_threshold
from discriminant.plots.scores import threshold_at
from tests.export import models
from tests.export.runtimes import need

X, y = np.array([[0.0], [1.0], [3.0], [4.0]]), np.array(["no", "no", "yes", "yes"])
BEFORE, ON, AFTER = [1.0], [2.0], [3.0]
LEARNERS = (
    dc.LinearDiscriminantAnalysis,
    dc.FisherDiscriminant,
    dc.LeastSquaresClassifier,
    dc.LogisticRegression,
    dc.LinearSVM,
    dc.Perceptron,
    dc.PocketPerceptron,
    dc.Adaline,
)


@pytest.mark.filterwarnings("ignore::discriminant.findings.FindingWarning")
@pytest.mark.parametrize("learner", LEARNERS)
def test_learners(learner):
    model = learner().fit(X, y)
    model.coef_, model.intercept_ = np.array([[1.0]]), np.array([-2.0])
    assert model.decision_function([BEFORE, ON, AFTER]).tolist() == [-1.0, 0.0, 1.0]
    assert model.predict([BEFORE, ON, AFTER]).tolist() == ["no", "no", "yes"]


def test_gain_classifier():
    model = dc.GainClassifier(dc.FisherDiscriminant(), cv=2).fit(X, y)
    model.rule_ = replace(model.rule_, threshold=float(model.learner_.decision_function([ON])[0]))
    assert model.decision_function([ON]).tolist() == [0.0]
    assert model.predict([BEFORE, ON, AFTER]).tolist() == ["no", "no", "yes"]


def test_operating_curve_and_thresholds():
    score = X[:, 0]
    curve = operating_curve(y, score)
    assert curve.thresholds.tolist() == [4.0, 3.0, 1.0, 0.0, -np.inf]
    for theta, detected, alarms in zip(curve.thresholds, curve.detected, curve.alarms, strict=True):
        given = threshold_at(curve, theta)
        assert given.decide(score).tolist() == (score > theta).tolist()
        assert (detected, alarms) == ((score[2:] > theta).sum(), (score[:2] > theta).sum())
        assert curve.joint(theta)[1, 1] == detected / 4
        assert given.joint[1, 1] == detected / 4
    found = best_threshold(curve, by="accuracy")
    assert (found.threshold, found.decide([1.0, 2.0, 3.0]).tolist()) == (2.0, [False, False, True])
    assert "where the score is above 2" in str(found)


def test_neighbouring_floats_are_told_apart():
    low, high = 1.0, float(np.nextafter(1.0, 2.0))
    found = best_threshold([0, 1], [low, high], by="accuracy")
    assert found.decide([low, high]).tolist() == [False, True]


@pytest.fixture
def on_the_plane():
    """The model w·x > 2 of one column, with even odds on the plane."""
    made = models.model([models.number("x", centre=0.0, scale=1.0)], ("no", "yes"), rule="threshold")
    return replace(made, weights=np.array([[1.0]]), thresholds=np.array([2.0]), posterior=Posterior(1.0, (0.0, 0.0)))


def test_model_file_and_command(on_the_plane, tmp_path, monkeypatch):
    table = {"x": [1.0, 2.0, 3.0]}
    assert on_the_plane.predict(pa.table(table)).tolist() == ["no", "no", "yes"]
    path = tmp_path / "model.json"
    save(on_the_plane, path)
    assert load(path).predict(pa.table(table)).tolist() == ["no", "no", "yes"]
    (tmp_path / "rows.csv").write_text("x\n1\n2\n3\n")
    command = ["discriminant", "predict", path, tmp_path / "rows.csv", "-o", tmp_path / "out.csv"]
    monkeypatch.setattr("sys.argv", [*map(str, command), "--threshold", "0.5"])
    with pytest.raises(SystemExit) as ended:
        main()
    assert not ended.value.code
    assert [line.split(",")[1] for line in (tmp_path / "out.csv").read_text().split()[1:]] == ["no", "no", "yes"]


def test_threshold_of_the_probability(on_the_plane):
    """Even odds, and a threshold at even odds: no row is above it; nor is one where all probabilities are the same."""
    model = with_threshold(on_the_plane, 0.5)
    assert model.predict_proba({"x": [2.0]})[0].tolist() == [0.5, 0.5]
    assert model.predict({"x": [2.0]}).tolist() == ["no"]
    flat = with_threshold(replace(on_the_plane, posterior=Posterior(0.0, (0.0, 0.0))), 0.5)
    assert flat.predict({"x": [1.0, 2.0, 3.0]}).tolist() == ["no"] * 3


@pytest.mark.parametrize(
    ("to", "dialect"),
    [("sql", "sqlite"), ("sql", "duckdb"), ("c", None), ("js", None), ("python", None), ("onnx", None)],
)
def test_exports(on_the_plane, to, dialect):
    need(to, dialect)
    vectors = Vectors.of(on_the_plane, {"x": [1.0, 2.0, 3.0]})
    assert list(vectors.labels) == ["no", "no", "yes"]
    result = export(on_the_plane, to, dialect=dialect).check(vectors)
    assert (result.passed, result.flips) == (True, 0), result.text
