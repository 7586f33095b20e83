"""Whether a plane separates the classes, in plain data for a page.

A proof that a few rows overlap is a proof for all of them, so rows are tried in growing samples; only a plane has to
be found for all.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from discriminant.rows import from_arrays
from discriminant.separability.separation import separate_rows

Codes = NDArray[np.integer[Any]]

_FIRST_ROWS = 2000
_MOST_PAIRS = 15
_FEW_PAIRS = 3  # pairs named without being counted first
_MOST_PROOF_ROWS = 200
_LARGEST_PROGRAM = 20_000_000  # cells; beyond, the question is left open rather than a person waiting
_MANY_COLUMNS = 2000  # of sparse rows; then the proof, in whole numbers, takes long
_LARGEST_WIDE = 150_000  # stored cells and columns of those


def separation_of(
    X: Any,
    codes: Codes,
    classes: Sequence[Any],
    row_numbers: NDArray[np.intp],
    seed: int,
    *,
    patient: bool = False,
) -> dict[str, Any]:
    """{"kind", "text", "proof", "margin"}; of several classes, "complete" if every pair can be separated.

    ``patient`` settles what takes longer than a person waits for something else.
    """
    if len(classes) == 2:
        return _of_two(X, codes, classes, row_numbers, seed, patient)
    pairs = [(a, b) for a in range(len(classes)) for b in range(a + 1, len(classes))]
    if len(pairs) > _MOST_PAIRS and not patient:
        return _answer(
            "unknown",
            f"Whether planes separate the classes was not tried: they make {len(pairs):,} pairs. "
            "The command discriminant separable tries them.",
        )
    kinds = {}
    for a, b in pairs:
        inside = np.flatnonzero((codes == a) | (codes == b))
        two = _of_two(
            X[inside], (codes[inside] == b).astype(np.int32), (classes[a], classes[b]), row_numbers[inside], seed,
            patient,
        )  # fmt: skip
        kinds[(classes[a], classes[b])] = two["kind"]
    return _of_pairs(kinds)


def _of_pairs(kinds: Mapping[tuple[Any, Any], str]) -> dict[str, Any]:
    overlapping = [f"{a} and {b}" for (a, b), kind in kinds.items() if kind in ("none", "quasi")]
    apart, unknown = (sum(kind == k for kind in kinds.values()) for k in ("complete", "unknown"))
    open_ = f" Of {unknown} it was not settled." if unknown else ""
    if not overlapping:
        if unknown:
            return _answer("unknown", f"A plane separates {apart} of {len(kinds)} pairs of classes.{open_}")
        return _answer("complete", "A plane separates each pair of classes.")
    if len(overlapping) == len(kinds):
        n_classes = len({label for pair in kinds for label in pair})
        return _answer("none", f"No plane separates any two of the {n_classes} classes.")
    some = "; ".join(overlapping[:_MOST_PAIRS])
    if len(overlapping) > _MOST_PAIRS:
        some += f"; and {len(overlapping) - _MOST_PAIRS} more pairs of classes"
    if len(overlapping) > _FEW_PAIRS:
        some = f"{len(overlapping)} of {len(kinds)} pairs of classes: {some}"
    rest = f" {apart} other pair{'s' * (apart > 1)} can be separated." if apart else ""
    return _answer("none", f"No plane separates {some}.{rest}{open_}")


def _answer(kind: str, text: str, proof: Any = None, margin: float | None = None) -> dict[str, Any]:
    return {"kind": kind, "text": text, "proof": proof, "margin": margin}


def _of_two(
    X: Any, codes: Codes, classes: Sequence[Any], row_numbers: NDArray[np.intp], seed: int, patient: bool
) -> dict[str, Any]:
    a, b = classes
    touching = None
    for rows in _growing(codes, seed):
        part = X[rows]
        if not patient and _too_large(part):
            break
        try:
            found = separate_rows(from_arrays(part, codes[rows]))
        except ArithmeticError:
            break
        if found.certificate is not None:
            proof = _proof(found.certificate, classes, row_numbers[rows])
            if found.kind == "none" or rows.size == codes.size:
                decided = rows.size - len(found.on_plane)
                return _answer(found.kind, _in_words(found.kind, a, b, decided, rows.size), proof)
            touching = proof  # some rows touch; all rows may touch or overlap
        elif rows.size == codes.size:
            text = f"A plane has every row of {a} on one side and every row of {b} on the other."
            return _answer("complete", text)
    if touching is not None:
        return _answer("none", _in_words("none", a, b, 0, codes.size), touching)
    return _answer("unknown", f"Whether a plane separates {a} from {b} was not settled.")


def of_drawn_rows(found: Mapping[str, Any], drawn: int, n_rows: int) -> dict[str, Any]:
    """What rows that were drawn from a table say of all: that some overlap holds for all, that none do does not."""
    if found["kind"] == "none" or drawn == n_rows:
        return dict(found)
    text = f"Among {drawn:,} of {n_rows:,} rows: {found['text']} Whether that holds for all rows was not settled."
    return _answer("unknown", text)


def _too_large(part: Any) -> bool:
    if not sparse.issparse(part):
        return bool(part.size > _LARGEST_PROGRAM)
    d = part.shape[1]
    return bool(part.nnz > _LARGEST_PROGRAM or (d > _MANY_COLUMNS and part.nnz + d > _LARGEST_WIDE))


def _growing(codes: Codes, seed: int) -> Iterator[NDArray[np.intp]]:
    order = np.random.default_rng(seed).permutation(codes.size)
    size = _FIRST_ROWS
    while size < codes.size:
        rows = np.sort(order[:size])
        if 0 < codes[rows].sum() < size:
            yield rows
        size *= 10
    yield np.arange(codes.size)


def _in_words(kind: str, a: Any, b: Any, decided: int, n: int) -> str:
    if kind == "quasi":
        return (
            f"{decided:,} of {n:,} rows ({decided / n:.1%}) can be told apart without error, the others not: a plane "
            f"has no row of {a} or {b} on the wrong side, but {n - decided:,} rows lie on it, and weights of maximum "
            "likelihood are infinite."
        )
    return (
        f"No plane separates {a} from {b}: a weighted mean of the rows of {a} below equals one of rows of {b}, "
        "so no plane has all rows strictly on their sides."
    )


def _proof(certificate: Any, classes: Sequence[Any], numbers: NDArray[np.intp]) -> list[dict[str, Any]]:
    """Rows of the table (counted from 1) with their weights, the heaviest first."""
    found = [
        {"class": classes[int(k)], "row": int(numbers[r]) + 1, "weight": float(w)}
        for r, w, k in zip(certificate.rows, certificate.weights, certificate.classes, strict=True)
    ]
    return sorted(found, key=lambda entry: -float(entry["weight"]))[:_MOST_PROOF_ROWS]
