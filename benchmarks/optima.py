"""Contests of learners that minimise a criterion: the time to reach the same value of it.

The goal is the value of our tightest fit (and nobody may find less). Everyone is given the loosest of their tolerances
with which they come within 1e-6 of the goal, relative; one that never does is timed with the tightest, and how far it
falls short is told. Ours is also timed as it comes.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.special import expit
from sklearn.linear_model import LogisticRegression as SklearnLogistic
from sklearn.svm import SVC, LinearSVC

from benchmarks import data
from benchmarks.contest import OURS, Absent, Bar, Contender, Contest, Faster
from benchmarks.data import Shape
from discriminant import LinearSVM, LogisticRegression, separate
from discriminant.losses import HINGE, LOGISTIC, SQUARED_HINGE, Loss

_CLOSE, _TOLERANCES = 1e-6, (1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-8)
_LONG = 20.0  # seconds after which no tighter tolerance is tried

Make = Callable[[Shape], tuple[Any, NDArray[Any]]]
Peer = Callable[[float], Any]  # a model by its tolerance
Value = Callable[[Any], float]  # the criterion of a fitted model


def _of_ours(learner: type, tolerance: float, **parameters: Any) -> Any:
    return learner(tol=tolerance, **parameters)


# --- criteria -------------------------------------------------------------------------------------------


def _criterion(model: Any, X: Any, y: NDArray[Any], loss: Loss, penalty: float, share: float) -> float:
    """½·penalty‖w‖² + share·Σℓ(c(w·x + b)): the same for everyone, with a free intercept."""
    w = np.asarray(model.coef_, dtype=float)[0]
    scores = X @ w + float(np.ravel(model.intercept_)[0])
    return float(0.5 * penalty * (w @ w) + share * loss.value(np.where(y == 1, scores, -scores)).sum())


@dataclass(frozen=True)
class Goal:
    """How near to the least value everyone must come, and the tolerances they may try; the tightest of ours sets it."""

    close: float = _CLOSE
    tolerances: tuple[float, ...] = _TOLERANCES


def _entered(
    ours: Peer,
    as_it_comes: Any,
    peers: Mapping[str, Peer | Absent],
    X: Any,
    y: NDArray[Any],
    value: Value,
    goal: Goal = Goal(),  # noqa: B008 (frozen)
) -> Sequence[Contender | Absent]:
    least = value(ours(goal.tolerances[-1]).fit(X, y))
    entries: list[Contender | Absent] = [
        _reaching(OURS, ours, X, y, value, least, goal, told=False),
        Contender(f"{OURS}, as it comes", {"fit": lambda: as_it_comes.fit(X, y)}),
    ]
    for name, peer in peers.items():
        entries.append(peer if isinstance(peer, Absent) else _reaching(name, peer, X, y, value, least, goal))
    return entries


def _reaching(
    name: str, peer: Peer, X: Any, y: NDArray[Any], value: Value, least: float, goal: Goal, *, told: bool = True
) -> Contender | Absent:
    """A contender with the loosest tolerance that reaches the goal, or the tightest there was patience for."""
    for tolerance in goal.tolerances:
        model = peer(tolerance)
        start = perf_counter()
        try:
            model.fit(X, y)
        except Exception as error:  # a peer that gives up is told, not hidden
            return Absent(name, f"it failed: {error}"[:100])
        seconds = perf_counter() - start
        short = value(model) / least - 1
        assert short > -goal.close, f"{name} found a value {-short:.1e} below the goal"
        if short <= goal.close or seconds > _LONG:
            break
    far = f", short by {short:.0e}" if short > goal.close else ""
    title = f"{name} (tol {tolerance:g}{far})" if told else name
    return Contender(title, {"fit": partial(model.fit, X, y)}, repeats=1 if seconds > _LONG / 4 else None)


# --- logistic regression --------------------------------------------------------------------------------


def _logistic_peers(shape: Shape, alpha: float) -> dict[str, Peer | Absent]:
    C = np.inf if alpha == 0 else 1 / alpha
    solvers = (
        ["lbfgs", "newton-cg", "newton-cholesky"] if shape.entries is None else ["lbfgs", "newton-cg", "liblinear"]
    )

    def of_sklearn(solver: str) -> Peer:
        if solver == "liblinear":  # a large constant column, so that its penalty on the intercept is next to nothing
            return lambda tol: SklearnLogistic(C=C, solver=solver, tol=tol, max_iter=1000, intercept_scaling=100.0)
        return lambda tol: SklearnLogistic(C=C, solver=solver, tol=tol, max_iter=1000)

    peers: dict[str, Peer | Absent] = {f"sklearn {solver}": of_sklearn(solver) for solver in solvers}
    try:
        from sklearnex.linear_model import LogisticRegression as Intelex
    except ImportError:
        peers["intelex"] = Absent("intelex", "scikit-learn-intelex is not installed")
    else:
        peers["intelex lbfgs"] = lambda tol: Intelex(C=C, tol=tol, max_iter=1000)
    return peers


def _logistic(alpha: float, make: Make, shape: Shape) -> Sequence[Contender | Absent]:
    X, y = make(shape)
    value = partial(_criterion, X=X, y=y, loss=LOGISTIC, penalty=alpha, share=1.0)
    ours = partial(_of_ours, LogisticRegression, alpha=alpha)
    return _entered(ours, LogisticRegression(alpha=alpha), _logistic_peers(shape, alpha), X, y, value)


def noisy_plane(shape: Shape) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Unit normal columns and labels drawn with log-odds that are linear in them."""
    random = np.random.default_rng([7, shape.rows, shape.columns])
    X = random.standard_normal((shape.rows, shape.columns))
    w = 2.0 * random.standard_normal(shape.columns) / np.sqrt(shape.columns)
    return X, (random.random(shape.rows) < expit(X @ w)).astype(np.int64)


