"""Losses in compiled loops are the losses as they are written, for dense and CSR rows."""

import numpy as np
import pytest
from scipy import sparse

from discriminant.kernels import margins as kernels
from discriminant.losses import LOGISTIC, SQUARED_HINGE
from discriminant.rows.matrix import kernel_form

NONE = np.empty(0)


MARGINS = np.concatenate([np.linspace(-40, 40, 201), [0.0, 1.0, 1e-12, -1e-12, 6.9, 7.0, 650.0, -650.0]])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("kernel", "loss"), [(kernels.logistic, LOGISTIC), (kernels.squared_hinge, SQUARED_HINGE)])
def test_value_slope_and_curvature(kernel, loss, weighted):
    weight = np.random.default_rng(0).uniform(0, 3, MARGINS.size) if weighted else NONE
    omega = weight if weighted else np.ones(MARGINS.size)
    slope, curvature = np.empty(MARGINS.size), np.empty(MARGINS.size)
    value = kernel(MARGINS, weight, slope, curvature)
    assert value == pytest.approx((omega * loss.value(MARGINS)).sum(), rel=1e-14)
    np.testing.assert_allclose(slope, omega * loss.slope(MARGINS), rtol=1e-14)
    np.testing.assert_allclose(curvature, omega * loss.curvature(MARGINS), rtol=1e-13, atol=0)
    for m in MARGINS.tolist():  # alone, so that small ones are not lost in the sum
        alone = kernel(np.array([m]), NONE, np.empty(1), NONE)
        assert alone == pytest.approx(float(loss.value(np.array([m]))[0]), rel=1e-13, abs=1e-300)


@pytest.mark.parametrize(
    ("add_risk", "written"),
    [(kernels.add_logistic_risk, LOGISTIC), (kernels.add_squared_hinge_risk, SQUARED_HINGE)],
)
def test_risk_of_dense_and_sparse_rows(add_risk, written):
    random = np.random.default_rng(1)
    X = random.standard_normal((300, 5)) * (random.random((300, 5)) < 0.6)
    sign = np.where(random.random(300) < 0.5, 1, -1).astype(np.int8)
    weight, offset, w = random.uniform(0, 2, 300), random.standard_normal(300), random.standard_normal(6)
    answers = []
    for matrix in (X, sparse.csr_array(X)):
        gradient, curvature = np.zeros(6), np.empty(300)
        value = add_risk(kernel_form(matrix), sign, weight, offset, w, gradient, curvature)
        product = np.zeros(6)
        kernels.add_product(kernel_form(matrix), curvature, w, product)
        total = np.zeros(6)
        kernels.add_rows(kernel_form(matrix), offset, total)
        answers.append(np.concatenate([[value], gradient, curvature, product, total]))
    np.testing.assert_allclose(answers[0], answers[1], rtol=1e-12, atol=1e-12)
    Z = np.column_stack([X, np.ones(300)])
    margins = sign * (Z @ w + offset)
    np.testing.assert_allclose(answers[0][0], (weight * written.value(margins)).sum(), rtol=1e-13)
    np.testing.assert_allclose(answers[0][1:7], Z.T @ (weight * sign * written.slope(margins)), rtol=1e-11, atol=1e-11)
    h = weight * written.curvature(margins)
    np.testing.assert_allclose(answers[0][7 + 300 : 13 + 300], Z.T @ (h * (Z @ w)), rtol=1e-11, atol=1e-11)
    np.testing.assert_allclose(answers[0][13 + 300 :], Z.T @ offset, rtol=1e-11, atol=1e-11)
    for form in (sparse.csr_array(X), sparse.csr_array(X.astype(np.float32))):
        squares = np.zeros((6, 6))
        kernels.add_squares(kernel_form(form), h, squares)
        Z[:, :-1] = form.toarray()
        np.testing.assert_allclose(squares, np.tril(Z.T @ (h[:, None] * Z)), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_weighed_in_scaled_coordinates(dtype):
    random = np.random.default_rng(2)
    X, shift, scale = random.standard_normal((50, 4)).astype(dtype), np.arange(4.0), np.array([1.0, 2.0, 3.0, 1e-3])
    root, weighed = random.uniform(0, 2, 50), np.empty((50, 5))
    kernels.weigh_scaled_rows(X, shift, 1.0 / scale, root, weighed)
    assert weighed[:, :-1].tolist() == ((X.astype(float) - shift) * (1.0 / scale) * root[:, None]).tolist()
    assert weighed[:, -1].tolist() == root.tolist()
