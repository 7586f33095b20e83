"""Results on a terminal, at most a screen, and JSON for programs; text of a table is escaped before rich sees it."""

import json
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_MOST_ROWS = 6
_MOST_FINDINGS = 4
_MOST_FORMS = 3
_MOST_NAMES = 5  # columns named in a line
_LABEL = 40  # characters of a class
_FEATURE = 60  # characters of a column and the piece or level of it


def print_json(value: Any) -> None:
    """One document on standard output; numbers that JSON has not are null."""
    sys.stdout.write(json.dumps(_plain(value), ensure_ascii=False, indent=1, allow_nan=False) + "\n")


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def console() -> Any:
    """Standard output; as wide as it is, or 100 columns where it is a file."""
    from rich.console import Console

    plain = Console(highlight=False, soft_wrap=False)
    return plain if plain.is_terminal else Console(highlight=False, width=100)


def safe(text: Any) -> str:
    """Text of a table: no markup, no control characters."""
    from rich.markup import escape

    return escape("".join(c if c.isprintable() else "�" for c in str(text)))


def shorten(text: str, most: int) -> str:
    """Cut a text to so many characters."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def print_summary(run: dict[str, Any], folder: Path) -> None:
    """Print what `fit` found."""
    from discriminant.learners.registry import KINDS

    out = console()
    out.print(f"[bold]{safe(run['verdict'])}[/bold]")
    out.print(_data_line(run))
    for line in _column_lines(run):
        out.print(line)
    out.print(shorten(safe(run["separation"]["text"].split(": ")[0].rstrip(".")), 200) + ".")
    for sentence in (run["separation"].get("capacity"), KINDS.get(run["learner"].get("kind", ""))):
        if sentence:
            out.print(safe(sentence) + ".", style="dim")
    out.print(_comparison_table(run))
    out.print(_comparison_key(run), style="dim italic")
    for line in (_trees_line(run), _test_line(run), _operating_line(run), _importance_line(run), _weights_line(run)):
        if line:
            out.print(line)
    for line in _finding_lines(run):
        out.print(line)
    out.print(f"Written: {safe(folder / 'model.json')}, {safe(folder / 'report.html')}")


def _finding_lines(run: dict[str, Any]) -> list[str]:
    """The findings of the table and the chosen learner, doubtful ones first; the report has those of the others."""
    own = [finding for finding in run["findings"] if finding["about"] in ("data", run["best"])]
    lines = []
    for finding in sorted(own, key=lambda f: not f["doubtful"])[:_MOST_FINDINGS]:
        head = "Doubt" if finding["doubtful"] else "Finding"
        about = "" if finding["about"] == "data" else f" ({safe(finding['about'])})"
        fact, remedy = (safe(shorten(finding[part].rstrip("."), 200)) for part in ("fact", "remedy"))
        lines.append(f"[bold]{head}[/bold]{about}: {fact}{'' if fact.endswith('…') else '.'} {remedy}.")
    if more := len(run["findings"]) - len(lines):
        lines.append(f"{more} more finding{'s are' if more > 1 else ' is'} in the report.")
    return lines


def _data_line(run: dict[str, Any]) -> str:
    data = run["data"]
    classes = ", ".join(f"{safe(shorten(str(c['label']), _LABEL))} ({c['share']:.1%})" for c in data["classes"][:6])
    more = f" and {len(data['classes']) - 6} more" if len(data["classes"]) > 6 else ""
    notes = "".join(f" {safe(_sentence(note))}" for note in data["notes"][:4])
    return f"{data['used_rows']:,} rows; {safe(data['target'])}: {classes}{more}.{notes}"


def _sentence(note: str) -> str:
    """Write a note with a capital, unless it begins with the name of a file, and a full stop."""
    named = "." in note.split(" ", 1)[0]
    return (note if named else note[:1].upper() + note[1:]).rstrip(".") + "."


def _column_lines(run: dict[str, Any]) -> list[str]:
    columns = run["columns"]
    if not columns:
        return [f"{run['columns_left_out']:,} sparse columns, taken as they are."]
    plural = {"number": "numbers", "category": "categories", "flag": "flags", "date": "dates"}
    kinds = run["kinds"].items()
    used = ", ".join(f"{count:,} {plural[kind] if count > 1 else kind}" for kind, count in kinds if kind in plural)
    lines = [f"Columns: {used}."]
    if formed := [column for column in columns if column.get("form")]:
        entering = [f"{safe(shorten(c['name'], 30))} {safe(shorten(c['form'], 140))}" for c in formed[:_MOST_FORMS]]
        more = len(formed) - len(entering)
        lines.append(
            f"Entering otherwise than straight: {'. '.join(entering)}" + (f". And {more} more." if more else ".")
        )
    if dropped := [column for column in columns if column["kind"] == "dropped"]:
        told = [
            f"{safe(shorten(c['name'], 30))} ({safe(shorten(c['done'].removeprefix('dropped: '), 60))})"
            for c in dropped[:4]
        ]
        more = run["kinds"]["dropped"] - len(told)
        lines.append(f"Dropped: {', '.join(told)}" + (f" and {more:,} more." if more else "."))
    return lines


def _comparison_table(run: dict[str, Any]) -> Any:
    from rich.table import Table

    criterion = run["criterion"]
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    head = f"{criterion}{' ' + safe(run['unit']) if run['unit'] else ''}"
    for name in ("", "learner", head, "95% interval", "accuracy" if criterion == "gain" else "", "AUC", "seconds"):
        table.add_column(name, justify="left" if name in ("", "learner") else "right", no_wrap=True)
    done = [entry for entry in run["comparison"] if entry["failure"] is None]
    for place, entry in enumerate(done[:_MOST_ROWS]):
        figures = entry["figures"]
        own = figures[criterion]
        mark = "*" if place == 0 else "–" if entry["not_offered"] else "~" if entry["tied"] else ""
        accuracy = f"{figures['accuracy']['value']:.1%}" if criterion == "gain" else ""
        auc = f"{figures['auc']['value']:.3f}" if "auc" in figures else ""
        span = f"{amount(own['low'], criterion)} to {amount(own['high'], criterion)}"
        table.add_row(
            mark, entry["text"], amount(own["value"], criterion), span, accuracy, auc, f"{entry['seconds']:.2f}"
        )
    return table


def _comparison_key(run: dict[str, Any]) -> str:
    """What the marks mean, and how many learners are not shown: see `study.claims.chosen_learner`."""
    done = [entry for entry in run["comparison"] if entry["failure"] is None]
    rest = len(run["comparison"]) - min(len(done), _MOST_ROWS)
    more_of = "earn more" if run["criterion"] == "gain" else "get right more"
    why = f": what others {more_of} may be chance" if _earns_less_than_others(done, run["criterion"]) else ""
    more = f"   {rest} more in the report" if rest else ""
    set_aside = any(entry["not_offered"] for entry in done[:_MOST_ROWS])
    apart = "   – not offered: see the report" if set_aside else ""
    return f"* chosen{why}   ~ as good, as far as rows can tell{apart}{more}"


def _earns_less_than_others(done: Sequence[dict[str, Any]], criterion: str) -> bool:
    """Whether a learner that is offered has a larger figure than the chosen one, the first."""
    values: list[float] = [entry["figures"][criterion]["value"] for entry in done if not entry["not_offered"]]
    return max(values) > values[0]


def amount(value: float, criterion: str) -> str:
    """An accuracy in per cent, an AUC with three decimals, or an amount."""
    from discriminant.study.verdict import amount as as_amount

    if criterion == "auc":
        return f"{value:.3f}"
    return f"{value:.1%}" if criterion == "accuracy" else as_amount(value)


def _trees_line(run: dict[str, Any]) -> str:
    """What boosted trees would earn, where they were tried."""
    trees = run.get("trees")
    return safe(trees["sentence"]) if trees else ""


def _test_line(run: dict[str, Any]) -> str:
    """What the rows kept apart gave."""
    test = run.get("test")
    if not test:
        return ""
    names = {"gain": f"gain a row{' in ' + run['unit'] if run['unit'] else ''}", "accuracy": "accuracy", "auc": "AUC"}
    told = [
        f"{name} {amount(figure['value'], key)} ({amount(figure['low'], key)} to {amount(figure['high'], key)})"
        for key, name in names.items()
        if (figure := test["figures"].get(key))
    ]
    return safe(f"On the {test['rows']:,} rows of {test['file']}, kept apart: {', '.join(told)}.")


def _operating_line(run: dict[str, Any]) -> str:
    if run["two"] is None:
        return ""
    of_negative, of_positive = run["confusion"]["counts"]
    missed, alarms = of_positive[0] / sum(of_positive), of_negative[1] / sum(of_negative)
    negative, positive = _class_names(run)
    rejected = (of_negative[2:] or [0])[0] + (of_positive[2:] or [0])[0]
    left = rejected / (sum(of_negative) + sum(of_positive))
    open_ = f"; {left:.1%} of rows are answered {safe(run['confusion']['assigned'][2])}" if rejected else ""
    return (
        f"In cross-validation, {missed:.1%} of {positive} are missed (answered {negative}) and {alarms:.1%} "
        f"of {negative} are false alarms (answered {positive}){open_}."
    )


def _class_names(run: dict[str, Any]) -> list[str]:
    """Labels as they go into a sentence: a bare number is named a class."""
    labels = [safe(shorten(str(c["label"]), _LABEL)) for c in run["data"]["classes"]]
    quoted = [f"'{label}'" if " " in label else label for label in labels]
    return [label if any(map(str.isalpha, label)) else f"class {label}" for label in quoted]


def _importance_line(run: dict[str, Any]) -> str:
    """Columns that would be missed most, beyond what chance does, where that was measured."""
    found = run.get("importance") or {"columns": []}
    useful = [entry for entry in found["columns"] if entry["low"] > 0][:_MOST_NAMES]
    if found["columns"] and not useful:
        return "No column alone would be missed, as far as these rows can tell: others stand in for it."
    accuracy = run["criterion"] == "accuracy"
    unit = " points" if accuracy else f" {safe(run['unit'])}" if run["unit"] else ""
    told = ", ".join(
        f"{safe(shorten(entry['column'], 30))} "
        + (f"{100 * entry['cost']:.2g}" if accuracy else amount(entry["cost"], "gain"))
        + unit
        for entry in useful
    )
    of = "in accuracy" if accuracy else "a row"
    return f"Most useful columns (what leaving one out costs {of}): {told}." if told else ""


def _weights_line(run: dict[str, Any]) -> str:
    """The largest weights with the class that each speaks for."""
    largest = []
    for feature in run["weights"]["features"][:_MOST_NAMES]:
        weights = feature["standardised"]
        plane = max(range(len(weights)), key=lambda k: abs(weights[k]))
        if weights[plane]:
            largest.append((safe(shorten(feature["name"], _FEATURE)), (plane, weights[plane])))
    step = "a standard deviation more" if run["columns"] else "one unit more"
    classes = _class_names(run)
    if len(classes) == 2:
        sides = [
            (classes[side], ", ".join(f"{name} {w:+.2g}" for name, (_, w) in largest if (w > 0) == bool(side)))
            for side in (1, 0)
        ]
        told = "; ".join(f"towards {label} {names}" for label, names in sides if names)
    else:
        told = ", ".join(
            f"{name} {w:+.2g} ({'towards' if w > 0 else 'away from'} {classes[k]})" for name, (k, w) in largest
        )
    return f"Largest weights, for {step}: {told}." if told else ""
