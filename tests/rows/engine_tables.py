"""What the tests of databases and clusters share: tables of two and four classes, and what must come out of them."""

import time

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone

from discriminant import LeastSquaresClassifier, LinearDiscriminantAnalysis, NaiveBayes
from discriminant.statistics.moments import ClassMoments

LEARNERS = [
    LinearDiscriminantAnalysis(shrinkage="auto"),
    LeastSquaresClassifier(),
    NaiveBayes(marginal="gaussian"),
]
every_learner = pytest.mark.parametrize("learner", LEARNERS, ids=str)
two_and_four_classes = pytest.mark.parametrize(("K", "weight"), [(2, None), (2, "w"), (4, None)])
NAMES = ("height", 'the "long" one', "count")


def made_table(K=2, n=1200, offset=0.0, seed=5):
    """Two floats about an offset and an integer, texts as classes, whole weights with zeros among them, ids."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, K, n)
    X = rng.normal(size=(n, 2)) @ [[1.0, 0.6], [0.0, 0.8]] + codes[:, None] * [0.7, -0.4] + offset
    cells = {
        NAMES[0]: X[:, 0],
        NAMES[1]: X[:, 1],
        NAMES[2]: rng.poisson(3 + codes),
        "kind": np.array(["gamma", "alpha", "beta", "delta"])[codes],
        "w": rng.integers(0, 3, n).astype(np.float64),
        "key": rng.permutation(n),
    }
    return pa.table(cells)


def write_tables(tables, folder):
    """A folder of three Parquet files for each table, named by its number of classes."""
    for K, table in tables.items():
        for k in range(3):
            path = folder / f"of_{K}" / f"{k}.parquet"
            path.parent.mkdir(exist_ok=True)
            pq.write_table(table.slice(400 * k, 400), path, row_group_size=150)
    return folder


def arrays_of(table, weight=None):
    """(X, y, weight) as `fit` takes them."""
    X = np.column_stack([table.column(name).to_numpy().astype(np.float64) for name in NAMES])
    y = np.array(table.column("kind").to_pylist())
    return X, y, None if weight is None else table.column(weight).to_numpy()


def assert_same_model(learner, source, table, weight=None, rtol=1e-12):
    """The learner gives from the source what it gives in memory."""
    model, reference = clone(learner).fit(source), clone(learner).fit(*arrays_of(table, weight))
    assert np.array_equal(model.classes_, reference.classes_)
    for name in ("coef_", "intercept_"):
        found, wanted = getattr(model, name), getattr(reference, name)
        np.testing.assert_allclose(found, wanted, rtol=0, atol=rtol * np.abs(wanted).max())
    assert [type(f) for f in model.findings_] == [type(f) for f in reference.findings_]


# --- statistics that workers must be able to import ------------------------------------------------------


def name_of(part):
    return str(part.first_row)


def pair(a, b):
    return f"({a}{b})"


def slow_moments(block, seconds):
    time.sleep(seconds)
    return ClassMoments.of_rows(block)
