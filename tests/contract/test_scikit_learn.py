"""Life inside scikit-learn: pipelines, grid search, clones, set_output, metadata routing, pickles."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from discriminant import FisherDiscriminant, LeastSquaresClassifier, LinearDiscriminantAnalysis, NaiveBayes

MODELS = [FisherDiscriminant(), LinearDiscriminantAnalysis(), LeastSquaresClassifier(), NaiveBayes(marginal="gaussian")]


@pytest.fixture
def iris():
    data = load_iris(as_frame=True)
    return data.data, data.target_names[data.target]


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_pipeline_and_pickle(model, iris):
    X, y = iris
    pipeline = make_pipeline(StandardScaler(), clone(model)).fit(X, y)
    assert pipeline.score(X, y) > 0.75
    again = pickle.loads(pickle.dumps(pipeline))
    np.testing.assert_array_equal(again.decision_function(X), pipeline.decision_function(X))


def test_grid_search(iris):
    X, y = iris
    search = GridSearchCV(LinearDiscriminantAnalysis(), {"shrinkage": [None, 0.1, "auto"]}, cv=3).fit(X, y)
    assert search.best_score_ > 0.95


@pytest.mark.parametrize("model", [FisherDiscriminant(), LinearDiscriminantAnalysis()], ids=str)
def test_set_output(model, iris):
    X, y = iris
    name = type(model).__name__.lower()
    table = clone(model).set_output(transform="pandas").fit(X, y).transform(X)
    assert isinstance(table, pd.DataFrame)
    assert table.columns.tolist() == [f"{name}0", f"{name}1"]


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_metadata_routing(model, iris):
    X, y = iris
    w = np.random.default_rng(0).uniform(0, 1, len(X))
    with sklearn.config_context(enable_metadata_routing=True):
        routed = clone(model).set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        pipeline = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), routed)
        results = cross_validate(pipeline, X, y, params={"sample_weight": w}, return_estimator=True, cv=3)
        plain = cross_validate(make_pipeline(StandardScaler(), clone(model)), X, y, return_estimator=True, cv=3)
    changed = [
        np.abs(a[-1].decision_function(X.to_numpy()) - b[-1].decision_function(X.to_numpy())).max()
        for a, b in zip(results["estimator"], plain["estimator"], strict=True)
    ]
    assert min(changed) > 0  # the weights arrived


@pytest.mark.parametrize("model", MODELS, ids=str)
def test_parameters_are_keyword_only_and_left_alone(model, iris):
    with pytest.raises(TypeError):
        type(model)("first", "second")  # what a naive Bayes classifier is of may stand alone
    before = clone(model).get_params()
    fitted = clone(model).fit(*iris)
    assert fitted.get_params() == before
