"""Rows, labels and weights as nobody would choose them."""

import datetime
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from scipy import sparse

_ODD_NUMBERS = (
    0.0,
    -0.0,
    1.0,
    5e-324,
    1e-310,
    1e-200,
    1e-9,
    1e12,
    1.7e18,
    2.0**53,
    1e100,
    1e160,
    1e200,
    1e300,
    1.7e308,
)
_NO_NUMBERS = (np.nan, np.inf, -np.inf)
_COUNTS, _WIDTHS = (2, 3, 4, 6, 10, 20, 40), (1, 1, 2, 3, 5, 9, 31)
_FORMS = ("csr", "csc", "coo", "lil", "dok", "bsr", "dia")


def rows(random: Random, *, d: int | None = None) -> Any:
    """A matrix in any form; now and then something that is none."""
    values = matrix(random, random.choice(_COUNTS if random.random() < 0.9 else (0, 1)), d)
    return values if random.random() < 0.6 else _in_another_form(random, values)


def matrix(random: Random, n: int, d: int | None = None) -> np.ndarray:
    """Numbers with a structure that learners find hard."""
    rng = np.random.default_rng(random.getrandbits(64))
    d = random.choice(_WIDTHS if random.random() < 0.97 else (0,)) if d is None else d
    values = random.choice((_normal, _whole, _binary, _repeated, _dependent, _shifted))(rng, n, d)
    for _ in range(random.choice((0, 0, 1, 2))):
        _spoil(random, rng, values)
    return values


def labels(random: Random, n: int) -> Any:
    """Classes of any type; now and then too few, too many, or none."""
    rng = np.random.default_rng(random.getrandbits(64))
    odd = random.random() < 0.1
    K = random.choice((1, max(n, 1))) if odd else random.choice((2, 2, 2, 3, 5))
    n = random.choice((0, 1, n + 1, n)) if odd else n
    codes = rng.integers(0, K, n) if random.random() < 0.3 else np.arange(n) % K
    names = random.choice(_odd_names(K) if random.random() < 0.2 else _names(K))
    return _as_labels(random, [names[k] for k in codes.tolist()])


def _names(K: int) -> list[list[Any]]:
    return [
        list(range(K)),
        [f"class {k}" for k in range(K)],
        [bool(k % 2) for k in range(K)],
        [float(k) for k in range(K)],
    ]


def _odd_names(K: int) -> list[list[Any]]:
    return [
        ["1", "01", "1.0", " 1", "1 ", "1e0"][:K] * K,
        [(-(2**62), 2**62, 2**53 + 1, 2**53, 0)[k % 5] for k in range(K)],
        [("a", 1, True, 2.5, b"b")[k % 5] for k in range(K)],
        [("a", None, float("nan"), "", "é")[k % 5] for k in range(K)],
        [np.datetime64("2020-01-01") + k for k in range(K)],
        [1e308 * (-1) ** k for k in range(K)],
        [k - 0.5 for k in range(K)],
        [2**70 + k for k in range(K)],
    ]


def weights(random: Random, n: int) -> Any:
    """Of rows; mostly none."""
    rng = np.random.default_rng(random.getrandbits(64))
    some = rng.random(n)
    if random.random() < 0.6:
        return None
    if random.random() < 0.2:
        return random.choice(
            (np.zeros(n), -some, some[:-1], some[:, None], ["heavy"] * n, 2.0, np.where(some < 0.3, np.nan, 1.0))
        )
    odd = random.choice((*_ODD_NUMBERS, np.inf))
    with np.errstate(all="ignore"):
        return random.choice(
            (np.ones(n), some, some < 0.5, rng.integers(0, 4, n), some * odd, np.where(some < 0.3, odd, 1.0))
        )


# --- structures -----------------------------------------------------------------------------------------


