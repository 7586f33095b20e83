"""Numbers, texts and labels as source code. Numbers come back bit for bit; texts are harmless whatever they hold."""

import json
from collections.abc import Sequence
from typing import Literal

from discriminant.model.decision_model import Label

LabelType = Literal["text", "integer", "real", "flag"]


class ExportError(ValueError):
    """One line: what cannot be said in the other language, and the way out."""


def number(x: float) -> str:
    """The shortest digits that give the same double again."""
    return repr(float(x))


def ascii_text(text: str) -> str:
    r"""A double-quoted JSON string of plain ASCII that closes no comment, script or string, and has no line end.

    >>> ascii_text('*/ </script>')
    '"\\u002a/ \\u003c/script\\u003e"'
    """
    quoted = json.dumps(text, ensure_ascii=True)
    for mark in "<>*&?":
        quoted = quoted.replace(mark, f"\\u{ord(mark):04x}")
    return quoted.replace("\x7f", "\\u007f")


def c_text(text: str) -> str:
    r"""A C string literal of the UTF-8 bytes: whatever is not a plain letter, digit or mark becomes an octal escape.

    >>> c_text('a"?')
    '"a\\042\\077"'
    """
    plain = set(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-+=.,:;()[]{}<>!#$&'|~^@%")
    return '"' + "".join(chr(b) if b in plain else f"\\{b:03o}" for b in text.encode()) + '"'


# --- labels, in languages where all answers have one type --------------------------------------------------


def common_type(answers: Sequence[Label]) -> LabelType:
    """The type that all answers have; text where they differ, or where a whole number takes more than 64 bits."""
    kinds = {_type(a) for a in answers}
    return kinds.pop() if len(kinds) == 1 else "text"


def as_text(label: Label) -> str:
    """A label as the text that JSON has for it."""
    return str(label).lower() if isinstance(label, bool) else str(label)


def labels_of_one_type(answers: Sequence[Label]) -> tuple[Label, ...]:
    """The answers, as texts if they are not all of one type."""
    return tuple(as_text(a) for a in answers) if common_type(answers) == "text" else tuple(answers)


def _type(label: Label) -> LabelType:
    if isinstance(label, bool):
        return "flag"
    if isinstance(label, int):
        return "integer" if -(2**63) <= label < 2**63 else "text"
    return "real" if isinstance(label, float) else "text"
