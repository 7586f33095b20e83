"""A fitted model is shown in a notebook: every attribute is read, so that none may raise or take long."""

import gc
import time
import warnings

import numpy as np
import pytest
from scipy import sparse

from discriminant import (
    Adaline,
    FisherDiscriminant,
    GainClassifier,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    LinearSVM,
    LogisticRegression,
    NaiveBayes,
    OneVsAll,
    OneVsOne,
    Perceptron,
    PocketPerceptron,
)
from discriminant.findings import FindingWarning

MODELS = {
    "adaline": Adaline(max_iter=5),
    "fisher": FisherDiscriminant(),
    "gain": GainClassifier(LinearDiscriminantAnalysis(shrinkage=0.5), cv=2),
    "lda": LinearDiscriminantAnalysis(),
    "lda-auto": LinearDiscriminantAnalysis(shrinkage="auto"),
    "least-squares": LeastSquaresClassifier(alpha=1.0),
    "logistic": LogisticRegression(),
    "logistic-ridge": LogisticRegression(alpha=1.0),
    "naive-bayes": NaiveBayes(),
    "gaussian": NaiveBayes(marginal="gaussian"),
    "one-vs-all": OneVsAll(LinearDiscriminantAnalysis()),
    "one-vs-one": OneVsOne(LogisticRegression(alpha=1.0)),
    "perceptron": Perceptron(max_iter=5),
    "pocket": PocketPerceptron(max_iter=5),
    "svm": LinearSVM(),
    "squared-hinge": LinearSVM(loss="squared_hinge"),
}


def _tables():
    random = np.random.default_rng(0)
    wide = sparse.random_array((400, 2000), density=0.01, random_state=0, format="csr")
    X = random.normal(size=(60, 3))
    four = np.arange(60) % 4
    return {
        "sparse and wide": (wide, np.arange(400) % 4),
        "constant columns": (np.ones((60, 3)), np.arange(60) % 2),
        "separable": (X + 20.0 * (four % 2)[:, None], four % 2),
        "two rows": (np.array([[0.0, 1.0], [1.0, 3.0]]), np.array([0, 1])),
        "four classes": (X, four),
        "very wide": (sparse.random_array((60, 20_000), density=0.002, random_state=0, format="csr"), four % 2),
    }


TABLES = _tables()
LinearDiscriminantAnalysis()._repr_html_()  # scikit-learn reads its styles when it first shows anything
SLOW_TO_FIT = {("logistic", "sparse and wide"), ("logistic", "very wide")}


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("name", MODELS)
def test_fitted_models_are_shown_at_once(name, table):
    if (name, table) in SLOW_TO_FIT:
        pytest.skip("without a penalty these weights have no limit, and the fit itself is long")
    X, y = TABLES[table]
    model = MODELS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FindingWarning)
        if name == "gain" and table == "two rows":
            pytest.skip("two folds need two rows of each class")
        model.fit(X, y)
    gc.collect()  # what other tests have left is not counted, nor threads that wait for work
    begun = time.thread_time()
    shown = model._repr_html_()
    took = time.thread_time() - begun
    assert "coef_" in shown or "learner_" in shown
    assert took < 0.2