def _normal(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    return rng.standard_normal((n, d)) * 10.0 ** rng.integers(-3, 4, d)


def _whole(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    return rng.integers(-3, 4, (n, d)).astype(np.float64)


def _binary(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    return (rng.random((n, d)) < 0.5).astype(np.float64)


def _repeated(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    return rng.standard_normal((3, d))[rng.integers(0, 3, n)]


def _dependent(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    rank = max(1, d // 2)
    return rng.standard_normal((n, rank)) @ rng.standard_normal((rank, d))


def _shifted(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    return rng.standard_normal((n, d)) + 10.0 ** rng.integers(0, 16, d)


def _spoil(random: Random, rng: np.random.Generator, values: np.ndarray) -> None:
    """A column, a row, a cell or everything becomes odd."""
    n, d = values.shape
    if n == 0 or d == 0:
        return
    odd = random.choice(_ODD_NUMBERS if random.random() < 0.95 else _NO_NUMBERS)
    i, j = random.randrange(n), random.randrange(d)
    with np.errstate(all="ignore"):
        match random.randrange(7):
            case 0:
                values[:, j] = odd
            case 1:
                values[:, j] *= odd
            case 2:
                values[i] = odd
            case 3:
                values[i, j] = odd
            case 4:
                values *= odd
            case 5:
                values[:, j] = values[:, random.randrange(d)] * rng.choice([1.0, -2.0, 1 + 1e-15])
            case 6:
                values[:, j] = odd * (1 + np.arange(n) * 2.0**-52)


# --- forms ----------------------------------------------------------------------------------------------


def _in_another_form(random: Random, values: np.ndarray) -> Any:
    return random.choice((_as_dtype, _as_layout, _as_sparse, _as_frame, _as_objects, _as_no_matrix))(random, values)


def _as_dtype(random: Random, values: np.ndarray) -> Any:
    kinds = ("f2", "f4", ">f8", "g", "i1", "i8", "u1", "u8", "?", "c16", "U8", "S8", "O")
    with np.errstate(all="ignore"):
        return values.astype(random.choice(kinds))


def _as_layout(random: Random, values: np.ndarray) -> Any:
    frozen = values.copy()
    frozen.flags.writeable = False
    return random.choice(
        (np.asfortranarray(values), values[::-1], values[:, ::-1], np.repeat(values, 2, axis=0)[::2], frozen)
    )


def _as_sparse(random: Random, values: np.ndarray) -> Any:
    kept = np.where(np.random.default_rng(random.getrandbits(64)).random(values.shape) < 0.5, values, 0.0)
    make = sparse.csr_array if random.random() < 0.5 else sparse.csr_matrix
    found = make(kept)
    if random.random() < 0.3 and found.nnz:  # twice the same place, zeros that are stored, indices out of order
        found = make(
            (np.r_[found.data, 0.0, 1.0], (np.r_[found.nonzero()[0], 0, 0], np.r_[found.nonzero()[1], 0, 0])),
            shape=found.shape,
        )
        found.has_sorted_indices = False
    if random.random() < 0.2:
        found.indices = found.indices.astype(np.int64)
    return found.asformat(random.choice(_FORMS)) if random.random() < 0.5 else found


def _as_frame(random: Random, values: np.ndarray) -> Any:
    names = [random.choice(("x", "é", "", "a b", "1"))] * values.shape[1] if random.random() < 0.1 else None
    names = names or [f"x{j}" for j in range(values.shape[1])]
    frame = pd.DataFrame(values, columns=names)
    if len(set(names)) < len(names):
        return frame
    columns = dict(zip(names, values.T, strict=True))
    return random.choice((lambda: frame, lambda: pl.DataFrame(columns), lambda: pa.table(columns)))()


def _as_objects(random: Random, values: np.ndarray) -> Any:
    found = values.astype(object)
    odd = ("text", "1.5", "", None, True, 10**400, 1j, [], b"1", datetime.date(2020, 1, 1), np.float32(2), "nan")
    if found.size and random.random() < 0.7:
        found[random.randrange(found.shape[0]), random.randrange(found.shape[1])] = random.choice(odd)
    return found if random.random() < 0.5 else found.tolist()


def _as_no_matrix(random: Random, values: np.ndarray) -> Any:
    masked = np.ma.masked_array(values, mask=values > 0)
    return random.choice(
        (values.tolist(), values.ravel(), values[None], values.tolist()[:1], None, 3.5, "rows", {}, {"x": [1]}, masked)
    )


def _as_labels(random: Random, found: list[Any]) -> Any:
    plain = found
    if random.random() < 0.5:
        try:
            plain = np.array(found, dtype=object if random.random() < 0.3 else None)
        except (ValueError, OverflowError):
            return found
    match random.randrange(12):
        case 0:
            return pd.Series(found)
        case 1 if found:
            return pd.Categorical(found)
        case 2:
            return [[label] for label in found]
        case 3:
            return tuple(found)
        case 4 if isinstance(plain, np.ndarray):
            return plain[::-1]
    return plain
