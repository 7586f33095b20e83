"""The forms in which a number or date may enter: as it is, clipped, by its logarithm, or bent.

    straight    x
    clipped     x pulled into [q, q'], its quantiles of 0.5% and 99.5%, or the last numbers before a wide gap
    logarithm   log(1 + x/u) of x ≥ 0, u the quantile of 10% of its positive values: all but the least enter as log x
    bent        pieces between quantiles t₀ < t₁ < …: any continuous function that is straight between them, and level
                beyond the outermost, so that no outlier weighs more than the ends

All are functions of a mergeable summary, so that a table in parts has the same forms as the whole.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from discriminant.table.date_texts import day_text
from discriminant.table.encoding import Column, Feature
from discriminant.table.spreads import Quantiles

Array = NDArray[np.float64]

STRAIGHT, CLIPPED, LOGARITHM, BENT = FORMS = ("straight", "clipped", "logarithm", "bent")
HEAVY = 0.04  # share of the numbers that hold half of the spread; 0.12 of normal, 0.06 of exponential ones
_ENDS = np.array([0.005, 0.995])
_KNOTS = np.array([0.005, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95, 0.995])
_KNOTS_BESIDE_A_MODE = np.array([0.005, 0.1, 0.35, 0.65, 0.9, 0.995])
_SMALL = np.array([0.1])
_GAP = 0.5  # of the way from the middle to the end of a column without any number: what lies beyond is a code
_OFTEN = 0.01  # share of the rows that have a number which is one in its own right, such as 0 or 12 months
_PARTS_OF_A_PIECE, _PARTS_OF_A_COLUMN = 10, 100  # a place is rounded by half of such a part at most
_MODE = 0.3  # share of a single number that would swallow several quantiles


def heavy_tailed(quantiles: Quantiles) -> bool:
    """Whether few rows hold half of the spread."""
    return quantiles.share_of_half_the_spread < HEAVY


def in_form(column: Column, form: str, quantiles: Quantiles) -> Column | None:
    """A straight column in another form; None where the numbers do not allow it."""
    straight = column.values[0]
    others = tuple(f for f in column.features if f.role != "value")
    makers: dict[str, Callable[[], tuple[Feature, ...]]] = {
        STRAIGHT: lambda: (straight,),
        CLIPPED: lambda: _clipped_form(column.name, quantiles),
        LOGARITHM: lambda: _logarithm(column, quantiles),
        BENT: lambda: _piecewise_form(column, quantiles),
    }
    values = makers[form]()
    if not values:
        return None
    deviation = _deviation(Feature("", "value", 0.0, 1.0, low=values[0].low, high=values[-1].high), quantiles)
    return replace(column, features=(*values, *others), deviation=None if form == STRAIGHT else deviation)


def _clipped_form(name: str, quantiles: Quantiles) -> tuple[Feature, ...]:
    low, high = _readable(_ends(quantiles), quantiles, _PARTS_OF_A_COLUMN).tolist()
    return _scale_feature(Feature(name, "value", 0.0, 1.0, low=low, high=high), quantiles) if low < high else ()


def _ends(quantiles: Quantiles) -> Array:
    """Outer quantiles, short of wide gaps; beside a number that nearly all cells hold, those of the others."""
    ends = _before_gaps(quantiles, quantiles.at(_ENDS))
    if ends[0] < ends[1] or quantiles.values.size < 2:
        return ends
    rest = quantiles.without(int(quantiles.counts.argmax())).at(_ENDS)
    return np.array([min(ends[0], rest[0]), max(ends[1], rest[1])])


def _before_gaps(quantiles: Quantiles, ends: Array) -> Array:
    """The ends, or, where a code such as 999 lies far from all other numbers, the last of those."""
    inner_low, middle, inner_high = quantiles.at(np.array([0.05, 0.5, 0.95]))
    values = quantiles.values
    above = values[(values >= inner_high) & (values <= ends[1])]
    below = values[(values <= inner_low) & (values >= ends[0])]
    return np.array([-_before_gap(-below[::-1], -middle, -ends[0]), _before_gap(above, middle, ends[1])])


def _before_gap(values: Array, middle: float, end: float) -> float:
    """The number before the widest gap of these, if that is most of the way from the middle to the end."""
    gaps = np.diff(values)
    if not gaps.size or gaps.max() <= _GAP * (end - middle):
        return float(end)
    return float(values[int(gaps.argmax())])


def _logarithm(column: Column, quantiles: Quantiles) -> tuple[Feature, ...]:
    if column.kind != "number" or quantiles.values[0] < 0:
        return ()
    positive = quantiles.values > 0
    if positive.sum() < 3:
        return ()
    unit = float(Quantiles(quantiles.values[positive], quantiles.counts[positive]).at(_SMALL)[0])
    return _scale_feature(Feature(column.name, "value", 0.0, 1.0, low=0.0, unit=unit), quantiles)


def _piecewise_form(column: Column, quantiles: Quantiles) -> tuple[Feature, ...]:
    knots = _knots(quantiles)
    knots = (knots if column.kind == "date" else _readable(knots, quantiles, _PARTS_OF_A_PIECE)).tolist()
    shown = day_text if column.kind == "date" else "{:.6g}".format
    pieces: list[Feature] = []
    for a, b in pairwise(knots):
        name = f"{column.name} from {shown(a)} to {shown(b)}"
        pieces += _scale_feature(Feature(name, "value", 0.0, 1.0, low=a, high=b), quantiles)
    return tuple(pieces) if len(pieces) > 1 else ()


def _knots(quantiles: Quantiles) -> Array:
    mode = int(quantiles.counts.argmax())
    if quantiles.counts[mode] <= _MODE * quantiles.n or quantiles.values.size < 3:
        return np.unique(np.concatenate([quantiles.at(_KNOTS), _ends(quantiles)]))
    beside = quantiles.without(mode).at(_KNOTS_BESIDE_A_MODE)
    return np.unique(np.concatenate([[quantiles.values[mode]], beside, quantiles.at(_ENDS), _ends(quantiles)]))


def _readable(places: Array, quantiles: Quantiles, parts: int) -> Array:
    """Rounded by a small part of the way to their neighbours: where exactly a column bends, nobody can tell.

    Numbers that many rows have stay as they are.
    """
    gaps = np.diff(places)
    room = np.minimum(np.append(gaps, np.inf), np.insert(gaps, 0, np.inf)) / parts
    whole = np.isfinite(room) & (room > 0)
    digits = np.where(whole, -np.floor(np.log10(np.where(whole, room, 1.0))), 0).astype(int)
    often = quantiles.values[quantiles.counts > _OFTEN * quantiles.n]
    rounded = [_round(x, d) for x, d in zip(places.tolist(), digits.tolist(), strict=True)]
    return np.where(whole & ~np.isin(places, often), rounded, places)


def _round(x: float, digits: int) -> float:
    try:
        return round(x, digits)
    except OverflowError:  # up, beyond the largest double
        return x


def _scale_feature(feature: Feature, quantiles: Quantiles) -> tuple[Feature, ...]:
    """The feature with the mean and deviation of its raw values; none where these do not vary."""
    raw = feature.raw_of(quantiles.values)
    scale = _deviation(feature, quantiles)
    return (replace(feature, centre=quantiles.mean(raw), scale=scale),) if 0 < scale < np.inf else ()


def _deviation(feature: Feature, quantiles: Quantiles) -> float:
    raw = feature.raw_of(quantiles.values)
    largest = float(np.abs(raw).max(initial=0.0)) or 1.0
    unit = raw / largest
    return float(np.sqrt(quantiles.mean((unit - quantiles.mean(unit)) ** 2))) * largest
