"""Optima of small problems to fifty digits: proved optimal there, and what a fit comes near to."""

import mpmath as mp
import numpy as np
import pytest

from discriminant import LinearSVM, LogisticRegression


def table(seed):
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(14, 4)), 3)
    y = (X[:, 0] - 0.5 * X[:, 1] + rng.normal(size=14) > 0).astype(int)
    return X, y


def logistic_pull(m):
    return -1 / (1 + mp.exp(m))


def squared_hinge_pull(m):
    return -2 * max(mp.mpf(0), 1 - m)


def slopes(pull, X, y, w, b):
    """∂f/∂w and ∂f/∂b of Σℓ(m), m = ±(w·x + b)."""
    total, constant = [mp.mpf(0)] * X.shape[1], mp.mpf(0)
    for x, label in zip(X.tolist(), y.tolist(), strict=True):
        c = 2 * label - 1
        p = c * pull(c * (mp.fdot(w, [mp.mpf(repr(v)) for v in x]) + b))
        total = [t + p * mp.mpf(repr(v)) for t, v in zip(total, x, strict=True)]
        constant += p
    return total, constant


def optimum(pull, X, y, near, intercept, l1, l2, low, high):
    """The weights to fifty digits with the zeros, signs and bounds of ``near``, refused unless they are optimal."""
    free = [j for j, w in enumerate(near) if w != 0 and low[j] < w < high[j]]
    signs = np.sign(near)

    def weights(values):
        w = [mp.mpf(float(v)) for v in near]
        for j, value in zip(free, values, strict=True):
            w[j] = value
        return w

    def equations(*values):
        w, b = weights(values[:-1]), values[-1]
        g, balance = slopes(pull, X, y, w, b)
        return [g[j] + l2 * w[j] + l1 * int(signs[j]) for j in free] + [balance]

    start = [mp.mpf(float(near[j])) for j in free] + [mp.mpf(float(intercept))]
    found = list(mp.findroot(equations, start, tol=mp.mpf(10) ** -80, maxsteps=50)) if len(start) > 1 else start
    w, b = weights(found[:-1]), found[-1]
    g, _ = slopes(pull, X, y, w, b)
    for j in range(len(w)):
        pulled = -g[j] - l2 * w[j]
        if j in free:
            assert mp.sign(w[j]) == int(signs[j])
        elif w[j] >= high[j]:
            assert pulled >= (l1 if w[j] > 0 else -l1)
        elif w[j] <= low[j]:
            assert pulled <= (-l1 if w[j] < 0 else l1)
        else:
            assert abs(pulled) <= l1
    return w, b


def criterion(X, y, w, b, l1, l2):
    """The penalised logistic loss."""
    total = sum(l1 * abs(v) + l2 * v**2 / 2 for v in w)
    for x, label in zip(X.tolist(), y.tolist(), strict=True):
        total += mp.log1p(mp.exp(-(2 * label - 1) * (mp.fdot(w, [mp.mpf(repr(v)) for v in x]) + b)))
    return total


FREE = [-np.inf] * 4, [np.inf] * 4


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("ratio", [1.0, 0.6])
def test_fifty_digits(seed, ratio):
    X, y = table(seed)
    with mp.workdps(50):
        for alpha, bounds in ((0.7, FREE), (0.2, ([0.0, -0.1, -np.inf, 0.0], [np.inf, 0.1, 0.2, 0.05]))):
            model = LogisticRegression(
                alpha=alpha, l1_ratio=ratio, bounds=list(zip(*bounds, strict=True)), tol=1e-13
            ).fit(X, y)
            w, b = optimum(
                logistic_pull, X, y, model.coef_[0], model.intercept_[0],
                mp.mpf(alpha) * mp.mpf(ratio), mp.mpf(alpha) * (1 - mp.mpf(ratio)), *bounds,
            )  # fmt: skip
            # a gap of 1e-13 is of the second order in the weights
            assert max(abs(a - c) for a, c in zip(w, model.coef_[0].tolist(), strict=True)) < 1e-6
            least = criterion(X, y, w, b, mp.mpf(alpha) * mp.mpf(ratio), mp.mpf(alpha) * (1 - mp.mpf(ratio)))
            assert model.dual_ * (1 - 1e-14) <= least <= model.primal_ * (1 + 1e-14)


@pytest.mark.parametrize("seed", range(4))
def test_fifty_digits_of_the_squared_hinge(seed):
    X, y = table(seed)
    with mp.workdps(50):
        model = LinearSVM(C=1.0, loss="squared_hinge", l1_ratio=1.0, tol=1e-13).fit(X, y)
        w, _ = optimum(squared_hinge_pull, X, y, model.coef_[0], model.intercept_[0], mp.mpf(1), mp.mpf(0), *FREE)
        assert max(abs(a - c) for a, c in zip(w, model.coef_[0].tolist(), strict=True)) < 1e-6
