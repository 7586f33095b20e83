"""The pocket keeps what the plain rule keeps, however few rows it touches."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_iris

from discriminant import Perceptron, PocketPerceptron
from discriminant.optimise.sequential import pocket as pocket_solver
from tests import transcriptions
from tests.learners.test_perceptron import FORMS, integer_table, signs
from tests.tables import seeds


@settings(max_examples=60)
@given(
    seed=seeds,
    form=st.sampled_from(sorted(FORMS)),
    n=st.sampled_from([8, 30, 90]),
    weighted=st.booleans(),
    logged=st.sampled_from([1, 3, 256]),
)
def test_it_keeps_what_the_plain_rule_keeps(seed, form, n, weighted, logged):
    X, y = integer_table(seed, n=n, d=3)
    weight = np.random.default_rng(seed).integers(1, 4, n).astype(float) if weighted else None
    epochs = 3 if n > 50 else 10
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pocket_solver, "_LOG_NUMBERS", logged * 4)
        model = PocketPerceptron(shuffle=False, max_iter=epochs).fit(FORMS[form](X), y, sample_weight=weight)
    kept, right, found = transcriptions.pocket(X, signs(y), 1.0, epochs, weight)
    assert [*model.coef_[0], model.intercept_[0]] == kept
    assert model.pocket_errors_ == (n if weight is None else weight.sum()) - right
    assert model.found_after_ == found
    assert model.n_checks_ == model.n_updates_  # every update was counted


@given(seed=seeds, form=st.sampled_from(sorted(FORMS)))
def test_ratchet_is_gallants(seed, form):
    X, y = integer_table(seed, n=40, d=3)
    model = PocketPerceptron(shuffle=False, max_iter=12, ratchet=True).fit(FORMS[form](X), y)
    kept, right, checks = transcriptions.ratchet(X, signs(y), 1.0, 12)
    assert [*model.coef_[0], model.intercept_[0]] == kept
    assert model.pocket_errors_ == len(y) - right
    assert model.n_checks_ == checks


@settings(max_examples=20)
@given(seed=seeds)
def test_on_real_numbers_too(seed):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, 200)
    y[:2] = 0, 1
    X = rng.standard_normal((200, 3)) + 0.7 * y[:, None]
    model = PocketPerceptron(shuffle=False, max_iter=3).fit(X, y)
    kept, right, found = transcriptions.pocket(X, signs(y), 1.0, 3)
    assert np.allclose([*model.coef_[0], model.intercept_[0]], kept, rtol=1e-10, atol=1e-12)
    assert (model.pocket_errors_, model.found_after_) == (200 - right, found)


def test_abandoned_counts_touch_few_rows():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 5000)
    X = rng.standard_normal((5000, 5)) + 0.8 * y[:, None]
    model = PocketPerceptron(shuffle=False, max_iter=5).fit(X, y)
    assert model.n_rows_touched_ < 0.6 * model.n_checks_ * 5000
    quick = PocketPerceptron(shuffle=False, max_iter=5, ratchet=True).fit(X, y)
    assert quick.n_checks_ < model.n_checks_ / 10
    assert quick.pocket_errors_ < 1.1 * model.pocket_errors_


def test_errors_are_those_of_its_weights():
    X, y = load_breast_cancer(return_X_y=True)
    model = PocketPerceptron(random_state=0, max_iter=20).fit(X, y)
    assert model.pocket_errors_ == (model.predict(X) != y).sum()
    assert model.findings_ == ()
    assert model.score(X, y) > 0.9
    weight = np.random.default_rng(0).uniform(0, 2, len(y))
    model.fit(X, y, sample_weight=weight)
    assert model.pocket_errors_ == pytest.approx(weight[model.predict(X) != y].sum())


def test_several_classes_have_a_pocket_each():
    X, y = load_iris(return_X_y=True)
    model = PocketPerceptron(random_state=0).fit(X, y)
    assert model.pocket_errors_.shape == model.found_after_.shape == (3,)
    assert model.pocket_errors_[0] == 0
    assert model.score(X, y) > 0.75


@given(seed=seeds, ratchet=st.booleans())
def test_shuffled_fit_ignores_row_order_and_takes_weights_for_repetition(seed, ratchet):
    X, y = integer_table(seed, n=30)
    rng = np.random.default_rng(seed)
    weight = rng.integers(0, 4, len(y))
    weight[:2] = 1
    repeated = rng.permutation(np.repeat(np.arange(len(y)), weight))
    weighed = PocketPerceptron(max_iter=5, random_state=3, ratchet=ratchet).fit(X, y, sample_weight=weight)
    again = PocketPerceptron(max_iter=5, random_state=3, ratchet=ratchet).fit(
        sparse.csr_array(X[repeated]), y[repeated]
    )
    assert np.array_equal(weighed.coef_, again.coef_)
    assert weighed.pocket_errors_ == again.pocket_errors_


def test_it_is_the_perceptron_where_classes_are_separable():
    X, y = load_iris(return_X_y=True)
    pocket = PocketPerceptron(shuffle=False).fit(X, y == 0)
    plain = Perceptron(shuffle=False).fit(X, y == 0)
    assert pocket.converged_
    assert pocket.pocket_errors_ == 0
    assert np.array_equal(pocket.coef_, plain.coef_)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"eta": 0.0}, "eta"), ({"max_iter": 0}, "max_iter"), ({"init": 3}, "init"), ({"eta": np.nan}, "eta")],
)
def test_nonsense_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        PocketPerceptron(**options).fit([[0.0], [1.0]], [0, 1])


def test_a_start_that_is_right_stays_in_the_pocket():
    model = PocketPerceptron(init="random", random_state=0, shuffle=False).fit([[-5.0], [5.0]], [0, 1])
    assert model.converged_
    assert model.pocket_errors_ == 0
    for seed in range(20):
        X, y = integer_table(seed, n=12)
        for ratchet in (False, True):
            model = PocketPerceptron(init="random", random_state=seed, max_iter=3, ratchet=ratchet).fit(X, y)
            assert model.pocket_errors_ == (model.predict(X) != y).sum()
