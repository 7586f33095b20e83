"""What the tests of databases and clusters share: tables of two and four classes, and what must come out of them."""

import os
import signal
import time
from dataclasses import dataclass
from threading import Timer
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sklearn.base import clone

from discriminant import LeastSquaresClassifier, LinearDiscriminantAnalysis, LogisticRegression, NaiveBayes, rows
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


@dataclass(frozen=True)
class Slowly:
    """The work on a part, after a pause."""

    of_part: Any
    seconds: float

    def __call__(self, part):
        time.sleep(self.seconds)
        return self.of_part(part)


class KillingEngine:
    """An engine that loses a process in the middle of its second pass; in the first, files are looked at."""

    def __init__(self, engine, victim):
        self.engine, self.victim, self.passes = engine, victim, 0

    def fold(self, parts, of_part, add):
        self.passes += 1
        if self.passes != 2:
            return self.engine.fold(parts, of_part, add)
        killer = Timer(0.5, os.kill, (self.victim, signal.SIGKILL))
        killer.start()
        try:
            return self.engine.fold(parts, Slowly(of_part, 0.4), add)
        finally:
            killer.join()


def assert_same_with_a_loss(folder, engine, victim):
    """Logistic regression by passes, of which one loses a worker: the same answer to the last bit."""
    pq.write_table(made_table(n=12_000), folder / "many.parquet", row_group_size=1500)  # more than the sample takes

    def source(engine):
        return rows.open(folder / "many.parquet", target="kind", columns=NAMES, engine=engine, spool=False)

    wanted, losing = LogisticRegression(alpha=1.0).fit(source(engine)), KillingEngine(engine, victim)
    found = LogisticRegression(alpha=1.0).fit(source(losing))
    assert losing.passes > 3  # it went on after the loss
    assert np.array_equal(found.coef_, wanted.coef_)
    assert np.array_equal(found.intercept_, wanted.intercept_)
