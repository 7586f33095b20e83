"""Step sizes: their formulas, functions of every kind, and the conditions of Robbins and Monro."""

import dataclasses
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discriminant.schedules import (
    Constant,
    Custom,
    Inverse,
    Power,
    Schedule,
    StochasticConditions,
    read_schedule,
    robbins_monro,
)

T = np.array([0.0, 1.0, 2.0, 7.0, 100.0, 12345.0])


# --- formulas -------------------------------------------------------------------------------------------


def test_constant_is_the_same_at_every_update():
    assert Constant(0.25)(T).tolist() == [0.25] * T.size


@given(st.floats(1e-6, 1e3), st.floats(1e-3, 1e6), st.floats(0, 3))
def test_power_is_its_formula(eta, decay, exponent):
    expected = [eta / (1 + t / decay) ** exponent for t in T]
    np.testing.assert_allclose(Power(eta, decay, exponent)(T), expected, rtol=1e-14)


def test_inverse_is_a_power_that_halves_after_its_decay():
    schedule = Inverse(0.5, decay=100)
    assert schedule == Power(0.5, 100, 1)
    assert schedule([0, 100, 300]).tolist() == [0.5, 0.25, 0.125]


@pytest.mark.parametrize(
    "schedule", [Constant(2.0), Inverse(2.0), Custom(lambda t: 2.0 / (t + 1))], ids=["constant", "inverse", "custom"]
)
def test_steps_have_the_shape_of_t(schedule):
    table = np.arange(6).reshape(2, 3)
    assert schedule(table).shape == (2, 3)
    assert schedule(table).dtype == np.float64
    assert schedule(table)[1, 2] == schedule(5) == schedule([5.0])[0]
    assert schedule(5).shape == ()
    assert schedule([]).shape == (0,)


def test_a_step_too_short_for_a_float_is_zero_without_a_warning():
    assert Power(1.0, 1e-300, 50)([0, 1e15]).tolist() == [1.0, 0.0]


@pytest.mark.parametrize("t", [-1, [0, 3, -2], [np.nan], np.inf])
def test_updates_are_numbered_from_zero(t):
    with pytest.raises(ValueError, match=r"t is .*numbered 0, 1, 2"):
        Inverse(1.0)(t)


@pytest.mark.parametrize("bad", [0, -1.0, np.nan, np.inf, [0.1, 0.2], True], ids=repr)
@pytest.mark.parametrize(
    ("name", "make"),
    [("eta", Constant), ("eta", Power), ("eta", Inverse), ("decay", lambda v: Power(1.0, v))],
    ids=["Constant", "Power", "Inverse", "decay"],
)
def test_bad_numbers_are_refused(name, make, bad):
    with pytest.raises(ValueError, match=f"{name} must be one finite number > 0, got"):
        make(bad)


def test_bad_exponents_and_text_are_refused():
    with pytest.raises(ValueError, match="exponent must be one finite number ≥ 0, got -1"):
        Power(1.0, 1.0, -1)
    with pytest.raises(TypeError, match="eta must be real numbers, got 'fast'"):
        Constant("fast")
    assert Power(1.0, exponent=0)(T).tolist() == [1.0] * T.size


def test_schedules_are_values():
    assert Constant(1) == Constant(1.0)
    assert {Power(1, 2, 3): "found"}[Power(1.0, 2.0, 3.0)] == "found"
    with pytest.raises(dataclasses.FrozenInstanceError):
        Constant(1.0).eta = 2.0


# --- functions ------------------------------------------------------------------------------------------


def overwritten(t):
    t += 1
    return t


def only_arrays(t):
    out = np.empty(len(t))
    out[:] = 1 / (t + 1)
    return out


WAYS_TO_WRITE_IT = {
    "arrays": lambda t: 1 / (t + 1),
    "math": lambda t: math.exp(-math.log(t + 1)),
    "a list": lambda t: [1 / (v + 1) for v in t],
    "only arrays": only_arrays,
    "overwriting": lambda t: 1 / overwritten(t),
    "a condition": lambda t: 1 / (t + 1) if t < 50 else 1 / (1 + t),
    "a lookup": lambda t: [1.0, 0.5, 1 / 3][t] if t < 3 else 1 / (t + 1),
    "a fraction": lambda t: Fraction(1, int(t) + 1),
    "a NumPy scalar": lambda t: np.float64(1 / (float(t) + 1)),
    "a 0-d array": lambda t: np.array(1 / (float(t) + 1)),
}


