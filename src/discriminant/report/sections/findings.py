"""Findings: facts about the data and the fits, each with its evidence and its remedy; doubtful ones first."""

from typing import Any

from discriminant.report.subject import Subject
from discriminant.report.untrusted import parts


def findings(subject: Subject) -> list[dict[str, Any]]:
    """The findings as text."""
    shown = [
        {
            "kind": _spaced(subject.label(entry.get("kind"))),
            "fact": subject.sentence(entry.get("fact")),
            "evidence": subject.sentence(entry.get("evidence")),
            "remedy": subject.sentence(entry.get("remedy")),
            "about": subject.label(entry.get("about")),
            "doubtful": bool(entry.get("doubtful")),
        }
        for entry in parts(subject.run.get("findings"))[: subject.limits.table_rows]
    ]
    return sorted(shown, key=lambda entry: not entry["doubtful"])


def _spaced(name: str) -> str:
    """Write "Singular covariance" for "SingularCovariance"."""
    spaced = "".join(" " + letter.lower() if letter.isupper() else letter for letter in name).strip()
    return spaced[:1].upper() + spaced[1:]
