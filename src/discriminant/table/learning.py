"""Summaries of columns -> the encoding of a table: what each column is, and which features it becomes.

A pure function of the summaries, so that a table can be learnt in parts. With n rows:

    few(n) = max(5, n/200)     the fewest rows that a level, or blanks, must have to become a feature of their own
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from discriminant.table.cells import days_of_cells, flags_of_cells
from discriminant.table.date_texts import day_text, fitting_date_formats
from discriminant.table.encoding import Column, Encoding, Feature
from discriminant.table.spreads import Spread
from discriminant.table.summaries import ColumnSummary
from discriminant.table.texts import one_spelling, spellings_text

MOST_FEATURES = 50  # of one category; rarer levels share one
AMBIGUOUS_DATES = "dates that can be read day first or month first, such as"
DRESSED = "numbers written with signs, such as"
_ID_NAME = re.compile(r"(?i:(^|[\s_.\-])(id|ids|uuid|guid|key|rowid|index|nr|serial)$|^unnamed: 0$)|[a-z]I[dD]$")
_NAMELESS = re.compile(r"^column \d+$")  # what readers call a column whose header is blank
_LONG_TEXT = 80  # characters on average: prose, not a category
_NUMBER_SHARE = 0.9  # of filled cells: then the other texts of a column are odd ways to leave a cell blank
_MANY_NUMBERS = 20  # different ones: then half of the filled cells are enough
_ODD_TEXTS = 5  # at most so many different ones
_GROUPS = "[0-9]{1,3}([ ,.'’\u00a0\u202f]?[0-9]{3})*([.,][0-9]+)?"
_DRESSED_NUMBER = f"^[^0-9A-Za-z]{{0,3}}{_GROUPS} ?([^0-9A-Za-z]{{0,3}}|[A-Z]{{3}})$"


def fewest_rows_of_feature(n: int) -> int:
    """The fewest rows worth a feature of their own."""
    return max(5, math.ceil(n / 200))


def learn(summaries: Sequence[ColumnSummary], ignored: Sequence[str] = (), day_first: bool | None = None) -> Encoding:
    """The encoding of a table whose columns these are; the target and the weights are not among them.

    ``day_first`` says what 03/04/2020 is, where no cell of the column does.
    """
    return Encoding(tuple(learn_column(s, ignored=s.name in set(ignored), day_first=day_first) for s in summaries))


def learn_column(summary: ColumnSummary, *, ignored: bool = False, day_first: bool | None = None) -> Column:
    """Learn what a column is and how it enters."""
    if ignored:
        written = _of_written_numbers(summary)  # the gain of a row may be a number in such a column
        return replace(
            _drop_column(summary, "left out as asked"), number_format=None if written is None else written.number_format
        )
    if summary.filled == 0:
        return _drop_column(summary, "every cell is blank")
    if summary.kind == "other":
        return _drop_column(summary, f"stored as {summary.stored}, which is neither number, text, date nor flag")
    if summary.kind == "text":
        return _of_text(summary, day_first)
    return _number_column(summary, summary.kind, summary.spread)


def spread_of_values(summary: ColumnSummary, column: Column) -> Spread:
    """The spread of the numbers or dates that a summary was learnt as, however they are written."""
    if summary.kind != "text":
        return summary.spread
    if column.kind == "date" and summary.levels is not None:
        texts, counts = _counted_texts(summary.levels)
        return Spread.of(days_of_cells(texts, (), column.date_format)[0], counts)
    written = summary.written_numbers if column.number_format is not None else None
    return summary.spread if written is None else written.spread


def _drop_column(summary: ColumnSummary, reason: str) -> Column:
    return Column(summary.name, "dropped", blanks=summary.blanks, reason=reason)


# --- numbers, flags and dates ----------------------------------------------------------------------------


def _number_column(
    summary: ColumnSummary,
    kind: str,
    spread: Spread,
    also_blank: tuple[str, ...] = (),
    date_format: str | None = None,
) -> Column:
    blanks = summary.n - spread.n
    if kind == "number" and (reason := _identifies(summary, spread)):
        return _drop_column(summary, reason)
    blank = _blank_feature(summary.name, blanks, summary.n)
    value = () if spread.constant else (Feature(summary.name, "value", spread.mean, _scale(spread)),)
    features = (*value, *blank)
    if not features:
        return _drop_column(summary, f"every filled cell is {_shown(spread.low, kind)}: a constant tells nothing")
    read = f"{', '.join(map(repr, also_blank))} count as blank" if also_blank else ""
    return Column(
        summary.name,
        kind,  # type: ignore[arg-type]
        features,
        also_blank=also_blank,
        date_format=date_format,
        blanks=blanks,
        low=spread.low,
        high=spread.high,
        reason=read,
        step=1.0 if kind == "number" and summary.whole else None,
    )


def _identifies(summary: ColumnSummary, spread: Spread) -> str:
    """Why whole numbers are identifiers and no measurements; empty if they are not."""
    if not summary.integers or summary.n < 10:
        return ""
    if spread.counting:
        return "its numbers count the rows: an identifier"
    if _ID_NAME.search(summary.name.strip()):
        return "its name says that it is an identifier"
    if _NAMELESS.match(summary.name) and spread.high - spread.low >= 0.9 * (spread.n - 1):
        return "it has no name, and its whole numbers reach as far as there are rows: row numbers"
    return ""


def _scale(spread: Spread) -> float:
    """The standard deviation; of numbers so close together that it is lost in rounding, half their range."""
    deviation = spread.deviation
    return deviation if np.isfinite(deviation) and deviation > 0 else spread.high / 2 - spread.low / 2 or 1.0


def _blank_feature(name: str, blanks: int, n: int) -> tuple[Feature, ...]:
    if min(blanks, n - blanks) < fewest_rows_of_feature(n):
        return ()
    share = blanks / n
    return (Feature(f"{name} is blank", "blank", share, math.sqrt(share * (1 - share))),)


# --- texts -----------------------------------------------------------------------------------------------


def _of_text(summary: ColumnSummary, day_first: bool | None) -> Column:
    if (column := _of_written_numbers(summary)) is not None:
        return column
    odd = None if summary.odd is None else _ways_to_be_blank(summary, summary.odd, summary.spread.n)
    if odd is not None:
        return _number_column(summary, "number", summary.spread, odd)
    if summary.levels is None:
        return _drop_column(summary, "nearly every text is different: an identifier, or prose")
    texts, counts = _counted_texts(summary.levels)
    flags, strange = flags_of_cells(texts, ())
    if len(texts) > 1 and not strange.any():
        return _number_column(summary, "flag", Spread.of(flags, counts))
    found = fitting_date_formats(texts)
    formats = found if len(found) == 1 else [f for f in found if _days_first(f) == day_first]
    if len(formats) == 1 and len(texts) > 1:
        days = days_of_cells(texts, (), formats[0])[0]
        return _number_column(summary, "date", Spread.of(days, counts), (), formats[0])
    if len(found) > 1:
        return _drop_column(summary, f"{AMBIGUOUS_DATES} {texts[0].as_py()!r}")
    return _category(summary)


def _days_first(date_format: str) -> bool:
    return date_format.index("%d") < date_format.index("%m")


def _of_written_numbers(summary: ColumnSummary) -> Column | None:
    """A column of numbers as people write them; None where fewer cells are such numbers than plain ones, or as few."""
    found = summary.written_numbers
    plain = 0 if summary.odd is None else summary.filled - sum(summary.odd.values())
    if found is None or summary.filled - sum(found.odd.values()) <= plain:
        return None
    odd = _ways_to_be_blank(summary, found.odd, found.spread.n)
    if odd is None:
        return None
    if not found.format.units and _ID_NAME.search(summary.name.strip()):
        return _drop_column(summary, "its name says that it is an identifier")
    column = _number_column(replace(summary, whole=found.whole), "number", found.spread, odd)
    if column.kind == "dropped":
        return column
    reason = "; ".join(part for part in (found.reason, column.reason) if part)
    return replace(column, number_format=found.format, reason=reason)


def _ways_to_be_blank(summary: ColumnSummary, odd: Mapping[str, int], numbers: int) -> tuple[str, ...] | None:
    """The texts among so many numbers, if they are few enough; None if they are not."""
    if len(odd) > _ODD_TEXTS or numbers == 0:
        return None
    many = summary.levels is None or len(summary.levels) - len(odd) > _MANY_NUMBERS
    return tuple(sorted(odd)) if numbers / summary.filled >= (0.5 if many else _NUMBER_SHARE) else None


def _counted_texts(levels: Mapping[str, int]) -> tuple[pa.Array, np.ndarray]:
    return pa.array(list(levels), pa.string()), np.array(list(levels.values()), dtype=np.float64)


def _category(summary: ColumnSummary) -> Column:
    levels, spellings = one_spelling(summary.levels or {})
    filled = summary.filled
    if summary.length > _LONG_TEXT * filled:
        return _drop_column(summary, "prose: its texts have over 80 characters on average")
    if len(levels) > 10 and _looks_like_numbers(levels):
        return _drop_column(summary, f"{DRESSED} {next(iter(levels))!r}")
    if len(levels) > 0.5 * filled and len(levels) > 10:
        return _drop_column(summary, f"{len(levels)} different texts in {filled} rows: an identifier, or prose")
    ranked = sorted(levels.items(), key=lambda item: (-item[1], item[0]))
    (reference, _), rest = ranked[0], ranked[1:]
    kept = [(text, count) for text, count in rest if count >= fewest_rows_of_feature(summary.n)][:MOST_FEATURES]
    rare = filled - levels[reference] - sum(count for _, count in kept)
    shared = rare >= fewest_rows_of_feature(summary.n)
    told = filled if shared else filled - rare  # rare levels without a feature count as average: not among the shares
    own = [_indicator(f"{summary.name} = {text}", "level", count, told, text) for text, count in kept]
    others = [_indicator(f"{summary.name} = (other)", "other", rare, filled)] if shared else []
    features = (*own, *others, *_blank_feature(summary.name, summary.blanks, summary.n))
    if not features:
        return _drop_column(summary, _why_featureless(reference, rest, fewest_rows_of_feature(summary.n)))
    grouped = len(rest) - len(kept)
    reason = ""
    if grouped:
        reason = f"{grouped} rare level{'s' if grouped > 1 else ''} " + ("grouped" if others else "count as average")
    aliases = tuple((other, text) for text in (reference, *(t for t, _ in kept)) for other in spellings.get(text, ()))
    reason = "; ".join(part for part in (spellings_text(aliases), reason) if part)
    return Column(summary.name, "category", features, reference, blanks=summary.blanks, reason=reason, aliases=aliases)


def _looks_like_numbers(levels: Mapping[str, int]) -> bool:
    """Whether all are numbers with signs of a currency, per cent or thousands: which, only a person knows."""
    return bool(pc.all(pc.match_substring_regex(pa.array(list(levels), pa.string()), _DRESSED_NUMBER)).as_py())


def _why_featureless(reference: str, rest: Sequence[tuple[str, int]], least: int) -> str:
    if not rest:
        return f"every filled cell is {reference!r}: a constant tells nothing"
    return f"nearly every cell is {reference!r}, and no other text occurs {least} times"


def _indicator(name: str, role: str, count: int, filled: int, level: str | None = None) -> Feature:
    share = count / filled
    return Feature(name, role, share, math.sqrt(share * (1 - share)), level)  # type: ignore[arg-type]


def _shown(value: float, kind: str) -> str:
    if kind == "flag":
        return "true" if value else "false"
    if kind == "date":
        return day_text(value)
    return f"{value:.12g}"
