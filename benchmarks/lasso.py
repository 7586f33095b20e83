"""Sparse weights beside scikit-learn, skglm and celer: time to the same criterion.

    python -m benchmarks.lasso ../shared/data [--only rcv1] [--repeats 3]

The criterion is the L1-penalised logistic loss (or least squares on ±1, or the squared hinge) of a set, with penalties
of a tenth and a hundredth of the largest that leaves any column. Everybody is given ever tighter tolerances, each a
tenth of the one before, until the criterion is within 1e-6 of the least value, and is timed with the loosest that gets
there; who does not, or takes over some seconds on the way, is timed with the last and shown with what is missing. Ours
is timed to a duality gap of 1e-6, which proves as much without knowing the optimum. Times are of processors
(`process_time`, BLAS on one thread), the least of some repeats, in alternation. celer's logistic regression has no
intercept, so everybody is run without one beside it, and with one beside the others. Peers that are not installed are
left out.
"""

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from threadpoolctl import threadpool_limits

from benchmarks.tuned_threshold import tables
from discriminant import LeastSquaresClassifier, LinearSVM, LogisticRegression
from discriminant.optimise.composite.fits import LogisticFit, SquaredHingeFit, SquaresFit

Array = NDArray[np.float64]
Plane = tuple[Array, float]
Fitter = Callable[[float], Plane]  # of a tolerance

SETS = ("colon", "a9a", "mnist, 4 or 9", "rcv1", "farm ads")
SHARES = (0.1, 0.01)
TARGET = 1e-6
_LOOSEST, _TIGHTEST = 1e-3, 1e-12
_PATIENCE = 4.0  # seconds that a peer may take before tighter tolerances are left out


@dataclass(frozen=True)
class Problem:
    """Rows, signs, a loss and its penalty, with an intercept or without."""

    X: Any
    c: Array
    loss: str
    alpha: float
    intercept: bool

    @property
    def fit(self) -> Any:
        kinds = {"logistic": LogisticFit, "squared hinge": SquaredHingeFit, "squares": SquaresFit}
        return kinds[self.loss](self.c, np.ones(self.c.size))

    def criterion(self, plane: Plane) -> float:
        w, b = plane
        return float(self.fit.value((self.X @ w + b)[None]) + self.alpha * np.abs(w).sum())


def largest_penalty(X: Any, c: Array, loss: str, intercept: bool) -> float:
    at_zero = c - c.mean() if intercept else c
    slope = {"logistic": 0.5, "squared hinge": 2.0, "squares": 1.0}[loss]
    return float(slope * np.abs(X.T @ at_zero).max())


# --- contenders -----------------------------------------------------------------------------------------


def ours(p: Problem) -> Fitter:
    """A whole ``fit``, as of everybody: the table is read and checked too."""

    def run(tol: float) -> Plane:
        options = {"l1_ratio": 1.0, "fit_intercept": p.intercept, "tol": tol}
        if p.loss == "squared hinge":
            learner: Any = LinearSVM(loss="squared_hinge", C=1.0 / p.alpha, max_iter=1000, **options)
        elif p.loss == "squares":
            learner = LeastSquaresClassifier(alpha=p.alpha, **options)
        else:
            learner = LogisticRegression(alpha=p.alpha, max_iter=1000, **options)
        return plane_of(learner.fit(p.X, p.c))

    return run


def plane_of(model: Any) -> Plane:
    return np.ravel(model.coef_), float(np.ravel(model.intercept_)[0]) if np.size(model.intercept_) else 0.0


def scikit_learn(p: Problem) -> Iterator[tuple[str, Fitter]]:
    from sklearn.linear_model import Lasso, LogisticRegression
    from sklearn.svm import LinearSVC

    n = p.c.size
    if p.loss == "squares":
        yield (
            "sklearn Lasso",
            lambda tol: plane_of(
                Lasso(alpha=p.alpha / n, fit_intercept=p.intercept, tol=tol, max_iter=10**5).fit(p.X, p.c)
            ),
        )
    elif p.loss == "squared hinge":
        scale = 1e3 if p.intercept else 1.0  # LIBLINEAR penalises the intercept, of a large column hardly
        yield "LIBLINEAR", lambda tol: plane_of(
            LinearSVC(
                penalty="l1", dual=False, C=1 / p.alpha, tol=tol, fit_intercept=p.intercept, intercept_scaling=scale,
                max_iter=10**5, random_state=0,
            ).fit(p.X, p.c)
        )  # fmt: skip
    else:
        for solver in ("saga", "liblinear"):
            scale = {"intercept_scaling": 1e3} if solver == "liblinear" and p.intercept else {}
            yield f"sklearn {solver}", lambda tol, solver=solver, scale=scale: plane_of(
                LogisticRegression(
                    l1_ratio=1.0, C=1 / p.alpha, solver=solver, tol=tol, fit_intercept=p.intercept, max_iter=500,
                    random_state=0, **scale,
                ).fit(p.X, p.c)
            )  # fmt: skip


