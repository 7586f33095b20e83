"""Which learner meets which peer on which shape, and the bar it has to clear."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as SklearnLDA
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB, MultinomialNB

from benchmarks import data, optima, row_by_row
from benchmarks.compiling import CompileReport
from benchmarks.contest import OURS, Absent, Bar, Contender, Contest, Faster
from benchmarks.data import Shape
from benchmarks.memory import AtMost, MemoryContest
from discriminant import LeastSquaresClassifier, LinearDiscriminantAnalysis, NaiveBayes

# Above this many columns a solver that forms d×d and factors it by SVD takes minutes.
_WIDEST_SCATTER = 5000


def _fit(name: str, model: Any, X: NDArray[Any], y: NDArray[Any]) -> Contender:
    return Contender(name, {"fit": lambda: model.fit(X, y)})


# --- fitting --------------------------------------------------------------------------------------------


def _lda(shape: Shape) -> Sequence[Contender | Absent]:
    """Every solver of scikit-learn; svd is its default."""
    X, y = data.gaussian(shape)
    entries: list[Contender | Absent] = [
        _fit(OURS, LinearDiscriminantAnalysis(), X, y),
        _fit("sklearn svd", SklearnLDA(), X, y),
    ]
    megabytes = 8 * shape.columns**2 / 1e6
    for solver in ("lsqr", "eigen"):
        if shape.columns > _WIDEST_SCATTER:
            entries.append(Absent(f"sklearn {solver}", f"it needs d×d ({megabytes:.0f} MB a copy) and O(d³) time"))
        elif solver == "eigen" and shape.wide:
            entries.append(Absent("sklearn eigen", "it refuses a singular covariance"))
        else:
            entries.append(_fit(f"sklearn {solver}", SklearnLDA(solver=solver), X, y))
    return entries


def _least_squares(shape: Shape) -> Sequence[Contender | Absent]:
    """Every solver RidgeClassifier offers for any target, and oneDAL through scikit-learn-intelex."""
    X, y = data.gaussian(shape)
    solvers = ("auto", "cholesky", "svd", "lsqr", "sparse_cg")
    return [
        _fit(OURS, LeastSquaresClassifier(alpha=1.0), X, y),
        *(_fit(f"sklearn {solver}", RidgeClassifier(alpha=1.0, solver=solver), X, y) for solver in solvers),
        *_intelex(X, y),
    ]


def _intelex(X: NDArray[Any], y: NDArray[Any]) -> Sequence[Contender | Absent]:
    """Regression on ±1, as intelex has no ridge classifier; the coding of its targets is not timed, ours is."""
    try:
        from sklearnex.linear_model import LinearRegression, Ridge
    except ImportError:
        return [Absent("intelex", "scikit-learn-intelex is not installed")]
    targets = np.where(y == 1, 1.0, -1.0)
    return [
        _fit("intelex Ridge", Ridge(alpha=1.0), X, targets),
        _fit("intelex LinearRegression", LinearRegression(), X, targets),
    ]


def _naive_bayes(marginal: str, peer: type, make: Callable[[Shape], tuple[Any, Any]]) -> Contest:
    def enter(shape: Shape) -> Sequence[Contender]:
        X, y = make(shape)
        models = {OURS: NaiveBayes(marginal=marginal), f"sklearn {peer.__name__}": peer()}
        return [
            Contender(name, {"fit": lambda m=model: m.fit(X, y), "predict": lambda m=model: m.predict(X)})
            for name, model in models.items()
        ]

    least = 5 if marginal == "gaussian" else 3
    return Contest("naive-bayes", f"naive Bayes, {marginal}", Shape(10**6, 20), enter, _sklearn(least))


# --- scoring --------------------------------------------------------------------------------------------


def _scoring(method: str, shape: Shape, least: float, *, by_row: bool = False) -> Contest:
    """LDA's scores of a whole table, or of its rows one call at a time (what a service answering requests does)."""

    def enter(shape: Shape) -> Sequence[Contender]:
        X, y = data.gaussian(shape)
        tables = [X[i : i + 1] for i in range(len(X))] if by_row else [X]

        def contender(name: str, model: Any) -> Contender:
            score = getattr(model.fit(X, y), method)
            return Contender(name, {method: lambda: [score(table) for table in tables]})

        return [contender(OURS, LinearDiscriminantAnalysis()), contender("sklearn svd", SklearnLDA())]

    return Contest("predict", "LDA, one row a call" if by_row else "LDA", shape, enter, _sklearn(least))


# --- the bars -------------------------------------------------------------------------------------------


def _sklearn(best: float, default: float | None = None) -> tuple[Bar, ...]:
    """Bars against scikit-learn's best and, where given, its default."""
    bars: tuple[Bar, ...] = (Faster(best, "sklearn", "best of sklearn"),)
    return bars if default is None else (*bars, Faster(default, "sklearn svd", "its default"))


def _against_ridge(best: float) -> tuple[Bar, ...]:
    return (*_sklearn(best), Faster(1.1, "intelex", "intelex"))


CASES: tuple[Contest | MemoryContest | CompileReport, ...] = (
    Contest("lda", "LDA", Shape(10**6, 20), _lda, _sklearn(6, 25)),
    Contest("lda", "LDA", Shape(2 * 10**5, 100), _lda, _sklearn(4, 20)),
    Contest("lda", "LDA", Shape(5 * 10**4, 500), _lda, _sklearn(2, 10)),
    Contest("lda", "LDA", Shape(200, 10**4), _lda, _sklearn(2, 2)),
    Contest("lda", "LDA", Shape(2 * 10**5, 50, 10), _lda, _sklearn(3, 10)),
    Contest("lda", "LDA", Shape(6 * 10**4, 784, 10), _lda, _sklearn(1.3, 4)),
    Contest("least-squares", "least squares", Shape(10**6, 20), _least_squares, _against_ridge(4)),
    Contest("least-squares", "least squares", Shape(5 * 10**4, 500), _least_squares, _against_ridge(1.2)),
    _naive_bayes("gaussian", GaussianNB, data.gaussian),
    _naive_bayes("bernoulli", BernoulliNB, data.binary),
    _naive_bayes("multinomial", MultinomialNB, data.counts),
    _naive_bayes("categorical", CategoricalNB, data.categories),
    _scoring("predict", Shape(10**6, 20), 1),
    _scoring("decision_function", Shape(10**6, 20), 1),
    _scoring("predict", Shape(2000, 20), 5, by_row=True),
    _scoring("decision_function", Shape(2000, 20), 5, by_row=True),
    *row_by_row.CONTESTS,
    *optima.CONTESTS,
    MemoryContest("memory", "LDA, memory beyond X", Shape(10**6, 20), (AtMost(64),)),
    CompileReport("compile", "compiling", Shape(100, 5), ("Perceptron", "Adaline", "PocketPerceptron")),
)
TASKS = tuple(dict.fromkeys(case.task for case in CASES))