@pytest.mark.parametrize("function", WAYS_TO_WRITE_IT.values(), ids=WAYS_TO_WRITE_IT)
def test_a_function_may_take_all_updates_or_one(function):
    numbers = T.copy()
    np.testing.assert_allclose(Custom(function)(numbers), 1 / (T + 1), rtol=1e-14)
    assert numbers.tolist() == T.tolist()
    assert Custom(function)([3])[0] == pytest.approx(0.25, rel=1e-14)


def test_a_constant_function_and_integers_are_steps_too():
    assert Custom(lambda t: 0.1)(T).tolist() == [0.1] * T.size
    assert Custom(lambda t: 2)([4]).tolist() == [2.0]


@pytest.mark.parametrize("t", [[3], [0, 1], T], ids=len)
def test_a_list_that_has_nothing_to_do_with_t_is_refused(t):
    with pytest.raises(ValueError, match=r"gives \[0\.1\] at t = "):
        Custom(lambda t: [0.1])(t)


def fails_at_seven(t):
    if t == 7:
        raise KeyError("seven")
    return 0.1


NONSENSE = {
    "nan": (lambda t: np.where(t < 7, 0.1, np.nan), "gives nan at t = 7"),
    "infinity": (lambda t: 1 / t, "gives inf at t = 0"),
    "infinity of one": (lambda t: math.inf if t == 100 else 1.0, "gives inf at t = 100"),
    "beyond the floats": (lambda t: 10**400 if t == 7 else 1, "gives inf at t = 7"),
    "zero": (lambda t: np.maximum(0, 1 - t / 2), "gives 0.0 at t = 2"),
    "negative": (lambda t: 1.5 - t, "gives -0.5 at t = 2"),
    "overwriting": (lambda t: 3.5 - overwritten(t), "gives -4.5 at t = 7"),
    "None": (lambda t: None, "gives None at t = 0"),
    "sometimes None": (lambda t: None if t == 7 else 1.0, "gives None at t = 7"),
    "text": (lambda t: "0.1", "gives '0.1' at t = 0"),
    "truth": (lambda t: t >= 0, "gives True at t = 0"),
    "complex": (lambda t: 1j + t, "gives 1j at t = 0"),
    "too many": (lambda t: [0.1, 0.2], r"gives \[0.1, 0.2\] at t = 0"),
    "a row": (lambda t: np.ones((1, 1)), r"gives array\(\[\[1.\]\]\) at t = 0"),
    "raises": (fails_at_seven, r"fails at t = 7 \(KeyError: 'seven'\)"),
    "no argument": (lambda: 0.1, r"fails at t = 0 \(TypeError"),
}


@pytest.mark.parametrize(("function", "message"), NONSENSE.values(), ids=NONSENSE)
def test_nonsense_is_refused_naming_the_update(function, message):
    with pytest.raises(ValueError, match=f"{message}.*one finite positive step for every update"):
        Custom(function)(T)


def test_the_users_own_error_is_the_cause():
    with pytest.raises(ValueError, match="fails at t = 7") as refusal:
        Custom(fails_at_seven)(T)
    assert isinstance(refusal.value.__cause__, KeyError)


def test_what_cannot_be_called_is_refused():
    with pytest.raises(TypeError, match=r"function must be callable, got 0\.1"):
        Custom(0.1)


# --- reading --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("constant", Constant(0.3)),
        ("inverse", Power(0.3, 50, 1)),
        ("inverse-sqrt", Power(0.3, 50, 0.5)),
        ("inverse_sqrt", Power(0.3, 50, 0.5)),
    ],
)
def test_schedules_by_name(name, expected):
    assert read_schedule(name, 0.3, decay=50) == expected


def test_schedules_and_functions_pass_through():
    mine = Power(2.0, 3.0, 0.6)
    assert read_schedule(mine, 0.1) is mine
    custom = read_schedule(np.reciprocal, 0.1)
    assert isinstance(custom, Custom)
    assert custom([4.0])[0] == 0.25


