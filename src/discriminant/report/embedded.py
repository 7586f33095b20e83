"""The data the page's script draws from: numbers and labels of the sections, and nothing that it does not draw."""

from collections.abc import Mapping
from typing import Any

from discriminant.report.plain_values import figure, part, real
from discriminant.report.subject import Subject

_BARS = 20  # weights drawn of a plane


def page_data(subject: Subject, sections: Mapping[str, Any]) -> dict[str, Any]:
    """What goes into the page as JSON."""
    decision = sections["decision"]
    live = decision["two"] is not None or decision["many"] is not None
    return {
        "classes": subject.classes if live else [],
        "assigned": subject.assigned if live else [],
        "gain": subject.gain if live else [],
        "priors": subject.priors if live else [],
        "given": subject.gain_given,
        "unit": subject.worth.unit,
        "accuracy": subject.worth.accuracy,
        "two": decision["two"],
        "many": decision["many"],
        "confusion": decision["confusion"]["counts"] if decision["confusion"] else None,
        "expected": dict(zip(("value", "low", "high"), figure(part(subject.run, "expected")), strict=True)),
        "baseline": real(part(subject.run, "baseline").get("value")),
        "weights": [[_bar(row) for row in plane["rows"][:_BARS]] for plane in sections["weights"]["planes"]],
        "towards": {
            "sides": sections["weights"]["towards"],
            "planes": [plane["name"] for plane in sections["weights"]["planes"]],
        },
        "importance": [_bar(row) for row in sections["importance"]["rows"][:_BARS]],
        "shapes": [shape["points"] for shape in sections["shapes"]],
        "trees": _bar({"name": "Boosted trees", **sections["trees"]}) if sections["trees"] else None,
        "comparison": [
            {key: row[key] for key in ("name", "value", "low", "high", "best", "tied")}
            for row in sections["comparison"]["rows"]
        ],
        "calibration": sections["calibration"]["bins"],
    }


def _bar(row: Mapping[str, Any]) -> dict[str, Any]:
    return {key: row[key] for key in ("name", "value", "low", "high")}
