"""Whether a plane separates the classes, in plain data for a page.

A proof that a few rows overlap is a proof for all of them, so rows are tried in growing samples; only a plane has to
be found for all.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from discriminant.rows import from_arrays
from discriminant.separability.separation import separate_rows

Codes = NDArray[np.integer[Any]]

_FIRST_ROWS = 2000
_MOST_PAIRS = 15
_MOST_PROOF_ROWS = 200
_LARGEST_PROGRAM = 20_000_000  # cells; beyond, the question is left open rather than a person waiting


def separation_of(
    X: Any, codes: Codes, classes: Sequence[Any], row_numbers: NDArray[np.intp], seed: int
) -> dict[str, Any]:
    """{"kind", "text", "proof", "margin"}; of several classes, "complete" if every pair can be separated."""
    if len(classes) == 2:
        return _of_two(X, codes, classes, row_numbers, seed)
    pairs = [(a, b) for a in range(len(classes)) for b in range(a + 1, len(classes))]
    if len(pairs) > _MOST_PAIRS:
        return _told("unknown", f"{len(pairs)} pairs of classes were not tried.")
    kinds = {}
    for a, b in pairs:
        inside = np.flatnonzero((codes == a) | (codes == b))
        two = _of_two(
            X[inside], (codes[inside] == b).astype(np.int32), (classes[a], classes[b]), row_numbers[inside], seed
        )
        kinds[(classes[a], classes[b])] = two["kind"]
    overlapping = [f"{a} and {b}" for (a, b), kind in kinds.items() if kind in ("none", "quasi")]
    if not overlapping:
        return _told(
            "complete" if "unknown" not in kinds.values() else "unknown", "A plane separates each pair of classes."
        )
    apart = len(kinds) - len(overlapping)
    text = f"No plane separates {'; '.join(overlapping)}." + (
        f" The other {apart} pairs can be separated." if apart else ""
    )
    return _told("none", text)


def _told(kind: str, text: str, proof: Any = None, margin: float | None = None) -> dict[str, Any]:
    return {"kind": kind, "text": text, "proof": proof, "margin": margin}


def _of_two(X: Any, codes: Codes, classes: Sequence[Any], row_numbers: NDArray[np.intp], seed: int) -> dict[str, Any]:
    a, b = classes
    touching = None
    for rows in _growing(codes, seed):
        part = X[rows]
        if (part.nnz if sparse.issparse(part) else part.size) > _LARGEST_PROGRAM:
            break
        try:
            found = separate_rows(from_arrays(part, codes[rows]))
        except ArithmeticError:
            break
        if found.certificate is not None:
            proof = _proof(found.certificate, classes, row_numbers[rows])
            if found.kind == "none" or rows.size == codes.size:
                return _told(found.kind, _in_words(found.kind, a, b), proof)
            touching = proof  # some rows touch; all rows may touch or overlap
        elif rows.size == codes.size:
            text = f"A plane has every row of {a} on one side and every row of {b} on the other."
            return _told("complete", text)
    if touching is not None:
        return _told("none", _in_words("none", a, b), touching)
    return _told("unknown", f"Whether a plane separates {a} from {b} was not settled.")


def _growing(codes: Codes, seed: int) -> Iterator[NDArray[np.intp]]:
    order = np.random.default_rng(seed).permutation(codes.size)
    size = _FIRST_ROWS
    while size < codes.size:
        rows = np.sort(order[:size])
        if 0 < codes[rows].sum() < size:
            yield rows
        size *= 10
    yield np.arange(codes.size)


def _in_words(kind: str, a: Any, b: Any) -> str:
    if kind == "quasi":
        return (
            f"The classes touch: a plane has no row of {a} or {b} on the wrong side, but rows of both lie on it. "
            "Weights of maximum likelihood are infinite there."
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
