"""From a run to one HTML file: nothing but the run goes in, and the file needs nothing but itself.

The frame is filled by jinja2 with every text escaped; style and script stand in files beside it and are put into the
page; the numbers the script draws are embedded as JSON. The largest page that stays under the limit is taken.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from discriminant.report.embedded import page_data
from discriminant.report.limits import LARGEST_PAGE, narrowing
from discriminant.report.plain_values import text
from discriminant.report.policy import content_security_policy, json_for_html
from discriminant.report.sections.columns import importance, shapes, weights
from discriminant.report.sections.comparison import comparison
from discriminant.report.sections.data import data, findings, reproduce, rows, separation
from discriminant.report.sections.decision import calibration, decision
from discriminant.report.sections.verdict import held_out, trees, verdict
from discriminant.report.subject import Subject, subject_of

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
