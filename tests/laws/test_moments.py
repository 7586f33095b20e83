"""ClassMoments is a commutative monoid with subtraction, whatever the blocks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discriminant import ClassMoments
from discriminant.rows import from_arrays
from tests.tables import gaussian_table, relative, seeds

FORMS = [{"full": full, "per_class": per_class} for full in (True, False) for per_class in (True, False)]
shapes = st.tuples(st.integers(1, 80), st.integers(1, 6), st.integers(1, 4))


def table(seed, shape, weighted):
    n, d, K = shape
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, d)) * rng.uniform(0.1, 10, d) + rng.uniform(-50, 50, d)
    return X, rng.integers(0, K, n), rng.uniform(0.1, 3, n) if weighted else None


def same(a, b, tolerance=1e-12):
    """Whether two moments are of one form, and each of their sums agrees beside what it could lose to rounding."""
    scale = 1 + np.abs(b.means).max() ** 2 * b.n  # rounding of squares about means of this size
    higher = [(a.cubic, b.cubic), (a.quartic, b.quartic)]
    if not np.array_equal(a.classes, b.classes) or a.per_class != b.per_class:
        return False
    if any((one is None) != (other is None) for one, other in higher):
        return False
    return (
        relative(a.counts, b.counts) < tolerance
        and relative(a.means, b.means) < tolerance
        and np.abs(a.scatter - b.scatter).max() < tolerance * max(np.abs(b.scatter).max(), 1e-3 * scale)
        and all(
            np.abs(one - other).max() < tolerance * max(np.abs(b.quartic).max(), scale)
            for one, other in higher
            if other is not None
        )
    )


def by_definition(X, y, w):
    """The sums as the module's docstring writes them."""
    w = np.ones(len(X)) if w is None else w
    out = {}
    for k in np.unique(y):
        x, omega = X[y == k], w[y == k]
        m = omega @ x / omega.sum()
        z = x - m
        r2 = (z * z).sum(axis=1)
        out[k] = omega.sum(), m, (omega[:, None] * z).T @ z, (omega * r2) @ z, omega @ r2**2
    return out


