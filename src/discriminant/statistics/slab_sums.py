"""Sums that prove a soft slab of the squared hinge: what its multipliers add up to on either side of each plane.

α = 2u max(0, 1 − m),   m = c(w·x + b),   u = C ω
"""

from dataclasses import dataclass

import numpy as np

from discriminant.rows import ArrayRows
from discriminant.statistics.margin_risk import MarginRisk
from discriminant.statistics.one_vs_rest_risk import OneVsRestRisk
from discriminant.statistics.penalised_risk import Array
from discriminant.statistics.source_risk import BlockCriterion


@dataclass(frozen=True)
class SlabSums:
    """Sums over the rows with c = +1, and those with c = −1, of each plane: Σα, Σ α c z and Σ u max(0, 1 − m)².

    ``least`` is the least margin of each plane.
    """

    alpha: Array  # planes × 2
    combined: Array  # planes × 2 × d
    loss: Array  # planes × 2
    least: Array  # planes

    def __add__(self, other: "SlabSums") -> "SlabSums":
        return SlabSums(
            self.alpha + other.alpha,
            self.combined + other.combined,
            self.loss + other.loss,
            np.minimum(self.least, other.least),
        )


@dataclass(frozen=True)
class SlabSumsAt:
    """The sums of a block at given planes: what a fold takes."""

    criterion: BlockCriterion
    planes: Array  # in the coordinates of the criterion
    C: float

    def __call__(self, block: ArrayRows) -> SlabSums:
        """Plane by plane."""
        risk = self.criterion.of(block)
        assert isinstance(risk, MarginRisk | OneVsRestRisk)
        of_planes = [risk] if isinstance(risk, MarginRisk) else risk.planes
        parts = [self._of_plane(one, u) for one, u in zip(of_planes, self.planes, strict=True)]
        return SlabSums(*(np.array(column) for column in zip(*parts, strict=True)))

    def _of_plane(self, risk: MarginRisk, u: Array) -> tuple[Array, Array, Array, float]:
        c = risk.sign.astype(np.float64)
        margin = c * risk.scores(u)
        lack = np.maximum(0.0, 1.0 - margin)
        alpha = 2.0 * self.C * risk.rows.weights * lack
        sides = np.column_stack([c > 0, c < 0])
        combined = risk.scaled_rows.combination((alpha * c)[:, None] * sides)[:, :-1]
        return alpha @ sides, combined, 0.5 * (alpha * lack) @ sides, float(margin.min())
