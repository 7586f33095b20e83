"""A classifier that decides by gain, where classes are more or less common than among the rows of its fit."""

from collections.abc import Mapping
from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discriminant.decisions.prior_shift import estimated_priors

Array = NDArray[np.float64]


class OtherPriors:
    """What a fitted `GainClassifier` makes of other priors; no row is touched."""

    learner: Any
    priors: Any
    priors_: Array
    calibration_: str | None
    _check_fitted: Any
    _decide_for: Any
    predict_log_proba: Any

    def with_priors(self, priors: ArrayLike | Mapping[Any, float] | None) -> Self:
        """The same model where classes are more or less common; no row is touched. None: as common as in ``fit``.

        Parameters
        ----------
        priors : class probabilities in the order of ``classes_``, or by class.

        Returns
        -------
        Self
            Another model.
        """
        self._check_fitted()
        model = copy(self)
        model.priors = priors
        model._decide_for(priors)
        return model

    def estimate_priors(self, X: Any) -> Array:
        """Class probabilities among unlabelled rows, in the order of ``classes_``, by EM (see `prior_shift`).

        Parameters
        ----------
        X : rows without labels.

        Returns
        -------
        ndarray
            K probabilities, in the order of ``classes_``.
        """
        self._check_fitted()
        if self.calibration_ is None:
            raise ValueError(
                f"priors are estimated from probabilities, and the scores of {type(self.learner).__name__} are none; "
                "set calibration='auto'"
            )
        return estimated_priors(self.predict_log_proba(X), self.priors_)
