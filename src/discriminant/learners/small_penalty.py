"""Minima that exist by a very small penalty alone: planes separate the classes, and the curvature there is almost zero.

The steps of an iteration are measured by the curvature, √(p′∇²F p/Σω). Along a plane that separates the classes that is
of the size of the penalty, so that steps which still change scores by one can count as nothing. The iteration then goes
on, with ever smaller tolerances, until scores stand still.
"""

from typing import Any

from discriminant.learners.separation_check import moving_rows
from discriminant.optimise.newton import Iteration
from discriminant.optimise.smooth import descend

_FINER = 1e-4
_FINEST = 1e-150  # of which the square is still a number
_OF_SCORES = 1.0  # by which a step still changes scores where there is no minimum in sight


def at_rest(risk: Any, found: Iteration) -> Iteration:
    """The iteration, gone on with where its last steps still moved scores; not converged if they never come to rest."""
    tolerance = found.tolerance
    while risk.penalty and found.converged and moving_rows(risk, found).any():
        tolerance *= _FINER
        left = found.max_iterations - found.n_iterations
        if left <= 0 or tolerance < _FINEST:
            found.step_left = max(found.step_left, _OF_SCORES)
            return found
        found = _continue_steps(risk, found, tolerance, left)
    return found


def _continue_steps(risk: Any, found: Iteration, tolerance: float, left: int) -> Iteration:
    """Some more steps of Newton's kind."""
    method = "newton" if found.hessian is not None or found.method == "newton" else "truncated-newton"
    further = Iteration(risk, found.u, tolerance, left, method)
    descend(further, None)
    further.n_iterations += found.n_iterations
    further.max_iterations, further.method, further.deficient = found.max_iterations, found.method, found.deficient
    if not further.converged:
        further.step_left = max(further.step_left, _OF_SCORES)
    return further