@pytest.mark.parametrize("schedule", ["linear", "", None, 0.1, ["constant"], Constant], ids=repr)
def test_unknown_schedules_are_refused(schedule):
    with pytest.raises(ValueError, match="schedule must be 'constant', 'inverse', 'inverse-sqrt', a Schedule or a fun"):
        read_schedule(schedule, 0.1)


def test_a_named_schedule_checks_its_first_step():
    with pytest.raises(ValueError, match="eta must be one finite number > 0, got 0"):
        read_schedule("inverse", 0)


# --- Robbins and Monro ----------------------------------------------------------------------------------

KNOWN = {
    "constant": (Constant(0.1), lambda t: 0.1, 0.0, True, False),
    "slow": (Power(1, exponent=0.3), lambda t: (t + 1.0) ** -0.3, 0.3, True, False),
    "1/√t": (Power(1, exponent=0.5), lambda t: 1 / math.sqrt(t + 1), 0.5, True, False),
    "t^−0.51": (Power(1, exponent=0.51), lambda t: (t + 1.0) ** -0.51, 0.51, True, True),
    "t^−0.75": (Power(1, exponent=0.75), lambda t: (t + 1.0) ** -0.75, 0.75, True, True),
    "1/t": (Inverse(1), lambda t: 1 / (t + 1), 1.0, True, True),
    "1/t of many rows": (Inverse(1, 1e6), lambda t: 3 / (1 + t / 1e6), 1.0, True, True),
    "t^−1.01": (Power(1, exponent=1.01), lambda t: (t + 1.0) ** -1.01, 1.01, False, True),
    "1/t²": (Power(1, exponent=2), lambda t: 1 / (t + 1) ** 2, 2.0, False, True),
}


@pytest.mark.parametrize(("family", "function", "exponent", "diverges", "converge"), KNOWN.values(), ids=KNOWN)
def test_known_answers_from_the_formula_and_from_values(family, function, exponent, diverges, converge):
    proved, estimated = robbins_monro(family), robbins_monro(function)
    assert proved == StochasticConditions(diverges, converge, True, exponent)
    assert (estimated.sum_diverges, estimated.squares_converge) == (diverges, converge)
    assert not estimated.proved
    assert estimated.exponent == pytest.approx(exponent, abs=1e-6)
    assert proved.satisfied is estimated.satisfied is (diverges and converge)


@given(st.floats(0, 4), st.floats(1e-3, 1e5), st.floats(1e-3, 1e3))
def test_values_of_a_power_are_judged_as_its_formula(exponent, decay, eta):
    """Except so near a border that values cannot tell the side."""
    schedule = Power(eta, decay, exponent)
    estimated, proved = robbins_monro(Custom(lambda t: schedule(t))), robbins_monro(schedule)
    if min(abs(exponent - 0.5), abs(exponent - 1.0)) > 1e-4:
        assert estimated == dataclasses.replace(proved, proved=False, exponent=estimated.exponent)
    assert estimated.exponent == pytest.approx(exponent, abs=1e-5)


@pytest.mark.parametrize(
    ("function", "diverges", "converge"),
    [
        (lambda t: 1 / ((t + 2) * np.log(t + 2)), None, True),
        (lambda t: 1 / ((t + 2) * np.log(t + 2) ** 2), None, True),
        (lambda t: 1 / ((t + 20) * np.log(np.log(t + 20))), None, True),
        (lambda t: np.log(t + 2) / (t + 2), None, True),
        (lambda t: 1 / (np.sqrt(t + 2) * np.log(t + 2)), True, None),
        (lambda t: (2 + np.sin(np.log(t + 1))) / (t + 1), None, None),
        (lambda t: 2.0 ** -np.floor(np.log2(t + 1)), None, None),
        (lambda t: np.log(t + 2) * (t + 2) ** -0.75, True, True),
        (lambda t: 1 / np.log(t + 2), True, False),
        (lambda t: t + 1, True, False),
        (lambda t: np.exp(-np.sqrt(np.log(t + 1))), True, False),
    ],
    ids=[
        "1/(t log t)",
        "1/(t log² t)",
        "1/(t log log t)",
        "log t/t",
        "1/(√t log t)",
        "swinging",
        "plateaus",
        "t^−¾ log t",
        "1/log t",
        "growing",
        "exp(−√log t)",
    ],
)
def test_borderlines_are_left_open_and_the_rest_is_told(function, diverges, converge):
    conditions = robbins_monro(function)
    assert (conditions.sum_diverges, conditions.squares_converge) == (diverges, converge)


