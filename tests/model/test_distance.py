"""The distance of rows from the boundary between several classes."""

import numpy as np
import pytest

from discriminant.gain import Gain
from discriminant.model import DecisionModel, Posterior, Target
from discriminant.model.boundary import distance
from discriminant.table.encoding import Column, Encoding, Feature

ENCODING = Encoding(tuple(Column(f"x{j}", "number", (Feature(f"x{j}", "value", 0.0, 1.0),)) for j in range(3)))


@pytest.mark.parametrize("kind", ["largest", "accuracy", "weighted"])
def test_moving_less_than_the_distance_changes_no_answer(kind):
    random = np.random.default_rng(0)
    W, theta = random.standard_normal((4, 3)), random.standard_normal(4)
    gain = Gain(np.diag([1.0, 2.0, 5.0, 1.0]) if kind == "weighted" else np.eye(4))
    posterior = None if kind == "largest" else Posterior(2.0, (0.0, 0.5, -0.5, 0.1))
    rule = "largest" if kind == "largest" else "gain"
    model = DecisionModel(Target("y", tuple("abcd")), ENCODING, W, theta, rule, gain, posterior)
    X = random.standard_normal((50, 3))
    decided = model.decide(X)
    assert model.has_distance
    for x, answer, away, scores in zip(X, decided.assigned, decided.distance, decided.scores, strict=True):
        steps = random.standard_normal((2000, 3))
        steps *= away / np.linalg.norm(steps, axis=1, keepdims=True)
        assert (model.decide(x + 0.999 * steps).assigned == answer).all()
        assert (model.decide(x + 1.1 * steps).assigned != answer).any()
        assert away == pytest.approx(distance(model, int(answer), scores), rel=1e-9)


def test_curved_boundaries_have_no_distance():
    gain = Gain(np.random.default_rng(0).standard_normal((4, 4)))
    model = DecisionModel(
        Target("y", tuple("abcd")), ENCODING, np.eye(4)[:, :3], np.zeros(4), "gain", gain, Posterior(1.0, (0.0,) * 4)
    )
    assert not model.has_distance
    assert model.decide(np.zeros((2, 3))).distance is None
