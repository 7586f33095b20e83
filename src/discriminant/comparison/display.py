"""A comparison as a frame, as text in a terminal, and as a table on a page."""

import html
import importlib.util
from typing import TYPE_CHECKING, Any

import narwhals.stable.v2 as nw
import numpy as np

from discriminant.findings import Finding

if TYPE_CHECKING:
    from discriminant.comparison.comparison import Comparison, Figure

TITLES: "dict[Figure, str]" = {"gain": "gain", "accuracy": "accuracy", "log_loss": "log loss", "auc": "AUC"}


def columns_of(comparison: "Comparison") -> dict[str, list[Any]]:
    """Every figure with its bounds, its difference to the best and that one's p-value; NaN where there is none."""
    names = comparison.ranked()
    kinds, failures, seconds = comparison.kinds, comparison.failures, comparison.seconds
    apart = {} if not _any_done(comparison) else comparison.distinguishable
    columns: dict[str, list[Any]] = {
        "learner": names,
        "kind": [kinds[name] for name in names],
        "best": [name not in failures and name == comparison.best for name in names],
        "distinguishable": [apart.get(name, True) for name in names],
    }
    for figure in _figures(comparison):
        found = getattr(comparison, figure)
        differences = comparison.differences(figure) if found else {}
        for suffix, source, part in (
            ("", found, "value"),
            ("_low", found, "low"),
            ("_high", found, "high"),
            ("_difference", differences, "value"),
            ("_difference_low", differences, "low"),
            ("_difference_high", differences, "high"),
            ("_p_value", differences, "p_value"),
        ):
            columns[figure + suffix] = [float(getattr(source.get(name), part, np.nan)) for name in names]
    columns["fit_seconds"] = [seconds[name] for name in names]
    columns["findings"] = [" ".join(map(str, comparison.findings[name])) for name in names]
    columns["failure"] = [failures.get(name, "") for name in names]
    return columns


def as_frame(columns: dict[str, list[Any]], X: Any) -> Any:
    """A frame of the kind X is; of pandas, if that is installed; else the mapping as it is."""
    if not isinstance(X, np.ndarray | list | tuple):
        frame = nw.from_native(X, eager_only=True, pass_through=True)
        if isinstance(frame, nw.DataFrame):
            return nw.from_dict(columns, backend=frame.implementation).to_native()
    if importlib.util.find_spec("pandas") is None:
        return columns
    return nw.from_dict(columns, backend="pandas").to_native()


def _any_done(comparison: "Comparison") -> bool:
    return len(comparison.failures) < len(comparison.learners)


def _figures(comparison: "Comparison") -> "list[Figure]":
    return [figure for figure in TITLES if figure != "gain" or comparison.gains is not None]


# --- cells ----------------------------------------------------------------------------------------------


def _headings(comparison: "Comparison") -> list[str]:
    unit = comparison.gains.unit if comparison.gains is not None else ""
    titles = [TITLES[figure] for figure in _figures(comparison)]
    if unit:
        titles[0] += f" ({unit})"
    return ["", "learner", "kind", *titles, "p", "seconds"]


def _cells(comparison: "Comparison", name: str) -> list[str]:
    best = name == comparison.best
    mark = "*" if best else "" if comparison.distinguishable[name] else "~"
    figures = [getattr(comparison, figure).get(name) for figure in _figures(comparison)]
    p = "" if best else _p_text(comparison.differences()[name].p_value)
    told = ["" if e is None else _estimate_text(e) for e in figures]
    return [mark, name, comparison.kinds[name], *told, p, f"{comparison.seconds[name]:.2g}"]


def _estimate_text(estimate: Any) -> str:
    """Write an estimate with as many digits as its interval makes sense of."""
    width = estimate.high - estimate.low
    if not np.isfinite(width):
        return f"{estimate.value:.4g}"
    digits = 4 if width == 0 else int(np.clip(1 - np.floor(np.log10(width)), 0, 7))
    return f"{estimate.value:.{digits}f} [{estimate.low:.{digits}f}, {estimate.high:.{digits}f}]"


