"""Weights kept as a sparse matrix: the same scores and planes."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from discriminant import LeastSquaresClassifier, LinearSVM, LogisticRegression

LEARNERS = [
    LogisticRegression(alpha=5.0, l1_ratio=1.0),
    LeastSquaresClassifier(alpha=5.0, l1_ratio=1.0),
    LinearSVM(loss="squared_hinge", C=0.2, l1_ratio=1.0),
]


def table(n_classes):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(90, 6))
    return X, (X[:, :n_classes] + rng.gumbel(size=(90, n_classes))).argmax(axis=1)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_scores_and_planes_are_those_of_the_plain_weights(learner, n_classes):
    X, y = table(n_classes)
    model = learner.fit(X, y)
    coef, scores, plane = model.coef_, model.decision_function(X), model.hyperplane(0, 1)
    model.sparsify()
    assert sparse.issparse(model.coef_)
    assert model.coef_.nnz == np.count_nonzero(coef) < coef.size
    for form in (X, sparse.csr_array(X), sparse.coo_matrix(X), X.tolist()):
        np.testing.assert_allclose(model.decision_function(form), scores, rtol=1e-12, atol=1e-13)
        np.testing.assert_array_equal(model.predict(form), model.classes_[_winners(scores)])
    assert model.hyperplane(0, 1) == plane
    assert sparse.issparse(model.coef_)  # asking changes nothing
    np.testing.assert_array_equal(model.densify().coef_, coef)
    np.testing.assert_array_equal(model.sparsify().fit(X, y).coef_, coef)


def _winners(scores):
    return (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)


def test_a_warm_start_takes_sparse_weights():
    X, y = table(2)
    model = LogisticRegression(alpha=1.0, warm_start=True).fit(X, y)
    coef = model.coef_
    np.testing.assert_allclose(model.sparsify().fit(X, y).coef_, coef, rtol=1e-8)


def test_numbers_too_large_to_multiply_are_still_refused():
    X, y = table(2)
    model = LogisticRegression(alpha=1.0).fit(X, y).sparsify()
    with pytest.raises(ValueError, match="overflows"):
        model.predict(np.full((1, 6), 1.7e308) * np.sign(model.densify().coef_))


@pytest.mark.parametrize("learner", LEARNERS, ids=lambda learner: type(learner).__name__)
def test_a_model_that_is_not_fitted_says_so(learner):
    with pytest.raises(NotFittedError):
        type(learner)().sparsify()
    with pytest.raises(NotFittedError):
        type(learner)().hyperplane()
