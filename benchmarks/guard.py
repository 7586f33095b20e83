"""A guard over run times: a refactoring that makes a kernel or a fit slower by half is told which.

    ratio = processor time of the call / processor time of NumPy primitives of about as much work

Both take turns in one process with one thread of BLAS, and the least of their times counts, so that other work on the
machine hardly matters. The ratios are compared with those in guard.json; on another kind of processor, store your own
before you change anything (`make bench-guard ARGS=--store`).
"""

import argparse
import json
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import discriminant as d
from benchmarks.machine import limited

STORED = Path(__file__).with_name("guard.json")
ALLOWED = 1.5  # of the stored ratio
TURNS = 7
SECOND_LOOKS = 3  # at what seems slower, before it is called so

RNG = np.random.default_rng(0)
TALL = RNG.standard_normal((20_000, 20))
TALL_Y = (TALL[:, 0] + RNG.standard_normal(20_000) > 0).astype(int)
SMALL, SMALL_Y = TALL[:2000, :8].copy(), TALL_Y[:2000]
APART = SMALL + 4.0 * np.outer(2 * SMALL_Y - 1, np.eye(8)[0])
FLAGS = (TALL > 0).astype(float)
SCORE = TALL @ np.arange(20)
SIGNS = 2.0 * TALL_Y - 1.0


def products() -> None:
    """Second moments and scores: what closed forms are made of."""
    for _ in range(4):
        TALL.T @ TALL
        TALL @ TALL[:20]


def elementwise() -> None:
    """Exponentials, logarithms and sums over rows: what likelihoods are made of."""
    for _ in range(8):
        np.log1p(np.exp(-np.abs(SCORE * SIGNS))).sum()


def sorting() -> None:
    np.sort(SCORE)
    np.cumsum(np.argsort(SCORE))


def small_steps() -> None:
    """Calls of NumPy on short arrays: what a method of many small steps is made of."""
    total = np.zeros(8)
    for row in SMALL[:1000]:
        total += row * (row @ total > 0.0)


@dataclass(frozen=True)
class Case:
    """A call, and the primitives it is measured by."""

    name: str
    call: Callable[[], object]
    primitive: Callable[[], None]


CASES = [
    Case("class moments", lambda: d.ClassMoments.of(TALL, TALL_Y), products),
    Case("linear discriminant analysis", lambda: d.LinearDiscriminantAnalysis().fit(TALL, TALL_Y), products),
    Case("Fisher's discriminant", lambda: d.FisherDiscriminant().fit(TALL, TALL_Y), products),
    Case("least squares", lambda: d.LeastSquaresClassifier().fit(TALL, TALL_Y), products),
    Case("naive Bayes", lambda: d.NaiveBayes().fit(FLAGS, TALL_Y), products),
    Case("logistic regression", lambda: d.LogisticRegression().fit(TALL, TALL_Y), elementwise),
    Case("hinge loss", lambda: d.LinearSVM(C=1.0).fit(SMALL, SMALL_Y), small_steps),
    Case("squared hinge loss", lambda: d.LinearSVM(C=1.0, loss="squared_hinge").fit(SMALL, SMALL_Y), small_steps),
    Case("hard margin", lambda: d.LinearSVM(C=float("inf")).fit(APART, SMALL_Y), small_steps),
    Case("perceptron", lambda: d.Perceptron(max_iter=30, random_state=0).fit(SMALL, SMALL_Y), small_steps),
    Case("pocket", lambda: d.PocketPerceptron(max_iter=3, random_state=0).fit(SMALL, SMALL_Y), small_steps),
    Case("Adaline", lambda: d.Adaline(max_iter=30, tol=0, random_state=0).fit(SMALL, SMALL_Y), small_steps),
    Case("operating curve", lambda: d.operating_curve(TALL_Y, SCORE), sorting),
    Case("separation", lambda: d.separate(SMALL, SMALL_Y), small_steps),
    Case(
        "decisions by gain", lambda: d.GainClassifier(d.LinearDiscriminantAnalysis()).fit(SMALL, SMALL_Y), small_steps
    ),
]


def seconds(call: Callable[[], object]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def ratio(case: Case) -> float:
    """The least time of the call by the least time of its primitives, in turns."""
    case.call()  # imports, and kernels compiled or read
    times = [(seconds(case.call), seconds(case.primitive)) for _ in range(TURNS)]
    return min(t for t, _ in times) / min(t for _, t in times)


def measured(case: Case, stored: float | None) -> float:
    """Measured again where it seems slower than is allowed: a busy machine is slow for a while, a slow call always."""
    found = ratio(case)
    for _ in range(SECOND_LOOKS):
        if stored is None or found <= ALLOWED * stored:
            break
        found = min(found, ratio(case))
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", action="store_true", help="write the ratios of this machine to guard.json")
    store = parser.parse_args().store
    known = {} if store else json.loads(STORED.read_text())
    found, slower = {}, []
    with limited(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", d.FindingWarning)
        for case in CASES:
            before = known.get(case.name)
            now = found[case.name] = measured(case, before)
            print(f"{case.name:30s} {now:8.3f}" + (f"   stored {before:8.3f}" if before else ""), flush=True)
            if before and now > ALLOWED * before:
                slower.append(f"{case.name} takes {now / before:.1f} times what it took, by {case.primitive.__name__}")
    if store:
        STORED.write_text(json.dumps({name: round(value, 4) for name, value in found.items()}, indent=2) + "\n")
    print(*slower, sep="\n", end="\n" if slower else "")
    return int(bool(slower))


if __name__ == "__main__":
    sys.exit(main())