@pytest.mark.parametrize("function", [lambda t: 0.9**t, lambda t: math.exp(-t / 1e3), lambda t: (t + 1.0) ** -40.0])
def test_steps_that_vanish_have_finite_sums(function):
    conditions = robbins_monro(function)
    assert conditions == StochasticConditions(False, True, False, math.inf)
    assert conditions.satisfied is False


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (lambda t: 0.0, r"gives 0\.0 at t = 0"),
        (lambda t: 0.0 if t == 7 else 1.0, r"gives 0\.0 at t = 7"),
        (lambda t: 1 - t / 1e9, "gives -.* at t = "),
        (lambda t: 1 / t, "gives inf at t = 0"),
        (lambda t: [0.1, 0.05, 0.01][t], "fails at t = 3"),
        (lambda t: None, "gives None at t = 0"),
    ],
)
def test_nonsense_is_refused_and_not_judged(function, message):
    with pytest.raises(ValueError, match=message):
        robbins_monro(function)


def test_a_schedule_of_ones_own_is_judged_by_its_values():
    class Slow(Schedule):
        def _steps(self, t):
            return (t + 1) ** -0.6

    conditions = robbins_monro(Slow())
    assert conditions.satisfied
    assert not conditions.proved


@pytest.mark.parametrize(
    ("sums", "squares", "satisfied"),
    [
        (True, True, True),
        (True, False, False),
        (False, None, False),
        (None, False, False),
        (None, True, None),
        (True, None, None),
        (None, None, None),
    ],
)
def test_both_conditions_must_hold(sums, squares, satisfied):
    assert StochasticConditions(sums, squares, True, 1.0).satisfied is satisfied


@pytest.mark.parametrize(
    ("schedule", "text"),
    [
        (
            Inverse(1),
            "Σδ(t) = ∞ and Σδ(t)² < ∞: the conditions for stochastic steps hold (δ(t) falls like t^-1)",
        ),
        (
            Constant(1),
            "Σδ(t) = ∞ and Σδ(t)² = ∞: the conditions for stochastic steps fail (δ(t) does not fall)",
        ),
        (
            lambda t: 1 / ((t + 2) * np.log(t + 2)),
            "whether Σδ(t) = ∞ cannot be told and Σδ(t)² < ∞: whether the conditions for stochastic steps hold is open "
            "(δ(t) falls like t^-1.031, judged by its values up to t = 1e+15)",
        ),
        (
            lambda t: 0.5**t,
            "Σδ(t) < ∞ and Σδ(t)² < ∞: the conditions for stochastic steps fail "
            "(δ(t) falls to nothing, judged by its values up to t = 1e+15)",
        ),
        (
            lambda t: (t + 1) ** 0.5,
            "Σδ(t) = ∞ and Σδ(t)² = ∞: the conditions for stochastic steps fail "
            "(δ(t) grows like t^0.5, judged by its values up to t = 1e+15)",
        ),
    ],
    ids=["inverse", "constant", "open", "vanishing", "growing"],
)
def test_conditions_read_as_a_sentence(schedule, text):
    assert str(robbins_monro(schedule)) == text


def test_the_conditions_are_what_makes_stochastic_averaging_settle():
    """w += δ(t)(x − w) estimates a mean: 1/t reaches it, a constant step keeps the noise, 1/t² stops short."""
    x = np.random.default_rng(0).standard_normal((20000, 200)) + 5.0

    def error_of(schedule):
        w = np.zeros(200)
        for step, row in zip(schedule(np.arange(len(x))), x, strict=True):
            w += step * (row - w)
        return float(np.sqrt(np.mean((w - 5.0) ** 2)))

    good, noisy, short = Inverse(1.0), Constant(0.3), Power(0.5, 1.0, 2.0)
    assert [robbins_monro(s).satisfied for s in (good, noisy, short)] == [True, False, False]
    assert error_of(good) < 0.02
    assert error_of(noisy) > 0.2
    assert error_of(short) > 0.5
