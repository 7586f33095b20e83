"""Contenders timed in turn, and the bars their times are held against.

Repeats alternate (ours, peer, peer, ours, ...), so that a busy moment of the machine hits everyone alike, and the
least of the repeats counts: other work on the machine can only add time, never take it away.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import Protocol

from benchmarks.data import Shape
from benchmarks.machine import limited

OURS = "discriminant"


@dataclass(frozen=True)
class Contender:
    """Stages to run in this order, each timed apart (a fit, then a prediction with what was fitted)."""

    name: str
    stages: Mapping[str, Callable[[], object]]
    repeats: int | None = None  # at most so many, where one takes long


@dataclass(frozen=True)
class Absent:
    """A peer that cannot take part, and why: a gap in the table should explain itself."""

    name: str
    reason: str


@dataclass(frozen=True)
class Verdict:
    """What a bar says of a result; ``met`` is None where it cannot be judged."""

    peer: str
    bar: str
    required: float
    measured: float
    met: bool | None


class Bar(Protocol):
    """A demand on the scores of a result."""

    def judge(self, best: Mapping[str, float]) -> Verdict | None:
        """The verdict, or None where no peer it speaks of took part."""


@dataclass(frozen=True)
class Faster:
    """The quickest peer whose name starts with ``peers`` takes at least ``least`` times as long as we do.

    ``ours`` says which of us, where several take part.
    """

    least: float
    peers: str
    label: str
    ours: str = OURS

    def judge(self, best: Mapping[str, float]) -> Verdict | None:
        """Of the ratio peer/ours."""
        rivals = [name for name in best if not _is_ours(name) and name.startswith(self.peers)]
        if not rivals:
            return None
        rival = min(rivals, key=best.__getitem__)
        ratio = best[rival] / best[self.ours]
        return Verdict(rival, f"{self.label} ≥ {self.least:g}", self.least, ratio, ratio >= self.least)


@dataclass(frozen=True)
class Result:
    """The scores (seconds or megabytes) of every contender in one stage of a case."""

    task: str
    title: str
    shape: Shape
    threads: int
    stage: str
    unit: str
    scores: dict[str, list[float]]
    notes: dict[str, str] = field(default_factory=dict)
    verdicts: tuple[Verdict, ...] = ()

    @property
    def best(self) -> dict[str, float]:
        """The least score of each contender."""
        return {name: min(repeats) for name, repeats in self.scores.items()}


@dataclass(frozen=True)
class Effort:
    """How often to repeat, and how many seconds are too many to be repeated more than once."""

    repeats: int
    cap: float


@dataclass(frozen=True)
class Contest:
    """One shape, its contenders and the bars for every stage."""

    task: str
    title: str
    shape: Shape
    enter: Callable[[Shape], Sequence[Contender | Absent]]
    bars: tuple[Bar, ...]

    def measure(self, threads: Sequence[int], effort: Effort) -> Iterator[Result]:
        """Results by number of threads; the data is made once for them all."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what learners find in made-up data is no news
            for contender in _present(self.enter(self.shape.tiny())):
                _run(contender)  # compile and load everything before the clock starts
            entries = self.enter(self.shape)
            fewer: dict[str, Result] = {}
            for count in threads:
                with limited(count):
                    for result in self._results(entries, count, effort):
                        yield judged(result, self.bars, fewer.get(result.stage))
                        fewer[result.stage] = result

    def _results(self, entries: Sequence[Contender | Absent], threads: int, effort: Effort) -> Iterator[Result]:
        laps, notes = _alternate(_present(entries), effort)
        notes |= {entry.name: f"skipped: {entry.reason}" for entry in entries if isinstance(entry, Absent)}
        for stage in laps[OURS][0]:
            scores = {name: [lap[stage] for lap in repeats] for name, repeats in laps.items()}
            yield Result(self.task, self.title, self.shape, threads, stage, "s", scores, notes)


def judged(result: Result, bars: Sequence[Bar], fewer: Result | None = None) -> Result:
    """The result with a verdict for each bar that applies.

    A peer that was quicker on fewer threads is judged by that time: threads that wait for a core other work holds
    can cost it tenfold, and a bar cleared that way would be no merit of ours.
    """
    best, notes = result.best, dict(result.notes)
    for name, seconds in fewer.best.items() if fewer else ():
        if not _is_ours(name) and seconds < best[name]:
            best[name] = seconds
            notes[name] = "; ".join([*filter(None, [notes.get(name)]), "bars use its quicker time on fewer threads"])
    verdicts = (bar.judge(best) for bar in bars)
    return replace(result, notes=notes, verdicts=tuple(v for v in verdicts if v is not None))


def _is_ours(name: str) -> bool:
    return name.startswith(OURS)


def _present(entries: Sequence[Contender | Absent]) -> list[Contender]:
    return [entry for entry in entries if isinstance(entry, Contender)]


def _alternate(
    contenders: Sequence[Contender], effort: Effort
) -> tuple[dict[str, list[dict[str, float]]], dict[str, str]]:
    """The laps of every contender (seconds by stage), and a note for those not repeated in full."""
    laps: dict[str, list[dict[str, float]]] = {contender.name: [] for contender in contenders}
    notes: dict[str, str] = {}
    for _ in range(effort.repeats):
        for contender in contenders:
            if contender.name in notes:
                continue
            done = laps[contender.name]
            done.append(_run(contender))
            why = _enough(contender, done, effort)
            if why:
                notes[contender.name] = f"repeats after {len(done)} skipped: {why}"
    return laps, notes


def _enough(contender: Contender, done: Sequence[Mapping[str, float]], effort: Effort) -> str | None:
    """Why a contender is not repeated any more, if so."""
    # twice, because once may have been bad luck, and a peer should not be judged by that
    if len(done) > 1 and min(max(lap.values()) for lap in done) > effort.cap:
        return f"over the cap of {effort.cap:g} s"
    if contender.repeats is not None and contender.repeats <= len(done) < effort.repeats:
        return "one takes long at full size"
    return None


def _run(contender: Contender) -> dict[str, float]:
    """Seconds by stage, and their sum where there are several."""
    lap = {}
    for stage, work in contender.stages.items():
        start = perf_counter()
        work()
        lap[stage] = perf_counter() - start
    if len(lap) > 1:
        lap[" + ".join(lap)] = sum(lap.values())
    return lap
