"""What a fit takes at its peak beyond the rows, in units of their own bytes: `python -m benchmarks.real_memory`.

By `tracemalloc`, which sees all arrays, at the second fit: what imports and kernels take is left out.
"""

import argparse
import tracemalloc
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import discriminant as d
from benchmarks.machine import limited
from benchmarks.real_sets import NAMES, RealSet, load

SETS = ("rcv1", "farm_ads", "movie", "a9a", "indicators")
LEARNERS: Mapping[str, Callable[[], Any]] = {
    "logistic": lambda: d.LogisticRegression(alpha=1.0),
    "squared hinge": lambda: d.LinearSVM(loss="squared_hinge"),
    "hinge": d.LinearSVM,
    "perceptron": lambda: d.Perceptron(random_state=0),
    "naive Bayes": lambda: d.NaiveBayes(marginal="bernoulli"),
    "LDA": d.LinearDiscriminantAnalysis,
}


def bytes_of(X: Any) -> int:
    """Of the numbers, and of sparse rows their columns and ends."""
    return int(X.nbytes if hasattr(X, "nbytes") else X.data.nbytes + X.indices.nbytes + X.indptr.nbytes)


def extra(make: Callable[[], Any], subject: RealSet) -> float:
    """The peak of a fit beyond what was there before, by the bytes of the rows."""
    make().fit(subject.X, subject.y)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        make().fit(subject.X, subject.y)
        return (tracemalloc.get_traced_memory()[1] - before) / bytes_of(subject.X)
    finally:
        tracemalloc.stop()


def main() -> None:
    """A line for each set and learner."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.real_memory", description=__doc__.splitlines()[0])
    parser.add_argument("--set", action="append", choices=NAMES, help="only this set; may be given again")
    parser.add_argument("--learner", action="append", choices=[*LEARNERS], help="only this learner")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    with limited(1):
        for name in options.set or SETS:
            subject = load(name)
            for learner in options.learner or LEARNERS:
                print(f"{name:12}{learner:16}{extra(LEARNERS[learner], subject):6.2f}", flush=True)


if __name__ == "__main__":
    main()
