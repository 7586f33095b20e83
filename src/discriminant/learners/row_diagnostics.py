"""What a fitted likelihood says of rows: residuals, leverage, influence, marginal effects, sandwich covariances.

With p the probability of the second class, x̃ = (x, 1), ω the weight of a row and C the covariance of the weights:

    response residual  y − p          Pearson  √ω (y − p)/√(p(1−p))          deviance  ±√(2ω log 1/p(y | x))
    leverage  h = ω p(1−p) x̃′Cx̃      Cook's distance  r² h/(k(1−h)²), r Pearson's residual, k weights
    sandwich  C (Σ_g s_g s_g′) C,     s_g the gradients of the rows of group g, each row a group unless told
    average marginal effect of column j on p_k:  mean over rows of ∂p_k/∂x_j = p_k(w_kj − Σ_l p_l w_lj)
    interval of p_k  those with log-odds η ∓ z√(a′Va), η = log p_k/(1−p_k), a_j = ∂η/∂s_j, V the covariance of scores

They need rows, and a fitted model keeps none: rows are given again.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.special import expit, logsumexp
from scipy.stats import norm

from discriminant.findings import column_names
from discriminant.hyperplane import Planes
from discriminant.parameters import read_choice, read_share, real_array

Array = NDArray[np.float64]

Residual = Literal["response", "pearson", "deviance"]
RESIDUALS: tuple[Residual, ...] = get_args(Residual)


@dataclass(frozen=True)
class MarginalEffects:
    """How much the probability of a class changes with a column, on average over rows.

    ``effects`` and ``standard_errors`` are K×d (1×d for two classes: the second), the errors by the delta method.
    """

    columns: tuple[str, ...]
    classes: tuple[Any, ...]
    effects: Array
    standard_errors: Array

    @property
    def z(self) -> Array:
        """Effects in standard errors."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(self.effects / self.standard_errors)

    @property
    def p_values(self) -> Array:
        """The p-value of Wald's test that an effect is zero."""
        return np.asarray(2 * norm.sf(np.abs(self.z)))

    def __str__(self) -> str:
        width = max(len(name) for name in self.columns)
        lines = []
        for k, label in enumerate(self.classes):
            lines.append(f"P({label}):".ljust(width) + f" {'effect':>12} {'std. error':>12} {'z':>8} {'p':>10}")
            for j, name in enumerate(self.columns):
                effect = f"{self.effects[k, j]:>12.6g} {self.standard_errors[k, j]:>12.6g}"
                lines.append(f"{name:<{width}} {effect} {self.z[k, j]:>8.2f} {self.p_values[k, j]:>10.4g}")
        return "\n".join(lines)


