"""What a likelihood says of its estimates: standard errors, intervals, tests, and the table that shows them.

    estimate a·v,   standard error √(a′Ca),   C = (∇²F)⁻¹ at the maximum   (v: all weights in the units of the columns)

A combination a picks one weight of the plane between two classes, or of several classes the difference between a class
and the first.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import chi2, norm

Array = NDArray[np.float64]

INTERCEPT = "(intercept)"


@dataclass(frozen=True)
class LikelihoodRatioTest:
    """Twice the log-likelihood lost by leaving columns out, beside χ² with as many degrees of freedom."""

    statistic: float
    degrees: int
    p_value: float
    columns: tuple[str, ...]

    @classmethod
    def of(cls, full: float, reduced: float, degrees: int, columns: tuple[str, ...]) -> "LikelihoodRatioTest":
        """The test from the two log-likelihoods."""
        statistic = max(2.0 * (full - reduced), 0.0)
        return cls(statistic, degrees, float(chi2.sf(statistic, degrees)) if degrees else 1.0, columns)

    def __str__(self) -> str:
        degrees = f"{self.degrees} degree{'s' * (self.degrees != 1)} of freedom"
        return f"likelihood ratio {self.statistic:.4f} on {degrees}, p = {self.p_value:.4g}"


@dataclass(frozen=True)
class WeightEstimate:
    """One weight a person asks about: a·v with its error, and a test of whether it is zero."""

    column: str
    classes: str
    a: Array
    value: float
    error: float

    @property
    def z(self) -> float:
        """The estimate in standard errors."""
        return self.value / self.error if self.error > 0 else np.nan

    @property
    def p_value(self) -> float:
        """The p-value of Wald's test."""
        return 2.0 * float(norm.sf(abs(self.z)))

    def wald(self, level: float) -> tuple[float, float]:
        """The estimate ∓ z of the level times its error."""
        reach = float(norm.isf((1 - level) / 2)) * self.error
        return self.value - reach, self.value + reach


def estimates_of(
    planes: Array, C: Array, names: tuple[str, ...], classes: NDArray[Any], *, intercept: bool = True
) -> tuple[WeightEstimate, ...]:
    """Intercept and weights of the second class against the first; of more classes, of each other one against it."""
    labels, size = classes.tolist(), len(names) + 1
    found = []
    for k in range(1, len(labels)):
        for j in ((size - 1,) if intercept else ()) + tuple(range(size - 1)):
            a = np.zeros_like(planes)
            if len(planes) == 1:
                a[0, j] = 1.0
            else:
                a[k, j], a[0, j] = 1.0, -1.0
            name = INTERCEPT if j == size - 1 else names[j]
            used = np.flatnonzero(a)
            value = float((a * planes).sum())
            error = float(np.sqrt(a.ravel()[used] @ C[np.ix_(used, used)] @ a.ravel()[used]))
            found.append(WeightEstimate(name, f"{labels[k]} against {labels[0]}", a.ravel(), value, error))
    return tuple(found)


@dataclass(frozen=True)
class Summary:
    """Estimates one below the other: ``rows`` holds a mapping for each, ``head`` and ``foot`` what is said of all.

    Printed it is a table; ``columns`` is a mapping of lists, which any data frame takes.
    """

    rows: tuple[dict[str, Any], ...]
    head: str
    foot: tuple[str, ...]
    level: float

    @classmethod
    def of(
        cls, estimates: tuple[WeightEstimate, ...], ends: Array, head: str, foot: tuple[str, ...], level: float
    ) -> "Summary":
        """The table from estimates and their intervals."""
        rows = tuple(
            {
                "classes": e.classes,
                "column": e.column,
                "estimate": e.value,
                "std_error": e.error,
                "z": e.z,
                "p": e.p_value,
                "low": low,
                "high": high,
                "odds_ratio": _exp(e.value),
                "odds_low": _exp(low),
                "odds_high": _exp(high),
            }
            for e, (low, high) in zip(estimates, ends.tolist(), strict=True)
        )
        return cls(rows, head, foot, level)

    @property
    def columns(self) -> dict[str, list[Any]]:
        """The table by columns."""
        return {key: [row[key] for row in self.rows] for key in self.rows[0]}

    def __str__(self) -> str:
        width = max(len(row["column"]) for row in self.rows)
        low, high = (f"{100 * self.level:g}% {end}" for end in ("low", "high"))
        titles = "".join(f" {t:>12}" for t in ("estimate", "std. error", "z", "p", low, high))
        titles += f"  odds ratio ({100 * self.level:g}%)"
        lines, block = [self.head], None
        for row in self.rows:
            if row["classes"] != block:
                block = row["classes"]
                lines += ["", f"{block}:", " " * width + titles]
            cells = "".join(f" {text:>12}" for text in _cells(row))
            lines.append(f"{row['column']:<{width}}{cells}  {_odds(row)}".rstrip())
        return "\n".join([*lines, "", *self.foot])


def _cells(row: dict[str, Any]) -> list[str]:
    p = "<1e-16" if row["p"] < 1e-16 else f"{row['p']:.4g}"
    numbers = {key: f"{row[key]:.6g}" for key in ("estimate", "std_error", "low", "high")}
    cells = [numbers["estimate"], numbers["std_error"], f"{row['z']:.2f}", p, numbers["low"], numbers["high"]]
    return ["not unique" if cell == "nan" else cell for cell in cells]


def _odds(row: dict[str, Any]) -> str:
    """What one unit more of a column multiplies the odds by; an intercept multiplies none."""
    if row["column"] == INTERCEPT or np.isnan(row["odds_ratio"]):
        return ""
    return f"{row['odds_ratio']:.4g} ({row['odds_low']:.4g}, {row['odds_high']:.4g})"


def _exp(value: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.exp(value))
