"""Everything fitted goes through pickle, joblib, cloudpickle and skops, and answers as before."""

import io
import pickle
import warnings

import numpy as np
import pytest

from discriminant import FindingWarning, Gain, GainClassifier, LinearDiscriminantAnalysis, LogisticRegression, OneVsAll
from tests.contract.test_notebook import MODELS

joblib = pytest.importorskip("joblib")
cloudpickle = pytest.importorskip("cloudpickle")
skops = pytest.importorskip("skops.io")

RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((60, 3))
Y = (X @ RANDOM.standard_normal((3, 3)) + RANDOM.gumbel(size=(60, 3))).argmax(axis=1)
GAIN = Gain([[1, -1], [-5, 2]])


def _by_joblib(model):
    stored = io.BytesIO()
    joblib.dump(model, stored)
    stored.seek(0)
    return joblib.load(stored)


def _by_skops(model):
    stored = skops.dumps(model)
    return skops.loads(stored, trusted=skops.get_untrusted_types(data=stored))


WAYS = {
    "pickle": lambda model: pickle.loads(pickle.dumps(model)),
    "joblib": _by_joblib,
    "cloudpickle": lambda model: cloudpickle.loads(cloudpickle.dumps(model)),
    "skops": _by_skops,
}
OTHERS = {
    "gain-of-two": GainClassifier(LogisticRegression(alpha=1.0), GAIN, cv=3),
    "all-of-logistic": OneVsAll(LogisticRegression()),
    "gain-of-function": GainClassifier(LinearDiscriminantAnalysis(), cv=3, reject=0.2),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", [*MODELS, *OTHERS])
def test_a_stored_model_answers_as_before(way, name):
    model = {**MODELS, **OTHERS}[name]
    y = Y if name != "gain-of-two" else (Y > 0).astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FindingWarning)
        model.fit(X, y)
    again = WAYS[way](model)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    assert [str(finding) for finding in again.findings_] == [str(finding) for finding in model.findings_]


@pytest.mark.parametrize("way", WAYS)
def test_stored_gains_and_summaries(way):
    assert WAYS[way](GAIN) == GAIN
    model = LogisticRegression().fit(X, (Y > 0).astype(int))
    assert str(WAYS[way](model).summary()) == str(model.summary())
