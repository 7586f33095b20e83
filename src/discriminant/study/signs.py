"""Columns that may only speak for the positive class, or only against it, the more there is of them.

Every feature that a number, flag or date enters by grows with its cell, in all forms: clipped, by logarithm or in
pieces. So the answer rises with a column where none of the weights of its features is negative.
"""

from collections.abc import Sequence
from inspect import signature

from discriminant.learners.registry import LearnerEntry, known_learners
from discriminant.study.design import Design
from discriminant.table.encoding import Encoding
from discriminant.table.errors import OptionError

CANNOT = "it cannot hold weights to a sign"


def signs_of(design: Design, increasing: Sequence[str], decreasing: Sequence[str]) -> dict[int, int]:
    """1 or −1 of each feature whose weight has its sign given, by its place."""
    asked = [("--increasing", 1, name) for name in increasing] + [("--decreasing", -1, name) for name in decreasing]
    if not asked:
        return {}
    if len(design.question.classes) != 2:
        raise OptionError(
            f"{asked[0][0]} is for two classes, and there are {len(design.question.classes)}",
            hint="keep two with --classes, or make two of numbers with --above",
        )
    if not isinstance(design.encoding, Encoding):
        raise OptionError(f"{asked[0][0]}: an svmlight file has no named columns", hint="leave it out")
    twice = [name for name in increasing if name in decreasing]
    if twice:
        raise OptionError(f"{twice[0]!r} is in --increasing and in --decreasing", hint="name it in one of them")
    signs: dict[int, int] = {}
    for option, sign, name in asked:
        signs |= dict.fromkeys(_places(design.encoding, option, name), sign)
    return signs


def _places(encoding: Encoding, option: str, name: str) -> list[int]:
    """The places of the features that the values of a column enter by."""
    column = next((column for column in encoding.columns if column.name == name), None)
    if column is None:
        raise OptionError(f"{option} {name!r}: there is no such column", hint="names are separated by commas")
    if column.kind == "category":
        raise OptionError(f"{option} {name!r}: the column holds texts, which have no order", hint="leave it out")
    for used, start, stop in encoding.places():
        if used.name == name:
            return [j for j in range(start, stop) if encoding.features[j].role == "value"]
    raise OptionError(f"{option} {name!r}: the column takes no part ({column.reason})", hint="leave it out")


def holds_signs(entry: LearnerEntry) -> bool:
    """Whether a learner can hold weights to a sign with the parameters it takes part with."""
    return entry.signs and "monotone" in signature(entry.estimator).parameters


def keep_signed(
    names: Sequence[str], left_out: dict[str, str], asked: Sequence[str]
) -> tuple[list[str], dict[str, str]]:
    """The learners that can hold weights to a sign, and the reasons of the others."""
    known = known_learners()
    unable = [name for name in names if not holds_signs(known[name])]
    named = [name for name in unable if name in asked]
    able = [name for name in names if name not in unable]
    if named or not able:
        hint = f"those that can are {', '.join(name for name, entry in known.items() if holds_signs(entry))}"
        raise OptionError(f"--learner {(named or list(asked))[0]!r} cannot hold weights to a sign", hint=hint)
    return able, left_out | dict.fromkeys(unable, CANNOT)
