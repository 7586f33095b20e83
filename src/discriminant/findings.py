"""Findings: what a fit learnt about the data that a person should know.

Each has the fact, the evidence and the remedy. A finding that puts the answer in doubt is also a warning.
"""

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import Any, ClassVar

_LONGEST_SHOWN = 60  # characters of a name


class FindingWarning(UserWarning):
    """A finding that puts the answer in doubt.

    Examples
    --------
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", FindingWarning)  # findings are then told by ``findings_`` alone
    """


@dataclass(frozen=True)
class Finding:
    """One fact about the data or the fit, with its evidence and its remedy.

    ``doubtful`` says that the answer itself is in doubt.

    Parameters
    ----------
    fact, evidence, remedy : a sentence each, without its full stop.
    columns, classes : the names of what it is about.

    Examples
    --------
    >>> print(Finding("Column 'age' is constant", "It is 7 in every row", "Drop it", columns=("age",)))
    Column 'age' is constant. It is 7 in every row. Drop it.
    """

    fact: str
    evidence: str
    remedy: str
    columns: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()

    doubtful: ClassVar[bool] = False

    def __str__(self) -> str:
        return f"{self.fact}. {self.evidence}. {self.remedy}."


# Kinds without fields of their own are dataclasses by inheritance: making each of them one takes time at import.


class ConstantColumn(Finding):
    """Columns with one value in every row: they cannot tell classes apart."""


@dataclass(frozen=True)
class SingularCovariance(Finding):
    """Columns that within the classes do not vary or determine one another; ``relations`` writes each out."""

    relations: tuple[str, ...] = ()


@dataclass(frozen=True)
class RedundantColumns(Finding):
    """Columns that are combinations of others, so the weights are not unique; the shortest were taken."""

    relations: tuple[str, ...] = ()


class SeparatedInNullSpace(Finding):
    """Directions without any spread within the classes tell (some of) the classes apart without error."""


class MoreColumnsThanRows(Finding):
    """d ≥ n − K without shrinkage: some direction always separates the classes, whatever the labels."""

    doubtful = True


class IllConditioned(Finding):
    """Columns so nearly dependent that digits of the answer are lost."""

    doubtful = True


class OneRowClass(Finding):
    """A class of a single row: its mean is that row, and it says nothing about spread."""


class UnequalScales(Finding):
    """Columns of wildly different scale under a penalty that treats all columns alike."""

    doubtful = True


class Float32Range(Finding):
    """float32 values whose squares overflow in float32, or that have lost their digits to an offset."""


@dataclass(frozen=True)
class Separable(Finding):
    """A plane has no row on the wrong side, so that the likelihood has no maximum; ``separation`` proves it."""

    doubtful = True
    separation: Any = field(default=None, repr=False)  # which may name every row


class NotConverged(Finding):
    """An iteration stopped at its limit, with the gap it left."""

    doubtful = True

    @classmethod
    def of_gradient(cls, left: float) -> "NotConverged":
        """The finding of a least-squares iteration with this much of its gradient left."""
        return cls(
            "The matrix-free solver stopped at its limit of iterations",
            f"The gradient is still {left:.1e} of its scale",
            "Shrink (or set alpha): the problem is then better conditioned and the iteration short",
        )


class MistakesLeft(Finding):
    """A rule that ends when nothing is wrong any more was stopped before it: its last weights are as good as chance."""

    doubtful = True


class Diverged(Finding):
    """Steps so large that the loss grew without bound; the weights of the least loss were kept."""

    doubtful = True


class TraceCut(Finding):
    """More updates than a trace keeps; it holds the first of them."""


class VotesLost(Finding):
    """More voters than memory holds; those with the fewest votes were let go."""


class ImpossibleValue(Finding):
    """A value never seen with a class: without smoothing its probability is zero."""


class NegativeCounts(Finding):
    """Counts below zero: the sums still make probabilities, but few data mean this."""

    doubtful = True


class EstimatedShrinkage(Finding):
    """The Ledoit–Wolf intensity was estimated from random probes because the exact sum is too large."""


class FlatScore(Finding):
    """A plane whose weights are all zero: every row gets the same score."""

    doubtful = True


class ConstantLabel(Finding):
    """A label that all rows have, or none: nothing tells where it would be otherwise."""

    doubtful = True


# An iteration stopped at its limit, or one that could go on for ever: to scikit-learn's users these are one thing.
_ENDLESS = (NotConverged, MistakesLeft, Separable)


def column_names(indices: Iterable[int], names: tuple[str, ...] | None) -> tuple[str, ...]:
    """Names of columns for people: the given ones, or their positions."""
    return tuple(names[j] if names else f"column {j}" for j in indices)


def shown(name: Any) -> str:
    """A name or cell of unknown origin, quoted, on one line and short enough for a sentence."""
    return repr(name if not isinstance(name, str) or len(name) <= _LONGEST_SHOWN else name[: _LONGEST_SHOWN - 1] + "…")


def listed(names: Iterable[Any], most: int = 6) -> str:
    """Quoted names in a sentence, shortened when there are many: ``'a', 'b', 'c' and 12 more``."""
    names = list(names)
    return ", ".join(map(shown, names[:most])) + (f" and {len(names) - most} more" if len(names) > most else "")


def warn_of(findings: Iterable[Finding], stacklevel: int = 3) -> None:
    """Warn of those findings that put the answer in doubt; of an iteration without an end as scikit-learn does."""
    for finding in findings:
        if finding.doubtful:
            kind = unfinished_warning() if isinstance(finding, _ENDLESS) else FindingWarning
            warnings.warn(str(finding), kind, stacklevel=stacklevel)


def __getattr__(name: str) -> Any:
    if name == "NotConvergedWarning":
        return unfinished_warning()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@cache
def unfinished_warning() -> type[FindingWarning]:
    """A `FindingWarning` that is scikit-learn's ``ConvergenceWarning`` too; who warns has imported that already."""
    from sklearn.exceptions import ConvergenceWarning

    return type("NotConvergedWarning", (FindingWarning, ConvergenceWarning), {"__module__": __name__})