class RowDiagnostics:
    """Methods of `LogisticRegression` that look at rows given again."""

    classes_: NDArray[Any]
    coef_: Array
    intercept_: Array
    covariance_: Array
    n_features_in_: int
    _n_determined: Callable[[], int]

    def residuals(
        self,
        X: Any,
        y: Any,
        kind: Residual = "deviance",
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
    ) -> Array:
        """Residuals of rows, positive where the second class came against the odds.

        Parameters
        ----------
        X, y, sample_weight, offset : rows, as in `fit`.
        kind : "deviance", whose squares sum to the deviance, "pearson", or "response" (y − p).

        Returns
        -------
        ndarray
            (n,) for two classes; for K > 2 classes (n, K), of each class against the rest: response and Pearson alone.
        """
        read_choice(kind, RESIDUALS, "kind")
        log_p, truth = self._log_probabilities(X, y, offset)
        p = np.exp(log_p)
        weight = _weights(sample_weight, len(truth))[:, None]
        response = truth - p
        if kind == "response":
            found = response
        elif kind == "pearson":
            # p(1−p) from both logarithms, so that it is right where p rounds to one
            rest = np.log1p(-p) if p.shape[1] > 2 else log_p[:, ::-1]
            found = np.sqrt(weight) * response / np.exp((log_p + rest) / 2)
        elif self.classes_.size > 2:
            raise ValueError('deviance residuals are for two classes; take kind="pearson" or "response"')
        else:
            own = np.where(truth[:, 1] == 1, log_p[:, 1], log_p[:, 0])[:, None]
            found = np.sign(truth - 0.5) * np.sqrt(-2.0 * weight * own)
        return found if self.classes_.size > 2 else found[:, 1]

    def leverage(self, X: Any, sample_weight: ArrayLike | None = None, offset: ArrayLike | None = None) -> Array:
        """The diagonal of the hat matrix at rows, between 0 and 1; two classes.

        Parameters
        ----------
        X, sample_weight, offset : rows, as in `fit`; for their sum to be the number of weights, those of the fit.

        Returns
        -------
        ndarray
            A number for each row: how much its own label pulls its fitted value.
        """
        self._refuse_several("leverage is")
        Z = self._rows_with_one(X)
        p = self.predict_proba(X, offset=offset)  # type: ignore[attr-defined]
        spread = np.einsum("ij,ij->i", np.asarray(Z @ self.covariance_), Z)
        return np.asarray(_weights(sample_weight, len(p)) * p[:, 0] * p[:, 1] * spread)

    def cooks_distance(
        self, X: Any, y: Any, sample_weight: ArrayLike | None = None, offset: ArrayLike | None = None
    ) -> Array:
        """How far the weights would move without each row, in the metric of their covariance; two classes.

        Parameters
        ----------
        X, y, sample_weight, offset : the rows of the fit.

        Returns
        -------
        ndarray
            A number for each row, the approximation of one Newton step.
        """
        h = self.leverage(X, sample_weight, offset)
        r = self.residuals(X, y, "pearson", sample_weight, offset)
        return np.asarray((r / (1.0 - h)) ** 2 * h / self._n_determined())

    def robust_covariance(
        self,
        X: Any,
        y: Any,
        groups: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        offset: ArrayLike | None = None,
    ) -> Array:
        """The sandwich covariance of all weights, right where the model is not, or rows of a group go together.

        Parameters
        ----------
        X, y, sample_weight, offset : the rows of the fit.
        groups : the group of each row (a patient, a school); each row is its own unless given. With G groups the
            covariance is multiplied by G/(G−1), as Stata and R's sandwich do.

        Returns
        -------
        ndarray
            In the order of `covariance_`; `summary(covariance=...)` takes it.
        """
        C = self.covariance_
        log_p, truth = self._log_probabilities(X, y, offset)
        pulls = (truth - np.exp(log_p)) * _weights(sample_weight, len(truth))[:, None]
        Z = self._rows_with_one(X)
        if self.classes_.size == 2:
            pulls = pulls[:, 1:]
        gradients = np.hstack([Z * pulls[:, [k]] for k in range(pulls.shape[1])])
        if groups is not None:
            codes = np.unique(np.asarray(groups), return_inverse=True)[1]
            if codes.size != len(gradients):
                raise ValueError(f"groups has {codes.size} entries, and X {len(gradients)} rows")
            n = int(codes.max()) + 1
            if n < 2:
                raise ValueError("groups has one value alone; a cluster-robust covariance needs several groups")
            share = n / (n - 1)
            gradients = np.asarray(sparse.csr_array((np.ones(codes.size), (codes, np.arange(codes.size)))) @ gradients)
        else:
            share = 1.0
        half = C @ gradients.T
        return np.asarray(share * (half @ half.T))

    def marginal_effects(self, X: Any, offset: ArrayLike | None = None) -> MarginalEffects:
        """Average marginal effects: the mean slope of each class's probability along each column.

        Parameters
        ----------
        X, offset : rows to average over, often those of the fit.

        Returns
        -------
        MarginalEffects
            Effects with standard errors by the delta method.
        """
        p = self.predict_proba(X, offset=offset)  # type: ignore[attr-defined]
        Z = self._rows_with_one(X)
        W = Planes(self.coef_, self.intercept_).by_class(self.classes_.size).coef
        mixed = p @ W  # the mean weight of each row
        effects = (p.T @ np.ones(len(p)))[:, None] * W / len(p) - p.T @ mixed / len(p)
        K, d = W.shape
        shown = range(1, 2) if K == 2 else range(K)
        errors = np.array([self._effect_errors(Z, p, W, mixed, k) for k in shown])
        names = column_names(range(d), self.column_names_in())  # type: ignore[attr-defined]
        return MarginalEffects(names, tuple(self.classes_[list(shown)].tolist()), effects[list(shown)], errors)

    def probability_intervals(self, X: Any, level: float = 0.95, offset: ArrayLike | None = None) -> Array:
        """How sure each probability is: its confidence interval, from the errors of the weights.

        Intervals of log-odds, by the delta method, and from there of probabilities; so they lie between 0 and 1.

        Parameters
        ----------
        X, offset : rows, as in `fit`.
        level : the confidence of each interval by itself.

        Returns
        -------
        ndarray
            n×K×2: low and high of the probability of each class; NaN where columns depend on one another, as is
            ``covariance_``.
        """
        z = norm.isf((1.0 - read_share(level, "level")) / 2.0)
        log_p = self.predict_log_proba(X, offset=offset)  # type: ignore[attr-defined]
        K = log_p.shape[1]
        log_rest = np.column_stack([logsumexp(np.delete(log_p, k, axis=1), axis=1) for k in range(K)])
        shares = np.exp(np.where(np.eye(K, dtype=bool), 0.0, log_p[:, None, :] - log_rest[:, :, None]))
        slopes = 2.0 * np.eye(K) - shares  # 1 along the score of the class itself, minus their share along others
        slopes = slopes[:, :, 1:] if K == 2 else slopes  # one plane, whose score is that of the second class
        error = np.sqrt(np.einsum("nkj,njl,nkl->nk", slopes, self._score_covariance(X), slopes))
        middle = log_p - log_rest
        return np.stack([expit(middle - z * error), expit(middle + z * error)], axis=-1)

    # --- parts ------------------------------------------------------------------------------------------

    def _score_covariance(self, X: Any) -> Array:
        """The covariance of the scores of each row, n×planes×planes."""
        Z, n_planes = self._rows_with_one(X), len(self.coef_)
        C = self.covariance_.reshape(n_planes, Z.shape[1], n_planes, Z.shape[1])
        return np.stack([[((Z @ C[j, :, k]) * Z).sum(axis=1) for k in range(n_planes)] for j in range(n_planes)]).T

    def _effect_errors(self, Z: Array, p: Array, W: Array, mixed: Array, k: int) -> Array:
        """√diag(J C J′), J the slopes of the effects on class k along all weights."""
        n, (K, d) = len(p), W.shape
        J = np.zeros((d, K, d + 1))
        for m in range(K):
            # ∂/∂w_m of p_k(w_kj − Σ_l p_l w_lj), rows averaged: through p first, then through w itself
            along = p[:, k] * ((k == m) - p[:, m])
            J[:, m] = W[k][:, None] * (along @ Z)[None, :] / n
            J[:, m] -= (mixed * along[:, None]).T @ Z / n
            J[:, m] -= ((W[m][None, :] - mixed) * (p[:, k] * p[:, m])[:, None]).T @ Z / n
            own = float((p[:, k] * ((k == m) - p[:, m])).sum()) / n
            J[np.arange(d), m, np.arange(d)] += own
        J = J[:, 1:] if self.classes_.size == 2 else J
        J = J.reshape(d, -1)
        return np.asarray(np.sqrt(np.einsum("ij,ij->i", J @ self.covariance_, J)))

    def _log_probabilities(self, X: Any, y: Any, offset: ArrayLike | None) -> tuple[Array, Array]:
        """log p of each class, and indicators of the true one."""
        log_p = self.predict_log_proba(X, offset=offset)  # type: ignore[attr-defined]
        labels = np.asarray(y)
        truth = (labels[:, None] == self.classes_[None, :]).astype(np.float64)
        strange = np.flatnonzero(truth.sum(axis=1) != 1)
        if strange.size:
            row = int(strange[0])
            raise ValueError(f"y is {labels.tolist()[row]!r} at row {row}, which is no class of the fit")
        return log_p, truth

    def _rows_with_one(self, X: Any) -> Array:
        matrix = self.read_columns(X)  # type: ignore[attr-defined]
        dense = matrix.toarray() if sparse.issparse(matrix) else np.asarray(matrix, dtype=np.float64)
        return np.column_stack([dense, np.ones(len(dense))])

    def _refuse_several(self, what: str) -> None:
        if self.classes_.size > 2:
            raise ValueError(f"{what} for two classes, and the model has {self.classes_.size}")


def _weights(sample_weight: ArrayLike | None, n: int) -> Array:
    return np.ones(n) if sample_weight is None else real_array(sample_weight, "sample_weight")