def _p_text(value: float) -> str:
    return "<0.0001" if value < 1e-4 else f"{value:.2g}"


def _legend(comparison: "Comparison") -> list[str]:
    criterion = TITLES[comparison.criterion]
    test = "McNemar's exact test" if comparison.criterion == "accuracy" else "a paired t-test over rows"
    return [
        f"* best in {criterion}; ~ not distinguishable from it (5% for all learners together); [95% intervals]",
        f"p: the difference in {criterion} to the best, by {test}",
    ]


def _remarks(comparison: "Comparison") -> list[tuple[str, Finding]]:
    """(learner, what is doubtful about its fits)."""
    return [
        (name, finding)
        for name in comparison.ranked()
        if name not in comparison.failures
        for finding in comparison.findings[name]
        if finding.doubtful
    ]


def _scope(comparison: "Comparison") -> str:
    n_folds = int(comparison.fold_of_row.max()) + 1
    classes = comparison.classes.size
    return f"{len(comparison.learners)} learners, {comparison.n_rows} rows, {classes} classes, {n_folds} folds"


# --- text -----------------------------------------------------------------------------------------------


def as_text(comparison: "Comparison", width: int = 110) -> str:
    """Write the table for a terminal."""
    lines = [_scope(comparison)]
    if _any_done(comparison):
        done = [name for name in comparison.ranked() if name not in comparison.failures]
        lines += _align_cells([_headings(comparison), *(_cells(comparison, name) for name in done)])
        lines += _legend(comparison)
    lines += [_shortened(f"{name} failed: {why}", width) for name, why in comparison.failures.items()]
    lines += [_shortened(f"{name}: {finding.fact}", width) for name, finding in _remarks(comparison)]
    return "\n".join(lines)


def _align_cells(cells: list[list[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    right = len(widths) - 2  # the last two are numbers
    return [
        "  ".join(
            cell.rjust(w) if j >= right else cell.ljust(w) for j, (cell, w) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in cells
    ]


def _shortened(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 1].rstrip() + "…"


# --- page -----------------------------------------------------------------------------------------------

_CELL = "padding:2px 10px;text-align:left;white-space:nowrap;font-variant-numeric:tabular-nums"
_NOTE = "margin:4px 10px;font-size:90%;opacity:.8;max-width:60em;white-space:pre-line"


def as_html(comparison: "Comparison") -> str:
    """Write the table for a notebook: colours are the page's own, so that it is readable on light and dark."""
    parts = [f'<div style="overflow-x:auto"><p style="{_NOTE}">{html.escape(_scope(comparison))}</p>']
    if _any_done(comparison):
        done = [name for name in comparison.ranked() if name not in comparison.failures]
        heads = "".join(f'<th style="{_CELL}">{html.escape(h)}</th>' for h in _headings(comparison))
        rows = "".join(_html_row(comparison, name) for name in done)
        parts.append(f'<table style="border-collapse:collapse"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody>')
        parts.append("</table>")
        parts += [f'<p style="{_NOTE}">{html.escape(line)}</p>' for line in _legend(comparison)]
    notes = [(f"{name} failed", why) for name, why in comparison.failures.items()]
    notes += [(name, str(finding)) for name, finding in _remarks(comparison)]
    parts += [f'<p style="{_NOTE}"><b>{html.escape(name)}</b>: {html.escape(what)}</p>' for name, what in notes]
    return "".join([*parts, "</div>"])


def _html_row(comparison: "Comparison", name: str) -> str:
    best = name == comparison.best
    fades = not best and comparison.distinguishable[name]
    style = "font-weight:bold" if best else "opacity:.65" if fades else ""
    cells = "".join(f'<td style="{_CELL}">{html.escape(cell)}</td>' for cell in _cells(comparison, name))
    return f'<tr style="border-top:1px solid rgba(128,128,128,.4);{style}">{cells}</tr>'
