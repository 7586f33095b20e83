"""Is this data linearly separable? Yes with a plane, or no with a proof.

    complete   some (w, θ) has c(w·x − θ) > 0 for every row
    quasi      none has, but some has c(w·x − θ) ≥ 0 for every row and > 0 for some: the hulls touch
    none       neither: the classes overlap

In the first two cases the likelihood of logistic regression has no maximum (Albert & Anderson 1984).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal

import numpy as np

from discriminant.findings import listed
from discriminant.forks import importing
from discriminant.hyperplane import Hyperplane
from discriminant.rows import ArrayRows, Rows, in_memory, read_rows, read_source, reads_by_passes
from discriminant.rows.labels import signs
from discriminant.separability.certificates import spans_all_rows
from discriminant.separability.extreme_columns import decide_at_any_size
from discriminant.separability.faces import TooNarrowError, Verdict, first_answer
from discriminant.separability.overlap import FEW_COLUMNS
from discriminant.separability.planes import exact_sides, nearest_plane, separates
from discriminant.separability.proof import CommonPoint, find_rows, row_numbers_of, two_classes
from discriminant.separability.signed_rows import SignedRows
from discriminant.separability.two_classes import REST, TwoClasses, against_rest, pair
from discriminant.separability.working_set import decide_over
from discriminant.statistics.overview import FirstPass, Overview

Kind = Literal["complete", "quasi", "none"]


@dataclass(frozen=True, eq=False)
class Separation:
    """Whether a plane parts two classes, with the plane or the proof, or both.

    ``kind`` is "complete" (every row strictly on its side), "quasi" (no row on the wrong side, but rows of both
    classes on the plane) or "none". ``negative`` and ``positive`` are the labels, and ``hyperplane`` is positive for
    the second; None for "none". ``margin`` is the
    largest distance all rows can keep, where it was asked for. ``certificate`` proves, for "quasi" and "none", that no
    plane has every row strictly on its side. ``columns`` are those with a weight: for "quasi" the ones whose logistic
    estimates are infinite. ``on_plane`` numbers the rows on the plane of "quasi"; ``weights`` has that plane's (w, −θ)
    in whole numbers, which floats may not hold. Of rows that are not whole numbers, hulls nearer than their rounding
    count as meeting where no plane in floats parts them; the certificate's ``residual`` is then not 0. Nor is it beyond
    some hundred columns, where weights that make it 0 are only proved to exist.

    Examples
    --------
    >>> print(separate([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]))
    no plane separates 0 from 1: both have the mean (0.5, 0.5)
      0: ½·(0, 0) + ½·(1, 1)  [rows 0, 3]
      1: ½·(0, 1) + ½·(1, 0)  [rows 1, 2]
    A plane without mistakes would contain these rows, and with them all others.
    """

    kind: Kind
    negative: Any
    positive: Any
    hyperplane: Hyperplane | None = None
    margin: float | None = None
    certificate: CommonPoint | None = None
    columns: tuple[Any, ...] = ()
    on_plane: tuple[int, ...] = ()
    weights: tuple[int, ...] = ()
    against_rest: bool = False

    @property
    def separable(self) -> bool:
        """Whether every row can be strictly on its side."""
        return self.kind == "complete"

    def verify(self, X: Any, y: Any = None, *, tolerance: float = 1e-9) -> bool:
        """Whether this is so for that table: the arithmetic done anew, without rounding.

        complete: every row is strictly on its side of the plane. quasi: none is on the wrong side of the plane of
        ``weights``, some are strictly on theirs, exactly ``on_plane`` lie on it, and the certificate holds. none: the
        certificate holds, and every row is an affine combination of its rows; so a plane that has no row on the wrong
        side contains these, and with them all. (Of large tables whose columns depend on one another, that is checked
        modulo two primes, to within a chance of 2⁻⁶⁰.)

        Parameters
        ----------
        X, y : the table and its labels.
        tolerance : for means of numbers that are not whole, as in `CommonPoint.verify`.

        Returns
        -------
        bool
            False where it is not so, and where the table has other classes or columns.

        Examples
        --------
        >>> found = separate([[0.0], [1.0]], [0, 1])
        >>> found.verify([[0.0], [1.0]], [0, 1]), found.verify([[1.0], [0.0]], [0, 1])
        (True, False)
        """
        rows = self._view(read_rows(X, y))
        if rows is None:
            return False
        if self.kind == "complete":
            return self._is_strict(rows)
        if self.certificate is None or not self.certificate.holds_for(rows, tolerance):
            return False
        return self._is_weak(rows) if self.kind == "quasi" else self._spans(rows)

    def _view(self, rows: ArrayRows) -> ArrayRows | None:
        """The rows of the two classes; None where one is missing, or a third is there that should not be."""
        labels = rows.classes.tolist()
        if self.positive not in labels or len(labels) < 2:
            return None
        if self.against_rest:
            return against_rest(rows, labels.index(self.positive))
        if self.negative not in labels:
            return None
        return pair(rows, labels.index(self.negative), labels.index(self.positive))

    def _is_strict(self, rows: ArrayRows) -> bool:
        if self.hyperplane is None or self.hyperplane.dimension != rows.n_columns:
            return False
        return separates(rows.matrix, rows.codes == 1, self.hyperplane)

    def _is_weak(self, rows: ArrayRows) -> bool:
        if self.hyperplane is None or not len(self.weights) == self.hyperplane.dimension + 1 == rows.n_columns + 1:
            return False
        weights = np.array(self.weights, dtype=object)
        if not weights[:-1].any() or nearest_plane(weights) != self.hyperplane:
            return False
        sides = exact_sides(rows.matrix, weights) * np.where(rows.codes == 1, 1, -1)
        on_plane = row_numbers_of(rows, np.flatnonzero(sides == 0))
        return bool(sides.min() >= 0 and sides.max() > 0 and on_plane == self.on_plane)

    def _spans(self, rows: ArrayRows) -> bool:
        assert self.certificate is not None
        if rows.n_columns > FEW_COLUMNS and self.certificate.surrounded(rows):
            return True
        indices = find_rows(rows, self.certificate.rows)
        return indices is not None and spans_all_rows(SignedRows.of(rows), indices)

    def __str__(self) -> str:
        return {"complete": self._complete, "quasi": self._quasi, "none": self._none}[self.kind]()

    def _complete(self) -> str:
        far = "" if self.margin is None else f", none nearer to it than {self.margin:.6g}"
        sides = f"{self.positive} above it and {self.negative} below"
        return f"a plane has every row strictly on its side, {sides}{far}; {self._used()}"

    def _quasi(self) -> str:
        head = f"a plane has no row on the wrong side, {self.positive} above it and {self.negative} below"
        on = f"{_count_text(len(self.on_plane), 'row')} of both classes lie on it"
        return f"{head}, but {on}; {self._used()}\n{self.certificate}"

    def _used(self) -> str:
        return f"it uses {_count_text(len(self.columns), 'column')}: {listed(self.columns)}"

    def _none(self) -> str:
        return f"{self.certificate}\nA plane without mistakes would contain these rows, and with them all others."


@dataclass(frozen=True, eq=False)
class Separations:
    """Separations of K > 2 classes: each class against all others, and each pair.

    ``against_rest[label]`` and ``pairs[(a, b)]`` (a before b in ``classes``, the plane positive for b) are each a
    `Separation`.
    """

    classes: tuple[Any, ...]
    against_rest: Mapping[Any, Separation]
    pairs: Mapping[tuple[Any, Any], Separation]

    @property
    def separable(self) -> bool:
        """Whether every class can be parted from all others together."""
        return all(s.separable for s in self.against_rest.values())

    def verify(self, X: Any, y: Any = None, *, tolerance: float = 1e-9) -> bool:
        """Whether each of them is so for that table."""
        rows = read_rows(X, y)
        return all(s.verify(rows, tolerance=tolerance) for s in self)

    def __iter__(self) -> Iterator[Separation]:
        yield from self.against_rest.values()
        yield from self.pairs.values()

    def __str__(self) -> str:
        lines = [f"{k} against {REST}: {s.kind}" for k, s in self.against_rest.items()]
        return "\n".join(lines + [f"{a} against {b}: {s.kind}" for (a, b), s in self.pairs.items()])


class NotSeparableError(ValueError):
    """No plane has every row strictly on its side.

    Parameters
    ----------
    separation : a `Separation` with the proof.

    Examples
    --------
    >>> str(NotSeparableError(separate([[0.0], [1.0], [2.0]], [0, 1, 0]))).splitlines()[-1]
    'Allow mistakes at a price: pass a finite C.'
    """

    def __init__(self, separation: Separation) -> None:
        self.separation = separation
        super().__init__(f"{separation.certificate}\nAllow mistakes at a price: pass a finite C.")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.separation,)


# --- the question -------------------------------------------------------------------------------------------


def separate(X: Any, y: Any = None, *, margin: bool = False) -> Separation | Separations:
    """Whether planes part the classes, with the planes and the proofs.

    Parameters
    ----------
    X, y : a table with its labels; or a rows source, which carries its labels.
    margin : whether the plane of complete separation is to be that of the largest margin.

    Returns
    -------
    Separation or Separations
        Of two classes the first, its plane positive for the second class; of more the other.

    Examples
    --------
    >>> separate([[0.0], [1.0], [3.0]], ["no", "no", "yes"]).kind
    'complete'
    >>> separate([[0.0], [1.0], [1.0]], ["no", "no", "yes"]).kind
    'quasi'
    """
    source = read_source(X, y)
    if not margin and reads_by_passes(source):
        overview = FirstPass.over(source)
        if not overview.holds_all:
            return _separate_by_passes(source, overview)
        source = overview.sample
    rows = in_memory(source, "separate")
    if rows.classes.size <= 2:
        return separate_rows(two_classes(rows), margin=margin)
    return _separate_all(
        rows.classes.tolist(),
        lambda k: separate_rows(rows, k, margin=margin),
        lambda a, b: _decide(pair(rows, a, b), margin),
    )


def _separate_all(
    labels: list[Any], rest: Callable[[int], Separation], parted: Callable[[int, int], Separation]
) -> Separations:
    """Each of several classes against the rest, and each pair."""
    against = {labels[k]: rest(k) for k in range(len(labels))}
    pairs = {(labels[a], labels[b]): parted(a, b) for a, b in combinations(range(len(labels)), 2)}
    return Separations(tuple(labels), against, pairs)


def _separate_by_passes(source: Rows, overview: Overview) -> Separation | Separations:
    """Separate rows that are not in memory."""
    K = overview.classes.size
    if K <= 2:
        two_classes(overview.sample)  # which has rows of every class
        return separate_source(source, overview)

    def parted(a: int, b: int) -> Separation:
        return _over(source, overview, TwoClasses(overview.classes, b, a))

    return _separate_all(overview.classes.tolist(), lambda k: separate_source(source, overview, k), parted)


def separate_source(source: Rows, overview: Overview, positive: int = 1) -> Separation:
    """The class with this code against all the rest, over rows that stay where they are.

    ``overview`` is what a first pass gave.
    """
    rest = overview.classes.size > 2
    return _over(source, overview, TwoClasses(overview.classes, positive, None if rest else 1 - positive))


def _over(source: Rows, overview: Overview, view: TwoClasses) -> Separation:
    found = decide_over(source, view, overview.sample)
    labels = overview.classes.tolist()
    negative = REST if view.negative is None else labels[view.negative]
    separation = _as_separation(found.verdict, found.on_plane, overview.sample.names, negative, labels[view.positive])
    return replace(separation, against_rest=view.negative is None)


def separate_rows(rows: ArrayRows, positive: int = 1, *, margin: bool = False) -> Separation:
    """The class with this code against all the rest."""
    if rows.classes.size > 2:
        return _decide(against_rest(rows, positive), margin, rows.classes.tolist()[positive])
    return _decide(pair(rows, 1 - positive, positive), margin)


def common_point(X: Any, y: Any) -> CommonPoint | None:
    """A point in the convex hulls of both classes, or None when a plane has every row strictly on its side.

    Up to 20 columns the answer is exact for whole numbers. Of other numbers, hulls that lie nearer than rounding
    count as meeting where no plane in floats parts them; the ``residual`` says how near they are.
    """
    rows = two_classes(X, y)
    try:
        answer = first_answer(signed := SignedRows.of(rows))
    except TooNarrowError:
        return None
    return None if isinstance(answer, Hyperplane) else answer.common_point(rows, signed.scale)


def separating_plane(X: Any, y: Any) -> Hyperplane | None:
    """A plane with every row strictly on its side, positive for the second class; None when there is none.

    In columns scaled to [−1, 1] it maximises the smallest c_i(w·x_i − θ) over |w_j| ≤ 1.

    >>> separating_plane([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]) == Hyperplane([1, 1], 1.5)
    True
    """
    answer = first_answer(SignedRows.of(two_classes(X, y)), widest=True)
    return answer if isinstance(answer, Hyperplane) else None


# --- two classes ----------------------------------------------------------------------------------------


def _decide(rows: ArrayRows, margin: bool, rest_against: Any = None) -> Separation:
    """The separation of two classes; of the rest from one class, where that is named."""
    rows.refuse_non_finite()
    against_rest = rest_against is not None
    negative, positive = (REST, rest_against) if against_rest else rows.classes.tolist()
    verdict = decide_at_any_size(rows)
    if verdict.plane is not None and margin:
        plane, widest = _widest(rows, verdict.plane)
        used = _columns_used(rows.names, plane.w)
        return Separation("complete", negative, positive, plane, widest, columns=used, against_rest=against_rest)
    on_plane: tuple[int, ...] = ()
    if verdict.weak is not None:
        on_plane = row_numbers_of(rows, np.flatnonzero(exact_sides(rows.matrix, verdict.weak) == 0))
    separation = _as_separation(verdict, on_plane, rows.names, negative, positive)
    return replace(separation, against_rest=against_rest)


def _as_separation(
    verdict: Verdict, on_plane: tuple[int, ...], names: tuple[str, ...] | None, negative: Any, positive: Any
) -> Separation:
    if verdict.plane is not None:
        columns = _columns_used(names, verdict.plane.w)
        return Separation("complete", negative, positive, verdict.plane, columns=columns)
    if verdict.weak is None:
        return Separation("none", negative, positive, certificate=verdict.proof)
    return Separation(
        "quasi",
        negative,
        positive,
        nearest_plane(verdict.weak),
        certificate=verdict.proof,
        columns=_columns_used(names, verdict.weak[:-1]),
        on_plane=on_plane,
        weights=tuple(int(v) for v in verdict.weak),
    )


def _widest(rows: ArrayRows, start: Hyperplane) -> tuple[Hyperplane, float]:
    """The plane of the largest margin, and that margin."""
    with importing:
        from discriminant.optimise.margins.hard_margin import InseparableError, hard_margin  # wanted only here

    try:
        found = hard_margin(rows, signs(rows.codes, 1), start=np.append(start.w, -start.theta))
    except InseparableError as error:
        raise TooNarrowError(
            "the classes are separable, but by a margin that is lost in the rounding of the numbers; ask without margin"
        ) from error
    return Hyperplane(found.w, -float(found.b)), float(found.margin)


def _columns_used(names: tuple[str, ...] | None, weights: Any) -> tuple[Any, ...]:
    """The names (or numbers) of the columns with a weight."""
    used = np.flatnonzero(weights).tolist()
    return tuple(names[j] if names else j for j in used)


def _count_text(n: int, what: str) -> str:
    return f"{n} {what}{'s' * (n != 1)}"
