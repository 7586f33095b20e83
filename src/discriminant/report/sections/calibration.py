"""Calibration: whether, of the rows given a probability, that share is of the class."""

from typing import Any

from discriminant.report.numerals import count, percent
from discriminant.report.subject import Subject
from discriminant.report.untrusted import parts, real


def calibration(subject: Subject) -> dict[str, Any]:
    """The bins, as numbers for the picture and as text for the table."""
    two = len(subject.classes) == 2
    bins = []
    for entry in parts(subject.run.get("calibration"))[: min(20, subject.limits.table_rows)]:
        mean, share, low, high = (real(entry.get(key)) for key in ("mean", "share", "low", "high"))
        if mean is not None and share is not None:
            bins.append({"mean": mean, "share": share, "low": low, "high": high, "rows": real(entry.get("rows"))})
    return {
        "bins": bins,
        "of": subject.classes[1] if two else "",
        "rows": [
            {
                "mean": percent(entry["mean"]),
                "share": percent(entry["share"]),
                "interval": f"{percent(entry['low'])} to {percent(entry['high'])}",
                "rows": count(entry["rows"]),
                "inside": None
                if entry["low"] is None or entry["high"] is None or entry["mean"] is None
                else entry["low"] <= entry["mean"] <= entry["high"],
            }
            for entry in bins
        ],
    }
