"""Random scored rows, and thresholds found by trying them all."""

import numpy as np


def scored_rows(seed, *, weighted=None, infinite=None, n=None):
    """(y, score, weight or None) with ties, sometimes infinities, weights (zeros among them) or one class only."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40)) if n is None else n
    y = rng.integers(0, 2, n)
    y[: min(2, n)] = [0, 1][: min(2, n)]
    score = rng.choice([np.round(rng.standard_normal(n) + y, int(rng.integers(0, 3))), rng.standard_normal(n)])
    if rng.random() < 0.3 if infinite is None else infinite:
        score[rng.random(n) < 0.2] = rng.choice([np.inf, -np.inf])
        score[rng.integers(n)] = rng.choice([np.inf, -np.inf])
    weight = None
    if rng.random() < 0.5 if weighted is None else weighted:
        weight = rng.integers(0, 4, n).astype(float) if rng.random() < 0.5 else rng.random(n)
        weight[:2] += 1.0  # a row of each class counts
    return y, score, weight


def all_decisions(score):
    """Every set of rows some θ assigns: score > θ for θ = ∞, each score, and −∞."""
    return [score > theta for theta in (np.inf, *np.unique(score)[::-1], -np.inf)]


def mean_gain(y, weight, assigned, gain, priors=None):
    """Σ over rows, by definition."""
    omega = np.ones(len(y)) if weight is None else weight
    if priors is not None:
        shares = np.array([omega[y == k].sum() for k in (0, 1)])
        omega = omega * (np.asarray(priors) / shares)[y]
    return float((omega * np.asarray(gain, float)[y, assigned.astype(int)]).sum() / omega.sum())


def rates(y, weight, assigned):
    """(misdetect, false alarm), by definition."""
    omega = np.ones(len(y)) if weight is None else weight
    return (
        float(omega[(y == 1) & ~assigned].sum() / omega[y == 1].sum()),
        float(omega[(y == 0) & assigned].sum() / omega[y == 0].sum()),
    )
