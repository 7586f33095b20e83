"""Learners that are functions of class moments: Fisher, LDA, least squares."""

from abc import abstractmethod
from contextlib import nullcontext
from functools import partial
from typing import Any

import numpy as np

from discriminant.learners.additive import AdditiveLearner
from discriminant.learners.diagnosis import Shape
from discriminant.learners.moment_backends import Evidence, MomentEvidence, gather
from discriminant.rows import ArrayRows, Rows
from discriminant.rows.threads import single_threaded_blas
from discriminant.statistics.moments import ClassMoments


class MomentsLearner(AdditiveLearner):
    """Keeps evidence in the form that suits the shape of the rows."""

    _evidence: Evidence

    @abstractmethod
    def learn_from(self, evidence: Evidence, rows: ArrayRows | None) -> None:
        """Set the attributes from the evidence; ``rows`` are there in ``fit`` alone."""

    def wants_each_class(self) -> bool | None:
        """Whether to keep the scatter of each class: always, never, or (None) where it is small."""
        return None

    def _fit_rows(self, rows: Rows) -> None:
        if not isinstance(rows, ArrayRows):
            super()._fit_rows(rows)
            return
        # threaded BLAS pays where one large factorisation is all there is to do: in the row space
        with nullcontext() if rows.n_rows < rows.n_columns else single_threaded_blas():
            evidence = gather(rows, per_class=self.wants_each_class())
            self.learn_from(evidence, rows)
        self.keep(evidence.kept())

    def keep(self, evidence: Evidence) -> None:
        """Remember what was learnt from, for all that is asked later."""
        self._evidence = evidence

    def summarise(self, rows: Rows) -> ClassMoments:
        """The class moments, d×d."""
        return rows.fold(partial(ClassMoments.of_rows, per_class=self.wants_each_class()))

    def _kept(self) -> ClassMoments | None:
        return self._evidence.moments(self.wants_each_class()) if "_evidence" in self.__dict__ else None

    def learn(self, statistics: ClassMoments) -> None:
        """Set the attributes from class moments, which are all that is known of the rows."""
        evidence = self._evidence_of(statistics)
        self.learn_from(evidence, None)
        self.keep(evidence)

    def _evidence_of(self, moments: ClassMoments) -> MomentEvidence:
        rows_of_class = np.rint(np.minimum(moments.counts, 2.0**62)).astype(np.int64)
        return MomentEvidence(moments, Shape(self.column_names_in(), int(moments.n), rows_of_class, False), summed=True)


def read_shrinkage(shrinkage: Any) -> float | str | None:
    """None, "auto", or a number from 0 to 1."""
    if shrinkage is None:
        return None
    if isinstance(shrinkage, str) and shrinkage == "auto":
        return "auto"
    if isinstance(shrinkage, bool) or not isinstance(shrinkage, int | float | np.integer | np.floating):
        raise ValueError(f"shrinkage must be None, 'auto' or a number from 0 to 1, got {shrinkage!r}")
    if not 0.0 <= shrinkage <= 1.0:
        raise ValueError(f"shrinkage must lie between 0 and 1, got {shrinkage!r}")
    return float(shrinkage)
