"""Quantiles that merge exactly, and the forms a number may take."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discriminant.table.encoding import Column, Feature
from discriminant.table.forms import BENT, CLIPPED, FORMS, LOGARITHM, heavy_tailed, in_form
from discriminant.table.spreads import MOST_BINS, Quantiles

RANDOM = np.random.default_rng(0)
SHAPES = {
    "normal": RANDOM.standard_normal(20_000),
    "far from zero": 2e9 + RANDOM.standard_normal(20_000),
    "lognormal": RANDOM.lognormal(3, 2, 20_000),
    "both signs": RANDOM.standard_t(1.2, 20_000) * 1e4,
    "counts": RANDOM.poisson(0.3, 20_000).astype(float),
    "few": RANDOM.choice([0.0, 1.0, 96.0], 20_000, p=[0.9, 0.099, 0.001]),
}


@pytest.mark.parametrize("name", SHAPES)
def test_quantiles_of_parts_are_those_of_the_whole(name):
    x = SHAPES[name]
    whole = Quantiles.of(x)
    parts = Quantiles.of(x[:123]) + (Quantiles.of(x[123:9000]) + Quantiles.of(RANDOM.permutation(x[9000:])))
    np.testing.assert_array_equal(whole.values, parts.values)
    np.testing.assert_array_equal(whole.counts, parts.counts)
    assert whole.n == x.size
    assert whole.values.size <= MOST_BINS


@pytest.mark.parametrize("name", SHAPES)
def test_quantiles_are_near_the_exact_ones(name):
    x = SHAPES[name]
    shares = np.linspace(0.001, 0.999, 40)
    at = Quantiles.of(x).at(shares)
    ordered = np.sort(x)
    ranks = np.searchsorted(ordered, at, "right") / x.size
    below = np.searchsorted(ordered, at, "left") / x.size
    # the share that is not above reaches the one asked for, and the share below does not, but for a bin
    assert (ranks >= shares - 0.02).all()
    assert (below <= shares + 0.02).all()


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=40), st.integers(0, 40))
def test_any_numbers(numbers, cut):
    x = np.array(numbers, dtype=float)
    whole, parts = Quantiles.of(x), Quantiles.of(x[:cut]) + Quantiles.of(x[cut:])
    np.testing.assert_array_equal(whole.values, parts.values)
    np.testing.assert_array_equal(np.unique(x + 0.0), whole.values)


def test_few_rows_hold_half_of_a_heavy_spread():
    assert Quantiles.of(SHAPES["normal"]).share_of_half_the_spread == pytest.approx(0.124, abs=0.01)
    assert not heavy_tailed(Quantiles.of(SHAPES["normal"]))
    assert not heavy_tailed(Quantiles.of(RANDOM.exponential(1, 20_000)))
    assert heavy_tailed(Quantiles.of(SHAPES["lognormal"]))
    assert heavy_tailed(Quantiles.of(SHAPES["both signs"]))
    assert heavy_tailed(Quantiles.of(SHAPES["few"]))


def column(x):
    return Column("x", "number", (Feature("x", "value", float(x.mean()), float(x.std())),))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", SHAPES)
def test_features_of_every_form_are_centred_and_scaled(name, form):
    x = SHAPES[name]
    made = in_form(column(x), form, Quantiles.of(x))
    if made is None:
        assert form in (LOGARITHM, BENT)
        return
    for feature in made.values:
        encoded = feature.encoded(feature.raw_of(x))
        assert abs(encoded.mean()) < 0.02
        assert encoded.std() == pytest.approx(1, abs=0.02)


def test_pieces_join_and_no_outlier_weighs_more_than_the_ends():
    made = in_form(column(SHAPES["lognormal"]), BENT, Quantiles.of(SHAPES["lognormal"]))
    ends = [(f.low, f.high) for f in made.values]
    assert [high for _, high in ends[:-1]] == [low for low, _ in ends[1:]]
    far = np.array([1e300, ends[-1][1]])
    assert all(f.raw_of(far)[0] == f.raw_of(far)[1] for f in made.values)


def test_places_have_few_digits_and_hardly_move():
    """ "Bent at 2048.8183" says nothing that "bent at 2000" does not."""
    x = np.random.default_rng(1).lognormal(7, 1, 20_000) * 1.000123
    quantiles = Quantiles.of(x)
    ends = [f.low for f in in_form(column(x), BENT, quantiles).values]
    assert max(len(f"{end:.15g}".rstrip("0").strip(".")) for end in ends) <= 3
    exact = quantiles.at(np.array([0.005, 0.05, 0.2, 0.4, 0.6, 0.8, 0.95]))
    assert (np.abs(np.array(ends) - exact) < 0.06 * np.diff(exact, append=quantiles.at(np.array([0.995])))).all()
    (clipped,) = in_form(column(x), CLIPPED, quantiles).values
    assert clipped.high == pytest.approx(quantiles.at(np.array([0.995]))[0], rel=0.006)
    assert len(f"{clipped.high:.15g}".rstrip("0")) <= 3


def test_numbers_that_many_rows_have_are_never_rounded():
    often = np.where(np.arange(3000) % 3 == 0, 123.456, np.random.default_rng(0).normal(100, 50, 3000))
    assert 123.456 in {end for f in in_form(column(often), BENT, Quantiles.of(often)).values for end in (f.low, f.high)}


def test_a_rare_code_is_not_clipped_into_a_constant():
    rare = np.zeros(10_000)
    rare[:20] = 1.0
    rare[20:25] = 99.0
    clipped = in_form(column(rare), CLIPPED, Quantiles.of(rare))
    assert clipped.values[0].low == 0.0
    assert clipped.values[0].high == 99.0
