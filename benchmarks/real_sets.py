"""Real tables to be fast on: the sets kept beside the project, as a user would hand them to a learner."""

import gzip
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_svmlight_file

from benchmarks.made_sets import MADE
from discriminant import rows

FOLDER = Path(__file__).resolve().parents[2] / "shared" / "data"
_NOT_FEATURES = ("id", "record", "angle_dependent_split", "C_FP", "C_FN", "C_TP", "C_TN")


@dataclass(frozen=True)
class RealSet:
    """Rows, and their classes as codes 0 … K−1."""

    name: str
    X: Any
    y: NDArray[np.int64]

    @property
    def K(self) -> int:
        """The number of classes."""
        return int(self.y.max()) + 1

    @property
    def sparse(self) -> bool:
        """Whether only entries are stored."""
        return not isinstance(self.X, np.ndarray)

    def __str__(self) -> str:
        n, d = self.X.shape
        stored = f", {self.X.nnz / n:.0f} entries a row" if self.sparse else ""
        return f"{self.name} {n:,}×{d:,}".replace(",", " ") + f", K={self.K}{stored}"


def _sparse(path: str) -> tuple[Any, NDArray[Any]]:
    X, y = load_svmlight_file(str(FOLDER / path))
    X.indices, X.indptr = X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return X, y


def _table(path: str, target: str) -> tuple[Any, NDArray[Any]]:
    """Columns as the command encodes them: categories as indicators."""
    import pyarrow.csv

    names = pyarrow.csv.read_csv(FOLDER / path).column_names
    features = [name for name in names if name != target and name not in _NOT_FEATURES]
    whole = rows.open(FOLDER / path, target=target, columns=features, encoding="auto").collect()
    return whole.matrix, whole.codes


def _covtype(of_two: bool) -> tuple[Any, NDArray[Any]]:
    X, y = _table("covtype_20k/covtype_20k.csv.gz", "Cover_Type")
    return X, y == 1 if of_two else y


def _mnist() -> tuple[Any, NDArray[Any]]:
    pictures = gzip.decompress((FOLDER / "mnist/train10k-images-idx3-ubyte.gz").read_bytes())
    labels = gzip.decompress((FOLDER / "mnist/train10k-labels-idx1-ubyte.gz").read_bytes())
    X = np.frombuffer(pictures, np.uint8, offset=16).reshape(-1, 784) / 255.0
    return X, np.frombuffer(labels, np.uint8, offset=8)


_SETS: dict[str, Callable[[], tuple[Any, NDArray[Any]]]] = {
    "a9a": partial(_sparse, "a9a/a9a.svm.gz"),
    "rcv1": partial(_sparse, "rcv1_small/rcv1_small_train.svm.gz"),
    "farm_ads": partial(_sparse, "farm_ads/farm_ads.svm.gz"),
    "movie": partial(_sparse, "movie_polarity/movie_polarity_counts.svm.gz"),
    "spambase": partial(_table, "spambase/spambase.csv.gz", "spam"),
    "covtype2": partial(_covtype, of_two=True),
    "covtype7": partial(_covtype, of_two=False),
    "mnist": _mnist,
    "german": partial(_table, "german_credit/german_symbolic.csv", "class"),
    "churn": partial(_table, "churn_tv/churn_tv.csv.gz", "target"),
    "sonar": partial(_table, "sonar/sonar.csv", "class"),
    "colon": partial(_table, "colon/colon.csv.gz", "class"),
    **MADE,
}
NAMES = tuple(_SETS)


def load(name: str) -> RealSet:
    """The set of that name."""
    X, y = _SETS[name]()
    return RealSet(name, X, np.unique(y, return_inverse=True)[1].astype(np.int64))
