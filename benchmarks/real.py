"""Real tables beside scikit-learn, LIBLINEAR, intelex and glum: seconds to within ε of the same criterion.

    make bench ARGS="--real"                                       # or: python -m benchmarks.real
    python -m benchmarks.real --set a9a --task logistic --threads 2 --json real.json

Learners that minimise a criterion are given a ladder of tolerances; "to 1e-6" is the least processor time of any rung
that ends within 1e-6 of the least value anybody found, relative. "As it comes" is ours with no option named. Learners
without a criterion are timed as they come. Ratios are best peer / ours: above one we are faster. Times are processor
time (of several threads, a clock's), the least of repeats that take turns.
"""

import argparse
import json
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any

import numpy as np
from scipy.special import logsumexp

from benchmarks import machine
from benchmarks.real_peers import FREE_PEERS, TASKS, Contestant, Task
from benchmarks.real_sets import NAMES, RealSet, load

EPSILONS = (1e-3, 1e-4, 1e-6)
AS_IT_COMES = "as it comes"
_CAME = f"ours, {AS_IT_COMES}"
_LADDER = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8)
_TURNS, _LONG, _PATIENCE = 5, 2.0, 20.0  # repeats; seconds after which two do; after which no tighter rung is tried
_NEAR_THE_BEST = 2.0  # times the best: repeats do not make up for more


@dataclass
class Rung:
    """What a contestant took with one tolerance, and what it reached."""

    tolerance: float | None
    seconds: float
    value: float


@dataclass
class Measured:
    """One task on one set: the rungs of everyone, by name."""

    set: str
    task: str
    threads: int
    rungs: dict[str, list[Rung]]
    failed: dict[str, str] = field(default_factory=dict)

    @property
    def least(self) -> float:
        """The least value of the criterion that anybody found."""
        return min(rung.value for rungs in self.rungs.values() for rung in rungs)

    def seconds(self, name: str, epsilon: float) -> float:
        """To come within ε, ours also as it comes; infinite for those that never do."""
        near = self.least + epsilon * abs(self.least)
        rungs = [
            rung for who in self.rungs if who == name or (name == "ours" and who == _CAME) for rung in self.rungs[who]
        ]
        return min((rung.seconds for rung in rungs if rung.value <= near), default=np.inf)

    def best_peer(self, epsilon: float) -> tuple[str, float]:
        """Who of the others is first there, and when."""
        others = {name: self.seconds(name, epsilon) for name in self.rungs if not name.startswith("ours")}
        name = min(others, key=others.__getitem__) if others else "none"
        return name, others.get(name, np.inf)

    def ratio(self, epsilon: float, ours: str = "ours") -> float:
        """Best peer / ours; NaN where nobody else got there."""
        peer = self.best_peer(epsilon)[1]
        return peer / self.seconds(ours, epsilon) if np.isfinite(peer) else np.nan


def _value(task: Task, subject: RealSet, model: Any) -> float:
    """½·alpha‖W‖² + Σ losses, intercepts free; 0 for learners without a criterion."""
    if task.loss is None:
        return 0.0
    W, b = np.atleast_2d(np.asarray(model.coef_, dtype=float)), np.ravel(model.intercept_)
    scores = np.asarray(subject.X @ W.T) + b
    penalty = 0.5 * task.alpha * float((W * W).sum())
    if task.loss == "logistic" and subject.K > 2:
        return penalty + float((logsumexp(scores, axis=1) - scores[np.arange(len(scores)), subject.y]).sum())
    signs = np.where(subject.y[:, None] == (np.arange(subject.K) if subject.K > 2 else [1]), 1.0, -1.0)
    margins = signs * scores
    losses = {
        "logistic": lambda: np.logaddexp(0.0, -margins),
        "squared_hinge": lambda: np.maximum(0.0, 1.0 - margins) ** 2,
        "hinge": lambda: np.maximum(0.0, 1.0 - margins),
    }
    return penalty + float(losses[task.loss]().sum())


def _time(work: Callable[[], Any], threads: int) -> tuple[float, Any]:
    """Of a processor for one thread; of a clock for several, which want a machine to themselves."""
    now = process_time if threads == 1 else perf_counter
    start = now()
    model = work()
    return now() - start, model


def _climb(
    contestant: Contestant, task: Task, subject: RealSet, threads: int, enough: float, patience: float
) -> list[Rung]:
    """Rungs up to the first that is within the least ε of ``enough``, or to the end of patience."""
    rungs: list[Rung] = []
    for tolerance in _LADDER if contestant.ladder else (None,):
        seconds, model = _time(partial(contestant.run, subject, tolerance), threads)
        rungs.append(Rung(tolerance, seconds, _value(task, subject, model)))
        if rungs[-1].value <= enough * (1 + EPSILONS[-1] / 2) or seconds > patience:
            break
    return rungs


