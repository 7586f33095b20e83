"""`solver="auto"` beside every method that may be named: `python -m benchmarks.solvers [--set a9a] [--threads 2]`.

The criterion and the tolerance are those of the learner as it comes; times are processor time, the least of repeats
that take turns. A method that ends more than 1e-4 above the least value anybody found is shown with what is missing and
is not in the ratio, auto / the quickest of the others: above 1.5 "auto" has chosen badly.
"""

import argparse
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

import discriminant as d
from benchmarks import machine
from benchmarks.real import Measured, measure
from benchmarks.real_peers import Contestant, Task
from benchmarks.real_sets import NAMES, RealSet, load

SETS = ("german", "spambase", "covtype2", "a9a", "rcv1", "scattered", "mixed", "correlated")
EPSILON, ALLOWED = 1e-4, 1.5  # the gap that a support vector machine ends at as it comes
_MOST_NUMBERS = 1 << 24  # of a Hessian, above which a method by Hessians is left out
_BY_HESSIANS = ("newton", "interior-point")

Make = Callable[[str], Any]


def _task(name: str, loss: str, make: Make, methods: Sequence[str]) -> Task:
    def contestants(subject: RealSet) -> Iterator[Contestant]:
        fewest = subject.X.shape[1] if loss == "logistic" else min(subject.X.shape)
        for method in ("auto", *methods):
            if method in _BY_HESSIANS and fewest**2 > _MOST_NUMBERS:
                continue
            run = partial(_fit, make, method)
            yield Contestant("ours" if method == "auto" else method, run)

    return Task(name, contestants, lambda subject: subject.K == 2, loss)


def _fit(make: Make, method: str, subject: RealSet, _: float | None) -> Any:
    return make(method).fit(subject.X, subject.y)


TASKS = (
    _task(
        "logistic", "logistic", lambda solver: d.LogisticRegression(alpha=1.0, solver=solver),
        ("newton", "quasi-newton", "truncated-newton"),
    ),
    _task(
        "squared hinge", "squared_hinge", lambda solver: d.LinearSVM(loss="squared_hinge", solver=solver),
        ("newton", "truncated-newton", "dual-descent"),
    ),
    _task("hinge", "hinge", lambda solver: d.LinearSVM(solver=solver), ("interior-point", "dual-descent")),
)  # fmt: skip


def line(one: Measured) -> str:
    """A line of the page's table: the set, the task, what each took in milliseconds, and auto / the quickest."""
    told = []
    for name, rungs in one.rungs.items():
        missing = rungs[0].value / one.least - 1.0
        short = "" if missing <= EPSILON else f" (short by {missing:.0e})"
        told.append(f"{'auto' if name == 'ours' else name} {1e3 * rungs[0].seconds:.1f}{short}")
    ratio = one.seconds("ours", EPSILON) / one.best_peer(EPSILON)[1]
    told += [f"{name}: {why}" for name, why in one.failed.items()]
    chosen = f"{ratio:.2f}" if np.isfinite(ratio) else "–"
    return f"| {one.set} | {one.task} | {', '.join(told)} | {chosen}{' !' if ratio > ALLOWED else ''} |"


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a line for each set and task as it is measured."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.solvers", description=__doc__.splitlines()[0])
    parser.add_argument("--set", action="append", choices=NAMES, help="only this set; may be given again")
    parser.add_argument("--task", action="append", choices=[t.name for t in TASKS], help="only this task")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--turns", type=int, default=4)
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    print("| set | task | milliseconds | auto / quickest |\n|---|---|---|---|")
    with machine.limited(options.threads):
        for name in options.set or SETS:
            subject = load(name)
            for task in TASKS:
                if not options.task or task.name in options.task:
                    print(line(measure(task, subject, options.threads, options.turns)), flush=True)


if __name__ == "__main__":
    main()