def skglm(p: Problem) -> Iterator[tuple[str, Fitter]]:
    try:
        from skglm.datafits import Logistic, Quadratic
        from skglm.estimators import GeneralizedLinearEstimator
        from skglm.penalties import L1
        from skglm.solvers import AndersonCD, ProxNewton
    except ImportError:
        return
    if p.loss == "squared hinge":
        return
    datafit = Logistic if p.loss == "logistic" else Quadratic
    X = sparse.csc_matrix(p.X) if sparse.issparse(p.X) else np.asfortranarray(p.X)
    for name, solver in (("ProxNewton", ProxNewton), ("AndersonCD", AndersonCD)):
        if name == "ProxNewton" and p.loss == "squares":
            continue

        def run(tol: float, solver: Any = solver) -> Plane:
            made = solver(tol=tol, max_iter=200, fit_intercept=p.intercept)
            return plane_of(GeneralizedLinearEstimator(datafit(), L1(p.alpha / p.c.size), made).fit(X, p.c))

        yield f"skglm {name}", run


def celer(p: Problem) -> Iterator[tuple[str, Fitter]]:
    try:
        from celer import Lasso, LogisticRegression
    except ImportError:
        return
    X = sparse.csc_matrix(p.X) if sparse.issparse(p.X) else np.asfortranarray(p.X)
    if p.loss == "squares":
        yield (
            "celer",
            lambda tol: plane_of(
                Lasso(alpha=p.alpha / p.c.size, tol=tol, fit_intercept=p.intercept, max_iter=200).fit(X, p.c)
            ),
        )
    elif p.loss == "logistic" and not p.intercept:
        yield "celer", lambda tol: plane_of(LogisticRegression(C=1 / p.alpha, tol=tol, max_iter=200).fit(X, p.c))


# --- contest --------------------------------------------------------------------------------------------


def timed(run: Fitter, tol: float) -> tuple[Plane, float]:
    start = time.process_time()
    plane = run(tol)
    return plane, time.process_time() - start


def loosest(p: Problem, run: Fitter, least: float) -> tuple[float, float, float]:
    """(the loosest tolerance that comes within the target, what is missing, the seconds it took)."""
    tol, spent = _LOOSEST, 0.0
    timed(run, _LOOSEST)  # compiles what there is to compile
    while True:
        plane, seconds = timed(run, tol)
        spent += seconds
        missing = p.criterion(plane) / least - 1.0
        if missing <= TARGET or tol <= _TIGHTEST or spent > _PATIENCE:
            return tol, missing, seconds
        tol /= 10.0


def contest(p: Problem, repeats: int, without: tuple[str, ...]) -> Iterator[tuple[str, float, float]]:
    """(name, seconds, what is missing) of everybody, ours first."""
    least = p.criterion(ours(p)(1e-12))
    peers = [(name, run) for name, run in [*scikit_learn(p), *skglm(p), *celer(p)] if not name.endswith(without)]
    settled = {name: (run, *loosest(p, run, least)) for name, run in peers}
    times = {"discriminant": [], **{name: [] for name in settled}}
    missing = p.criterion(ours(p)(TARGET)) / least - 1.0
    for _ in range(repeats):
        times["discriminant"].append(timed(ours(p), TARGET)[1])
        for name, (run, tol, _, seconds) in settled.items():
            times[name].append(seconds if seconds > 2.0 else timed(run, tol)[1])
    yield "discriminant", min(times["discriminant"]), missing
    for name, (_, _, short, _) in settled.items():
        yield name, min(times[name]), short


def rows_of(name: str, folder: Path) -> tuple[Any, Array]:
    table = tables(folder)[name]()
    X = table.X
    if name == "a9a":
        X = sparse.csr_array(X)
    elif name == "colon":
        X = (X - X.mean(axis=0)) / X.std(axis=0)
    if sparse.issparse(X):
        X = sparse.csr_array(X)
        X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)  # all that LIBLINEAR takes
    return X, np.where(table.y == 1, 1.0, -1.0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", choices=SETS)
    parser.add_argument("--loss", default="logistic", choices=("logistic", "squared hinge", "squares"))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--without", nargs="*", default=[], help="how the names of peers to leave out end: saga")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    print("| set | penalty | intercept | contender | seconds | ratio | short of the least by |")
    print("|---|---|---|---|---|---|---|")
    with threadpool_limits(1):
        for name in [arguments.only] if arguments.only else SETS:
            X, c = rows_of(name, arguments.folder)
            for share in SHARES:
                for intercept in (True, False):
                    alpha = share * largest_penalty(X, c, arguments.loss, intercept)
                    ahead = 1.0
                    for who, seconds, short in contest(
                        Problem(X, c, arguments.loss, alpha, intercept), arguments.repeats, tuple(arguments.without)
                    ):
                        ahead = seconds if who == "discriminant" else ahead
                        missing = "" if short <= TARGET else f"{short:.0e}"
                        figures = f"{seconds:.4f} | {seconds / ahead:.2f} | {missing}"
                        print(f"| {name} | {share} | {intercept} | {who} | {figures} |", flush=True)


if __name__ == "__main__":
    main()
