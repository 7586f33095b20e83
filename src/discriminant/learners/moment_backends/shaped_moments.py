"""Class moments of a source, with what findings say of its table: summed in the same pass."""

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from discriminant.learners.diagnosis import Shape
from discriminant.rows import ArrayRows, Rows
from discriminant.rows.labels import places_of
from discriminant.statistics.moments import ClassMoments


@dataclass(frozen=True)
class ShapedMoments:
    """Moments, the number of rows of each class (whatever their weights), and whether all came as float32."""

    moments: ClassMoments
    class_rows: NDArray[np.int64]
    float32: bool

    @classmethod
    def of_rows(cls, rows: ArrayRows, *, per_class: bool | None = None) -> "ShapedMoments":
        """The moments of a block."""
        moments = ClassMoments.of_rows(rows, per_class=per_class)
        shape = Shape.of(rows, moments.counts)
        return cls(moments, shape.class_rows, shape.float32)

    @classmethod
    def of_source(cls, rows: Rows, *, per_class: bool | None = None) -> "ShapedMoments":
        """The moments of rows wherever they are; sums that the source makes itself tell rows by their weights alone."""
        moments = ClassMoments.of_summing_source(rows, per_class=per_class)
        if moments is None:
            return rows.fold(partial(cls.of_rows, per_class=per_class))
        return cls(moments, np.rint(np.minimum(moments.counts, 2.0**62)).astype(np.int64), False)

    def __add__(self, other: "ShapedMoments") -> "ShapedMoments":
        """The moments of both sets of rows."""
        moments = self.moments + other.moments
        class_rows = np.zeros(moments.classes.size, dtype=np.int64)
        for part in (self, other):
            class_rows[places_of(part.moments.classes, moments.classes)] += part.class_rows
        return ShapedMoments(moments, class_rows, self.float32 and other.float32)

    def shape(self, names: tuple[str, ...] | None) -> Shape:
        """What findings say of the table."""
        return Shape(names, int(self.class_rows.sum()), self.class_rows, self.float32)
