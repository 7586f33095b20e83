"""The rows of a soft slab, with what the planes of all their classes share."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discriminant.cached import cached_property
from discriminant.losses import SQUARED_HINGE
from discriminant.optimise.centred_rows import CentredRows
from discriminant.optimise.subspace_rows import SubspaceRows
from discriminant.rows import ArrayRows
from discriminant.statistics.margin_risk import MarginRisk
from discriminant.statistics.origin_risk import OriginRisk

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SoftSlab:
    """Rows, and the price C of a unit of loss."""

    rows: ArrayRows
    C: float

    @cached_property
    def u(self) -> Array:
        """C ω of each row."""
        return self.C * self.rows.weights

    @cached_property
    def centred(self) -> CentredRows:
        """The rows about a point among them."""
        return CentredRows.for_squares(self.rows)

    @cached_property
    def subspace(self) -> SubspaceRows | None:
        """The space that the rows span, where they are fewer than the columns."""
        return SubspaceRows.of_wide(self.rows)

    @cached_property
    def _squared(self) -> MarginRisk:
        rows = self.subspace.in_place_of(self.rows) if self.subspace else self.rows
        risk = MarginRisk(rows, rows.signs(1), SQUARED_HINGE, penalty=1.0 / self.C)
        if risk.few is not None:
            _ = risk.ridge  # made once for all planes, as the rows themselves
        return risk

    @property
    def has_origin_risk(self) -> bool:
        """Whether planes through the origin are found from the rows alone, without images on the other side."""
        return self.subspace is None and self._squared.few is None

    def origin_risk(self, sign: NDArray[np.int8]) -> OriginRisk:
        """`squared_risk` with b = 0, of rows as they are."""
        return OriginRisk.of(self._squared.with_signs(sign))

    def squared_risk(self, sign: NDArray[np.int8]) -> MarginRisk:
        """½‖w‖²/C + Σ ω max(0, 1 − m)², in coordinates that are the same whatever the signs."""
        return self._squared.with_signs(sign)
