"""GainClassifier beside scikit-learn's TunedThresholdClassifierCV: the same learner, the same gain, the same rows.

    python -m benchmarks.tuned_threshold ../shared/data [--only pima] [--rows 20000] [--threads all]

Outer 5-fold cross-validation, repeated with other folds until about ``--rows`` decisions were made, at most twenty
times: both fit to the four fifths, with five inner folds each, and are judged by what they earn on the fifth. Columns
are divided by their standard deviation beforehand. Gains are the official costs where a set has them, else 5 for a
missed row of the rarer class and 1 for a false alarm. Told are the gain of a row for both, the difference with its
standard error over rows (of the averages over repetitions), the ratio of the median times of ``fit`` (taken by turns,
on one thread unless told otherwise), and what a grid of 100 thresholds misses of the best one of all on our held-out
scores of the whole set.
"""

import argparse
import csv
import gzip
import time
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.datasets import load_svmlight_file
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.metrics import make_scorer
from sklearn.model_selection import StratifiedKFold, TunedThresholdClassifierCV
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from discriminant import (
    GainClassifier,
    LinearDiscriminantAnalysis,
    LogisticRegression,
    best_threshold,
    expected_gain,
    operating_curve,
)

Array = NDArray[np.float64]

LEARNERS = {
    "LDA": LinearDiscriminantAnalysis(),
    "logistic": LogisticRegression(alpha=1.0),
    "scikit-learn's logistic": TheirLogistic(max_iter=1000),
}
FIVE_TO_ONE = np.array([[0.0, -1.0], [-5.0, 0.0]])
_MOST_REPETITIONS = 20


class Table(NamedTuple):
    """Rows, whether each is of the class to be detected, and gains (true × assigned)."""

    X: Any
    y: NDArray[np.int64]
    gain: Array


# --- tables ---------------------------------------------------------------------------------------------


def _csv(path: Path, target: str, positive: str, drop: tuple[str, ...] = ()) -> Table:
    text = gzip.decompress(path.read_bytes()).decode() if path.suffix == ".gz" else path.read_text()
    rows = [row for row in csv.DictReader(text.splitlines()) if "NA" not in row.values()]
    names = [name for name in rows[0] if name not in (target, *drop)]
    X = np.array([[float(row[name]) for name in names] for row in rows])
    y = np.array([row[target] == positive for row in rows], dtype=np.int64)
    assert 0 < y.sum() < y.size, f"{path} has no rows with {target} = {positive}, or no others"
    return _rarer_first(X, y)


def _svm(*paths: Path, n_features: int | None = None) -> Table:
    X, y = load_svmlight_file(str(paths[0]), n_features=n_features)
    dense = X.shape[1] < 1000
    return _rarer_first(X.toarray() if dense else X, (y > 0).astype(np.int64))


def _rarer_first(X: Any, positive: NDArray[np.int64]) -> Table:
    """The rarer class is the one to be detected."""
    return Table(X, positive if positive.mean() <= 0.5 else 1 - positive, FIVE_TO_ONE)


def _churn(folder: Path) -> Table:
    """Costs of the average customer of each class."""
    costs = ("C_FP", "C_FN", "C_TP", "C_TN")
    table = _csv(folder / "churn_tv.csv.gz", "target", "1.0", ("id", *costs))
    with gzip.open(folder / "churn_tv.csv.gz", "rt") as file:
        rows = list(csv.DictReader(file))
    fp, fn, tp, tn = (np.array([float(row[name]) for row in rows]) for name in costs)
    loyal, leaves = table.y == 0, table.y == 1
    gain = -np.array([[tn[loyal].mean(), fp[loyal].mean()], [fn[leaves].mean(), tp[leaves].mean()]])
    return table._replace(gain=gain)


def _mnist(folder: Path, one: int, other: int) -> Table:
    with gzip.open(folder / "train10k-images-idx3-ubyte.gz") as file:
        X = np.frombuffer(file.read(), dtype=np.uint8, offset=16).reshape(-1, 784) / 255.0
    with gzip.open(folder / "train10k-labels-idx1-ubyte.gz") as file:
        digit = np.frombuffer(file.read(), dtype=np.uint8, offset=8)
    kept = (digit == one) | (digit == other)
    X = X[kept]
    return _rarer_first(X[:, X.std(axis=0) > 0], (digit[kept] == one).astype(np.int64))


