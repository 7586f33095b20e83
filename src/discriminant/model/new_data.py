"""New rows against those of training: ranges, units, blanks, levels never seen, and shares that moved.

Rows are counted block by block in constant memory. With shares q of m cells of training and p of n new ones in B bins,

    PSI = Σ_b (p_b − q_b) log(p_b/q_b)           the population stability index

has about the mean (B − 1)(1/n + 1/m), and is (1/n + 1/m) times χ² with B − 1 degrees of freedom, where nothing has
moved. So this mean is taken off, and what is left counts only where χ² is beyond all chance.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.findings import shown
from discriminant.model.decision_model import DecisionModel
from discriminant.model.training import Shares, bins_of, other_texts
from discriminant.model.units import SizeCounts, factor_text, value_text
from discriminant.table.encoding import Column, Encoding, ReadCells
from discriminant.table.texts import fold_case

Array = NDArray[np.float64]

SHIFTED, STRONGLY_SHIFTED = 0.1, 0.25  # PSI; the bounds that are usual in credit scoring
_CHANCE = 4.0  # standard deviations that chance may explain, of all columns of a table together
_LEAST_CELLS = 20  # for shares to be compared
_LEAST_EXPECTED = 5.0  # cells of a bin; levels with fewer are counted together
_RARE_BEYOND = 12.0  # times the mean, which chance passes once in 100,000 times
_SOME_BEYOND = 5  # values beyond the range that are told though they are hardly beyond
_CLEARLY_BEYOND = 0.1  # of the range
_FAR_BEYOND = 3.0  # of the range: hardly ever by chance, even where values are spread unevenly
_MORE_BLANKS = 0.02
_MOST_UNSEEN = 1000  # different texts that are remembered
_PLAIN = ("rows", "blanks", "beyond", "far_beyond", "least", "largest")  # of what is counted of a column
_SIZED = 4096  # numbers of each block by which units are judged


@dataclass(frozen=True)
class DataDifference:
    """One thing in which new rows differ from those of training; ``weight`` says how much it matters, from 0 to 1."""

    column: str | None  # None for the score
    kind: str  # "unit", "range", "blanks", "unseen" or "shift"
    text: str
    weight: float
    figures: dict[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        """What was found as plain data."""
        return {"column": self.column, "kind": self.kind, "text": self.text, **self.figures}


class NewData:
    """New rows as they come, counted against the summary that the model keeps; without one, nothing is counted."""

    def __init__(self, model: DecisionModel) -> None:
        self._model = model
        self.rows = 0
        summary = model.training
        self._columns: dict[str, _Counts] = {}
        if summary is None:
            return
        self._score = np.zeros(len(summary.score.shares), dtype=np.int64)
        if isinstance(model.encoding, Encoding):
            kinds = {column.name: column for column in model.encoding.used}
            self._columns = {s.name: _Counts(kinds[s.name], s, summary.rows) for s in summary.columns}

    @property
    def compared(self) -> bool:
        """Whether there is anything to compare with."""
        return self._model.training is not None and self.rows > 0

    def add(self, observed: Sequence[ReadCells], table: Any, rows: NDArray[np.intp] | None, scores: Array) -> None:
        """A block: its cells as they were read, those rows of them that are decided (None for all), their scores."""
        if self._model.training is None:
            return
        self.rows += len(scores)
        for seen in observed:
            if (counts := self._columns.get(seen.column.name)) is not None:
                counts.add(seen, table, rows)
        edges = self._model.training.score.edges
        places = bins_of(scores[:, 0], edges) if len(self._model.classes) == 2 else scores.argmax(axis=1)
        self._score += np.bincount(places, minlength=self._score.size)

    def state(self) -> dict[str, Any]:
        """What was counted, as plain data."""
        if self._model.training is None:
            return {"rows": self.rows}
        columns = {name: counts.state() for name, counts in self._columns.items()}
        return {"rows": self.rows, "columns": columns, "score": self._score.tolist()}

    @classmethod
    def of_state(cls, model: DecisionModel, state: Mapping[str, Any]) -> "NewData":
        """What was counted against the same model."""
        found = cls(model)
        found.rows = int(state["rows"])
        if model.training is not None:
            found._score = np.array(state["score"], dtype=np.int64)
            for name, counts in found._columns.items():
                counts.take_state(state["columns"][name])
        return found

    def __add__(self, other: "NewData") -> "NewData":
        """The rows of both, counted elsewhere."""
        total = NewData(self._model)
        total.rows = self.rows + other.rows
        if self._model.training is not None:
            total._columns = {name: counts + other._columns[name] for name, counts in self._columns.items()}
            total._score = self._score + other._score
        return total

    def differences(self) -> list[DataDifference]:
        """What differs, the worst first."""
        if not self.compared:
            return []
        found = [difference for counts in self._columns.values() for difference in counts.differences()]
        found += _score_shift(self._model, self._score)
        return sorted(found, key=lambda difference: -difference.weight)


@dataclass
class _Counts:
    """What is counted of one column."""

    column: Column
    training: Shares
    training_rows: int
    rows: int = 0
    blanks: int = 0
    beyond: int = 0
    far_beyond: int = 0
    least: float = np.inf
    largest: float = -np.inf
    bins: NDArray[np.int64] = field(init=False)
    sizes: SizeCounts = field(init=False)
    unseen: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.bins = np.zeros(len(self.training.shares), dtype=np.int64)
        self.sizes = SizeCounts(self.training.sizes)
        self._known = {fold_case(text) for text in (*self.training.levels, *self.training.rare)}

    def add(self, seen: ReadCells, table: Any, rows: NDArray[np.intp] | None) -> None:
        raw, blank = (seen.raw, seen.blank) if rows is None else (seen.raw[rows], seen.blank[rows])
        self.rows += blank.size
        self.blanks += int(blank.sum())
        if self.column.kind == "category":
            places = raw[~blank]
            last = self.bins.size - 1
            self.bins += np.bincount(np.where(places < 0, last, places), minlength=self.bins.size)
            others = np.flatnonzero((raw < 0) & ~blank)
            self._add_texts(table, others if rows is None else rows[others])
        else:
            self._add_numbers(np.asarray(raw[~blank], dtype=np.float64))

    def _add_texts(self, table: Any, rows: NDArray[np.intp]) -> None:
        if not self.training.knows_all_levels or not rows.size:
            return
        for text, count in other_texts(self.column, table.column(self.column.name), rows).items():
            if fold_case(text) not in self._known:
                self._add_unseen(text, count)

    def _add_unseen(self, text: str, count: int) -> None:
        self.unseen[text if text in self.unseen or len(self.unseen) < _MOST_UNSEEN else "…"] += count

    def _add_numbers(self, values: Array) -> None:
        if not values.size:
            return
        self.bins += np.bincount(bins_of(values, self.training.edges), minlength=self.bins.size)
        self.least, self.largest = min(self.least, float(values.min())), max(self.largest, float(values.max()))
        low, high = self.training.low, self.training.high
        if low is not None and high is not None and (self.least < low or self.largest > high):
            away = np.maximum(low - values, values - high)
            self.beyond += int((away > 0).sum())
            self.far_beyond += int((away > _FAR_BEYOND * (high - low)).sum())
        self.sizes.add(values[:_SIZED])

    def state(self) -> dict[str, Any]:
        plain = {name: getattr(self, name) for name in _PLAIN}
        arrays = {"bins": self.bins.tolist(), "sizes": [self.sizes.n, self.sizes.below.tolist()]}
        return {**plain, **arrays, "unseen": dict(self.unseen)}

    def take_state(self, state: Mapping[str, Any]) -> None:
        for name in _PLAIN:
            setattr(self, name, state[name])
        self.bins = np.array(state["bins"], dtype=np.int64)
        n, below = state["sizes"]
        self.sizes = SizeCounts(self.training.sizes, n, np.array(below, dtype=np.int64))
        self.unseen = Counter(state["unseen"])

    def __add__(self, other: "_Counts") -> "_Counts":
        total = _Counts(
            self.column,
            self.training,
            self.training_rows,
            self.rows + other.rows,
            self.blanks + other.blanks,
            self.beyond + other.beyond,
            self.far_beyond + other.far_beyond,
            min(self.least, other.least),
            max(self.largest, other.largest),
        )
        total.bins, total.sizes = self.bins + other.bins, self.sizes + other.sizes
        for text, count in (*self.unseen.items(), *other.unseen.items()):
            total._add_unseen(text, count)
        return total

    # --- what differs -----------------------------------------------------------------------------------

    def differences(self) -> Iterator[DataDifference]:
        yield from self._more_blanks()
        all_beyond = self.beyond == self.rows - self.blanks
        if (factor := self.sizes.factor(sure=all_beyond)) is not None:
            yield self._difference("unit", f"values are {factor_text(factor)}", 1.0, factor=factor)
            return
        told = 0.0
        for difference in (*self._out_of_range(), *self._never_seen()):
            told = max(told, difference.weight)
            yield difference
        if told < 0.1:
            yield from self._shift()

    def _difference(self, kind: str, text: str, weight: float, **figures: Any) -> DataDifference:
        return DataDifference(self.column.name, kind, f"{self.column.name}: {text}", weight, figures)

    def _more_blanks(self) -> Iterator[DataDifference]:
        was, now = self.training.blank, self.blanks / max(self.rows, 1)
        n, m = self.rows, self.training_rows
        pooled = (self.blanks + was * m) / max(n + m, 1)
        chance = _CHANCE * np.sqrt(pooled * (1 - pooled) * (1 / max(n, 1) + 1 / max(m, 1)))
        if now - was > max(chance, _MORE_BLANKS):
            before = f"in training {was:.1%}" if was else "in training none"
            text = f"{self.blanks:,} of {n:,} cells are blank, {before}"
            yield self._difference("blanks", text, now - was, blanks=self.blanks, share=now, training_share=was)

    def _out_of_range(self) -> Iterator[DataDifference]:
        low, high = self.training.low, self.training.high
        if not self.beyond or low is None or high is None:
            return
        filled = self.rows - self.blanks
        # The share of all values beyond an extreme of m of them is exponential with mean 1/m.
        times = filled / max(self.training.cells, 1)
        by_chance = _RARE_BEYOND * times + _CHANCE * np.sqrt(_RARE_BEYOND * times)
        clear = max(low - self.least, self.largest - high) > _CLEARLY_BEYOND * (high - low)
        many = self.beyond > by_chance and (clear or self.beyond >= _SOME_BEYOND)
        if many or self.far_beyond > times:
            span = f"{_value(self.column.kind, low)} to {_value(self.column.kind, high)}"
            farthest = self.least if low - self.least > self.largest - high else self.largest
            text = (
                f"{self.beyond:,} of {filled:,} values are beyond those of training, {span} "
                f"(one is {_value(self.column.kind, farthest)})"
            )
            yield self._difference(
                "range", text, self.beyond / filled, beyond=self.beyond, low=low, high=high, least=self.least,
                largest=self.largest,
            )  # fmt: skip

    def _never_seen(self) -> Iterator[DataDifference]:
        count = sum(self.unseen.values())
        if count:
            filled = self.rows - self.blanks
            names = [text for text, _ in self.unseen.most_common()]
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""
            some = ", ".join(map(shown, names[:3]))
            text = f"{count:,} of {filled:,} cells hold a text that training had not ({some}{more})"
            yield self._difference("unseen", text, count / filled, unseen=count, levels=names[:20])

    def _shift(self) -> Iterator[DataDifference]:
        psi = stability_index(self.training, self.bins)
        if psi is not None:
            text = f"{_how_much(psi)}: {_moved_most(self.training, self.bins, self.column.kind)}"
            yield self._difference("shift", f"{text} (PSI {psi:.2g})", _weight_of(psi), psi=psi)


def _score_shift(model: DecisionModel, counts: NDArray[np.int64]) -> Iterator[DataDifference]:
    assert model.training is not None
    psi = stability_index(model.training.score, counts)
    if psi is None:
        return
    two = len(model.classes) == 2
    moved = _moved_most(model.training.score, counts, "number" if two else "category")
    what = f"the {'scores' if two else 'likeliest classes'} are {_how_much(psi)}: {moved}"
    yield DataDifference(None, "shift", f"{what} (PSI {psi:.2g})", _weight_of(psi), {"psi": psi})


def stability_index(training: Shares, counts: NDArray[np.int64]) -> float | None:
    """PSI less what chance adds to it; None where it is below `SHIFTED` or may be chance."""
    n, m = int(counts.sum()), training.cells
    if n < _LEAST_CELLS or m < _LEAST_CELLS:
        return None
    new, old = counts.astype(np.float64), np.asarray(training.shares) * m
    if training.levels:
        new, old = _pool_levels(new, old)
    B = new.size
    if B < 2:
        return None
    p, q = (new + 0.5) / (n + 0.5 * B), (old + 0.5) / (m + 0.5 * B)
    index = float(((p - q) * np.log(p / q)).sum())
    noise = 1 / n + 1 / m
    excess = index - (B - 1) * noise
    return excess if excess >= SHIFTED and index > noise * _largest_by_chance(B - 1) else None


def _pool_levels(new: Array, old: Array) -> tuple[Array, Array]:
    """Levels that either table would hold too few of, counted together."""
    few = (old + new) * min(new.sum(), old.sum()) / (new.sum() + old.sum()) < _LEAST_EXPECTED
    if not few.any():
        return new, old
    return np.append(new[~few], new[few].sum()), np.append(old[~few], old[few].sum())


def _largest_by_chance(degrees: int) -> float:
    """A bound of χ² that chance passes about once in 30,000 times (Wilson and Hilferty's approximation)."""
    spread = 2 / (9 * degrees)
    return float(degrees * (1 - spread + _CHANCE * np.sqrt(spread)) ** 3)


def _how_much(psi: float) -> str:
    return "strongly shifted" if psi >= STRONGLY_SHIFTED else "shifted"


def _weight_of(psi: float) -> float:
    return min(psi, 1.0)


def _moved_most(training: Shares, counts: NDArray[np.int64], kind: str) -> str:
    """The bin that has gained most: "41% are above 55, in training 10%"."""
    now, was = counts / max(int(counts.sum()), 1), np.asarray(training.shares)
    b = int((now - was).argmax())
    return f"{now[b]:.0%} are {_bin_text(training, b, kind)}, in training {was[b]:.0%}"


def _bin_text(training: Shares, b: int, kind: str) -> str:
    if training.levels:
        return shown(training.levels[b]) if b < len(training.levels) else "other texts"
    if kind == "flag":
        return "true" if b else "false"
    ends = [_value(kind, edge) for edge in training.edges]
    if b == 0:
        return f"{ends[0]} or less"
    return f"above {ends[-1]}" if b == len(ends) else f"above {ends[b - 1]} up to {ends[b]}"


def _value(kind: str, value: float) -> str:
    return value_text(kind, np.floor(value)) if kind == "date" else f"{value:,.6g}"
