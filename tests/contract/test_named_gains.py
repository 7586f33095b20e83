"""A gain that names its classes means the same in any order of the names, for everything that takes a gain."""

import itertools

import numpy as np
import pandas as pd
import polars as pl
import pytest

from discriminant import FisherDiscriminant, GainClassifier, LinearDiscriminantAnalysis, compare
from discriminant.gain import Gain, best_threshold, expected_gain, operating_curve
from discriminant.gain.band import gain_band
from discriminant.model.estimators import decision_model_of
from discriminant.model.settings import with_gain

NAMES = "ant", "bee", "cat"
GAINS = {
    2: np.array([[3.0, -9.0], [-1.0, 0.5]]),
    3: np.array([[2.0, -8.0, -1.0], [-0.5, 1.0, -3.0], [-6.0, 0.0, 4.0]]),
}


def table(K):
    rng = np.random.default_rng(K)
    codes = np.repeat(np.arange(K), 20)
    return rng.normal(size=(codes.size, 2)) + codes[:, None], np.array(NAMES)[codes]


def _written(K):
    """(how, gain): one gain in every form and every order of its names, after the plain matrix."""
    names, matrix = NAMES[:K], GAINS[K]
    for places in itertools.permutations(range(K)):
        order, own = [names[k] for k in places], matrix[np.ix_(places, places)]
        mapping = {a: dict(zip(order, row, strict=True)) for a, row in zip(order, own.tolist(), strict=True)}
        yield "Gain", Gain(own, classes=order)
        yield "mapping", mapping
        yield "pandas", pd.DataFrame(own, index=order, columns=order)
        yield "polars", pl.DataFrame({"true": order, **dict(zip(order, own.T.tolist(), strict=True))})


def fisher(threshold):
    def decided(X, y, gain):
        return FisherDiscriminant(threshold=threshold, gain=gain).fit(X, y).predict(X)

    return decided


def by_classifier(X, y, gain):
    return GainClassifier(LinearDiscriminantAnalysis(), gain).fit(X, y).predict(X)


def by_gain_of_predict(X, y, gain):
    return GainClassifier(LinearDiscriminantAnalysis()).fit(X, y).predict(X, gain=gain)


def by_comparison(X, y, gain):
    return compare(X, y, gain=gain, learners={"lda": LinearDiscriminantAnalysis()}).gains.matrix


def by_model_file(X, y, gain):
    """The gain of ``discriminant set --gain``."""
    model = decision_model_of(GainClassifier(LinearDiscriminantAnalysis(), calibration="platt").fit(X, y))
    return with_gain(model, gain).predict(X)


def by_threshold(X, y, gain):
    return best_threshold(y, X[:, 0], gain=gain).threshold


def by_minimax(X, y, gain):
    return best_threshold(y, X[:, 0], gain=gain, by="minimax").threshold


def by_first_class(X, y, gain):
    return best_threshold(y, -X[:, 0], gain=gain, positive="ant").threshold


def by_expected_gain(X, y, gain):
    return expected_gain(operating_curve(y, X[:, 0]), gain)


def by_band(X, y, gain):
    return gain_band(operating_curve(y, X[:, 0]), gain).low


ANY_CLASSES = fisher("gain"), by_classifier, by_gain_of_predict, by_comparison, by_model_file
TWO_CLASSES = fisher("gaussian"), by_threshold, by_minimax, by_first_class, by_expected_gain, by_band


@pytest.mark.parametrize(
    ("consumer", "K"),
    [*itertools.product(ANY_CLASSES, (2, 3)), *itertools.product(TWO_CLASSES, (2,))],
    ids=lambda value: value.__qualname__ if callable(value) else str(value),
)
def test_order_of_names_means_nothing(consumer, K):
    X, y = table(K)
    expected = consumer(X, y, GAINS[K])
    some = [form for i, form in enumerate(_written(K)) if K == 2 or i % 5 == 0]  # every form and order in turn
    for how, gain in some:
        np.testing.assert_array_equal(consumer(X, y, gain), expected, err_msg=f"{how}: {gain}")


@pytest.mark.parametrize("consumer", [*ANY_CLASSES, fisher("gaussian"), by_threshold, by_expected_gain])
def test_names_that_are_no_classes_are_refused(consumer):
    X, y = table(2)
    with pytest.raises(ValueError, match=r"names the classes \['ant', 'dog'\], but the classes are \['ant', 'bee'\]"):
        consumer(X, y, Gain(GAINS[2], classes=["ant", "dog"]))


def test_a_plane_has_one_gain_for_all_rows_and_cannot_reject():
    X, y = table(2)
    for gain in (Gain(GAINS[2], reject=-0.1), Gain(np.stack([GAINS[2]] * len(X))), Gain.by_row(lambda X: X)):
        with pytest.raises((TypeError, ValueError), match="GainClassifier"):
            FisherDiscriminant(threshold="gain", gain=gain).fit(X, y)
