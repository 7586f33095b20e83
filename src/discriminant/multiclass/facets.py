"""Which classes are neighbours: pairs whose regions share a facet, in any number of dimensions.

Regions i and j of linear scores s_k(x) = w_k·x + b_k share a facet where both tie and beat all others:

    maximise t   subject to   s_i(x) = s_j(x),   s_i(x) − s_k(x) ≥ t‖w_i − w_k‖ for all other k,   t ≤ 1

has a positive optimum. Where the differences w_k − w_0 are linearly independent the scores can take any values, and all
pairs are neighbours.
"""

from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

from discriminant.multiclass.planes import class_planes

Array = NDArray[np.float64]

# Of a region's size: what a linear program leaves undecided.
_LEAST_FACET = 1e-8
_INDEPENDENT = 1e-9


def neighbours(model: Any) -> list[tuple[Any, Any]]:
    """The pairs (a, b) of classes with a piece of boundary between them, for a fitted linear classifier.

    >>> from discriminant import LinearDiscriminantAnalysis
    >>> X, y = [[0.0], [1.0], [3.0], [4.0], [6.0], [7.0]], list("aabbcc")
    >>> neighbours(LinearDiscriminantAnalysis().fit(X, y))
    [('a', 'b'), ('b', 'c')]
    """
    labels, W, b = class_planes(model)
    W, b = _scale_planes(W, b)
    pairs = list(combinations(range(len(labels)), 2))
    if not _independent(W):
        winning = _winning_classes(W, b)
        pairs = [(i, j) for i, j in combinations(winning, 2) if _share_a_facet(W, b, i, j, winning)]
    return [(labels[i], labels[j]) for i, j in pairs]


def _scale_planes(W: Array, b: Array) -> tuple[Array, Array]:
    """Weights of columns of any unit, and offsets, brought to about one; no region changes but in scale."""
    W, b = W - W.mean(axis=0), b - b.mean()
    sizes, offset = np.abs(W).max(axis=0), np.abs(b).max()
    return W / np.where(sizes > 0, sizes, 1.0), b / (offset if offset > 0 else 1.0)


def _independent(W: Array) -> bool:
    spreads = np.linalg.svd(W[1:] - W[0], compute_uv=False)
    return bool(len(W) - 1 <= W.shape[1] and spreads[-1] > _INDEPENDENT * spreads[0])


def _winning_classes(W: Array, b: Array) -> list[int]:
    """Classes with a region that is more than a piece of boundary; of classes with one score, the first."""
    planes = np.column_stack([W, b])
    distinct = [k for k in range(len(b)) if not (np.abs(planes[:k] - planes[k]).max(axis=1) <= _INDEPENDENT).any()]
    return [i for i in distinct if _lead(W, b, i, [k for k in distinct if k != i]) > _LEAST_FACET]


def _share_a_facet(W: Array, b: Array, i: int, j: int, among: list[int]) -> bool:
    if not np.abs(W[i] - W[j]).max() > _INDEPENDENT:
        return False  # equal scores but for a constant: one of them wins everywhere
    return _lead(W, b, i, [k for k in among if k not in (i, j)], tied=j) > _LEAST_FACET


def _lead(W: Array, b: Array, i: int, others: list[int], tied: int | None = None) -> float:
    """The largest t ≤ 1 by which class i can lead all others at once, where it ties with one of them if that is asked.

    −∞ where the tie is impossible.
    """
    if not others:
        return 1.0
    behind = W[others] - W[i]
    sizes = np.maximum(np.linalg.norm(behind, axis=1), _INDEPENDENT)
    tie = np.zeros((0, W.shape[1])) if tied is None else (W[i] - W[tied])[None]
    lengths = np.linalg.norm(tie, axis=1)
    found = linprog(
        np.append(np.zeros(W.shape[1]), -1.0),
        A_ub=np.column_stack([behind / sizes[:, None], np.ones(len(others))]),
        b_ub=(b[i] - b[others]) / sizes,
        A_eq=np.column_stack([tie / lengths[:, None], np.zeros(len(tie))]),
        b_eq=[] if tied is None else (b[tied] - b[i]) / lengths,
        bounds=[(None, None)] * W.shape[1] + [(None, 1.0)],
        method="highs",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    if found.status not in (0, 2):
        raise RuntimeError(f"the linear program of two classes could not be solved: {found.message}")
    return -float(found.fun) if found.status == 0 else -np.inf
