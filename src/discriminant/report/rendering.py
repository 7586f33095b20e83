"""From a run to one HTML file: nothing but the run goes in, and the file needs nothing but itself.

The frame is filled by jinja2 with every text escaped; style and script stand in files beside it and are put into the
page; the numbers the script draws are embedded as JSON. The largest page that stays under the limit is taken.

The page may load and run nothing but its own style and its own script, named by their hashes. Text that slipped through
every escape would still not run: the browser refuses scripts, styles, frames, forms and connections that the policy
does not name.
"""

import base64
import hashlib
import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from discriminant.report.limits import LARGEST_PAGE, narrowing
from discriminant.report.plain_values import figure, part, real, text
from discriminant.report.sections.columns import importance, shapes, weights
from discriminant.report.sections.comparison import comparison
from discriminant.report.sections.data import data, findings, reproduce, rows, separation
from discriminant.report.sections.decision import calibration, decision
from discriminant.report.sections.verdict import held_out, trees, verdict
from discriminant.report.subject import Subject, subject_of

_ESCAPES = {ord(mark): f"\\u{ord(mark):04x}" for mark in "<>&\u2028\u2029"}
_BARS = 20  # weights drawn of a plane

FORMAT, NEWEST_VERSION = "discriminant run", 1

_SECTIONS = (
    verdict, trees, held_out, data, separation, decision, importance, weights, shapes, rows, comparison, calibration,
    findings, reproduce,
)  # fmt: skip
_STYLES = ("theme.css", "layout.css", "tables.css", "controls.css", "pictures.css", "print.css")
_SCRIPTS = (
    "elements.js", "scrolling.js", "numerals.js", "arithmetic.js", "axes.js", "assumptions.js", "confusion.js",
    "projection.js", "operating.js", "two.js", "scatter.js", "many.js", "bars.js", "shapes.js", "reliability.js",
    "controls.js", "start.js",
)  # fmt: skip


def render(run: Mapping[str, Any]) -> str:
    """Write a run as one self-contained HTML page of less than a megabyte."""
    _check(run)
    page = ""
    for limits in narrowing():
        page = _page(subject_of(run, limits))
        if len(page.encode()) < LARGEST_PAGE:
            break
    return page


def _check(run: Mapping[str, Any]) -> None:
    if not isinstance(run, Mapping) or run.get("format") != FORMAT:
        raise ValueError(f'this is no run: "format" is not "{FORMAT}"; give the run.json that `discriminant fit` wrote')
    version = run.get("version")
    if not isinstance(version, int) or version > NEWEST_VERSION:
        raise ValueError(
            f"this run has version {text(version, 40)} and this program knows versions up to {NEWEST_VERSION}; "
            "use a newer discriminant"
        )


def _page(subject: Subject) -> str:
    sections = {section.__name__: section(subject) for section in _SECTIONS}
    style, script = _style(), _script()
    return (
        _environment()
        .get_template("page.html")
        .render(
            title=subject.label(subject.run.get("title")) or "A run of discriminant",
            made=text(subject.run.get("made"), 40),
            policy=Markup(content_security_policy(style, script)),
            style=Markup(style),
            script=Markup(script),
            numbers=Markup(json_for_html(page_data(subject, sections))),
            **sections,
        )
    )


@cache
def _environment() -> Environment:
    loader = PackageLoader("discriminant.report", "templates")
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


def _join_files(names: tuple[str, ...]) -> str:
    folder = files("discriminant.report") / "page"
    return "\n".join((folder / name).read_text(encoding="utf-8") for name in names)


@cache
def _style() -> str:
    return _join_files(_STYLES)


@cache
def _script() -> str:
    """The script as one closed function, so that its names stay its own."""
    return f'(() => {{\n"use strict";\n{_join_files(_SCRIPTS)}}})();\n'


# --- what the script draws from: nothing that it does not draw ------------------------------------------


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


# --- what the page may load and run ---------------------------------------------------------------------


def source_hash(source: str) -> str:
    """Name a source in a Content-Security-Policy by its SHA-256."""
    return "'sha256-" + base64.b64encode(hashlib.sha256(source.encode()).digest()).decode() + "'"


def content_security_policy(style: str, script: str) -> str:
    """Allow this style, this script and pictures within the page: nothing else."""
    return (
        f"default-src 'none'; img-src data:; style-src {source_hash(style)}; script-src {source_hash(script)}; "
        "base-uri 'none'; form-action 'none'"
    )


def json_for_html(value: Any) -> str:
    """JSON that no HTML parser can take for markup, whatever text is in it."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).translate(_ESCAPES)
