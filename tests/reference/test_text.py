"""Naive Bayes on texts with tens of thousands of words, against stored results of another implementation."""

import csv
import gzip

import numpy as np
import pytest
from sklearn.datasets import load_svmlight_file

from discriminant import LinearDiscriminantAnalysis, NaiveBayes


@pytest.fixture(scope="module")
def farm_ads(shared):
    with gzip.open(shared / "farm_ads/farm_ads.svm.gz") as file:
        X, y = load_svmlight_file(file, n_features=54877)
    return X, y, np.arange(y.size) % 10


@pytest.fixture(scope="module")
def movie_polarity(shared):
    with gzip.open(shared / "movie_polarity/movie_polarity_counts.svm.gz") as file:
        X, y = load_svmlight_file(file, n_features=50920)
    with open(shared / "movie_polarity/folds.csv") as file:
        folds = np.array([int(row["fold"]) - 1 for row in csv.DictReader(file)])
    return X, y, folds


def by_fold(X, y, folds, marginal):
    """Of each fold, by a model of the others: how many rows are right, and log p(x, class) of its first three."""
    correct, joint = [], []
    for k in range(10):
        model = NaiveBayes(marginal=marginal).fit(X[folds != k], y[folds != k])
        correct.append(int((model.predict(X[folds == k]) == y[folds == k]).sum()))
        joint.append(model.predict_joint_log_proba(X[folds == k][:3]))
    return correct, joint


@pytest.mark.parametrize(("marginal", "entry"), [("multinomial", "multinomial_counts"), ("bernoulli", "bernoulli")])
def test_farm_ads(marginal, entry, farm_ads, oracle):
    stored = oracle("farm_ads_naive_bayes")[entry]
    correct, joint = by_fold(*farm_ads, marginal)
    assert correct == stored["correct_per_fold"]
    np.testing.assert_allclose(joint[0], stored["joint_log_likelihood_first3_rows_of_fold1"], rtol=1e-11)


@pytest.mark.parametrize(("marginal", "entry"), [("multinomial", "multinomial_counts"), ("bernoulli", "bernoulli")])
def test_movie_polarity(marginal, entry, movie_polarity, shared):
    import json

    stored = json.loads((shared / "reference/movie_polarity_naive_bayes.json").read_text())["all_features"][entry]
    correct, joint = by_fold(*movie_polarity, marginal)
    assert correct == stored["correct_per_fold"]
    np.testing.assert_allclose(joint[0], stored["joint_log_likelihood_first3_rows_of_fold1"], rtol=1e-11)


def test_discriminant_of_54877_columns(farm_ads):
    """No d×d matrix: that alone would take 24 GB."""
    import tracemalloc

    X, y, folds = farm_ads
    tracemalloc.start()
    model = LinearDiscriminantAnalysis(shrinkage=0.5).fit(X[folds > 0], y[folds > 0])
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 200e6
    assert model.score(X[folds == 0], y[folds == 0]) > 0.88
    assert not model.findings_
