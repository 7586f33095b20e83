"""Overlap in many columns: weights in floats, and the proof that exact ones exist."""

import warnings
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from scipy import sparse

from discriminant import LogisticRegression, separate
from discriminant.learners import separation_check
from discriminant.rows import from_arrays
from discriminant.separability.overlap import overlap_weights, prove_overlap, surrounds_origin
from discriminant.separability.signed_rows import SignedRows

N, D = 1200, 230


def overlapping(seed, *, whole, is_sparse, n=N, d=D):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * (rng.random((n, d)) < 0.1)
    X = np.rint(2 * X) if whole else X
    score = X @ rng.standard_normal(d)
    y = score + 2.0 * score.std() * rng.standard_normal(n) > 0
    return (sparse.csr_array(X) if is_sparse else X), y.astype(int)


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("is_sparse", [False, True])
def test_overlap_is_proved_and_the_proof_checked(whole, is_sparse):
    X, y = overlapping(1, whole=whole, is_sparse=is_sparse)
    found = separate(X, y)
    assert found.kind == "none"
    assert found.verify(X, y)
    assert 0 <= found.certificate.residual < 1e-15


@pytest.mark.parametrize("d", [199, 200, 201])
def test_a_proof_in_floats_verifies_from_the_number_of_columns_on_where_it_is_given(d):
    X = np.random.default_rng(0).integers(-9, 10, (6 * d, d))
    y = np.random.default_rng(1).integers(0, 2, 6 * d)
    found = separate(X, y)
    assert found.kind == "none"
    assert found.verify(X, y)


def test_a_forged_proof_is_refused():
    X, y = overlapping(2, whole=True, is_sparse=True)
    found = separate(X, y)
    weights = list(found.certificate.weights)
    same = [i for i, k in enumerate(found.certificate.classes) if k == found.certificate.classes[0]]
    for share, holds in ((Fraction(1, 10**15), True), (Fraction(1, 2), False)):
        moved = weights.copy()
        moved[same[0]] -= share * weights[same[0]]
        moved[same[1]] += share * weights[same[0]]
        forged = replace(found, certificate=replace(found.certificate, weights=tuple(moved)))
        assert forged.verify(X, y) is holds
    assert not found.verify(X, np.roll(y, 1))


def test_what_does_not_overlap_has_no_such_weights():
    X, _ = overlapping(3, whole=True, is_sparse=False)
    score = X @ np.random.default_rng(4).standard_normal(D)
    parted = from_arrays(X, (score > 0).astype(int))
    assert overlap_weights(SignedRows.of(parted), np.zeros(N)) is None
    # one more column that tells the classes apart in half of the rows, and is 0 in the others
    _, y = overlapping(3, whole=True, is_sparse=False)
    telling = np.where(np.arange(N) % 2 == 0, 2.0 * y - 1.0, 0.0)
    quasi = np.column_stack([X, telling])
    assert overlap_weights(SignedRows.of(from_arrays(quasi, y)), np.zeros(N)) is None


def test_columns_of_zeros_stand_in_no_proofs_way():
    X, y = overlapping(5, whole=False, is_sparse=True)
    X = sparse.hstack([X, sparse.csr_array((N, 7))], format="csr")
    found = separate(X, y)
    assert found.kind == "none"
    assert found.verify(X, y)


def test_rows_surround_zero_only_if_weights_can_be_mended():
    rng = np.random.default_rng(6)
    V = rng.standard_normal((40, 5))
    V = np.vstack([V, -V])
    alpha = np.full(80, 1 / 80)
    assert surrounds_origin(V, alpha, 1e-6)
    assert not surrounds_origin(V, alpha, 1.0)
    assert not surrounds_origin(np.column_stack([V, V[:, 0]]), alpha, 1e-9)


def slopes_of_a_fit(X, y):
    """1 − p(own class) where an iteration without a penalty ended, or was at after so many steps."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        p = LogisticRegression(alpha=0).fit(X, y).predict_proba(X)
    return 1.0 - p[np.arange(len(y)), y]


def test_slopes_of_the_loss_prove_overlap_where_there_is_some_and_never_else():
    proved = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(-3, 4, (12, 2)).astype(float), rng.integers(0, 2, 12)
        y[:2] = 0, 1
        rows, overlapping = from_arrays(X, y), separate(X, y).kind == "none"
        for multipliers in (slopes_of_a_fit(X, y), rng.random(12)):
            assert overlapping or not prove_overlap(rows, multipliers)
        proved += prove_overlap(rows, slopes_of_a_fit(X, y))
        assert proved or not overlapping
    assert proved > 20


@pytest.mark.parametrize("tail", [4.0, 6.0])
def test_a_maximum_with_extreme_scores_is_proved_without_a_program(monkeypatch, tail):
    rng = np.random.default_rng(0)
    X = np.column_stack([rng.standard_normal((400, 3)), rng.lognormal(0.0, tail, (400, 2))])
    y = (X[:, 0] + np.log(X[:, 3]) + rng.standard_normal(400) > 0).astype(int)
    expected = separate(X, y).kind
    doubted, moving_rows = [], separation_check.moving_rows
    monkeypatch.setattr(separation_check, "moving_rows", lambda *of: doubted.append(moving_rows(*of)) or doubted[-1])
    monkeypatch.setattr(separation_check, "separate_rows", lambda *of: pytest.fail("a program was solved"))
    assert expected == "none"
    assert LogisticRegression(alpha=0).fit(X, y).findings_ == ()
    doubted.clear()
    assert LogisticRegression(alpha=0, solver="newton").fit(X, y).findings_ == ()
    assert doubted[0].any()  # its last step still moves rows; that with a lagged Hessian need not
