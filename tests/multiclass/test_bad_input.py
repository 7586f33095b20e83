"""What makes no sense is refused with a word on the way out."""

import numpy as np
import pytest
from sklearn.cluster import KMeans
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, RadiusNeighborsClassifier

from discriminant import LinearDiscriminantAnalysis, OneVsAll, OneVsOne
from tests.tables import gaussian_table

X, Y = gaussian_table(0, K=3)


@pytest.fixture(params=[OneVsAll, OneVsOne])
def reduction(request):
    return request.param


@pytest.mark.parametrize(
    ("learner", "message"),
    [
        (LinearDiscriminantAnalysis, r"the class LinearDiscriminantAnalysis; pass LinearDiscriminantAnalysis\(\)"),
        (None, "needs a classifier with fit and get_params, got None"),
        ("lda", "got 'lda'"),
        (KMeans(), "KMeans is none"),
    ],
)
def test_learners_that_are_none(reduction, learner, message):
    with pytest.raises(TypeError, match=message):
        reduction(learner).fit(X, Y)
    assert repr(reduction(learner)).startswith(reduction.__name__)


def test_a_learner_that_cannot_say_how_sure_it_is(reduction):
    class Sure(LinearDiscriminantAnalysis):
        decision_function = predict_proba = property()

    with pytest.raises(TypeError, match="neither decision_function nor predict_proba"):
        reduction(Sure()).fit(X, Y)


@pytest.mark.parametrize(
    ("n_jobs", "error"), [(0, ValueError), (1.5, TypeError), ("two", TypeError), (True, TypeError)]
)
def test_numbers_of_threads(reduction, n_jobs, error):
    with pytest.raises(error, match="n_jobs must"):
        reduction(LinearDiscriminantAnalysis(), n_jobs=n_jobs).fit(X, Y)


@pytest.mark.parametrize("learner", [LinearDiscriminantAnalysis(), RadiusNeighborsClassifier()], ids=str)
def test_tables_and_labels(reduction, learner):
    model = reduction(learner)
    with pytest.raises(ValueError, match="requires y"):
        model.fit(X)
    with pytest.raises(ValueError, match="inconsistent numbers"):
        model.fit(X, Y[:-1])
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.where(X[3, 1] == X, np.nan, X), Y)
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_one_class_is_no_pair():
    for learner in (LinearDiscriminantAnalysis(), KNeighborsClassifier()):
        with pytest.raises(ValueError, match="one class only"):
            OneVsOne(learner).fit(X, np.zeros(len(X)))
        with pytest.raises(ValueError, match="one class only"):
            OneVsOne(learner).fit(X, Y, sample_weight=(Y == 1).astype(float))


def test_targets_of_several_columns_are_indicators():
    with pytest.raises(ValueError, match="2 at row 0, column 1; fit a model for each column"):
        OneVsAll(LinearDiscriminantAnalysis()).fit(X[:2], [[0, 2], [1, 0]])
    with pytest.raises(ValueError, match="1d array of class labels"):
        OneVsOne(LinearDiscriminantAnalysis()).fit(X, np.column_stack([Y == 0, Y == 1]))


def test_targets_do_not_change_between_calls():
    labels = np.column_stack([Y == 0, Y > 0])
    model = OneVsAll(LinearDiscriminantAnalysis()).partial_fit(X, labels)
    with pytest.raises(ValueError, match="y was an indicator of 2 labels"):
        model.partial_fit(X, Y)
    with pytest.raises(ValueError, match="y was an indicator of 2 labels"):
        model.partial_fit(X, np.column_stack([labels, labels]))
    with pytest.raises(ValueError, match="y was one class for each row"):
        OneVsAll(LinearDiscriminantAnalysis()).partial_fit(X, Y).partial_fit(X, labels)


def test_classes_do_not_change_between_calls(reduction):
    model = reduction(LinearDiscriminantAnalysis()).partial_fit(X, Y)
    with pytest.raises(ValueError, match=r"contains \[0 7\] while it must be subset of \[0 1 2\]"):
        model.partial_fit(X[:2], [7, 0])
    with pytest.raises(ValueError, match="not the same as on last call"):
        model.partial_fit(X, Y, classes=[0, 1])


def test_a_failed_batch_leaves_the_model_as_it_was(reduction):
    for learner in (LinearDiscriminantAnalysis(), GaussianNB()):
        model = reduction(learner).partial_fit(X, Y)
        before = model.predict_proba(X)
        with pytest.raises(ValueError, match="NaN"):
            model.partial_fit(np.full_like(X, np.nan), Y)
        assert np.array_equal(model.predict_proba(X), before)


def test_weights_that_the_learner_would_not_see(reduction):
    with pytest.raises(ValueError, match="KNeighborsClassifier takes no sample_weight"):
        reduction(KNeighborsClassifier()).fit(X, Y, sample_weight=np.ones(len(X)))


def test_a_failed_fit_leaves_the_model_as_it_was(reduction):
    model = reduction(LinearDiscriminantAnalysis()).fit(X, Y)
    before = model.decision_function(X)
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.full((9, 7), np.nan), Y[:9])
    assert np.array_equal(model.decision_function(X), before)


def test_names_of_the_row_and_column_at_fault(reduction):
    bad = X.copy()
    bad[7, 2] = np.inf
    with pytest.raises(ValueError, match="row 7, column 2"):
        reduction(LinearDiscriminantAnalysis()).fit(bad, Y)
    fitted = reduction(LinearDiscriminantAnalysis()).fit(X, Y)
    with pytest.raises(ValueError, match="row 7, column 2"):
        fitted.predict(bad)