def badly_scaled(shape: Shape) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """The same with columns correlated, multiplied by 10^±2 and moved by their deviation."""
    X, y = noisy_plane(shape)
    random = np.random.default_rng([8, shape.rows, shape.columns])
    mixed = X @ (np.eye(shape.columns) + 0.5 * random.standard_normal((shape.columns, shape.columns)) / 2)
    return (mixed + 1.0) * 10.0 ** random.uniform(-2, 2, shape.columns), y


# --- support vectors ------------------------------------------------------------------------------------


def _svm(loss: str, make: Make, shape: Shape) -> Sequence[Contender | Absent]:
    """LinearSVC is LIBLINEAR; it penalises the intercept, which is next to nothing in these balanced classes."""
    X, y = make(shape)
    written = HINGE if loss == "hinge" else SQUARED_HINGE
    value = partial(_criterion, X=X, y=y, loss=written, penalty=1.0, share=1.0)
    dense, hinge = shape.entries is None, loss == "hinge"

    def of_sklearn(tol: float) -> LinearSVC:
        """Its primal method where there is one: the dual takes minutes. So do more epochs of the hinge than these."""
        return LinearSVC(loss=loss, dual=hinge, tol=tol, max_iter=1000 if not hinge else 100 if dense else 400)

    # coordinate descent, theirs or ours, does not come within 1e-6 of sparse rows' optimum in a thousand epochs
    goal = Goal(1e-3, (3e-2, 1e-2, 3e-3)) if hinge and not dense else Goal()
    as_it_comes = LinearSVM(loss=loss, tol=max(goal.tolerances[-1], 1e-4))
    return _entered(partial(_of_ours, LinearSVM, loss=loss), as_it_comes, {"LinearSVC": of_sklearn}, X, y, value, goal)


