"""NIST's certified regressions, and exact rational solutions, to the last digits."""

import re
from fractions import Fraction

import numpy as np
import pytest

from discriminant import LeastSquaresClassifier, least_squares

# Wampler 1 to 5: x = 0 … 20, polynomials of degree 5, with an error pattern that grows a hundredfold each time.
WAMPLER_X = np.arange(21.0)
_HALF = [759, -2048, 2048, -2048, 2523, -2048, 2048, -2048, 1838, -2048]
WAMPLER_ERROR = np.array([*_HALF, 2048, *_HALF[::-1]], dtype=float)

# Filip: 82 rows, degree 10. Columns: y, x.
FILIP = """
0.8116 -6.860120914 0.9072 -4.324130045 0.9052 -4.358625055 0.9039 -4.358426747 0.8053 -6.955852379
0.8377 -6.661145254 0.8667 -6.355462942 0.8809 -6.118102026 0.7975 -7.115148017 0.8162 -6.815308569
0.8515 -6.519993057 0.8766 -6.204119983 0.8885 -5.853871964 0.8859 -6.109523091 0.8959 -5.79832982
0.8913 -5.482672118 0.8959 -5.171791386 0.8971 -4.851705903 0.9021 -4.517126416 0.909 -4.143573228
0.9139 -3.709075441 0.9199 -3.499489089 0.8692 -6.300769497 0.8872 -5.953504836 0.89 -5.642065153
0.891 -5.031376979 0.8977 -4.680685696 0.9035 -4.329846955 0.9078 -3.928486195 0.7675 -8.56735134
0.7705 -8.363211311 0.7713 -8.107682739 0.7736 -7.823908741 0.7775 -7.522878745 0.7841 -7.218819279
0.7971 -6.920818754 0.8329 -6.628932138 0.8641 -6.323946875 0.8804 -5.991399828 0.7668 -8.781464495
0.7633 -8.663140179 0.7678 -8.473531488 0.7697 -8.247337057 0.77 -7.971428747 0.7749 -7.676129393
0.7796 -7.352812702 0.7897 -7.072065318 0.8131 -6.774174009 0.8498 -6.478861916 0.8741 -6.159517513
0.8061 -6.835647144 0.846 -6.53165267 0.8751 -6.224098421 0.8856 -5.910094889 0.8919 -5.598599459
0.8934 -5.290645224 0.894 -4.974284616 0.8957 -4.64454848 0.9047 -4.290560426 0.9129 -3.885055584
0.9209 -3.408378962 0.9219 -3.13200249 0.7739 -8.726767166 0.7681 -8.66695597 0.7665 -8.511026475
0.7703 -8.165388579 0.7702 -7.886056648 0.7761 -7.588043762 0.7809 -7.283412422 0.7961 -6.995678626
0.8253 -6.691862621 0.8602 -6.392544977 0.8809 -6.067374056 0.8301 -6.684029655 0.8664 -6.378719832
0.8834 -6.065855188 0.8898 -5.752272167 0.8964 -5.132414673 0.8963 -4.811352704 0.9074 -4.098269308
0.9119 -3.66174277 0.9228 -3.2644011
"""


def digits(ours, certified):
    """The number of correct digits of the worst coefficient."""
    ours, certified = np.asarray(ours, float), np.asarray(certified, float)
    error = np.abs(ours - certified) / np.abs(certified)
    return float(-np.log10(np.maximum(error, 1e-16)).min())


def powers(x, degree):
    return np.column_stack([x**k for k in range(1, degree + 1)])


def exact_solution(design, y):
    """Least squares in rational arithmetic: the normal equations lose nothing there."""
    rows = [[Fraction(v) for v in row] for row in design.tolist()]
    targets = [Fraction(v) for v in y.tolist()]
    p = len(rows[0])
    A = [
        [sum(r[i] * r[j] for r in rows) for j in range(p)] + [sum(r[i] * t for r, t in zip(rows, targets, strict=True))]
        for i in range(p)
    ]
    for i in range(p):
        pivot = A[i][i]
        A[i] = [a / pivot for a in A[i]]
        for k in range(p):
            if k != i:
                factor = A[k][i]
                A[k] = [a - factor * b for a, b in zip(A[k], A[i], strict=True)]
    return np.array([float(row[-1]) for row in A])


@pytest.mark.parametrize(
    ("coefficients", "error_scale"),
    [
        (np.ones(6), 0.0),
        (0.1 ** np.arange(6), 0.0),
        (np.ones(6), 1.0),
        (np.ones(6), 100.0),
        (np.ones(6), 10000.0),
    ],
    ids=["Wampler1", "Wampler2", "Wampler3", "Wampler4", "Wampler5"],
)
def test_wampler(coefficients, error_scale):
    X = powers(WAMPLER_X, 5)
    y = coefficients[0] + X @ coefficients[1:] + error_scale * WAMPLER_ERROR
    fit = least_squares(X, y)
    assert digits([fit.intercept, *fit.coef], coefficients) > 12


def test_filip_is_solved_exactly_as_given():
    """Powers of x are rounded before we see them, which costs any method all but 7 of Filip's certified digits.

    Of the rounded design itself the solution is right to the last digit.
    """
    y, x = np.array([float(v) for v in FILIP.split()]).reshape(-1, 2).T
    X = powers(x, 10)
    fit = least_squares(X, y)
    ours = np.array([fit.intercept, *fit.coef])
    np.testing.assert_allclose(ours, exact_solution(np.column_stack([np.ones_like(x), X]), y), rtol=4e-16)
    assert digits(ours[:1], [-1467.48961422980]) > 7


@pytest.mark.parametrize("seed", range(5))
def test_random_ill_conditioned_designs_match_rational_arithmetic(seed):
    rng = np.random.default_rng(seed)
    base = rng.integers(-50, 50, (40, 1)).astype(float)
    X = base + rng.integers(-1, 2, (40, 5)) * 1e-5
    y = rng.standard_normal(40)
    fit = least_squares(X, y)
    np.testing.assert_allclose(
        [fit.intercept, *fit.coef], exact_solution(np.column_stack([np.ones(40), X]), y), rtol=1e-14
    )


@pytest.mark.parametrize(
    "name", ["Longley", "Norris", "Pontius", "NoInt1", "NoInt2", "Wampler1", "Wampler2", "Wampler3", "Wampler4"]
)
def test_certified_sets(name, shared, oracle):
    certified = oracle("nist_strd")[name]
    text = (shared / f"nist_strd/{name}.dat").read_text()
    numbers = re.split(r"\nData:[^\n]*\n", text)[-1]
    data = np.array([[float(v) for v in line.split()] for line in numbers.splitlines() if line.strip()])
    degree = certified["polynomial_degree"]
    X = powers(data[:, 1], degree) if degree else data[:, 1:]
    fit = least_squares(X, data[:, 0], intercept=certified["intercept"])
    ours = [fit.intercept, *fit.coef] if certified["intercept"] else fit.coef
    assert digits(ours, certified["certified_coef"]) > 12
    assert fit.rank == X.shape[1]


def test_classifier_takes_the_same_care():
    """Class codes regressed on the powers of Wampler's x, against rational arithmetic."""
    X = powers(WAMPLER_X, 5)
    y = np.where(np.isin(WAMPLER_X, [0, 3, 4, 8, 11, 12, 13, 17, 20]), 1.0, -1.0)
    model = LeastSquaresClassifier().fit(X, y)
    expected = exact_solution(np.column_stack([np.ones(21), X]), y)
    np.testing.assert_allclose([*model.intercept_, *model.coef_[0]], expected, rtol=1e-13)
