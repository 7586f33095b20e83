"""Conditions of optimality in plain NumPy, which imports nothing of ours.

    min over w, b:  f(Xw + b + o) + λ₁‖w‖₁ + ½λ₂‖w‖²   s.t.  low ≤ w ≤ high

are met where Σ ∂f = 0 and, with g = −X′∂f − λ₂w: g = λ₁ sign(w) where w ≠ 0, |g| ≤ λ₁ where w = 0; at ``high`` g may be
larger, at ``low`` smaller. Of a group of columns that are penalised together by λ_G‖w_G‖: g_G = λ_G w_G/‖w_G‖ where it
has weights, ‖g_G‖ ≤ λ_G where it has none.
"""

import numpy as np


def logistic_slopes(scores, y):
    """∂f/∂score of −log p(y), y in {0, 1} and scores (n,), or y in {0..K-1} and scores (n, K)."""
    if scores.ndim == 1:
        return 1.0 / (1.0 + np.exp(-scores)) - y
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True) - np.eye(scores.shape[1])[y]


def squared_hinge_slopes(scores, y):
    """∂f/∂score of max(0, 1 − m)²."""
    c = 2.0 * y - 1.0
    return -2.0 * c * np.maximum(0.0, 1.0 - c * scores)


def squares_slopes(scores, y):
    """∂f/∂score of ½(y − score)²."""
    return scores - y


def violation(slopes, X, y, weight, coef, intercept, l1, l2, low=-np.inf, high=np.inf, offset=0.0, free_intercept=True):
    """The largest violation of the conditions, in units of Σω|x|·|∂f| of a column."""
    X = X.toarray() if hasattr(X, "toarray") else np.asarray(X, float)
    planes = np.atleast_2d(coef)
    scores = X @ planes.T + intercept + (offset if np.ndim(offset) == 2 else np.reshape(offset, (-1, 1)))
    pull = slopes(scores[:, 0] if len(planes) == 1 else scores, y).reshape(len(X), -1) * weight[:, None]
    g = -(X.T @ pull).T - l2 * planes
    size = (np.abs(X).T @ np.abs(pull)).T + l1 + 1e-300
    above = np.where(planes > 0, g - l1, np.where(planes < 0, g + l1, g - l1))
    below = np.where(planes > 0, l1 - g, np.where(planes < 0, -l1 - g, -l1 - g))
    above = np.where(planes >= high, 0.0, above)
    below = np.where(planes <= low, 0.0, below)
    outside = np.maximum(np.maximum(low - planes, planes - high), 0.0).max()
    worst = (np.maximum(np.maximum(above, below), 0.0) / size).max()
    balance = np.abs(pull.sum(axis=0)).max() / np.abs(pull).sum() if free_intercept else 0.0
    return max(worst, balance, outside)


def group_violation(slopes, X, y, weight, coef, intercept, l1, l2, groups, offset=0.0):
    """The same with groups of columns in every plane; a column in no group is one by itself."""
    X = X.toarray() if hasattr(X, "toarray") else np.asarray(X, float)
    planes = np.atleast_2d(coef)
    scores = X @ planes.T + intercept + (offset if np.ndim(offset) == 2 else np.reshape(offset, (-1, 1)))
    pull = slopes(scores[:, 0] if len(planes) == 1 else scores, y).reshape(len(X), -1) * weight[:, None]
    g = -(X.T @ pull).T - l2 * planes
    size = (np.abs(X).T @ np.abs(pull)).T
    grouped = {j for group in groups for j in group}
    worst = np.abs(pull.sum(axis=0)).max() / np.abs(pull).sum()
    for group in [*map(list, groups), *([j] for j in range(X.shape[1]) if j not in grouped)]:
        strength = l1 * len(group) ** 0.5
        for w, own, unit in zip(planes[:, group], g[:, group], size[:, group], strict=True):
            norm = float(np.sqrt(w @ w))
            left = np.linalg.norm(own - strength * w / norm) if norm else max(np.linalg.norm(own) - strength, 0.0)
            worst = max(worst, left / (np.linalg.norm(unit) + strength + 1e-300))
    return worst


def hinge_gap(X, y, u, alpha, coef, intercept, l1, l2, low, high):
    """(primal − dual)/primal of the hinge at a plane and at multipliers, and how far these are from feasible."""
    X = X.toarray() if hasattr(X, "toarray") else np.asarray(X, float)
    c, w = 2.0 * y - 1.0, coef[0]
    infeasible = max(np.maximum(alpha - u, -alpha).max(initial=0.0), abs(c @ alpha)) / u.sum()
    primal = u @ np.maximum(0.0, 1.0 - c * (X @ w + intercept[0])) + l1 * np.abs(w).sum() + 0.5 * l2 * w @ w
    dual = alpha.sum()
    for z, lo, hi in zip(X.T @ (c * alpha), np.broadcast_to(low, w.shape), np.broadcast_to(high, w.shape), strict=True):
        best = np.sign(z) * max(abs(z) - l1, 0.0)
        best = best / l2 if l2 else np.sign(best) * (0.0 if abs(best) <= 1e-9 * (l1 + abs(z)) else np.inf)
        best = min(max(best, lo), hi)
        dual -= z * best - l1 * abs(best) - 0.5 * l2 * best**2
    return (primal - dual) / primal, infeasible
