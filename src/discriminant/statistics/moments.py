"""Class moments: weighted counts, means and scatter, exact under any cutting and merging of the rows.

For class k with weights ω, mean m and z = x − m:

    n = Σω      W = Σω zz′      c = Σω‖z‖² z      q = Σω‖z‖⁴

About a displaced origin, z + h, the same sums become

    W + n hh′,   c + (tr W)h + 2Wh + n‖h‖²h,   q + 4c·h + 4h′Wh + 2‖h‖² tr W + n‖h‖⁴,

so to add (subtract) two sets: find the mean of the result, displace both to it, add (subtract). The radial sums
c and q are what Ledoit and Wolf's shrinkage needs; they are kept with the full scatter of each class.
"""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from discriminant.parameters import read_priors
from discriminant.rows import ArrayRows, Rows, from_arrays
from discriminant.rows.protocol import ClassProducts
from discriminant.rows.threads import over_spans
from discriminant.statistics.alignment import (
    Spread,
    align_classes,
    common_names,
    refuse_absent_classes,
    remaining_classes,
)
from discriminant.statistics.entry_sums import products_of_entries, whole_columns
from discriminant.statistics.populations import population
from discriminant.statistics.shifted_sums import (
    PilotSums,
    out_of_range,
    pilot_means,
    refuse_negative_variance,
    rounding_scatter,
    sums_about_means,
    sums_of_span,
    two_sum,
    without_negative_variances,
)

Array = NDArray[np.float64]

_LARGEST_PER_CLASS = 1 << 22  # the full scatter of each class is kept while that takes less than 32 MB
# A block's buffer: 4096 rows, fewer when they are wide. Of small tables, what NumPy makes of a block on the way
# stays in the cache, and in memory that the process has already.
_BLOCK_NUMBERS, _SMALL_BLOCK_NUMBERS, _SMALL_TABLE = 1 << 22, 1 << 15, 1 << 18
# Rows added one after another cost digits of their own: the origin must lie within √10 deviations.
_NEAR_ORIGIN, _NEAR_PILOT = 10.0, 1e4
# Beyond this, products of sums would overflow further on.
LARGEST_SUM = 1e280


