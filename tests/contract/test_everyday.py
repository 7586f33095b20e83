"""Ten scripts of an ordinary day with scikit-learn, with our learners in the place of its own."""

import io
import time

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.ensemble import StackingClassifier, VotingClassifier
from sklearn.feature_selection import RFE, SelectFromModel
from sklearn.impute import SimpleImputer
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score, learning_curve
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from discriminant import (
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
)

pytestmark = pytest.mark.filterwarnings("ignore::discriminant.findings.FindingWarning")

X, Y = load_breast_cancer(return_X_y=True)
X, Y = StandardScaler().fit_transform(X)[:200, :8], Y[:200]
IRIS = load_iris(return_X_y=True)


def _customers():
    random = np.random.default_rng(0)
    n = 200
    frame = pd.DataFrame(
        {
            "age": random.integers(18, 80, n).astype(float),
            "income": random.lognormal(10, 1, n),
            "town": random.choice(["Bern", "Graz", "Lyon"], n),
            "plan": random.choice(["basic", "plus"], n),
        }
    )
    left = (frame["age"] < 40).to_numpy() ^ (random.random(n) < 0.3)
    frame.loc[::17, "income"] = np.nan
    return frame, np.where(left, "left", "stayed")


def test_grid_search_in_a_pipeline_with_a_column_transformer():
    frame, y = _customers()
    columns = ColumnTransformer(
        [
            ("numbers", make_pipeline(SimpleImputer(add_indicator=True), StandardScaler()), ["age", "income"]),
            ("names", OneHotEncoder(handle_unknown="ignore"), ["town", "plan"]),
        ]
    )
    search = GridSearchCV(
        make_pipeline(columns, LogisticRegression()),
        {"logisticregression__alpha": [0.01, 1.0, 100.0], "logisticregression__class_weight": [None, "balanced"]},
        scoring="roc_auc",
        cv=3,
    ).fit(frame, y)
    assert search.best_score_ > 0.6
    assert set(search.predict(frame)) == {"left", "stayed"}


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_calibration(method):
    model = CalibratedClassifierCV(LinearSVM(), method=method, cv=3).fit(X, Y)
    assert model.predict_proba(X).shape == (200, 2)
    assert model.score(X, Y) > 0.9


def test_stacking_and_voting():
    learners = [("lda", LinearDiscriminantAnalysis()), ("bayes", NaiveBayes(marginal="gaussian"))]
    stacked = StackingClassifier(learners, final_estimator=LogisticRegression(C=1.0), cv=3).fit(*IRIS)
    assert stacked.score(*IRIS) > 0.9
    assert VotingClassifier(learners, voting="soft").fit(*IRIS).score(*IRIS) > 0.9


def test_recursive_elimination_and_selection_by_weights():
    chosen = RFE(LogisticRegression(alpha=1.0), n_features_to_select=3).fit(X, Y)
    theirs = RFE(TheirLogistic(C=1.0), n_features_to_select=3).fit(X, Y)
    np.testing.assert_array_equal(chosen.support_, theirs.support_)
    assert SelectFromModel(LinearSVM(C=0.1)).fit(X, Y).transform(X).shape[1] < 8


def test_permutation_importance():
    model = LeastSquaresClassifier(alpha=1.0).fit(X, Y)
    found = permutation_importance(model, X, Y, n_repeats=3, random_state=0)
    assert found.importances_mean.shape == (8,)
    assert found.importances_mean.max() > 0


def test_learning_curve_with_incremental_fits():
    _, train, test = learning_curve(
        LinearDiscriminantAnalysis(), X, Y, train_sizes=[0.3, 1.0], cv=3, exploit_incremental_learning=True
    )
    whole = learning_curve(LinearDiscriminantAnalysis(), X, Y, train_sizes=[0.3, 1.0], cv=3)
    np.testing.assert_allclose(test, whole[2])
    np.testing.assert_allclose(train, whole[1])
    learning_curve(Perceptron(random_state=0), X, Y, train_sizes=[0.5, 1.0], cv=3, exploit_incremental_learning=True)


def test_partial_dependence():
    model = LogisticRegression(alpha=1.0).fit(pd.DataFrame(X, columns=list("abcdefgh")), Y)
    found = partial_dependence(model, pd.DataFrame(X, columns=list("abcdefgh")), ["b"], grid_resolution=10)
    rises = np.diff(found["average"][0])
    assert (rises > 0).all() or (rises < 0).all()  # as the weight says


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_cross_validation_in_processes_and_threads(backend):
    from joblib import parallel_backend

    alone = cross_val_score(LogisticRegression(alpha=1.0), *IRIS, cv=3)
    with parallel_backend(backend):
        together = cross_val_score(LogisticRegression(alpha=1.0), *IRIS, cv=3, n_jobs=2)
        scores = cross_val_predict(FisherDiscriminant(), X, Y, cv=3, n_jobs=2, method="decision_function")
    np.testing.assert_array_equal(alone, together)
    assert scores.shape == (200,)


def test_round_trips_through_files():
    joblib, skops = pytest.importorskip("joblib"), pytest.importorskip("skops.io")
    model = make_pipeline(StandardScaler(), GainClassifier(LogisticRegression(alpha=1.0), [[1, -1], [-5, 2]], cv=3))
    model.fit(X, Y)
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    np.testing.assert_array_equal(joblib.load(file).predict(X), model.predict(X))
    stored = skops.dumps(model)
    again = skops.loads(stored, trusted=skops.get_untrusted_types(data=stored))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))


SHOWN = [
    LinearDiscriminantAnalysis(),
    FisherDiscriminant(),
    LeastSquaresClassifier(),
    LogisticRegression(),
    LogisticRegression(alpha=1.0),
    LinearSVM(),
    NaiveBayes(marginal="gaussian"),
    Perceptron(random_state=0),
    OneVsAll(LinearDiscriminantAnalysis()),
    OneVsOne(LogisticRegression(alpha=1.0)),
]


def test_ten_fitted_models_are_shown_in_a_notebook():
    LinearDiscriminantAnalysis()._repr_html_()  # scikit-learn reads its styles when it first shows anything
    for model in SHOWN:
        model.fit(X, np.arange(200) % 4)
        begun = time.process_time()
        assert "coef_" in model._repr_html_()
        assert time.process_time() - begun < 0.2, model


@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), LogisticRegression(), LinearSVM(), Perceptron()])
def test_missing_values_are_refused_with_the_way_out(model):
    table = X.copy()
    table[3, 2] = np.nan
    with pytest.raises(ValueError, match=r"NaN.*row 3.*SimpleImputer\(add_indicator=True\)"):
        model.fit(table, Y)
    assert make_pipeline(SimpleImputer(add_indicator=True), model).fit(table, Y).score(table, Y) > 0.8
    with pytest.raises(ValueError, match="SimpleImputer"):
        model.fit(X, Y).predict(table)
