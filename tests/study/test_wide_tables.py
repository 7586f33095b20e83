"""Tables of very many columns: saved, or refused before anything is learnt."""

import warnings

import numpy as np
import pytest

from discriminant.gain import Gain
from discriminant.learners.logistic import LogisticRegression
from discriminant.model import DecisionModel, Target, load, save
from discriminant.model.encoding_document import refuse_wide
from discriminant.study.weights import weight_errors
from discriminant.table.encoding import Column, Encoding, Feature
from discriminant.table.errors import TableError


def wide(n_columns):
    names = [f"measurement {j}" for j in range(n_columns)]
    return Encoding(tuple(Column(name, "number", (Feature(name, "value", 0.1, 1.3),)) for name in names))


@pytest.mark.parametrize("n_columns", [12_000, pytest.param(100_000, marks=pytest.mark.slow)])
def test_a_model_of_very_many_columns_is_saved(tmp_path, n_columns):
    encoding = wide(n_columns)
    refuse_wide(encoding)
    weights = np.random.default_rng(0).normal(size=(1, n_columns))
    model = DecisionModel(Target("class", (0, 1)), encoding, weights, np.zeros(1), "threshold", Gain(np.eye(2)))
    save(model, tmp_path / "model.json")
    np.testing.assert_array_equal(load(tmp_path / "model.json").weights, weights)


def test_a_table_too_wide_for_a_model_file_is_refused_beforehand():
    with pytest.raises(TableError, match="the table has 200,000 features, more than a model file holds"):
        refuse_wide(wide(200_000))


def test_errors_of_weights_are_not_asked_of_too_many_columns():
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(6, 10_001)), (np.arange(6) % 2).astype(np.int32)
    learner = LogisticRegression(max_iter=2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        learner.fit(X, codes)
    assert weight_errors("logistic", learner, X, codes, None, 0)[0] is None