def _hard_margin(shape: Shape) -> Sequence[Contender | Absent]:
    X, y = parted(shape)
    ours, peer = LinearSVM(C=np.inf), SVC(kernel="linear", C=1e10)
    return [Contender(OURS, {"fit": lambda: ours.fit(X, y)}), Contender("SVC C=1e10", {"fit": lambda: peer.fit(X, y)})]


def parted(shape: Shape, gap: float = 0.05) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Unit normal rows, with a slab between the classes in which there are none."""
    random = np.random.default_rng([9, shape.rows, shape.columns])
    X = random.standard_normal((shape.rows, shape.columns))
    w = random.standard_normal(shape.columns)
    w /= np.linalg.norm(w)
    y = (X @ w > 0).astype(np.int64)
    return X + np.where(y == 1, gap, -gap)[:, None] * w, y


# --- separability ---------------------------------------------------------------------------------------


def _separate(make: Make, shape: Shape) -> Sequence[Contender | Absent]:
    X, y = make(shape)
    c = np.where(y == 1, 1.0, -1.0)[:, None]
    constraints = np.hstack([-c * X, c, np.ones((len(y), 1))])
    goal = np.append(np.zeros(X.shape[1] + 1), -1.0)
    bounds = [(-1, 1)] * X.shape[1] + [(None, None)] * 2

    def program() -> Any:
        return linprog(goal, A_ub=constraints, b_ub=np.zeros(len(y)), bounds=bounds, method="highs")

    return [
        Contender(OURS, {"separate": lambda: separate(X, y)}),
        Contender("linprog", {"separate": program}, repeats=2),
    ]


# --- the bars -------------------------------------------------------------------------------------------


def _never_slower(best: float = 1.0) -> tuple[Bar, ...]:
    return Faster(best, "sklearn", "best of sklearn"), Faster(best, "intelex", "intelex")


_DENSE, _MIDDLE, _WIDE = Shape(10**6, 20), Shape(2 * 10**5, 100), Shape(5 * 10**4, 500)
_CSR = Shape(2 * 10**5, 5 * 10**4, entries=50)
_PEERS_BADLY = (*_never_slower(3.0), Faster(50, "sklearn lbfgs", "its default"))

_LIBLINEAR = "LinearSVC"


def _svm_contest(loss: str, shape: Shape, make: Make, least: float) -> Contest:
    title = loss.replace("_", " ") + ("" if shape.entries is None else ", CSR")
    return Contest("svm", title, shape, partial(_svm, loss, make), (Faster(least, _LIBLINEAR, "LIBLINEAR"),))


def _separate_contest(title: str, make: Make) -> Contest:
    bars = (Faster(10, "linprog", "one linprog"),)
    return Contest("separate", f"separate, {title}", Shape(10**4, 20), partial(_separate, make), bars)


CONTESTS = (
    Contest("logistic", "logistic", _DENSE, partial(_logistic, 0.0, noisy_plane), _never_slower()),
    Contest("logistic", "logistic", _MIDDLE, partial(_logistic, 0.0, noisy_plane), _never_slower(1.5)),
    Contest("logistic", "logistic", _WIDE, partial(_logistic, 0.0, noisy_plane), _never_slower()),
    Contest("logistic", "logistic, badly scaled", _DENSE, partial(_logistic, 0.0, badly_scaled), _PEERS_BADLY),
    Contest("logistic", "logistic, CSR", _CSR, partial(_logistic, 1.0, data.sparse_rows), _never_slower(1.5)),
    _svm_contest("squared_hinge", _DENSE, noisy_plane, 3),
    _svm_contest("hinge", _DENSE, noisy_plane, 10),
    _svm_contest("squared_hinge", _CSR, data.sparse_rows, 1),
    _svm_contest("hinge", _CSR, data.sparse_rows, 1),
    Contest("svm", "hard margin", Shape(10**4, 20), _hard_margin, (Faster(10, "SVC", "SVC C=1e10"),)),
    _separate_contest("a thin slab", parted),
    _separate_contest("overlapping", noisy_plane),
)
