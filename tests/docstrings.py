"""What numpydoc says of the docstrings of the public names and of their methods; `make lint` runs it.

The checks are those of pyproject.toml: parameters that are documented and no others, what functions return, an example.
Methods that a person calls say what goes in and what comes out; an example of each method of an estimator is that of
its class. What a fitted model holds is compared with its class in `tests/contract/test_attributes.py`.
"""

import inspect
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from numpydoc.validate import validate
from sklearn.base import BaseEstimator

import discriminant
from discriminant.gain.by_row import RowGain
from discriminant.learners.alpha_path import AlphaPath
from discriminant.validation.alpha_choice import AlphaChoice

CHECKS = set(
    tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["tool"]["numpydoc_validation"]["checks"]
)
# Results: made by the functions and class methods that document what goes in. Their fields are told in the text.
RESULTS = {"ClassMoments", "Comparison", "DecisionModel", "Loss", "OperatingCurve", "ScoreCounts", "Separation"}
# What public functions return and nobody makes.
RETURNED = (AlphaChoice, AlphaPath, RowGain)
# What learners do for one another, and for folds, comparisons and reductions (docs/architecture.md).
LEARNERS_VERBS = {
    *("adds_up", "check_fitted", "check_parameters", "column_names_in", "fit_moments", "learn"),
    *("learn_evidence", "learn_from", "refuse_parts"),
    *("marginals_of_columns", "penalty_strength", "place_of", "read_columns", "read_rows", "read_source"),
    *("reading_plan", "refuse_scores", "score_matrix", "summarise", "wants_each_class"),
    "get_metadata_routing",  # scikit-learn's own
}


def complaints(name: str) -> list[str]:
    """One line for each check that the docstring of a public name does not pass, or those of its methods."""
    thing = getattr(discriminant, name)
    if inspect.ismodule(thing):
        return []
    skipped = {"PR01"} if name in RESULTS else set()
    found = _errors(f"discriminant.{name}", thing, CHECKS - skipped)
    return found + complaints_of_methods(thing) if inspect.isclass(thing) else found


def complaints_of_methods(cls: type) -> list[str]:
    """The same of the methods of a class."""
    asked = CHECKS - {"EX01"} if issubclass(cls, BaseEstimator) else CHECKS
    return [line for method in _methods(cls) for line in _errors(f"{cls.__name__}.{method.__name__}", method, asked)]


def _methods(cls: type) -> Iterator[object]:
    """The methods of a class that a person calls, ours alone."""
    for name in sorted(set(dir(cls)) - LEARNERS_VERBS):
        found = inspect.getattr_static(cls, name)
        method = inspect.unwrap(getattr(found, "fn", found)) if not isinstance(found, type | property) else None
        if not name.startswith("_") and inspect.isfunction(method) and method.__module__.startswith("discriminant"):
            yield method


def _errors(told: str, thing: object, checks: set[str]) -> list[str]:
    errors = validate(f"{thing.__module__}.{thing.__qualname__}")["errors"]
    return [f"{told}: {code} {text}" for code, text in errors if code in checks]


if __name__ == "__main__":
    found = [line for name in discriminant.__all__ for line in complaints(name)]
    found += [line for cls in RETURNED for line in complaints_of_methods(cls)]
    print(*dict.fromkeys(found), sep="\n", end="\n" if found else "")
    sys.exit(bool(found))
