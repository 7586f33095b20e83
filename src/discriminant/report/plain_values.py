"""Reading a run that anyone may have written: each part is there in the right shape, or counts as missing.

Text loses what no reader can see and a page must not carry (control characters, halves of surrogate pairs, marks that
turn the direction of writing) and what goes beyond a length. Numbers that are not finite count as missing.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]"
)


def part(value: Any, *keys: str) -> Mapping[str, Any]:
    """The mapping under these keys; an empty one where there is none."""
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value if isinstance(value, Mapping) else {}


def as_list(value: Any) -> list[Any]:
    """A list of what is a sequence (and not text); an empty one of anything else."""
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str | bytes) else []


def parts(value: Any) -> list[Mapping[str, Any]]:
    """The mappings in a list."""
    return [item for item in as_list(value) if isinstance(item, Mapping)]


def real(value: Any) -> float | None:
    """A finite number, or None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def figure(facts: Mapping[str, Any], *keys: str) -> tuple[float | None, ...]:
    """The finite numbers under these keys: by default a value and the ends of its interval."""
    return tuple(real(facts.get(key)) for key in keys or ("value", "low", "high"))


def reals(value: Any) -> list[float] | None:
    """A list of finite numbers only, or None."""
    numbers = [real(item) for item in as_list(value)]
    kept = [number for number in numbers if number is not None]
    return kept if kept and len(kept) == len(numbers) else None


def whole(value: Any) -> int | None:
    """A whole number, or None."""
    number = real(value)
    return int(number) if number is not None and number == int(number) else None


def text(value: Any, length: int = 300) -> str:
    """What a label, name or sentence says, safe to show and at most ``length`` characters long."""
    if value is None:
        return ""
    written = repr(value) if isinstance(value, float) else str(value)
    clean = _UNSEEN.sub("\ufffd", written[: 2 * length + 2])
    return clean if len(clean) <= length else clean[: length - 1] + "…"