def tables(folder: Path) -> dict[str, Callable[[], Table]]:
    """Every set under the folder, as two classes."""
    return {
        "synth": lambda: _csv(folder / "synth/synth_te.csv", "yc", "1"),
        "iris, virginica": lambda: _csv(folder / "iris/iris.csv", "species", "virginica"),
        "heart": lambda: _svm(folder / "heart_scale/heart_scale.svm"),
        "pima": lambda: _csv(folder / "pima/pima.csv", "diabetes", "pos"),
        "german credit": lambda: _csv(folder / "german_credit/german_numeric.csv", "class", "2"),
        "wbc": lambda: _csv(folder / "breast_cancer/wbc_original.csv", "Class", "malignant", ("Id",)),
        "wdbc": lambda: _csv(folder / "breast_cancer/wdbc.csv", "diagnosis", "malignant"),
        "sonar": lambda: _csv(folder / "sonar/sonar.csv", "class", "M", ("record", "angle_dependent_split")),
        "spambase": lambda: _csv(folder / "spambase/spambase.csv.gz", "spam", "1"),
        "churn": lambda: _churn(folder / "churn_tv"),
        "colon": lambda: _csv(folder / "colon/colon.csv.gz", "class", "tumor"),
        "a9a": lambda: _svm(folder / "a9a/a9a.svm.gz"),
        "covtype, spruce": lambda: _csv(folder / "covtype_20k/covtype_20k.csv.gz", "Cover_Type", "1"),
        "mnist, 4 or 9": lambda: _mnist(folder / "mnist", 4, 9),
        "rcv1": lambda: _svm(folder / "rcv1_small/rcv1_small_train.svm.gz", n_features=47152),
        "movie polarity": lambda: _svm(folder / "movie_polarity/movie_polarity_counts.svm.gz"),
        "farm ads": lambda: _svm(folder / "farm_ads/farm_ads.svm.gz"),
    }


# --- contest --------------------------------------------------------------------------------------------


def ours(learner: Any, gain: Array) -> Any:
    return GainClassifier(clone(learner), gain)


def theirs(learner: Any, gain: Array) -> Any:
    scorer = make_scorer(lambda true, assigned: gain[true, assigned].mean())
    return TunedThresholdClassifierCV(clone(learner), scoring=scorer, random_state=0)


def splits(table: Table, repetitions: int) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    for seed in range(repetitions):
        yield from StratifiedKFold(5, shuffle=True, random_state=seed).split(np.zeros(table.y.size), table.y)


def contest(table: Table, learner: Any, repetitions: int) -> tuple[Array, Array]:
    """(what each row earned on average with ours and with theirs, the median seconds of both).

    Where theirs finds no threshold, because all posteriors are 0 or 1, the learner decides as it is.
    """
    earned, seconds = np.zeros((2, table.y.size)), np.zeros((2, 5 * repetitions))
    for turn, (train, test) in enumerate(splits(table, repetitions)):
        scale = StandardScaler(with_mean=False).fit(table.X[train])
        seen, unseen = scale.transform(table.X[train]), scale.transform(table.X[test])
        for who in (0, 1) if turn % 2 == 0 else (1, 0):
            model = (ours, theirs)[who](learner, table.gain)
            started = time.perf_counter()
            try:
                model.fit(seen, table.y[train])
            except ValueError as error:
                if "constant predictions" not in str(error):
                    raise
                model = clone(learner).fit(seen, table.y[train])
            seconds[who, turn] = time.perf_counter() - started
            earned[who, test] += table.gain[table.y[test], model.predict(unseen)] / repetitions
    return earned, np.median(seconds, axis=1)


def missed_by_grid(table: Table, learner: Any) -> float:
    """How much less the best of 100 thresholds earns than the best of all, on the same held-out scores."""
    scaled = StandardScaler(with_mean=False).fit_transform(table.X)
    scores = GainClassifier(clone(learner), table.gain).fit(scaled, table.y).held_out_scores_
    probabilities = 1.0 / (1.0 + np.exp(-np.clip(scores, -700, 700)))
    curve = operating_curve(table.y, probabilities)
    grid = np.linspace(probabilities.min(), probabilities.max(), 100)
    along = expected_gain(curve, table.gain)
    best_of_grid = max(float(along[curve.index_at(theta)]) for theta in grid)
    exact = best_threshold(curve, gain=table.gain).expected_gain
    assert exact is not None
    return exact - best_of_grid


def told(name: str, table: Table, learner_name: str, rows: int) -> str:
    learner = LEARNERS[learner_name]
    some = np.random.default_rng(0).permutation(table.y.size)[:1000]
    ours(learner, table.gain).fit(table.X[some], table.y[some])  # compiled and cached before anything is timed
    n = table.y.size
    repetitions = int(np.clip(rows // n, 1, _MOST_REPETITIONS))
    earned, seconds = contest(table, learner, repetitions)
    apart = earned[0] - earned[1]
    error = apart.std(ddof=1) / np.sqrt(n)
    shape = f"{n}×{table.X.shape[1]}"
    figures = f"{earned[0].mean():9.4f} | {earned[1].mean():9.4f} | {apart.mean():+.4f} ± {error:.4f}"
    ratio, missed = seconds[1] / seconds[0], missed_by_grid(table, learner)
    return f"| {name} | {shape} | {learner_name} | {repetitions} | {figures} | {ratio:.1f} | {missed:.4f} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path, help="of the data sets")
    parser.add_argument("--only", default="", help="sets whose name holds this text")
    parser.add_argument("--rows", type=int, default=20_000, help="decisions to judge by")
    parser.add_argument("--threads", choices=("1", "all"), default="1", help="that BLAS may use")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")  # what the learners find in the columns is the same for both
    print("| set | shape | learner | repetitions | ours | theirs | difference | time ratio | missed by the grid |")
    print("|---|---|---|---|---|---|---|---|---|")
    for name, read in tables(arguments.folder).items():
        if arguments.only in name:
            table = read()
            for learner in LEARNERS:
                with threadpool_limits(1 if arguments.threads == "1" else None):
                    print(told(name, table, learner, arguments.rows), flush=True)


if __name__ == "__main__":
    main()
