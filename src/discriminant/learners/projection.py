"""The discriminant directions as a transformation: rows -> at most K − 1 coordinates."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin

from discriminant.learners.base import linear_scores
from discriminant.linalg.discriminant_directions import ClassContrasts

Array = NDArray[np.float64]


class ProjectionMixin(ClassNamePrefixFeaturesOutMixin, TransformerMixin):
    """`transform` to the directions w of greatest J(w) = w·S_B w/w·S_W w, scaled to unit covariance.

    Directions without any spread within the classes come first, as unit vectors, with J infinite.
    """

    n_components: int | None = None
    scalings_: Array
    _projection_centre: Array

    def _refuse_n_components(self) -> None:
        """Refuse a number of directions that is none."""
        wanted = self.n_components
        if isinstance(wanted, bool) or not isinstance(wanted, int | np.integer) or wanted < 1:
            raise ValueError(f"n_components must be None or a positive integer, got {wanted!r}")

    def _set_projection(self, contrast: ClassContrasts, centre: Array, divisor: float) -> None:
        """Directions of a covariance S_W/divisor; ``eigenvalues_`` are their J, eigenvalues of S_W⁻¹S_B."""
        wanted = self.n_components
        possible = contrast.directions.shape[1]
        most = min(len(contrast.solved) - 1, len(contrast.directions))
        if wanted is not None and wanted > max(possible, most):
            raise ValueError(
                f"n_components cannot be larger than {most}, and is {wanted}: {len(contrast.solved)} classes in "
                f"{len(contrast.directions)} columns have no more discriminant directions"
            )
        self.scalings_ = contrast.directions[:, :wanted]
        self.eigenvalues_ = contrast.ratios / divisor
        total = contrast.ratios.sum()
        endless = np.isinf(contrast.ratios)
        share = endless / endless.sum() if endless.any() else contrast.ratios / total if total else contrast.ratios
        self.explained_variance_ratio_ = share[:wanted]
        self._projection_centre = centre
        self._n_features_out = self.scalings_.shape[1]

    def transform(self, X: Any) -> Array:
        """Coordinates along the discriminant directions, measured from the mean.

        Parameters
        ----------
        X : a table with the columns of the fit.

        Returns
        -------
        ndarray
            n×(number of directions).
        """
        matrix = self.read_columns(X)
        scores = linear_scores(matrix, self.scalings_.T, -self._projection_centre @ self.scalings_)
        if not np.isfinite(scores).all():
            self.refuse_scores(matrix, scores)
        return scores