def measure(task: Task, subject: RealSet, threads: int, turns: int = _TURNS, patience: float = _PATIENCE) -> Measured:
    """Everyone climbs once; then the rungs take turns until each has its repeats."""
    found = Measured(str(subject), task.name, threads, {})
    contestants = {c.name: c for c in task.contestants(subject)}
    enough = np.inf
    for name, contestant in contestants.items():
        try:
            # ours climbs to the end: peers are held against the best of it
            goal = -np.inf if name.startswith("ours") else enough
            found.rungs[name] = _climb(contestant, task, subject, threads, goal, patience)
        except Exception as error:  # a peer that gives up is told, not hidden
            found.failed[name] = f"{type(error).__name__}: {error}"[:120]
        else:
            if name.startswith("ours"):
                enough = min(enough, *(r.value for r in found.rungs[name]))
    repeated = {name: [rung for rung in found.rungs[name] if _may_count(found, name, rung)] for name in found.rungs}
    for turn in range(turns - 1):
        for name in list(found.rungs)[:: 1 if turn % 2 else -1]:
            for rung in repeated[name]:
                first_of_ours = turn == 0 and name.startswith("ours")  # which may have compiled or loaded kernels
                if first_of_ours or rung.seconds < (_LONG if turn else patience):
                    again, _ = _time(partial(contestants[name].run, subject, rung.tolerance), threads)
                    rung.seconds = min(rung.seconds, again)
    return found


def _may_count(found: Measured, name: str, rung: Rung) -> bool:
    """Whether a repeat could change a ratio: of ours, and of peers' rungs near the best of those that get as far."""
    if name.startswith("ours"):
        return True
    reached = [e for e in EPSILONS if rung.value <= found.least + e * abs(found.least)]
    return any(rung.seconds <= _NEAR_THE_BEST * found.best_peer(e)[1] for e in reached)


def table(results: Sequence[Measured]) -> Iterator[str]:
    """The page's table, and what the ratios are in the median."""
    yield f"| set | task | ours, {AS_IT_COMES} | to 1e-6 | best peer to 1e-6 | 1e-3 | 1e-4 | 1e-6 | {AS_IT_COMES} |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for one in results:
        if "ours" not in one.rungs:
            yield f"| {one.set} | {one.task} | {one.failed.get('ours', 'failed')} | | | | | | |"
            continue
        came = _CAME if _CAME in one.rungs else "ours"
        name, peer = one.best_peer(1e-6)
        ratios = " | ".join(f"{one.ratio(epsilon):.2f}" for epsilon in EPSILONS)
        rung = one.rungs[came][-1]
        yield (
            f"| {one.set} | {one.task} | {rung.seconds:.4f} | {one.seconds('ours', 1e-6):.4f} "
            f"| {peer:.4f} {name} | {ratios} | {one.ratio(1e-6, came):.2f} |"
        )
    known = [r for r in (one.ratio(1e-6) for one in results if "ours" in one.rungs) if np.isfinite(r)]
    if known:
        yield f"\n{len(known)} ratios at 1e-6: median {median(known):.2f}, least {min(known):.2f}, "
        yield f"{sum(r < 1 for r in known)} below 1, {sum(r < 0.9 for r in known)} below 0.9."


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print as results come, and save."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.real", description=__doc__.splitlines()[0])
    parser.add_argument("--set", action="append", choices=NAMES, help="only this set; may be given again")
    parser.add_argument("--task", action="append", choices=[t.name for t in TASKS], help="only this task")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--turns", type=int, default=_TURNS, help=f"repeats of short runs (default: {_TURNS})")
    parser.add_argument(
        "--patience", type=float, default=_PATIENCE, help="seconds after which nobody is asked for more"
    )
    parser.add_argument("--json", type=Path, metavar="PATH", help="save every rung here")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")  # what learners find in the columns is the same for everyone
    results: list[Measured] = []
    with machine.limited(options.threads):
        for name in options.set or NAMES:
            subject = load(name)
            for task in TASKS:
                if (options.task and task.name not in options.task) or not task.takes(subject):
                    continue
                results.append(measure(task, subject, options.threads, options.turns, options.patience))
                print(list(table(results[-1:]))[2], flush=True)
                for who, why in results[-1].failed.items():
                    print(f"    {who}: {why}", flush=True)
    print("\n".join(table(results)))
    print("Peers:", "; ".join(FREE_PEERS))
    if options.json:
        facts = machine.facts()
        options.json.write_text(
            json.dumps({"machine": facts, "results": [asdict(r) for r in results]}, indent=1) + "\n"
        )


if __name__ == "__main__":
    main()
