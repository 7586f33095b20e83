"""Parameters of learners, read with a clear error for what makes no sense."""

from typing import Any

import numpy as np


def read_choice(value: Any, choices: tuple[str, ...], name: str) -> str:
    """One of the choices, or a clear error."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}")
    return value


def read_penalty(value: Any, name: str) -> float:
    """A finite number, not negative."""
    number = _read_number(value, name)
    if not 0 <= number < np.inf:
        raise ValueError(f"{name} must be finite and not negative, got {value!r}")
    return number


def read_positive(value: Any, name: str) -> float:
    """A finite number above zero."""
    number = _read_number(value, name)
    if not 0 < number < np.inf:
        raise ValueError(f"{name} must be finite and greater than zero, got {value!r}")
    return number


def read_count(value: Any, name: str) -> int:
    """A whole number, at least one."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} must be a whole number, got {value!r}")
    if value < 1:
        raise ValueError(f"{name} must be at least 1, got {value!r}")
    return int(value)


def read_flag(value: Any, name: str) -> bool:
    """True or False, not something that looks like it."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def _read_number(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise TypeError(f"{name} must be a number, got {value!r}")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{name} must be finite, got a number of too many digits") from None
