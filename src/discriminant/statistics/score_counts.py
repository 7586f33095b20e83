"""Scores of two classes counted in fixed memory, so that an operating curve needs no row twice.

A float64 is ordered like a 64-bit integer made of its sign, exponent and mantissa. Dropping trailing bits of that
integer puts neighbouring scores into one cell. All bits are kept until more than ``most_cells`` cells are occupied;
then one mantissa bit after the other is dropped. So

- while there are at most ``most_cells`` distinct scores, everything is exact;
- with p of 52 mantissa bits kept, the scores of one cell differ by less than a share 2⁻ᵖ of their size (subnormal
  numbers aside), and counts at the edges of cells stay exact whatever p is: only a θ strictly inside a cell has to
  wait for the next edge.

p is the largest that fits the union of all rows, however they came in blocks, so addition is associative and commutes.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discriminant.parameters import read_count, real_array
from discriminant.rows.labels import code_labels
from discriminant.rows.memory import read_weights

Array = NDArray[np.float64]
Keys = NDArray[np.uint64]

_SIGN = np.uint64(1 << 63)
_MANTISSA_BITS = 52
# sign and exponent alone make this many cells
_FEWEST_CELLS = 1 << 12


@dataclass(frozen=True, eq=False)
class ScoreCounts:
    """Σω of each class in cells of neighbouring scores.

    Examples
    --------
    >>> a = ScoreCounts.of([0.5, -1.0], ["stay", "stay"], classes=["stay", "churn"])
    >>> b = ScoreCounts.of([0.5, 2.0], ["churn", "churn"], classes=["stay", "churn"])
    >>> (a + b).lowest.tolist(), (a + b).positive.tolist(), (a + b).relative_width
    ([-1.0, 0.5, 2.0], [0.0, 1.0, 1.0], 0.0)
    """

    keys: Keys
    negative: Array
    positive: Array
    classes: tuple[Any, Any] | None = None
    positive_class: int = 1
    n_rows: int = 0
    dropped_bits: int = 0
    most_cells: int = 1 << 16
    whole: bool = True

    @classmethod
    def zero(cls, most_cells: int = 1 << 16) -> "ScoreCounts":
        """The counts of no rows.

        Parameters
        ----------
        most_cells : how many cells may be occupied.

        Returns
        -------
        ScoreCounts
            zero + a == a.

        Examples
        --------
        >>> ScoreCounts.zero().n_rows
        0
        """
        return cls(np.empty(0, np.uint64), np.empty(0), np.empty(0), most_cells=_read_most(most_cells))

    @classmethod
    def of(
        cls,
        score: ArrayLike,
        y: Any,
        weight: ArrayLike | None = None,
        *,
        classes: Any = None,
        positive: Any = None,
        most_cells: int = 1 << 16,
    ) -> "ScoreCounts":
        """The counts of one block of rows.

        Parameters
        ----------
        score : of each row.
        y : the class of each row.
        weight : of each row; 1 if None.
        classes : both (a learner's ``classes_``), which a block with rows of one class needs.
        positive : the class with the high scores, by default the second.
        most_cells : how many cells may be occupied before neighbouring scores are counted together.

        Returns
        -------
        ScoreCounts
            Which add.

        Examples
        --------
        >>> ScoreCounts.of([0.5, -1.0, 0.5], [1, 0, 1]).positive.tolist()
        [0.0, 2.0]
        """
        scores = read_scores(score).astype(np.float64, copy=False)
        names, codes = _read_classes(y, classes, scores.size)
        omega = _read_block_weights(weight, scores.size)
        counts = omega > 0
        refuse_nan(np.where(counts, scores, 0.0))
        keys, where = np.unique(ordered_keys(scores[counts]), return_inverse=True)
        place = _place_of(names, positive)
        high, omega = codes[counts] == place, omega[counts]
        negative, positives = (_sums(where[m], omega[m], keys.size) for m in (~high, high))
        whole = bool((omega == np.floor(omega)).all())
        most = _read_most(most_cells)
        return cls(keys, negative, positives, names, place, omega.size, 0, most, whole)._fitted()

    def __add__(self, other: "ScoreCounts") -> "ScoreCounts":
        """The counts of both sets of rows."""
        if (
            self.classes
            and other.classes
            and (self.classes, self.positive_class)
            != (
                other.classes,
                other.positive_class,
            )
        ):
            raise ValueError(
                f"scores of classes {self.classes} and {other.classes} (positive: {self.positive_label!r} and "
                f"{other.positive_label!r}) cannot be added; pass the same classes= and positive= to every block"
            )
        named = self if self.classes else other
        drop = max(self.dropped_bits, other.dropped_bits)
        a, b = self._coarsened(drop), other._coarsened(drop)
        keys, where = np.unique(np.concatenate([a.keys, b.keys]), return_inverse=True)
        negative, positive = (
            _sums(where, np.concatenate(pair), keys.size)
            for pair in ((a.negative, b.negative), (a.positive, b.positive))
        )
        return ScoreCounts(
            keys,
            negative,
            positive,
            named.classes,
            named.positive_class,
            self.n_rows + other.n_rows,
            drop,
            min(self.most_cells, other.most_cells),
            self.whole and other.whole,
        )._fitted()

    @property
    def positive_label(self) -> Any:
        """The class with the high scores."""
        return None if self.classes is None else self.classes[self.positive_class]

    @property
    def relative_width(self) -> float:
        """Scores of one cell differ by less than this share of their size; 0 where every score has its own cell."""
        if self.dropped_bits == 0:
            return 0.0
        return float(2.0 ** (self.dropped_bits - _MANTISSA_BITS))

    @property
    def lowest(self) -> Array:
        """The least score each cell can hold, ascending: counts at or above it are exact."""
        # the cell of −∞ would begin with numbers that are none
        return scores_of_keys(np.maximum(self.keys << np.uint64(self.dropped_bits), ordered_keys(np.array([-np.inf]))))

    @property
    def highest(self) -> Array:
        """The greatest score each cell can hold."""
        drop = np.uint64(self.dropped_bits)
        last = (self.keys << drop) | ((np.uint64(1) << drop) - np.uint64(1))
        return scores_of_keys(np.minimum(last, ordered_keys(np.array([np.inf]))))

    def _coarsened(self, drop: int) -> "ScoreCounts":
        """The same rows with this many trailing bits dropped; never fewer than are dropped already."""
        if drop == self.dropped_bits:
            return self
        keys = self.keys >> np.uint64(drop - self.dropped_bits)
        if keys.size == 0:
            return replace(self, dropped_bits=drop)
        first = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
        negative, positive = (np.add.reduceat(sums, first) for sums in (self.negative, self.positive))
        return replace(self, keys=keys[first], negative=negative, positive=positive, dropped_bits=drop)

    def _fitted(self) -> "ScoreCounts":
        """The counts with as few bits dropped as the memory allows."""
        drop = self.dropped_bits
        while _occupied_cells(self.keys, drop - self.dropped_bits) > self.most_cells:
            drop += 1
        return self._coarsened(drop)


def _sums(cells: NDArray[np.intp], weight: Array, size: int) -> Array:
    return np.asarray(np.bincount(cells, weights=weight, minlength=size), dtype=np.float64)


def _occupied_cells(keys: Keys, drop: int) -> int:
    short = keys >> np.uint64(drop)
    return int(np.count_nonzero(short[1:] != short[:-1])) + 1 if keys.size else 0


def ordered_keys(scores: Array) -> Keys:
    """Integers in the order of the scores; −0 and 0 are one score."""
    bits = (scores + 0.0).view(np.uint64)
    return np.where(bits & _SIGN, ~bits, bits | _SIGN)


def scores_of_keys(keys: Keys) -> Array:
    """The inverse of `ordered_keys`."""
    return np.where(keys & _SIGN, keys ^ _SIGN, ~keys).view(np.float64)


def read_scores(score: Any) -> NDArray[Any]:
    """One real number a row: float32 and float64 as they are, anything else as float64."""
    if isinstance(score, np.ma.MaskedArray) and np.ma.is_masked(score):
        row = np.argwhere(np.ma.getmaskarray(score))[0][0]
        raise ValueError(f"score is masked at row {row}; every row needs a score")
    plain = type(score) is np.ndarray and score.dtype in (np.float32, np.float64)
    scores = score if plain else real_array(score, "score")
    if scores.ndim == 2 and scores.shape[1] == 1:
        scores = scores[:, 0]
    if scores.ndim != 1:
        raise ValueError(
            f"score must hold one number a row, got shape {scores.shape}; of several columns pass the one of the "
            "positive class"
        )
    return np.ascontiguousarray(scores)


def refuse_nan(scores: NDArray[Any]) -> None:
    """Name the first row without a score."""
    missing = np.flatnonzero(np.isnan(scores))
    if missing.size:
        raise ValueError(f"score is NaN at row {missing[0]}; every row needs a score (±infinity is allowed)")


def _read_block_weights(weight: Any, n_rows: int) -> Array:
    """Read weights as for rows to fit, but a block may have none that count."""
    if weight is None:
        return np.ones(n_rows)
    omega = real_array(weight, "sample_weight")
    if omega.shape == (n_rows,) and not omega.any():
        return omega
    weights = read_weights(omega, n_rows)
    assert weights is not None
    return weights


def _read_classes(y: Any, classes: Any, n_rows: int) -> tuple[tuple[Any, Any], NDArray[np.int32]]:
    seen, codes = code_labels(y)
    if codes.size != n_rows:
        raise ValueError(f"y has {codes.size} labels but there are {n_rows} scores")
    labels = seen.tolist()
    if classes is None:
        if seen.dtype.kind == "b":
            classes = (False, True)
        elif len(labels) == 2:
            classes = labels
        else:
            raise ValueError(
                f"a block with rows of {len(labels)} class(es) does not tell which two there are; pass "
                "classes=(negative, positive), such as a learner's classes_"
            )
    names = np.asarray(classes).tolist() if isinstance(classes, np.ndarray) else list(classes)
    if len(names) != 2 or names[0] == names[1]:
        raise ValueError(f"classes must name two different classes, got {names}")
    for label in labels:
        if label not in names:
            row = int(np.flatnonzero(codes == labels.index(label))[0])
            raise ValueError(f"y is {label!r} at row {row}, which is not one of the classes {names}")
    table = np.array([names.index(label) for label in labels], dtype=np.int32)
    return (names[0], names[1]), table[codes] if labels else codes


def _place_of(names: tuple[Any, Any], positive: Any) -> int:
    if positive is None:
        return 1
    if positive not in names:
        raise ValueError(f"positive={positive!r} is not one of the classes {list(names)}")
    return names.index(positive)


def _read_most(most_cells: Any) -> int:
    most = read_count(most_cells, "most_cells")
    if most < _FEWEST_CELLS:
        raise ValueError(f"most_cells must be at least {_FEWEST_CELLS} (one cell a sign and exponent), got {most}")
    return most
