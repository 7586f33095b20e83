"""Learners by name: what each says of itself, for comparisons, the command and the report.

A module of this package states its learners in ``LEARNERS`` and is named in ``discriminant.learners.MODULES``; a module
of anybody else calls `register` when it is imported.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from inspect import signature
from typing import Any

from discriminant.learners import MODULES

# What is said of a learner of each kind wherever its model is told.
KINDS = {
    "generative": "A generative learner: it models how the rows of each class come about, p(x | class), and decides by "
    "Bayes' rule",
    "discriminative": "A discriminative learner: it looks for the boundary between the classes alone, and says nothing "
    "of how their rows come about",
}


@dataclass(frozen=True)
class LearnerEntry:
    """A learner with the parameters that it takes part with, and what there is to know of it before a fit.

    Parameters
    ----------
    name : on the command line and in `compare`.
    title : in sentences for people.
    estimator, parameters : its class, and the parameters that are not the defaults.
    generative : models how the rows of each class come about, p(x | k), and turns to P(k | x) by Bayes' rule; others
        look for the boundary, or P(k | x), alone.
    closed_form : a function of sums over the rows, so that all folds share one pass.
    needs : what must hold of the rows to take part in "all": "" for nothing, "binary" columns, "separable" classes.
    sparse, wide : whether it takes part in "all" where rows are sparse, and where columns are more than rows.
    order_dependent : ends at another plane for every order of the rows.
    counts_mistakes : learns from rows on the wrong side; ``class_weight`` says what a mistake of each class costs.
    not_offered : why it is shown beside the others and never chosen unless it is asked for.
    fallback : the learner that is chosen in its place where its findings are doubtful.
    ridge : the parameter that takes the ridge which the rows of a table ask for.
    passes, most_passes : how often a usual fit and a slow one read the rows.
    row_by_row : visits rows one by one; others solve for all weights at once,
    planes_together : and for those of all classes at once.
    signs : takes ``monotone``, by which weights are held to a sign.
    leaves_out : leaves columns out that rows not seen do not ask for, those of ``column_groups`` together; it takes
        part where it is asked for by name.
    """

    name: str
    title: str
    estimator: type
    parameters: Mapping[str, Any] = field(default_factory=dict)
    generative: bool = False
    closed_form: bool = False
    needs: str = ""
    sparse: bool = False
    wide: bool = False
    order_dependent: bool = False
    counts_mistakes: bool = False
    not_offered: str = ""
    fallback: str = ""
    ridge: str = ""
    passes: int = 1
    most_passes: int = 1
    row_by_row: bool = False
    planes_together: bool = False
    signs: bool = False
    leaves_out: bool = False

    @property
    def kind(self) -> str:
        """Generative or discriminative."""
        return "generative" if self.generative else "discriminative"

    def make(self, seed: int) -> Any:
        """The unfitted learner; ``seed`` is of whatever it does at random."""
        seeded = {"random_state": seed} if "random_state" in signature(self.estimator).parameters else {}
        return self.estimator(**self.parameters, **seeded)


_registered: dict[str, LearnerEntry] = {}


def register(*entries: LearnerEntry) -> None:
    """Make learners of other packages known by name, in `compare` and on the command line.

    >>> from sklearn.linear_model import RidgeClassifier
    >>> register(LearnerEntry("ridge-classifier", "Ridge classifier", RidgeClassifier))
    >>> title_of("ridge-classifier")
    'Ridge classifier'
    >>> del _registered["ridge-classifier"]
    """
    for entry in entries:
        if entry.name in known_learners():
            raise ValueError(f"a learner named {entry.name!r} is known already; give another name")
        _registered[entry.name] = entry


def known_learners() -> dict[str, LearnerEntry]:
    """All learners by name, in the order in which they are listed."""
    return {entry.name: entry for entry in _entries()}


def title_of(name: str) -> str:
    """What a person calls a learner; its name where it is not known."""
    return next((entry.title for entry in _entries() if entry.name == name), name)


def _entries() -> Iterator[LearnerEntry]:
    """Modules are imported one after the other, so that a title does not wait for all of them."""
    for module in MODULES:
        yield from import_module(f"discriminant.learners.{module}").LEARNERS
    yield from _registered.values()
