"""How far a fit raises the peak of a process's memory above what X already takes.

Each contender is measured in a fresh process, since a peak never comes down and freed memory is not always given
back. Run as `python -m benchmarks.memory LEARNER ROWS COLUMNS THREADS`, which prints megabytes.
"""

import resource
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.contest import OURS, Bar, Effort, Result, Verdict, judged
from benchmarks.data import Shape, gaussian
from benchmarks.machine import limited

_SKLEARN = "sklearn svd"
_STATUS, _RESET = Path("/proc/self/status"), Path("/proc/self/clear_refs")
_ROOT = Path(__file__).parent.parent


@dataclass(frozen=True)
class AtMost:
    """We take at most ``most`` megabytes."""

    most: float

    def judge(self, best: Mapping[str, float]) -> Verdict:
        """Of our own score; what a peer takes is only told."""
        return Verdict(OURS, f"at most {self.most:g} MB", self.most, best[OURS], best[OURS] <= self.most)


@dataclass(frozen=True)
class MemoryContest:
    """The extra memory of an LDA fit, ours beside scikit-learn's default."""

    task: str
    title: str
    shape: Shape
    bars: tuple[Bar, ...]

    def measure(self, threads: Sequence[int], effort: Effort) -> Iterator[Result]:
        """One fresh process for each contender and repeat; memory varies little, so three are plenty."""
        for count in threads:
            scores: dict[str, list[float]] = {OURS: [], _SKLEARN: []}
            for _ in range(min(effort.repeats, 3)):
                for name, taken in scores.items():
                    taken.append(_measured_apart(name, self.shape, count))
            yield judged(Result(self.task, self.title, self.shape, count, "fit", "MB", scores), self.bars)


def _measured_apart(name: str, shape: Shape, threads: int) -> float:
    command = [sys.executable, "-m", __name__, name, str(shape.rows), str(shape.columns), str(threads)]
    done = subprocess.run(command, cwd=_ROOT, check=True, capture_output=True, text=True)
    return float(done.stdout)


def _extra_megabytes(name: str, shape: Shape) -> float:
    model = _learner(name)
    X, y = gaussian(shape)
    model.fit(X[:1000], y[:1000])  # what compiling and loading take is no part of the fit
    before = _forget_peak()
    model.fit(X, y)
    return (_peak() - before) / 1e6


def _learner(name: str) -> Any:
    if name == OURS:
        from discriminant import LinearDiscriminantAnalysis
    else:
        from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    return LinearDiscriminantAnalysis()


def _forget_peak() -> int:
    """Bytes in use now, with the peak brought down to them where the kernel allows it.

    Where it does not, the peak so far is the floor: making X needs hardly more than X, so little can hide below it.
    """
    try:
        _RESET.write_text("5")
    except OSError:
        return _peak()
    return _status("VmRSS")


def _peak() -> int:
    if _STATUS.exists():
        return _status("VmHWM")
    # kilobytes on Linux, bytes on macOS
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def _status(field: str) -> int:
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith(field))
    return int(line.split()[1]) * 1024


if __name__ == "__main__":
    learner, rows, columns, threads = sys.argv[1], *map(int, sys.argv[2:])
    with limited(threads):
        print(_extra_megabytes(learner, Shape(rows, columns)))
