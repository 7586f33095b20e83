"""How long the first fit of a process takes, with kernels yet to be compiled and with kernels in the cache.

For every learner and form of table a cache directory of its own: a fresh process fills it, another one reads it.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.contest import Effort, Result, Verdict
from benchmarks.data import Shape

_ROOT = Path(__file__).parent.parent
_EMPTY, _FILLED = "empty cache", "filled cache"
_REPEATS = 2  # compiling takes long, and varies little


@dataclass(frozen=True)
class CompileReport:
    """The import and the first fit of some learners, dense and CSR; nothing may be compiled a second time."""

    task: str
    title: str
    shape: Shape
    learners: tuple[str, ...]

    def measure(self, threads: Sequence[int], effort: Effort) -> Iterator[Result]:
        """Once, whatever the numbers of threads: one compiles."""
        imports: dict[str, list[float]] = {_EMPTY: [], _FILLED: []}
        for learner in self.learners:
            for form in ("dense", "csr"):
                runs = [_runs_apart(learner, form, self.shape) for _ in range(min(effort.repeats, _REPEATS))]
                for name, seconds in imports.items():
                    seconds += [run[name]["import"] for run in runs]
                scores = {name: [run[name]["first fit"] for run in runs] for name in imports}
                verdict = _nothing_compiled(max(run[_FILLED]["compiled"] for run in runs))
                title = f"{self.title}, {learner}, {form}"
                yield Result(self.task, title, self.shape, 1, "first fit", "s", scores, verdicts=(verdict,))
        yield Result(self.task, self.title, self.shape, 1, "import", "s", imports)


def _nothing_compiled(kernels: int) -> Verdict:
    return Verdict(_FILLED, "kernels compiled again = 0", 0, kernels, kernels == 0)


def _runs_apart(learner: str, form: str, shape: Shape) -> dict[str, dict[str, Any]]:
    """What two fresh processes that share a new cache directory say."""
    command = [sys.executable, "-m", "benchmarks.first_fit", learner, form, str(shape.rows), str(shape.columns)]
    with TemporaryDirectory() as cache:
        environment = {**os.environ, "NUMBA_CACHE_DIR": cache}
        return {name: _told_by(command, environment) for name in (_EMPTY, _FILLED)}


def _told_by(command: Sequence[str], environment: dict[str, str]) -> dict[str, Any]:
    done = subprocess.run(command, cwd=_ROOT, env=environment, check=True, capture_output=True, text=True)
    told: dict[str, Any] = json.loads(done.stdout)
    return told
