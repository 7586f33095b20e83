"""Labels in languages where all answers have one type."""

from collections.abc import Sequence
from typing import Literal

from discriminant.model.decision_model import Label

LabelType = Literal["text", "integer", "real", "flag"]


def common_type(answers: Sequence[Label]) -> LabelType:
    """The type that all answers have; text where they differ, or where a whole number takes more than 64 bits."""
    kinds = {_type(a) for a in answers}
    return kinds.pop() if len(kinds) == 1 else "text"


def as_text(label: Label) -> str:
    """As JSON has it."""
    return str(label).lower() if isinstance(label, bool) else str(label)


def unified(answers: Sequence[Label]) -> tuple[Label, ...]:
    """The answers, as texts if they are not all of one type."""
    return tuple(as_text(a) for a in answers) if common_type(answers) == "text" else tuple(answers)


def _type(label: Label) -> LabelType:
    if isinstance(label, bool):
        return "flag"
    if isinstance(label, int):
        return "integer" if -(2**63) <= label < 2**63 else "text"
    return "real" if isinstance(label, float) else "text"
