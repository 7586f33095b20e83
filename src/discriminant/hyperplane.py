"""The hyperplane H = {x : w·x = θ} and its geometry.

The score w·x − θ is positive on the side w points to. Everything here follows from two facts: w is
perpendicular to x − x₀ for any two points of H, and the point of H nearest the origin is θw/‖w‖².
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discriminant.parameters import real_array

Vector = NDArray[np.float64]


class Planes(NamedTuple):
    """Planes that give a score each, coef[k]·x + intercept[k]: what rules make of statistics. θ is −intercept."""

    coef: NDArray[np.float64]
    intercept: NDArray[np.float64]

    def by_class(self, n_classes: int) -> "Planes":
        """A plane for each class: the only plane of two classes is that of the second, and the first scores zero."""
        if n_classes != 2:
            return self
        return Planes(np.vstack([np.zeros_like(self.coef), self.coef]), np.append(0.0, self.intercept))


def _finite_vector(value: ArrayLike, name: str) -> Vector:
    vector = real_array(value, name)
    if vector.ndim != 1 or vector.size == 0:
        raise ValueError(f"{name} must be a one-dimensional, non-empty vector, got shape {vector.shape}")
    bad = np.flatnonzero(~np.isfinite(vector))
    if bad.size:
        raise ValueError(f"{name}[{bad[0]}] is {vector[bad[0]]}; every component must be a finite number")
    return vector


@dataclass(frozen=True, eq=False)
class Hyperplane:
    """The oriented hyperplane w·x = θ.

    Parameters
    ----------
    w : the normal, which points to the positive side.
    theta : the threshold θ.

    Notes
    -----
    Multiplying w and θ by the same positive number gives the same plane, and ``==`` says so; a negative
    number turns it round.

    Examples
    --------
    >>> plane = Hyperplane([3, 4], 10)
    >>> float(plane.signed_distance([6, 8]))
    8.0
    >>> plane.nearest_point([6, 8]).round(9).tolist()
    [1.2, 1.6]
    >>> plane == Hyperplane([6, 8], 20)
    True
    """

    w: Vector
    theta: float

    def __post_init__(self) -> None:
        w = _finite_vector(self.w, "w")
        if not w.any():
            raise ValueError("w is zero: it has no direction, so w·x = θ is not a hyperplane")
        theta = real_array(self.theta, "theta")
        if theta.ndim != 0 or not np.isfinite(theta):
            raise ValueError(f"theta must be one finite real number, got {self.theta!r}")
        w.flags.writeable = False
        object.__setattr__(self, "w", w)
        object.__setattr__(self, "theta", float(theta))

    # --- ways to make one -------------------------------------------------------------------------------

    @classmethod
    def through(cls, point: ArrayLike, normal: ArrayLike) -> Self:
        """The plane through ``point`` perpendicular to ``normal``: θ = w·point.

        Parameters
        ----------
        point : a point of the plane.
        normal : the direction of w.

        Returns
        -------
        Hyperplane
            The plane.

        Examples
        --------
        >>> Hyperplane.through([2, 1], [3, 4]).theta
        10.0
        """
        w, p = _finite_vector(normal, "normal"), _finite_vector(point, "point")
        if w.shape != p.shape:
            raise ValueError(f"point has {p.size} components and normal {w.size}; they must agree")
        return cls(w, float(w @ p))

    @classmethod
    def from_coef(cls, coef: ArrayLike, intercept: ArrayLike) -> Self:
        """The plane of scikit-learn's ``coef_`` (d, or 1×d) and ``intercept_``: θ = −intercept.

        Parameters
        ----------
        coef : w, of shape (d,) or (1, d).
        intercept : one number, −θ.

        Returns
        -------
        Hyperplane
            The plane.

        Examples
        --------
        >>> Hyperplane.from_coef([[3, 4]], [-10]).theta
        10.0
        """
        w, b = real_array(coef, "coef"), real_array(intercept, "intercept")
        if w.ndim == 2 and w.shape[0] == 1:
            w = w[0]
        if w.ndim != 1 or b.size != 1:
            raise ValueError(
                f"one hyperplane needs coef of shape (d,) or (1, d) and one intercept, got {w.shape} and {b.shape}"
            )
        return cls(w, -float(b.reshape(())))

    def to_coef(self) -> tuple[NDArray[np.float64], Vector]:
        """``(coef_, intercept_)`` in scikit-learn's binary shapes (1, d) and (1,).

        Returns
        -------
        tuple of ndarray
            ``coef_`` and ``intercept_``.

        Examples
        --------
        >>> [part.tolist() for part in Hyperplane([3, 4], 10).to_coef()]
        [[[3.0, 4.0]], [-10.0]]
        """
        return self.w[None, :].copy(), np.array([-self.theta])

    # --- identity ---------------------------------------------------------------------------------------

    @property
    def _canonical(self) -> tuple[Vector, float]:
        """(w, θ)/‖w‖, with the norm taken at a safe scale."""
        scale = float(np.abs(self.w).max())
        unit = self.w / scale
        length = float(np.linalg.norm(unit))
        with np.errstate(over="ignore"):  # a plane beyond the reach of floats is infinitely far
            return unit / length, float(np.float64(self.theta) / scale / length)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Hyperplane):
            return NotImplemented
        if self.w.shape != other.w.shape:
            return False
        (u, s), (v, t) = self._canonical, other._canonical
        ulp = 16 * float(np.finfo(np.float64).eps)
        return bool(np.abs(u - v).max() <= ulp and (s == t or abs(s - t) <= ulp * max(abs(s), abs(t))))

    # Planes equal up to rounding cannot have equal hashes, so they have none.
    __hash__ = None  # type: ignore[assignment]

    def __neg__(self) -> "Hyperplane":
        """The same points with the sides exchanged."""
        return Hyperplane(-self.w, -self.theta)

    def __repr__(self) -> str:
        return f"Hyperplane(w={np.array2string(self.w, separator=', ')}, theta={self.theta!r})"

    @property
    def dimension(self) -> int:
        """The number of coordinates of the space the plane lies in."""
        return int(self.w.size)

    @property
    def norm(self) -> float:
        """‖w‖."""
        scale = float(np.abs(self.w).max())
        return scale * float(np.linalg.norm(self.w / scale))

    # --- where points lie -------------------------------------------------------------------------------

    def _points(self, x: ArrayLike) -> NDArray[np.float64]:
        points = real_array(x, "points")
        if points.ndim not in (1, 2) or points.shape[-1] != self.dimension:
            raise ValueError(
                f"points must have {self.dimension} components like w, got an array of shape {points.shape}"
            )
        if not np.isfinite(points).all():
            kind = "NaN" if np.isnan(points).any() else "infinity"
            raise ValueError(f"points hold {kind}; a point needs finite coordinates")
        return points

    def score(self, x: ArrayLike) -> NDArray[np.float64]:
        """w·x − θ for a point, or for each row of a table of points.

        Parameters
        ----------
        x : a point, or a table with a point in each row.

        Returns
        -------
        ndarray
            A number, or one for each row.

        Examples
        --------
        >>> Hyperplane([3, 4], 10).score([[2, 1], [6, 8]]).tolist()
        [0.0, 40.0]
        """
        return np.asarray(self._points(x) @ self.w - self.theta)

    def side(self, x: ArrayLike) -> NDArray[np.int8]:
        """+1 where w points to, −1 on the other side, 0 on the plane.

        Parameters
        ----------
        x : a point, or a table with a point in each row.

        Returns
        -------
        ndarray
            A sign, or one for each row.

        Examples
        --------
        >>> Hyperplane([3, 4], 10).side([[2, 1], [6, 8], [0, 0]]).tolist()
        [0, 1, -1]
        """
        return np.asarray(np.sign(self.score(x)), dtype=np.int8)

    def signed_distance(self, x: ArrayLike) -> NDArray[np.float64]:
        """(w·x − θ)/‖w‖.

        Parameters
        ----------
        x : a point, or a table with a point in each row.

        Returns
        -------
        ndarray
            A distance, or one for each row; positive where w points to.

        Examples
        --------
        >>> Hyperplane([3, 4], 10).signed_distance([[6, 8], [0, 0]]).round(9).tolist()
        [8.0, -2.0]
        """
        unit, offset = self._canonical
        return np.asarray(self._points(x) @ unit - offset)

    def functional_margin(self, x: ArrayLike, c: ArrayLike) -> NDArray[np.float64]:
        """c(w·x − θ) for labels c = ±1: positive where the plane is right.

        Parameters
        ----------
        x : a point, or a table with a point in each row.
        c : +1 or −1, for the point or for each row.

        Returns
        -------
        ndarray
            A margin, or one for each row.

        Examples
        --------
        >>> Hyperplane([3, 4], 10).functional_margin([[6, 8], [0, 0]], [1, 1]).tolist()
        [40.0, -10.0]
        """
        return self._on_right_side(self.score(x), c)

    def geometric_margin(self, x: ArrayLike, c: ArrayLike) -> NDArray[np.float64]:
        """c(w·x − θ)/‖w‖: the signed distance to the right side; its least value is the margin of a set.

        Parameters
        ----------
        x : a point, or a table with a point in each row.
        c : +1 or −1, for the point or for each row.

        Returns
        -------
        ndarray
            A distance, or one for each row.

        Examples
        --------
        >>> Hyperplane([3, 4], 10).geometric_margin([[6, 8], [0, 0]], [1, -1]).round(9).tolist()
        [8.0, 2.0]
        """
        return self._on_right_side(self.signed_distance(x), c)

    @staticmethod
    def _on_right_side(values: NDArray[np.float64], c: ArrayLike) -> NDArray[np.float64]:
        signs = real_array(c, "labels c")
        if not np.all(np.abs(signs) == 1.0):
            raise ValueError("labels c must be +1 or -1")
        if signs.shape not in ((), values.shape):
            raise ValueError(f"labels c have shape {signs.shape} but there are points of shape {values.shape}")
        return signs * values

    # --- projections ------------------------------------------------------------------------------------

    def nearest_point(self, x: ArrayLike) -> NDArray[np.float64]:
        """The point of H nearest to x: x minus its signed distance along the unit normal.

        Parameters
        ----------
        x : a point, or a table with a point in each row.

        Returns
        -------
        ndarray
            A point of H, or one for each row.

        Examples
        --------
        >>> Hyperplane([3, 4], 10).nearest_point([6, 8]).round(9).tolist()
        [1.2, 1.6]
        """
        unit, _ = self._canonical
        return np.asarray(self._points(x) - self.signed_distance(x)[..., None] * unit)

    def split(self, z: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """z = z∥ + z⟂: the part along w and the part in the directions of the plane.

        Parameters
        ----------
        z : a vector, or a table with one in each row.

        Returns
        -------
        tuple of ndarray
            z∥ and z⟂.

        Examples
        --------
        >>> [part.round(9).tolist() for part in Hyperplane([0, 2], 1).split([3, 4])]
        [[0.0, 4.0], [3.0, 0.0]]
        """
        unit, _ = self._canonical
        points = self._points(z)
        along = (points @ unit)[..., None] * unit
        return along, points - along

    def projection_length(self, x: ArrayLike) -> NDArray[np.float64]:
        """‖x‖ cos∠(x, w) = w·x/‖w‖: the signed length of x's shadow on the normal.

        Parameters
        ----------
        x : a point, or a table with a point in each row.

        Returns
        -------
        ndarray
            A length, or one for each row.

        Examples
        --------
        >>> Hyperplane([3, 4], 10).projection_length([6, 8]).round(9).tolist()
        10.0
        """
        unit, _ = self._canonical
        return np.asarray(self._points(x) @ unit)

    def basis(self) -> NDArray[np.float64]:
        """d − 1 orthonormal rows spanning the directions of H; added to a point of H they generate it.

        They are the rows of the Householder reflection that carries the unit normal to ±e₁, but the first.

        Returns
        -------
        ndarray
            (d − 1)×d.

        Examples
        --------
        >>> Hyperplane([0, 2], 1).basis().round(9).tolist()
        [[-1.0, 0.0]]
        """
        u, _ = self._canonical
        v = u.copy()
        v[0] += np.copysign(1.0, u[0])
        reflection = np.eye(self.dimension) - np.outer(v, v) * (2.0 / (v @ v))
        return reflection[1:]

    def angle(self, other: "Hyperplane") -> float:
        """The angle between the normals, in radians from 0 to π; accurate near 0 and π too.

        Parameters
        ----------
        other : a plane of as many dimensions.

        Returns
        -------
        float
            Radians.

        Examples
        --------
        >>> round(Hyperplane([1, 0], 0).angle(Hyperplane([0, 1], 5)), 4)
        1.5708
        """
        if self.dimension != other.dimension:
            raise ValueError(f"planes live in {self.dimension} and {other.dimension} dimensions")
        (u, _), (v, _) = self._canonical, other._canonical
        return float(2 * np.arctan2(np.linalg.norm(u - v), np.linalg.norm(u + v)))

    def augmented(self) -> Vector:
        """(−θ, w): the weights for points with a leading 1, so that score = augmented·(1, x).

        Returns
        -------
        ndarray
            d + 1 weights.

        Examples
        --------
        >>> Hyperplane([3, 4], 10).augmented().tolist()
        [-10.0, 3.0, 4.0]
        """
        return np.concatenate([[-self.theta], self.w])

    @classmethod
    def from_augmented(cls, weights: Sequence[float] | Vector) -> Self:
        """The plane of weights for points with a leading 1.

        Parameters
        ----------
        weights : (−θ, w).

        Returns
        -------
        Hyperplane
            The plane.

        Examples
        --------
        >>> Hyperplane.from_augmented([-10, 3, 4]) == Hyperplane([3, 4], 10)
        True
        """
        v = _finite_vector(weights, "weights")
        return cls(v[1:], -float(v[0]))


@dataclass(frozen=True, eq=False, repr=False)
class PairwisePlanes(Mapping[tuple[Any, Any], Hyperplane]):
    """The planes between pairs of classes (a, b), positive for b; each is made when it is asked for."""

    pairs: tuple[tuple[Any, Any], ...]
    between: Callable[[Any, Any], Hyperplane]

    def __getitem__(self, pair: tuple[Any, Any]) -> Hyperplane:
        """The plane of a pair."""
        if pair not in self.pairs:
            raise KeyError(pair)
        return self.between(*pair)

    def __iter__(self) -> Iterator[tuple[Any, Any]]:
        """The pairs, in the order of the classes."""
        return iter(self.pairs)

    def __len__(self) -> int:
        return len(self.pairs)

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self.pairs[:3])) + (", …" if len(self.pairs) > 3 else "")
        return f"planes between {shown}"


def wide_range_scores(X: Vector, W: Vector, b: Vector) -> Vector:
    """w_p·x + b_p of rows X (n×d) and planes W (P×d), whose terms may be larger than any float.

    Terms are kept as mantissa and exponent, and added beside the largest: only a sum too large for a float is infinite.
    """
    part, power = np.frexp(np.hstack([X, np.ones((len(X), 1))]))
    scores = np.empty((len(X), len(W)))
    for p, w in enumerate(W):
        w_part, w_power = np.frexp(np.append(w, b[p]))
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            terms = part * w_part
            powers = np.where(terms != 0, power + w_power, -10_000)
            top = powers.max(axis=1, keepdims=True)
            scores[:, p] = np.ldexp(np.ldexp(terms, powers - top).sum(axis=1), top[:, 0])
    return scores