@dataclass(frozen=True)
class ClassMoments:
    """Counts, means and scatter by class.

    ``counts`` (K) and ``means`` (K×d) go by ``classes``.
    ``scatter`` has a first axis of K classes, or of 1 when pooled over them; then d×d (full) or d (diagonal).
    ``per_class`` says which. ``cubic`` (K×d) and ``quartic`` (K) are the radial sums, None unless the full
    scatter of each class is kept. ``remainders`` (K×d) are what rounding took from the means, so that columns far from
    zero lose no digits however often moments are merged; None means nothing. ``names`` are those of the columns, where
    they have any; moments of columns with other names do not add.

    A learner of moments is fitted to them as to rows: ``LinearDiscriminantAnalysis().fit(monday + tuesday)``. They are
    kept in files by `save_moments` and `load_moments`.

    Examples
    --------
    >>> m = ClassMoments.of([[3, 2], [5, 2], [1, 4], [3, 6]], [1, 1, 2, 2])
    >>> m.means.tolist(), m.within.tolist()
    ([[4.0, 2.0], [2.0, 5.0]], [[4.0, 2.0], [2.0, 2.0]])
    >>> bool(np.allclose(m.total, m.within + m.between))
    True
    """

    classes: NDArray[Any]
    counts: Array
    means: Array
    scatter: Array
    per_class: bool = True
    cubic: Array | None = None
    quartic: Array | None = None
    remainders: Array | None = None
    names: tuple[str, ...] | None = None

    # --- making -----------------------------------------------------------------------------------------

    @classmethod
    def zero(cls, n_columns: int = 0) -> Self:
        """The moments of no rows: zero + a == a.

        Parameters
        ----------
        n_columns : d.

        Returns
        -------
        ClassMoments
            Of no class.

        Examples
        --------
        >>> m = ClassMoments.of([[1.0], [2.0]], ["a", "b"])
        >>> ClassMoments.zero(1) + m == m
        True
        """
        return cls(np.empty(0), np.empty(0), np.empty((0, n_columns)), np.empty((0, n_columns, n_columns)))

    @classmethod
    def of(
        cls, X: Any, y: Any, weight: ArrayLike | None = None, *, full: bool = True, per_class: bool | None = None
    ) -> "ClassMoments":
        """The moments of a table with its labels and weights, in one pass.

        Parameters
        ----------
        X, y : a table with its labels.
        weight : of each row; 1 if None.
        full : False keeps variances alone.
        per_class : whether to keep the scatter of each class; None keeps it where it is small, and pools otherwise.

        Returns
        -------
        ClassMoments
            Which add.

        Examples
        --------
        >>> ClassMoments.of([[1.0], [3.0], [4.0]], ["a", "a", "b"]).counts.tolist()
        [2.0, 1.0]
        """
        return cls.of_rows(from_arrays(X, y, weight), full=full, per_class=per_class)

    @classmethod
    def of_parameters(cls, priors: Any, means: ArrayLike, covariances: ArrayLike, classes: Any = None) -> Self:
        """The moments of a population: p_k, μ_k and Σ_k (K×d×d, or one d×d for all), with p_k for counts.

        ``within`` is then Σ_W = Σ p_kΣ_k and ``between`` Σ_B; learners are fitted to them as to moments of rows.

        Parameters
        ----------
        priors : p_k, in the order of the classes or by class.
        means : K×d.
        covariances : K×d×d, or one d×d for all.
        classes : labels; by default numbers from 0.

        Returns
        -------
        ClassMoments
            With p_k for counts.

        Examples
        --------
        >>> ClassMoments.of_parameters([0.5, 0.5], [[0.0], [2.0]], [[1.0]]).between.round(9).tolist()
        [[1.0]]
        """
        return cls(*population(priors, means, covariances, classes))

    @classmethod
    def of_rows(
        cls, rows: ArrayRows, *, full: bool = True, per_class: bool | None = None, block_rows: int | None = None
    ) -> "ClassMoments":
        """The moments of checked rows: blocks that stay in cache, spans of them over a thread pool.

        Parameters
        ----------
        rows : checked rows, as `rows.from_arrays` makes them.
        full : False keeps variances alone.
        per_class : whether to keep the scatter of each class; None keeps it where it is small, and pools otherwise.
        block_rows : the rows of a block; by default as many as stay in cache.

        Returns
        -------
        ClassMoments
            Which add.

        Examples
        --------
        >>> from discriminant.rows import from_arrays
        >>> ClassMoments.of_rows(from_arrays([[1.0], [3.0]], ["a", "b"])).n
        2.0
        """
        if per_class is None:
            size = rows.n_columns * (rows.n_columns if full else 1)
            per_class = rows.classes.size * size <= _LARGEST_PER_CLASS
        if full and sparse.issparse(rows.matrix) and (found := cls._of_entries(rows, per_class)):
            return found
        if block_rows is None and rows.n_rows * rows.n_columns <= _SMALL_TABLE:
            sums = sums_about_means(rows, full, per_class)
            if not np.abs(sums["scatter"]).max() <= LARGEST_SUM or out_of_range(sums["scatter"], sums["means"]):
                rows.refuse_overflow()
            return cls(rows.classes, **sums, names=rows.names)
        pilot = pilot_means(rows)
        moments = cls._about(rows, pilot, full, per_class, block_rows)
        if _pilot_was_poor(moments, pilot):
            moments = cls._about(rows, moments.means, full, per_class, block_rows)
        return moments

    @classmethod
    def of_source(cls, rows: Rows, *, full: bool = True, per_class: bool | None = None) -> "ClassMoments":
        """The moments of rows wherever they are: from sums that the source itself makes of them, or block by block.

        Parameters
        ----------
        rows : rows wherever they are, as `discriminant.rows` opens them.
        full : False keeps variances alone.
        per_class : whether to keep the scatter of each class; None keeps it where it is small, and pools otherwise.

        Returns
        -------
        ClassMoments
            Which add.

        Examples
        --------
        >>> from discriminant.rows import from_arrays
        >>> ClassMoments.of_source(from_arrays([[1.0], [3.0]], ["a", "b"])).n
        2.0
        """
        moments = cls.of_summing_source(rows, full=full, per_class=per_class)
        return rows.fold(partial(cls.of_rows, full=full, per_class=per_class)) if moments is None else moments

    @classmethod
    def of_summing_source(
        cls, rows: Rows, *, full: bool = True, per_class: bool | None = None
    ) -> "ClassMoments | None":
        """The moments from sums that the source itself makes of its rows; None where it makes none.

        Parameters
        ----------
        rows : rows wherever they are, as `discriminant.rows` opens them.
        full : False keeps variances alone.
        per_class : whether to keep the scatter of each class; None keeps it where it is small, and pools otherwise.

        Returns
        -------
        ClassMoments
            None where the source makes no sums.

        Examples
        --------
        >>> from discriminant.rows import from_arrays
        >>> ClassMoments.of_summing_source(from_arrays([[1.0], [3.0]], ["a", "b"])) is None
        True
        """
        moments = cls._of_products(rows, full, False)
        if moments is None:
            return None
        small = moments.scatter.size <= _LARGEST_PER_CLASS
        return moments if (small if per_class is None else per_class) else moments.pooled()

    @classmethod
    def _of_products(cls, rows: Rows, full: bool, by_class: bool) -> Self | None:
        """The moments from sums of the source about one origin, or about class means that lie far from it."""
        products = rows.class_products(full, by_class)
        if products is None or not np.abs(products.squares).max() <= LARGEST_SUM:
            return None  # whoever reads the rows can name the column that overflows
        moments = cls._centred(products, rows.schema.names)
        if out_of_range(products.squares, products.origin):
            return None
        if not by_class and _pilot_was_poor(moments, products.origin, _NEAR_ORIGIN):
            return cls._of_products(rows, full, True)
        return moments

    @classmethod
    def _of_entries(cls, rows: ArrayRows, per_class: bool) -> "ClassMoments | None":
        """The moments from the entries of sparse rows; None where these are many, or columns lie far from zero."""
        products = products_of_entries(rows)
        if products is None or not np.abs(products.squares).max() <= LARGEST_SUM:
            return None
        moments, near = cls._centred(products, rows.names), np.where(whole_columns(rows), _NEAR_PILOT, _NEAR_ORIGIN)
        poor = _pilot_was_poor(moments, products.origin, near)
        return None if poor else moments if per_class else moments.pooled()

    @classmethod
    def _centred(cls, products: ClassProducts, names: tuple[str, ...] | None) -> Self:
        """Sums about an origin, about the class means."""
        sums = PilotSums.of_products(products).centred(products.origin, products.squares.ndim == 3, True)
        return cls(products.classes, **sums, names=names)

    @classmethod
    def _about(cls, rows: ArrayRows, pilot: Array, full: bool, per_class: bool, block_rows: int | None) -> Self:
        n, d = rows.matrix.shape
        # d×d sums are added to for each block, so that small ones have many rows beside the columns
        numbers = _BLOCK_NUMBERS if n * d > _SMALL_TABLE else max(_SMALL_BLOCK_NUMBERS, 8 * d * d)
        size = block_rows or min(max(numbers // max(d, 1), 256), 4096)
        of_span = partial(sums_of_span, rows, pilot, full, per_class, size)
        spans = over_spans(of_span, n, d)
        for span in spans[1:]:
            spans[0].add(span)
        sums = spans[0]
        squares = sums.squares[:, :d, :d] if full else sums.squares  # not the radial ones
        if not sums.finite or not np.abs(squares).max() <= LARGEST_SUM or out_of_range(squares, pilot):
            rows.refuse_overflow()
        return cls(rows.classes, **sums.centred(pilot, full, per_class), names=rows.names)

    # --- reading ----------------------------------------------------------------------------------------

    @property
    def n(self) -> float:
        """The total weight."""
        return float(self.counts.sum())

    @property
    def of_population(self) -> bool:
        """Whether the counts are shares of a whole, so that they say nothing about a number of rows."""
        return abs(self.n - 1.0) < 1e-8

    @property
    def n_columns(self) -> int:
        """The number of columns, d."""
        return int(self.means.shape[1])

    @property
    def full(self) -> bool:
        """Whether covariances are kept, not variances alone."""
        return self.scatter.ndim == 3

    @property
    def mean(self) -> Array:
        """The mean of all rows."""
        reference = self.means[0]
        return np.asarray(reference + (self.counts / self.n) @ (self.means - reference))

    @property
    def displacements(self) -> Array:
        """m_k − m of each class, with the digits that the means themselves lose where columns lie far from zero."""
        apart = self.means - self.means[0]
        if self.remainders is not None:
            apart = apart + (self.remainders - self.remainders[0])
        return np.asarray(apart - (self.counts / self.n) @ apart)

    @property
    def within(self) -> Array:
        """S_W = Σ_k Σ_{x∈k} (x − m_k)(x − m_k)′, or its diagonal."""
        return np.asarray(self.scatter.sum(axis=0)) if len(self.scatter) != 1 else self.scatter[0]

    @property
    def between(self) -> Array:
        """S_B = Σ_k n_k (m_k − m)(m_k − m)′, or its diagonal."""
        arms = np.sqrt(self.counts)[:, None] * self.displacements
        return arms.T @ arms if self.full else (arms * arms).sum(axis=0)

    @property
    def total(self) -> Array:
        """S = S_W + S_B: the scatter about the mean of all rows."""
        return self.within + self.between

    def reweighted(self, priors: Any) -> "ClassMoments":
        """The same classes with counts n·p_k, so that S_W/n is the population form Σ p_kΣ_k.

        Parameters
        ----------
        priors : p_k in the order of the classes, or by class.

        Returns
        -------
        ClassMoments
            Of as many rows.

        Examples
        --------
        >>> m = ClassMoments.of([[3, 2], [5, 2], [1, 4], [3, 6]], [1, 1, 2, 2])
        >>> m.reweighted([0.25, 0.75]).counts.tolist()
        [1.0, 3.0]
        """
        if not self.per_class:
            raise ValueError("reweighting classes needs the scatter of each class; take moments with per_class=True")
        factor = read_priors(priors, self.classes, self.counts) * self.n / self.counts
        return ClassMoments(
            self.classes,
            self.counts * factor,
            self.means,
            self.scatter * factor.reshape(-1, *[1] * (self.scatter.ndim - 1)),
            True,
            None if self.cubic is None else self.cubic * factor[:, None],
            None if self.quartic is None else self.quartic * factor,
            self.remainders,
            self.names,
        )

    # --- adding and taking away -------------------------------------------------------------------------

    def __add__(self, other: "ClassMoments") -> "ClassMoments":
        """The moments of both sets of rows together."""
        return _combine(self, other, +1.0)

    def __radd__(self, other: object) -> "ClassMoments":
        """So that ``sum(parts)`` works, which starts from 0."""
        return self if other == 0 else NotImplemented

    def __sub__(self, other: "ClassMoments") -> "ClassMoments":
        """The moments of the rows of self that are not in other; other must be part of self."""
        return _combine(self, other, -1.0)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ClassMoments):
            return NotImplemented
        mine, theirs = self._arrays(), other._arrays()
        return all(
            (a is None) == (b is None) and (a is None or b is None or np.array_equal(a, b))
            for a, b in zip(mine, theirs, strict=True)
        )

    __hash__ = None  # type: ignore[assignment]

    def _arrays(self) -> tuple[Any, ...]:
        arrays = self.classes, self.counts, self.means, self.scatter, self.per_class, self.cubic, self.quartic
        return (*arrays, self._low)

    @property
    def _low(self) -> Array:
        return np.zeros_like(self.means) if self.remainders is None else self.remainders

    def pooled(self) -> "ClassMoments":
        """The same moments with one scatter for all classes.

        Returns
        -------
        ClassMoments
            Without ``cubic`` and ``quartic``.

        Examples
        --------
        >>> m = ClassMoments.of([[3, 2], [5, 2], [1, 4], [3, 6]], [1, 1, 2, 2])
        >>> m.pooled().scatter.shape
        (1, 2, 2)
        """
        return replace(self, scatter=self.within[None], per_class=False, cubic=None, quartic=None)

    def diagonal(self) -> "ClassMoments":
        """The same moments with variances alone.

        Returns
        -------
        ClassMoments
            Without ``cubic`` and ``quartic``.

        Examples
        --------
        >>> m = ClassMoments.of([[3, 2], [5, 2], [1, 4], [3, 6]], [1, 1, 2, 2])
        >>> m.diagonal().within.tolist()
        [4.0, 2.0]
        """
        if not self.full:
            return self
        variances = np.einsum("kjj->kj", self.scatter).copy()
        return replace(self, scatter=variances, cubic=None, quartic=None)

    def _over(self, classes: NDArray[Any], spread: Spread) -> "ClassMoments":
        """The same moments with a place for every class of ``classes``."""
        return ClassMoments(
            classes,
            spread(self.counts),
            spread(self.means),
            spread(self.scatter) if self.per_class else self.scatter,
            self.per_class,
            None if self.cubic is None else spread(self.cubic),
            None if self.quartic is None else spread(self.quartic),
            None if self.remainders is None else spread(self.remainders),
            self.names,
        )


def _pilot_was_poor(m: ClassMoments, pilot: Array, most: float | Array = _NEAR_PILOT) -> bool:
    """Whether some column's mean lay so many deviations from the pilot (√most) that squares cancelled."""
    drift = m.counts @ (m.means - pilot) ** 2
    within = m.within
    variances = np.diagonal(within) if within.ndim == 2 else within
    rounding = rounding_scatter(m.n, m.means, 4.5)
    return bool(np.any(drift > most * np.maximum(variances, rounding)))


def _combine(a: ClassMoments, b: ClassMoments, sign: float) -> ClassMoments:
    if b.classes.size == 0:
        return a
    if a.classes.size == 0 and sign > 0:
        return b
    if a.n_columns != b.n_columns:
        raise ValueError(f"moments of {a.n_columns} and {b.n_columns} columns cannot be combined")
    names = common_names(a.names, b.names)
    if sign < 0:
        refuse_absent_classes(a.classes, b.classes)
    if a.full != b.full:  # what one side never kept cannot be had
        a, b = a.diagonal(), b.diagonal()
    if a.per_class != b.per_class:
        a, b = a.pooled(), b.pooled()
    classes = a.classes
    if not np.array_equal(classes, b.classes):
        classes, mine, theirs = align_classes(classes, b.classes)
        a, b = a._over(classes, mine), b._over(classes, theirs)
    counts = a.counts + sign * b.counts
    kept = remaining_classes(classes, counts, a.counts) if sign < 0 else np.ones(classes.size, bool)
    safe = np.where(kept, counts, 1.0)[:, None]
    means, low = _combined_means(a, b, sign / safe)
    scatter_a, cubic_a, quartic_a = displaced_sums(a, (a.means - means) + (a._low - low))
    scatter_b, cubic_b, quartic_b = displaced_sums(b, (b.means - means) + (b._low - low))
    scatter = scatter_a + sign * scatter_b
    if sign < 0:
        refuse_negative_variance(scatter, scatter_a, a.means, a.counts)
        scatter = without_negative_variances(scatter)
    fields = classes[kept], counts[kept], means[kept], scatter[kept] if a.per_class else scatter, a.per_class
    if cubic_a is None or cubic_b is None or quartic_a is None or quartic_b is None:
        return ClassMoments(*fields, None, None, low[kept], names)
    radial = (cubic_a + sign * cubic_b)[kept], (quartic_a + sign * quartic_b)[kept]
    return ClassMoments(*fields, *radial, low[kept], names)


def _combined_means(a: ClassMoments, b: ClassMoments, factor: Array) -> tuple[Array, Array]:
    """(means, remainders), measured from those of a, so that a common offset of the columns costs no digits."""
    towards = factor * b.counts[:, None] * ((b.means - a.means) + (b._low - a._low))
    known = a.counts[:, None] > 0
    means, low = two_sum(a.means, towards)
    means, low = two_sum(means, low + a._low)
    return np.where(known, means, b.means), np.where(known, low, b._low)


def displaced_sums(m: ClassMoments, h: Array) -> tuple[Array, Array | None, Array | None]:
    """The sums about origins displaced by −h from the means, class by class (see the top of the file)."""
    n = m.counts
    if not m.full:
        shift = n[:, None] * h * h
        return m.scatter + (shift if m.per_class else shift.sum(axis=0)), None, None
    arms = np.sqrt(n)[:, None] * h
    if m.quartic is None or m.cubic is None:
        outer = arms[:, :, None] * arms[:, None, :] if m.per_class else (arms.T @ arms)[None]
        return m.scatter + outer, None, None
    trace = np.einsum("kjj->k", m.scatter)
    Wh = np.einsum("kij,kj->ki", m.scatter, h)
    hh = np.einsum("kj,kj->k", h, h)
    with np.errstate(over="ignore", invalid="ignore"):  # fourth powers may overflow where squares do not
        cubic = m.cubic + trace[:, None] * h + 2 * Wh + (n * hh)[:, None] * h
        quartic = m.quartic + np.einsum("kj,kj->k", 4 * (m.cubic + Wh), h) + 2 * hh * trace + n * hh * hh
    return m.scatter + arms[:, :, None] * arms[:, None, :], cubic, quartic
