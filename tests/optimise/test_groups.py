"""Groups of weights on a quadratic model."""

import numpy as np
import pytest

from discriminant.optimise.composite.group_quadratic import minimise_grouped
from discriminant.optimise.composite.groups import GroupedPenalty
from discriminant.optimise.composite.penalty import WeightPenalty


def penalty(d, l1, l2):
    alone = WeightPenalty(np.full(d, l1), np.full(d, l2), np.full(d, -np.inf), np.full(d, np.inf))
    return GroupedPenalty.together(alone, [np.array([0, 1])], l1)


@pytest.mark.parametrize("strength", [0.1, 10.0])
def test_a_group_without_curvature_is_held_by_its_ridge_alone(strength):
    """Its least point is −slope(1 − λ_G/‖slope‖)/λ₂, or zero."""
    slope, l2 = np.array([3.0, -4.0, 0.5]), 0.5
    H = np.diag([0.0, 0.0, 2.0])
    found = minimise_grouped(H, slope, np.zeros(3), penalty(3, strength, l2), 1e-9)
    share = max(0.0, 1.0 - strength * np.sqrt(2) / 5.0)
    assert found[:2] == pytest.approx(-slope[:2] * share / l2, rel=1e-9, abs=1e-12)
    assert found[2] == pytest.approx(-max(0.5 - strength, 0.0) / (2.0 + l2), rel=1e-9, abs=1e-12)
