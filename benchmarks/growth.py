"""How fits grow with rows and with columns: `python -m benchmarks.growth`.

Made Gaussian tables; the least processor time of some fits in milliseconds, one thread. Sizes stand close together
where methods change (at 262,144 numbers sums of NumPy give way to compiled ones), so that a step would be seen.
"""

import warnings
from collections.abc import Callable, Mapping
from time import process_time
from typing import Any

import numpy as np

import discriminant as d
from benchmarks.data import Shape, gaussian
from benchmarks.machine import limited

LEARNERS: Mapping[str, Callable[[], Any]] = {
    "logistic": lambda: d.LogisticRegression(alpha=1.0),
    "squared hinge": lambda: d.LinearSVM(loss="squared_hinge"),
    "LDA": d.LinearDiscriminantAnalysis,
}
ROWS = (2000, 4000, 8000, 10_000, 12_000, 13_000, 13_200, 15_000, 20_000, 40_000, 80_000)
COLUMNS = (10, 20, 26, 28, 40, 80, 160, 320)
_REPEATS = 7


def milliseconds(make: Callable[[], Any], shape: Shape) -> float:
    """Of the quickest fit."""
    X, y = gaussian(shape)
    make().fit(X, y)
    times = []
    for _ in range(_REPEATS):
        start = process_time()
        make().fit(X, y)
        times.append(process_time() - start)
    return 1e3 * min(times)


def main() -> None:
    """A line for each learner along rows, and along columns, with the slope on log-log axes."""
    warnings.simplefilter("ignore")
    with limited(1):
        for name, make in LEARNERS.items():
            for what, sizes, shape in (
                ("rows", ROWS, lambda n: Shape(n, 20)),
                ("columns", COLUMNS, lambda n: Shape(10_000, n)),
            ):
                times = [milliseconds(make, shape(n)) for n in sizes]
                slope = np.polyfit(np.log(sizes), np.log(times), 1)[0]
                told = ", ".join(f"{n} {t:.2f}" for n, t in zip(sizes, times, strict=True))
                print(f"{name} by {what}: slope {slope:.2f}; {told}", flush=True)


if __name__ == "__main__":
    main()
