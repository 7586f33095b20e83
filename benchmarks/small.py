"""Small tables beside scikit-learn: `python -m benchmarks.small [--markdown]`.

A fit of iris, breast cancer or digits happens by the million inside grid searches, where reading the rows costs more
than learning from them. Every learner's fit and predict beside its counterpart, turn by turn in one process and one
thread, as the ratio of the best times (scikit-learn's / ours: above one we are quicker).
"""

import argparse
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

_TURNS = 30
_SECONDS = 0.5  # for a pair at most

Table = tuple[Any, Any]


class Pair(NamedTuple):
    """Our learner and its counterpart."""

    name: str
    ours: Callable[[], Any]
    theirs: Callable[[], Any]


class Ratio(NamedTuple):
    """Of one pair on one table: scikit-learn's time over ours, and our milliseconds."""

    learner: str
    table: str
    fit: float
    predict: float
    milliseconds: float


def tables() -> dict[str, Table]:
    """20×2, 150×4, 569×30 and 1797×64."""
    from sklearn.datasets import load_breast_cancer, load_digits, load_iris

    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 2))
    tiny = X, (X[:, 0] + rng.standard_normal(20) > 0).astype(int)
    cancer = load_breast_cancer(return_X_y=True)
    scaled = (cancer[0] - cancer[0].mean(axis=0)) / cancer[0].std(axis=0)
    return {
        "20×2": tiny,
        "iris": load_iris(return_X_y=True),
        "breast cancer": cancer,
        "the same, scaled": (scaled, cancer[1]),
        "digits": load_digits(return_X_y=True),
    }


def pairs() -> list[Pair]:
    """Each learner as it comes, beside scikit-learn's that answers the same question."""
    from sklearn import discriminant_analysis, linear_model, naive_bayes, svm

    import discriminant as ours

    return [
        Pair("LDA", ours.LinearDiscriminantAnalysis, discriminant_analysis.LinearDiscriminantAnalysis),
        Pair("Fisher", ours.FisherDiscriminant, discriminant_analysis.LinearDiscriminantAnalysis),
        Pair("least squares", ours.LeastSquaresClassifier, lambda: linear_model.RidgeClassifier(alpha=1e-9)),
        Pair("naive Bayes, Gaussian", lambda: ours.NaiveBayes(marginal="gaussian"), naive_bayes.GaussianNB),
        Pair("naive Bayes, Bernoulli", lambda: ours.NaiveBayes(marginal="bernoulli"), naive_bayes.BernoulliNB),
        Pair("logistic", lambda: ours.LogisticRegression(alpha=1.0), _logistic),
        Pair("squared hinge", lambda: ours.LinearSVM(loss="squared_hinge"), svm.LinearSVC),
        Pair("hinge", ours.LinearSVM, lambda: svm.LinearSVC(loss="hinge", max_iter=10_000)),
        Pair("perceptron", ours.Perceptron, linear_model.Perceptron),
    ]


def _logistic() -> Any:
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(max_iter=1000)


def ratios() -> Iterator[Ratio]:
    """One after the other, as they are measured."""
    sets = tables()
    for pair in pairs():
        for name, (X, y) in sets.items():
            mine, other = pair.ours().fit(X, y), pair.theirs().fit(X, y)
            fit = _best(lambda p=pair, X=X, y=y: p.ours().fit(X, y), lambda p=pair, X=X, y=y: p.theirs().fit(X, y))
            said = _best(lambda m=mine, X=X: m.predict(X), lambda m=other, X=X: m.predict(X))
            yield Ratio(pair.name, name, fit[1] / fit[0], said[1] / said[0], 1e3 * fit[0])


def _best(ours: Callable[[], Any], theirs: Callable[[], Any]) -> tuple[float, float]:
    """The least CPU seconds of each, turn by turn."""
    best = [np.inf, np.inf]
    until = time.process_time() + _SECONDS
    for turn in range(_TURNS):
        for k, call in enumerate((ours, theirs)):
            start = time.process_time()
            call()
            best[k] = min(best[k], time.process_time() - start)
        if turn >= 2 and time.process_time() > until:
            break
    return best[0], best[1]


def main() -> None:
    """Print a line for each, or the table of the README."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--markdown", action="store_true", help="as a table for the README")
    as_table = parser.parse_args().markdown
    warnings.simplefilter("ignore")
    if as_table:
        print("| learner | table | fit | predict | our fit, ms |\n|---|---|---|---|---|")
    for r in ratios():
        numbers = (f"{r.fit:.1f}", f"{r.predict:.1f}", f"{r.milliseconds:.2f}")
        row = f"| {' | '.join((r.learner, r.table, *numbers))} |"
        print(row if as_table else f"{r.learner:24}{r.table:18}" + "  ".join(numbers), flush=True)


if __name__ == "__main__":
    from benchmarks.machine import limited

    with limited(1):
        main()
