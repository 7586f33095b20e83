"""Meta-estimators give their learner what stands beside the rows, as scikit-learn's own do."""

import numpy as np
import pytest
import sklearn
from sklearn.exceptions import UnsetMetadataPassedError
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from discriminant import GainClassifier, LinearDiscriminantAnalysis, LogisticRegression, OneVsAll, OneVsOne

RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((90, 3))
Y3 = (X @ RANDOM.standard_normal((3, 3)) + RANDOM.gumbel(size=(90, 3))).argmax(axis=1)
Y2 = (Y3 > 0).astype(int)
WEIGHT = RANDOM.uniform(0.5, 2.0, 90)
GROUPS = np.arange(90) // 3


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def wrap(kind, learner):
    return GainClassifier(learner, cv=3) if kind is GainClassifier else kind(learner)


def models(fitted):
    return fitted.estimators_ if hasattr(fitted, "estimators_") else [fitted.learner_]


KINDS = [GainClassifier, OneVsAll, OneVsOne]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("inner", [LogisticRegression(alpha=1.0), TheirLogistic()])
def test_a_pipeline_inside_is_given_the_weights_of_its_last_step(kind, inner):
    whole = wrap(kind, make_pipeline(StandardScaler(), inner)).fit(X, Y3, sample_weight=WEIGHT)
    scaled = StandardScaler().fit_transform(X)
    pairs = [(0, 1), (0, 2), (1, 2)]
    for k, model in enumerate(models(whole)):
        if kind is OneVsOne:
            rows = np.isin(Y3, pairs[k])
            continue_with = scaled[rows], (Y3[rows] == pairs[k][1]).astype(int), WEIGHT[rows]
            alone = make_pipeline(StandardScaler(), inner).fit(
                X[rows], continue_with[1], **{f"{type(inner).__name__.lower()}__sample_weight": continue_with[2]}
            )[-1]
        else:
            labels = Y3 if kind is GainClassifier else (Y3 == k).astype(int)  # noqa: SIM300
            alone = sklearn.base.clone(inner).fit(scaled, labels, sample_weight=WEIGHT)
        np.testing.assert_allclose(model[-1].coef_, alone.coef_, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_weights_are_refused_by_learners_that_take_none(kind):
    with pytest.raises(ValueError, match="takes no sample_weight"):
        wrap(kind, make_pipeline(StandardScaler(), KNeighborsClassifier())).fit(X, Y3, sample_weight=WEIGHT)


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("kind", KINDS)
def test_the_learner_says_what_it_wants(kind):
    plain = wrap(kind, LogisticRegression(alpha=1.0))
    with pytest.raises(UnsetMetadataPassedError, match=r"sample_weight.* LogisticRegression\.fit"):
        plain.fit(X, Y3, sample_weight=WEIGHT)
    asked = wrap(kind, LogisticRegression(alpha=1.0).set_fit_request(sample_weight=True))
    refused = wrap(kind, LogisticRegression(alpha=1.0).set_fit_request(sample_weight=False))
    without, given = plain.fit(X, Y3), asked.fit(X, Y3, sample_weight=WEIGHT)
    for one, other, same in zip(models(given), models(without), models(refused.fit(X, Y3, WEIGHT)), strict=True):
        assert np.abs(one.coef_ - other.coef_).max() > 1e-3
        np.testing.assert_allclose(same.coef_, other.coef_, rtol=1e-6)


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("kind", KINDS)
def test_a_search_over_a_meta_estimator_routes_weights_and_groups(kind):
    scaler = StandardScaler().set_fit_request(sample_weight=False)
    learner = make_pipeline(scaler, LogisticRegression(alpha=1.0).set_fit_request(sample_weight=True))
    inner = wrap(kind, learner).set_fit_request(sample_weight=True)
    if kind is GainClassifier:
        inner.set_fit_request(sample_weight=True, groups=True)
    grid = {"learner__logisticregression__alpha": [0.1, 1.0]}
    search = GridSearchCV(inner.set_score_request(sample_weight=False), grid, cv=GroupKFold(3))
    search.fit(X, Y3, sample_weight=WEIGHT, groups=GROUPS)
    assert search.predict(X).shape == (90,)


@pytest.mark.usefixtures("routing")
def test_aliases_name_what_the_learner_is_given():
    learner = LogisticRegression(alpha=1.0).set_fit_request(sample_weight="inner")
    model = GainClassifier(learner, cv=3).fit(X, Y2, inner=WEIGHT)
    alone = LogisticRegression(alpha=1.0).fit(X, Y2, sample_weight=WEIGHT)
    np.testing.assert_allclose(model.learner_.coef_, alone.coef_, rtol=1e-6)


@pytest.mark.parametrize("enabled", [False, True])
def test_offsets_reach_fits_and_scores(enabled):
    offset = 2.0 * X[:, 0]
    learner = LogisticRegression(alpha=1.0)
    with sklearn.config_context(enable_metadata_routing=enabled):
        if enabled:
            learner = learner.set_fit_request(offset=True).set_predict_proba_request(offset=True)
        model = GainClassifier(learner, cv=3).fit(X, Y2, offset=offset)
        alone = LogisticRegression(alpha=1.0).fit(X, Y2, offset=offset)
        np.testing.assert_allclose(model.learner_.coef_, alone.coef_, rtol=1e-6)
        held = np.empty(90)
        for fold in range(3):
            out = model.folds_ == fold
            part = LogisticRegression(alpha=1.0).fit(X[~out], Y2[~out], offset=offset[~out])
            held[out] = part.decision_function(X[out], offset=offset[out])
        np.testing.assert_allclose(model.held_out_scores_, held, rtol=1e-5, atol=1e-6)
        proba = model.predict_proba(X, offset=offset)
        assert not np.allclose(proba, model.predict_proba(X))
        np.testing.assert_array_equal(model.predict(X, offset=offset), proba.argmax(axis=1))


def test_offsets_go_with_the_rows_of_a_pair_and_those_that_count():
    offset, weight = X[:, 0], np.where(np.arange(90) % 5 == 0, 0.0, WEIGHT)
    model = OneVsOne(LogisticRegression(alpha=1.0)).fit(X, Y3, sample_weight=weight, offset=offset)
    rows = (Y3 < 2) & (weight > 0)
    alone = LogisticRegression(alpha=1.0).fit(X[rows], Y3[rows], sample_weight=weight[rows], offset=offset[rows])
    np.testing.assert_allclose(model.estimators_[0].coef_, alone.coef_, rtol=1e-6)


def test_groups_keep_rows_together():
    model = GainClassifier(LinearDiscriminantAnalysis(), cv=GroupKFold(3)).fit(X, Y2, groups=GROUPS)
    assert all(np.unique(model.folds_[group == GROUPS]).size == 1 for group in np.unique(GROUPS))
