"""What a classifier that decides by gain tells of its held-out rows."""

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.cached import cached_property
from discriminant.decisions.aims import ThresholdCurve
from discriminant.decisions.held_out import HeldOut
from discriminant.decisions.interval import GainEstimate, held_out_gain
from discriminant.decisions.rules import Rule, RuleBuilder, assigned_across_folds, curve_of
from discriminant.gain import Gain
from discriminant.gain.curve import OperatingCurve

Array = NDArray[np.float64]


class HeldOutFigures:
    """The figures of a fitted `GainClassifier`, computed when they are asked for."""

    classes_: NDArray[Any]
    priors: Any
    priors_: Array
    rule_: Rule
    _held: HeldOut
    _rule_builder: RuleBuilder

    @abstractmethod
    def _check_fitted(self) -> None:
        """Refuse a model that was never fitted."""

    @property
    def threshold_(self) -> float:
        """The threshold of two classes: the second is assigned where the score is larger."""
        self._check_fitted()
        if self.rule_.threshold is None:
            why = "the gains differ by row" if self.classes_.size == 2 else f"there are {self.classes_.size} classes"
            raise AttributeError(f"there is no single threshold: {why}; decisions come from predict_proba and the gain")
        return self.rule_.threshold

    @property
    def gain_(self) -> Gain:
        """What each assignment earns, classes in the order of ``classes_``; by row where gains differ by row."""
        self._check_fitted()
        return self._held.gain

    @property
    def expected_gain_(self) -> float:
        """What a row earns, estimated on rows that neither the learner nor the rule had seen."""
        self._check_fitted()
        return self._estimate.mean

    @property
    def expected_gain_interval_(self) -> tuple[float, float]:
        """A 95% interval for the expected gain."""
        self._check_fitted()
        return self._estimate.low, self._estimate.high

    @cached_property
    def _estimate(self) -> GainEstimate:
        known = None if self.priors is None else self.priors_
        return held_out_gain(self._held, self.rule_, self._assigned_across_folds, known)

    @cached_property
    def _assigned_across_folds(self) -> NDArray[np.intp]:
        return assigned_across_folds(self._held, self._rule_builder.rule)

    @property
    def threshold_curve_(self) -> ThresholdCurve:
        """What decisions about held-out rows are worth at each threshold."""
        self._check_fitted()
        if self.rule_.threshold is None:
            raise AttributeError("a curve of thresholds is of two classes, with one gain for all rows")
        return self._rule_builder.curve(self._held)

    @property
    def operating_curve_(self) -> OperatingCurve:
        """Misdetect and false-alarm rates of held-out scores at every threshold."""
        self._check_fitted()
        if self.classes_.size > 2:
            raise AttributeError(f"an operating curve is of two classes; there are {self.classes_.size}")
        return curve_of(self._held)
