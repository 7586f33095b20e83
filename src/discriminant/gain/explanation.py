"""A gain matrix in words: printed, its rule said, and what is odd about it.

An assignment a is the best one for some posteriors p (p ≥ 0, Σp = 1) if and only if the linear program

    maximise t   subject to   Σ_k p_k (g[k, a] − g[k, b]) ≥ t   for every other b

reaches t ≥ 0; where t = 0 it never is better than all others.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from discriminant.findings import Finding
from discriminant.forks import importing
from discriminant.gain.rates import stakes_of

Array = NDArray[np.float64]
Labels = Sequence[object]

INVARIANCE = (
    "No decision changes when a constant is added to all gains of one true class, or when all gains are multiplied by "
    "one positive number."
)


# Of the stakes of a class: what the linear program's own tolerance leaves open.
_SLACK = 1e-7


@dataclass(frozen=True)
class DominatedAssignment(Finding):
    """An assignment that is never the best one, whatever the posteriors."""


@dataclass(frozen=True)
class IndifferentClass(Finding):
    """A true class that earns the same whatever is assigned to it."""


@dataclass(frozen=True)
class RewardedError(Finding):
    """A true class that earns more by a wrong assignment than by the right one."""


def findings_of(matrix: Array, labels: Labels, assigned: Labels) -> tuple[Finding, ...]:
    """What is odd about gains (K×A, or n×K×A: then what is odd in every row)."""
    return (
        *_indifferent_classes(matrix, labels),
        *_rewarded_errors(matrix, labels, assigned),
        *_dominated_assignments(matrix, assigned),
    )


def _indifferent_classes(matrix: Array, labels: Labels) -> list[Finding]:
    same = (matrix == matrix[..., :1]).all(axis=-1).reshape(-1, len(labels)).all(axis=0)
    return [
        IndifferentClass(
            f"Every assignment earns the same where the true class is {labels[k]!r}",
            "Its row of the gain holds one number",
            "Check that row: rows of this class have no say in any decision",
            classes=(str(labels[k]),),
        )
        for k in np.flatnonzero(same).tolist()
    ]


def _rewarded_errors(matrix: Array, labels: Labels, assigned: Labels) -> list[Finding]:
    by_row = matrix.reshape(-1, *matrix.shape[-2:])
    right = np.diagonal(by_row, axis1=1, axis2=2)[:, :, None]
    return [
        RewardedError(
            f"Assigning {assigned[a]!r} earns more than the right assignment where the true class is {labels[k]!r}",
            f"{by_row[0, k, a]:g} instead of {by_row[0, k, k]:g}",
            "Check the signs (costs go through Gain.from_costs) and that true classes are in rows",
            classes=(str(labels[k]),),
        )
        for k, a in np.argwhere((by_row > right).all(axis=0)).tolist()
    ]


def _dominated_assignments(matrix: Array, assigned: Labels) -> list[Finding]:
    found: list[Finding] = []
    for a in range(len(assigned)):
        margin = best_margin(matrix, a) if matrix.ndim == 2 else _margin_in_all_rows(matrix, a)
        if margin > _SLACK:
            continue
        found.append(
            DominatedAssignment(
                f"Assigning {assigned[a]!r} is never better than every other assignment",
                "No posterior probabilities make it the only best one"
                if margin >= -_SLACK
                else "Whatever the posterior probabilities, another assignment earns more",
                "Check its column, or leave that assignment out",
                classes=(str(assigned[a]),),
            )
        )
    return found


def best_margin(matrix: Array, a: int) -> float:
    """The most by which assignment a can be better than all others, over all posteriors; negative if it never is.

    Stakes of each true class are measured by the largest of them, which changes the posteriors but not the sign.
    """
    with importing:
        from scipy.optimize import linprog  # a saved model does not wait for it

    K = len(matrix)
    stakes = np.ptp(matrix, axis=1, keepdims=True)
    scaled = matrix / np.where(stakes > 0, stakes, 1.0)
    others = np.delete(scaled, a, axis=1)
    found = linprog(
        c=np.r_[np.zeros(K), -1.0],
        A_ub=np.column_stack([others.T - scaled[:, a], np.ones(others.shape[1])]),
        b_ub=np.zeros(others.shape[1]),
        A_eq=np.r_[np.ones(K), 0.0][None, :],
        b_eq=[1.0],
        bounds=[(0, None)] * K + [(None, None)],
    )
    return float(-found.fun)


def _margin_in_all_rows(matrix: Array, a: int) -> float:
    """The margin of gains by row: −1 where one other assignment is at least as good in every row and class, else 1."""
    others = np.delete(matrix, a, axis=2)
    at_least = (others >= matrix[:, :, a : a + 1]).all(axis=(0, 1))
    return -1.0 if at_least.any() else 1.0


def decision_rule(matrix: Array, labels: Labels, assigned: Labels) -> str:
    """What the gains make one do, in a sentence."""
    if matrix.shape != (2, 2):
        return f"Assign the one of {len(assigned)} with the largest sum of posterior probability times gain."
    stakes = stakes_of(matrix)
    if (stakes <= 0).all() or stakes.sum() <= 0 or (stakes < 0).any():
        return "Assign the one with the larger sum of posterior probability times gain."
    even = stakes[0] / stakes.sum()
    return f"Assign {labels[1]!r} where its posterior probability is above {even:.4g}, {labels[0]!r} elsewhere."


def gain_table_text(matrix: Array, labels: Labels, assigned: Labels, unit: str) -> str:
    """A table of true × assigned; of gains by row, their means."""
    of_rows = f" (mean of {len(matrix)} rows)" if matrix.ndim == 3 else ""
    shown = matrix.mean(axis=0) if matrix.ndim == 3 else matrix
    corner = f"gain{' in ' + unit if unit else ''}{of_rows}"
    heads = [str(a) for a in assigned]
    cells = [[f"{value:.6g}" for value in row] for row in shown]
    first = max(len(s) for s in (corner, "true", *map(str, labels))) + 2
    widths = [max(len(heads[a]), *(len(row[a]) for row in cells)) for a in range(len(heads))]
    lines = [f"{corner:<{first}} assigned", _line("true", heads, first, widths)]
    lines += [_line(str(label), row, first, widths) for label, row in zip(labels, cells, strict=True)]
    return "\n".join(line.rstrip() for line in lines)


def _line(name: str, cells: list[str], first: int, widths: list[int]) -> str:
    return f"{name:<{first}} " + "  ".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