@given(seeds, shapes, st.booleans())
def test_of_is_the_definition(seed, shape, weighted):
    X, y, w = table(seed, shape, weighted)
    m = ClassMoments.of(X, y, w)
    truth = by_definition(X, y, w)
    for i, k in enumerate(m.classes):
        n, mean, W, c, q = truth[k]
        assert np.isclose(m.counts[i], n)
        np.testing.assert_allclose(m.means[i], mean, rtol=1e-12)
        np.testing.assert_allclose(m.scatter[i], W, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(m.cubic[i], c, rtol=1e-8, atol=1e-7)
        np.testing.assert_allclose(m.quartic[i], q, rtol=1e-8, atol=1e-7)


@pytest.mark.parametrize("form", FORMS)
@given(seeds, shapes, st.booleans(), st.integers(0, 80))
def test_parts_add_up_to_the_whole(form, seed, shape, weighted, cut):
    X, y, w = table(seed, shape, weighted)
    cut = min(cut, len(X))

    def of(part):
        return ClassMoments.of(X[part], y[part], None if w is None else w[part], **form)

    parts = [of(p) for p in (slice(0, cut), slice(cut, None)) if len(X[p])]
    whole = of(slice(None))
    assert same(sum(parts), whole)
    assert same(sum(parts[::-1], start=ClassMoments.zero(X.shape[1])), whole)


@pytest.mark.parametrize("form", FORMS)
@given(seeds, st.tuples(st.integers(20, 80), st.integers(1, 5), st.integers(1, 3)), st.integers(1, 19))
def test_subtraction_undoes_addition(form, seed, shape, cut):
    X, y, _ = table(seed, shape, False)
    a, b = ClassMoments.of(X[:cut], y[:cut], **form), ClassMoments.of(X[cut:], y[cut:], **form)
    assert same((a + b) - b, a, tolerance=1e-10)


@given(seeds, shapes)
def test_zero_is_neutral(seed, shape):
    X, y, _ = table(seed, shape, False)
    m, zero = ClassMoments.of(X, y), ClassMoments.zero()
    assert zero + m == m
    assert m + zero == m
    assert m - zero == m
    assert zero + zero == zero


@pytest.mark.parametrize("form", FORMS)
@given(seeds, shapes, st.sampled_from([1, 3, 7, 64]))
def test_block_size_does_not_matter(form, seed, shape, block_rows):
    X, y, w = table(seed, shape, True)
    rows = from_arrays(X, y, w)
    assert same(ClassMoments.of_rows(rows, **form, block_rows=block_rows), ClassMoments.of_rows(rows, **form))


def test_a_row_far_out_that_hardly_counts_costs_no_digits():
    X, y = gaussian_table(0, n=60, d=3, K=2)
    far, weight = np.vstack([1e12 + X[:1], X]), np.append(1e-280, np.ones(60))
    found = ClassMoments.of(far, np.append(y[0], y), weight)
    np.testing.assert_allclose(found.scatter, ClassMoments.of(X, y).scatter, rtol=1e-12)


def test_threads_do_not_matter():
    from threadpoolctl import threadpool_limits

    X, y = gaussian_table(3, n=200_000, d=6, K=3)
    with threadpool_limits(1):
        alone = ClassMoments.of(X, y)
    with threadpool_limits(2):
        together = ClassMoments.of(X, y)
    assert same(together, alone)


@given(seeds, shapes)
def test_weights_are_repetition(seed, shape):
    X, y, _ = table(seed, shape, False)
    times = np.random.default_rng(seed).integers(0, 4, len(X))
    if not times.any():
        times[0] = 1
    assert same(ClassMoments.of(X, y, times), ClassMoments.of(np.repeat(X, times, axis=0), np.repeat(y, times)))


@given(seeds, shapes)
def test_order_of_rows_does_not_matter(seed, shape):
    X, y, w = table(seed, shape, True)
    order = np.random.default_rng(seed).permutation(len(X))
    assert same(ClassMoments.of(X[order], y[order], w[order]), ClassMoments.of(X, y, w))


@given(seeds, shapes)
def test_forms_agree(seed, shape):
    X, y, w = table(seed, shape, True)
    m = ClassMoments.of(X, y, w, per_class=True)
    assert same(m.pooled(), ClassMoments.of(X, y, w, per_class=False))
    assert same(m.diagonal(), ClassMoments.of(X, y, w, full=False, per_class=True))
    np.testing.assert_allclose(m.pooled().within, m.within, rtol=1e-12)


@given(seeds, shapes)
def test_total_scatter_is_within_plus_between(seed, shape):
    X, y, w = table(seed, shape, True)
    m = ClassMoments.of(X, y, w)
    z = X - w @ X / w.sum()
    np.testing.assert_allclose(m.within + m.between, m.total)
    np.testing.assert_allclose(m.total, (w[:, None] * z).T @ z, rtol=1e-8, atol=1e-7)


def test_population_form():
    """Reweighting classes gives Σ p_kΣ_k for any p."""
    X, y = gaussian_table(0, K=2)
    p = np.array([0.9, 0.1])
    m = ClassMoments.of(X, y).reweighted(p)
    expected = sum(p[k] * np.cov(X[y == k].T, bias=True) for k in (0, 1))
    np.testing.assert_allclose(m.within / m.n, expected)
    delta = X[y == 0].mean(axis=0) - X[y == 1].mean(axis=0)
    np.testing.assert_allclose(m.between / m.n, p[0] * p[1] * np.outer(delta, delta))
    with pytest.raises(ValueError, match="each class"):
        ClassMoments.of(X, y, per_class=False).reweighted(p)


def test_offset_costs_no_digits():
    X, y = gaussian_table(1, n=5000)
    X = np.round(X * 2**20) / 2**20  # so that the shift itself is exact
    shifted = ClassMoments.of(X + 2.0**26, y)
    assert relative(shifted.scatter, ClassMoments.of(X, y).scatter) < 1e-12


def test_poor_pilot_is_mended():
    """The sampled pilot mean is dragged far off by one outlier; the pass is then repeated about the means."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((100_000, 2))
    X[0] = 1e12
    y = np.zeros(len(X), dtype=int)
    y[50_000:] = 1
    m = ClassMoments.of(X, y)
    np.testing.assert_allclose(m.scatter[1], np.cov(X[y == 1].T, bias=True) * 50_000, rtol=1e-9)


def test_merging_mixed_forms_keeps_what_both_have():
    X, y = gaussian_table(2)
    full, diagonal = ClassMoments.of(X[:60], y[:60]), ClassMoments.of(X[60:], y[60:], full=False)
    assert same(full + diagonal, ClassMoments.of(X, y, full=False))
    pooled = ClassMoments.of(X[60:], y[60:], per_class=False)
    assert same(full + pooled, ClassMoments.of(X, y, per_class=False))


def test_what_was_never_there_cannot_be_taken():
    X, y = gaussian_table(2)
    m = ClassMoments.of(X, y)
    with pytest.raises(ValueError, match="class 7"):
        m - ClassMoments.of(X[:3], [7, 7, 7])
    with pytest.raises(ValueError, match="more rows of class"):
        m - ClassMoments.of(np.vstack([X, X]), np.concatenate([y, y]))
    with pytest.raises(ValueError, match="negative variance"):
        m - ClassMoments.of(X[:20] * 1000, y[:20])
    with pytest.raises(ValueError, match="columns"):
        m + ClassMoments.of(X[:, :2], y)


@pytest.mark.parametrize("priors", [[0.3, 0.7], (0.3, 0.7), np.array([0.3, 0.7]), {"b": 0.7, "a": 0.3}], ids=repr)
def test_priors_of_classes_in_any_form(priors):
    moments = ClassMoments.of([[0.0], [2.0], [5.0], [9.0]], ["a", "a", "b", "b"]).reweighted(priors)
    np.testing.assert_allclose(moments.counts, [1.2, 2.8])
    np.testing.assert_allclose(moments.scatter[:, 0, 0], [1.2, 2.8 * 4])


@pytest.mark.parametrize(
    ("priors", "said"),
    [([0.3, 0.3, 0.4], "3 entries"), ([0.5, 0.6], "sum to one"), ([1, 0], "must be positive"), ({"a": 1}, "class 'b'")],
)
def test_priors_that_are_none_are_refused(priors, said):
    with pytest.raises(ValueError, match=said):
        ClassMoments.of([[0.0], [2.0], [5.0], [9.0]], ["a", "a", "b", "b"]).reweighted(priors)
