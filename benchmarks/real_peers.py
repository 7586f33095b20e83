"""Who takes part in the contests on real tables, task by task, ours first."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as TheirLDA
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.linear_model import Perceptron as TheirPerceptron
from sklearn.metrics import make_scorer
from sklearn.model_selection import TunedThresholdClassifierCV, cross_val_predict
from sklearn.naive_bayes import BernoulliNB, GaussianNB
from sklearn.svm import LinearSVC

import discriminant as d
from benchmarks.made_sets import MADE
from benchmarks.real_sets import RealSet

FREE_PEERS = (
    "scikit-learn's solvers; LIBLINEAR through it (intercept_scaling=100, by coordinates of the dual 10, so that its "
    "penalty on the intercept is next to nothing)",
    "scikit-learn-intelex and glum where they are installed",
)
_DENSE_COLUMNS = 2000  # sparse rows of more columns are not made dense for a peer that needs it
_FIVE_TO_ONE = np.array([[0.0, -1.0], [-5.0, 0.0]])


@dataclass(frozen=True)
class Contestant:
    """``run(set, tolerance)`` gives the fitted model; without a ladder the tolerance is None."""

    name: str
    run: Callable[[RealSet, float | None], Any]
    ladder: bool = False


@dataclass(frozen=True)
class Task:
    """A job on a set; ``loss`` names the criterion, where there is one."""

    name: str
    contestants: Callable[[RealSet], Iterator[Contestant]]
    takes: Callable[[RealSet], bool] = lambda subject: True
    loss: str | None = None
    alpha: float = 1.0


def _fits(name: str, make: Callable[[float], Any], *, dense: bool = False) -> Contestant:
    """A contestant with a ladder of tolerances."""
    return Contestant(name, lambda s, tol: make(float(tol or 0)).fit(_rows(s, dense), s.y), ladder=True)


def _once(name: str, make: Callable[[], Any], *, dense: bool = False) -> Contestant:
    return Contestant(name, lambda s, _: make().fit(_rows(s, dense), s.y))


def _rows(subject: RealSet, dense: bool) -> Any:
    return subject.X.toarray() if dense and subject.sparse else subject.X


# --- criteria -------------------------------------------------------------------------------------------


def _logistic(alpha: float) -> Callable[[RealSet], Iterator[Contestant]]:
    C = np.inf if alpha == 0 else 1.0 / alpha

    def of_sklearn(solver: str, scaling: float = 1.0) -> Callable[[float], Any]:
        options = {"intercept_scaling": scaling} if solver == "liblinear" else {}
        return lambda tol: TheirLogistic(C=C, solver=solver, tol=tol, max_iter=2000, **options)

    def contestants(subject: RealSet) -> Iterator[Contestant]:
        yield _once("ours, as it comes", lambda: d.LogisticRegression(alpha=alpha))
        yield _fits("ours", lambda tol: d.LogisticRegression(alpha=alpha, tol=tol))
        for solver in ("lbfgs", "newton-cg"):
            yield _fits(f"sklearn {solver}", of_sklearn(solver))
        if not subject.sparse and subject.X.shape[1] * max(subject.K - 1, 1) <= 2000:
            yield _fits("sklearn newton-cholesky", of_sklearn("newton-cholesky"))
        if subject.K == 2 and alpha > 0:
            yield _fits("sklearn liblinear", of_sklearn("liblinear", 100.0))
            yield from _glum(subject, alpha)
        yield from _intelex(C)

    return contestants


def _glum(subject: RealSet, alpha: float) -> Iterator[Contestant]:
    """It divides the sum of losses by the number of rows."""
    try:
        from glum import GeneralizedLinearRegressor
    except ImportError:
        return
    if subject.X.shape[1] > _DENSE_COLUMNS:  # its Hessians are dense
        return

    def make(tol: float) -> Any:
        n = len(subject.y)
        return GeneralizedLinearRegressor(
            family="binomial", alpha=alpha / n, l1_ratio=0, gradient_tol=tol / n, max_iter=1000
        )

    yield _fits("glum", make)


def _intelex(C: float) -> Iterator[Contestant]:
    try:
        from sklearnex.linear_model import LogisticRegression as Intelex
    except ImportError:
        return
    yield _fits("intelex lbfgs", lambda tol: Intelex(C=C, tol=tol, max_iter=2000))


def _svm(loss: str, intercept: bool = True) -> Callable[[RealSet], Iterator[Contestant]]:
    def contestants(subject: RealSet) -> Iterator[Contestant]:
        yield _once("ours, as it comes", lambda: d.LinearSVM(loss=loss, fit_intercept=intercept))
        yield _fits("ours", lambda tol: d.LinearSVM(loss=loss, tol=tol, fit_intercept=intercept))
        if loss == "squared_hinge":
            yield _fits("LIBLINEAR primal", _liblinear(loss, False, 100.0, intercept))
        # by coordinates the column of the intercept is the slower the larger it is
        yield _fits("LIBLINEAR dual", _liblinear(loss, True, 10.0, intercept))

    return contestants


def _liblinear(loss: str, dual: bool, scaling: float, intercept: bool) -> Callable[[float], Any]:
    return lambda tol: LinearSVC(
        loss=loss, dual=dual, tol=tol, max_iter=1000, intercept_scaling=scaling, fit_intercept=intercept
    )


# --- learners without a criterion -----------------------------------------------------------------------


def _lda(subject: RealSet) -> Iterator[Contestant]:
    yield _once("ours", d.LinearDiscriminantAnalysis)
    for solver in ("svd", "lsqr"):
        yield _once(f"sklearn {solver}", lambda solver=solver: TheirLDA(solver=solver), dense=True)


def _naive_bayes(subject: RealSet) -> Iterator[Contestant]:
    if subject.sparse:
        yield _once("ours", lambda: d.NaiveBayes(marginal="bernoulli"))
        yield _once("sklearn BernoulliNB", BernoulliNB)
    else:
        yield _once("ours", lambda: d.NaiveBayes(marginal="gaussian"))
        yield _once("sklearn GaussianNB", GaussianNB)


def _perceptron(subject: RealSet) -> Iterator[Contestant]:
    yield _once("ours", lambda: d.Perceptron(random_state=0))
    yield _once("sklearn Perceptron", lambda: TheirPerceptron(random_state=0))


def _gain(subject: RealSet) -> Iterator[Contestant]:
    scorer = make_scorer(lambda true, assigned: _FIVE_TO_ONE[true, assigned].mean())
    yield _once("ours", lambda: d.GainClassifier(d.LogisticRegression(alpha=1.0), _FIVE_TO_ONE, random_state=0))
    for solver in ("lbfgs", "newton-cg"):
        learner = TheirLogistic(solver=solver, max_iter=1000)
        yield _once(
            f"sklearn tuned, {solver}", lambda learner=learner: TunedThresholdClassifierCV(learner, scoring=scorer)
        )


def _compare(subject: RealSet) -> Iterator[Contestant]:
    """Held-out scores of three learners; ours says intervals and differences besides."""
    ours = {
        "lda": d.LinearDiscriminantAnalysis(),
        "bayes": d.NaiveBayes(marginal="gaussian"),
        "logistic": d.LogisticRegression(alpha=1.0),
    }
    yield Contestant("ours", lambda s, _: d.compare(_rows(s, True), s.y, learners=ours, random_state=0))

    def of_sklearn(s: RealSet, _: float | None) -> None:
        X = _rows(s, True)
        for learner in (TheirLDA(), GaussianNB(), TheirLogistic(solver="newton-cholesky")):
            cross_val_predict(learner, X, s.y, cv=5, method="predict_proba")

    yield Contestant("sklearn cross_val_predict", of_sklearn)


def _narrow(subject: RealSet) -> bool:
    return not subject.sparse or subject.X.shape[1] <= _DENSE_COLUMNS


def _overlapping(subject: RealSet) -> bool:
    """Where alpha = 0 has a minimum: not on separable or quasi-separable rows, such as covtype's and a9a's."""
    return subject.name in ("spambase", "german", *MADE) and subject.name != "texts20"


TASKS = (
    Task("logistic", _logistic(1.0), loss="logistic"),
    Task("logistic, alpha 0", _logistic(0.0), _overlapping, loss="logistic", alpha=0.0),
    Task("squared hinge", _svm("squared_hinge"), loss="squared_hinge"),
    Task("hinge", _svm("hinge"), loss="hinge"),
    Task("hinge, no intercept", _svm("hinge", False), loss="hinge"),
    Task("lda", _lda, _narrow),
    Task("naive bayes", _naive_bayes),
    Task("perceptron", _perceptron),
    Task("gain", _gain, lambda subject: subject.K == 2),
    Task("compare", _compare, lambda subject: _narrow(subject) and subject.X.shape[1] <= 200),
)
