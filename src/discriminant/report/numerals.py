"""How numbers are written: three digits that count, a true minus sign, thousands apart, units with every amount."""

import math
from dataclasses import dataclass

MISSING = "–"
_NO_BREAK = "\u00a0"  # an amount and its unit stay on one line


def _with_minus(written: str) -> str:
    return written.replace("-", "−")


def round_digits(value: float, digits: int = 9) -> float:
    """A number with so many digits, for the data of the page."""
    return float(f"{value:.{digits}g}")


def number(value: float | None, digits: int = 3) -> str:
    """Write a number with ``digits`` digits that count: 0.0312, −1.50, 1,235; whole numbers stay whole."""
    if value is None or not math.isfinite(value):
        return MISSING
    size = abs(value)
    if size != 0 and (size >= 1e15 or size < 1e-4):
        return _with_minus(f"{value:.{digits - 1}e}")
    if value == int(value):
        return _with_minus(f"{int(value):,}")
    decimals = max(0, digits - 1 - math.floor(math.log10(size)))
    return _with_minus(f"{value:,.{decimals}f}")


def decimals(value: float | None) -> str:
    """Write a number with three decimals, so that a column of them lines up; large ones as :func:`number` does."""
    if value is not None and 0 < abs(value) < 0.0005:
        return number(value, 2)  # never a zero with a minus
    return _with_minus(f"{value:.3f}") if value is not None and abs(value) < 1_000 else number(value)


def count(value: float | None) -> str:
    """Write a count of rows, which weights may make fractional: 1,234 or 12.5."""
    if value is None:
        return MISSING
    return number(value) if abs(value) >= 1e15 else _with_minus(f"{value:,.1f}".removesuffix(".0"))


def percent(share: float | None) -> str:
    """Write a share as a percentage: 12.3%."""
    return MISSING if share is None else _with_minus(f"{100 * share:.1f}%")


def plural(n: float, one: str, several: str | None = None) -> str:
    """Write a count with its noun: 1 row, 2 rows."""
    return f"{count(n)} {one if n == 1 else several or one + 's'}"


@dataclass(frozen=True)
class Worth:
    """How a criterion is written: an amount in a unit, or, of accuracy, a percentage."""

    accuracy: bool
    unit: str

    def of(self, value: float | None) -> str:
        """Write an amount with its unit."""
        if value is None or self.accuracy:
            return percent(value)
        return f"{number(value)}{_NO_BREAK}{self.unit}" if self.unit else number(value)

    def size(self, value: float | None) -> str:
        """Write how large an amount is; words beside it say whether it is earned or lost."""
        return self.of(None if value is None else abs(value))

    def difference(self, value: float | None) -> str:
        """Write a difference with its sign."""
        if value is None:
            return MISSING
        sign = "+" if value > 0 else ""
        return sign + (_with_minus(f"{100 * value:.1f} points") if self.accuracy else self.of(value))

    def between(self, low: float | None, high: float | None) -> str:
        """Write an interval; nothing where it is not known."""
        if low is None or high is None:
            return ""
        return f"{percent(low)} to {percent(high)}" if self.accuracy else f"{number(low)} to {self.of(high)}"

    def loss_between(self, low: float | None, high: float | None) -> str:
        """Write the interval of an expected loss: its ends as losses, or one of them as a gain."""
        if low is None or high is None or high <= 0:
            return self.between(None if high is None else -high, None if low is None else -low)
        return f"a loss of {self.size(low)} to a gain of {self.of(high)}"
