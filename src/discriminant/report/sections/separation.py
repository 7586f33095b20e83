"""Separable or not: a plane that makes no error, or rows and weights that prove that there is none.

Rows of two classes with weights λ and μ, each adding to one, prove that no plane divides the classes when
Σ λ_i x_i = Σ μ_j x_j: every plane has the shared point on one side, so it has a row of one of the classes on the
wrong side of it, or upon it.
"""

from typing import Any

from discriminant.report.numerals import count, decimals, number
from discriminant.report.subject import Subject
from discriminant.report.untrusted import part, parts, real, text

_HEADINGS = {
    "none": "No plane divides the classes",
    "complete": "A plane divides the classes without error",
    "quasi": "A plane decides some rows without error and leaves the others open",
    "unknown": "Whether a plane divides the classes is not known",
}
_MEANINGS = {
    "none": "Any linear rule on these columns makes some errors, so the question is which errors cost least.",
    "complete": "These very rows can be classified without error. That says nothing yet of new rows: with many columns "
    "and few rows a dividing plane exists even for random labels, so trust the expected figures above.",
    "quasi": "No row lies on the wrong side of the plane, but the rows that lie on it are not decided by it. Weights "
    "of a logistic regression without a penalty would grow without bound.",
    "unknown": "Nothing below depends on it.",
}


def separation(subject: Subject) -> dict[str, Any]:
    """The answer, its meaning and its proof."""
    facts = part(subject.run, "separation")
    kind = text(facts.get("kind"))
    kind = kind if kind in _HEADINGS else "unknown"
    proof = parts(facts.get("proof"))
    shown = proof[: subject.limits.table_rows]
    return {
        "kind": kind,
        "heading": _HEADINGS[kind],
        "meaning": _MEANINGS[kind],
        "text": subject.sentence(facts.get("text")),
        "margin": None if real(facts.get("margin")) is None else number(real(facts.get("margin"))),
        "proof": [
            {
                "class": subject.mention(entry.get("class")),
                "row": count(real(entry.get("row"))),
                "weight": decimals(real(entry.get("weight"))),
            }
            for entry in shown
        ],
        "left_out": len(proof) - len(shown),
    }
