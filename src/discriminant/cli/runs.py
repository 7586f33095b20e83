"""`discriminant compare` and `discriminant report`: saved runs side by side, and the page of one made again."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from discriminant.cli.outcome import amount, console, print_json, safe, shorten
from discriminant.cli.outputs import refuse_inputs
from discriminant.table.errors import OptionError

_MOST_COLUMNS = 6
_RUN_NAME = 20  # characters of a run's path that are always seen


def compare_command(paths: Sequence[Path], json: bool) -> None:
    """The whole command."""
    from discriminant.study.run_comparison import compared_runs
    from discriminant.study.run_file import load_run

    if len(paths) < 2:
        raise OptionError("compare takes two runs or more", hint="name their folders, or their run.json files")
    runs = [load_run(path / "run.json" if path.is_dir() else path) for path in paths]
    found = compared_runs([str(path) for path in paths], runs)
    if json:
        print_json(found)
    else:
        _print(found)


def _print(found: dict[str, Any]) -> None:
    from rich.table import Table

    out = console()
    table = Table(box=None, padding=(0, 1, 0, 0), header_style="dim")
    tested = any(row["test"] for row in found["runs"])
    earned = any(row["criterion"] == "gain" for row in found["runs"])  # else accuracy is the figure itself
    brief = brief_names([row["run"] for row in found["runs"]])
    table.add_column("run", no_wrap=True, min_width=min(_RUN_NAME, max(map(len, brief.values()))))
    heads = ["learner", "", "95% interval", *(["accuracy"] if earned else []), "AUC", "rows", "columns", "threshold"]
    for head in [*heads, *(["kept apart"] if tested else [])]:
        table.add_column(head, justify="left" if head == "learner" else "right", no_wrap=True)
    for row in found["runs"]:
        kind, own = row["criterion"], row["expected"]
        figure = f"{kind} {amount(own['value'], kind)}{' ' + safe(row['unit']) if row['unit'] else ''}"
        cells = [
            safe(brief[row["run"]]),
            row["learner"],
            figure,
            f"{amount(own['low'], kind)} to {amount(own['high'], kind)}",
        ]
        if earned:
            cells.append("" if row["accuracy"] is None else f"{row['accuracy']['value']:.1%}")
        cells.append("" if row["auc"] is None else f"{row['auc']['value']:.3f}")
        cells += [f"{row['rows']:,}", f"{row['columns']:,}"]
        cells.append("" if row["threshold"] is None else f"P > {row['threshold']:.3g}")
        if tested:
            cells.append("" if row["test"] is None else amount(row["test"]["value"], kind))
        table.add_row(*cells)
    out.print(table)
    for changes, doubts in zip(found["changes"], found["comparable"], strict=True):
        named = changes | {key: brief[changes[key]] for key in ("run", "since")}
        for line in _change_lines(named, doubts):
            out.print(safe(line))


def brief_names(names: Sequence[str]) -> dict[str, str]:
    """Paths of runs without the folders that all of them share, so that a narrow column shows where they differ."""
    parts = [Path(name).parts or (name,) for name in names]
    shared = 0
    while all(len(part) > shared + 1 and part[shared] == parts[0][shared] for part in parts):
        shared += 1
    return {name: str(Path(*part[shared:])) for name, part in zip(names, parts, strict=True)}


def _change_lines(changes: dict[str, Any], doubts: Sequence[str]) -> list[str]:
    both = f"{changes['run']} and {changes['since']}"
    lines = [f"{both} are not to be set against each other: {'; '.join(doubts)}."] if doubts else []
    for key, does in (("columns_added", "also uses"), ("columns_gone", "no longer uses")):
        if names := changes[key]:
            more = f" and {len(names) - _MOST_COLUMNS} more" if len(names) > _MOST_COLUMNS else ""
            lines.append(f"{changes['run']} {does} {', '.join(names[:_MOST_COLUMNS])}{more}.")
    lines += [
        f"{changes['run']}: {change['column']} is now {change['after']}, before {change['before']}."
        for change in changes["columns_changed"][:_MOST_COLUMNS]
    ]
    for change in changes["weights"]:
        turned = " and points the other way" if change["turned"] else ""
        lines.append(
            f"{changes['run']}: the weight of {shorten(change['feature'], 40)} went from {change['before']:+.0%} to "
            f"{change['after']:+.0%} of the largest{turned}."
        )
    return lines or [f"{changes['run']}: the same columns, and no weight that moved by much."]


def report_command(run_path: Path, out: Path | None, json: bool) -> None:
    """The whole command."""
    from discriminant.report import render
    from discriminant.study.run_file import load_run
    from discriminant.table.saving import atomic_write_text

    path = run_path / "run.json" if run_path.is_dir() else run_path
    target = out if out is not None else path.with_name("report.html")
    refuse_inputs([target], [path])
    atomic_write_text(target, render(load_run(path)))
    if json:
        print_json({"report": str(target)})
    else:
        print(f"Written: {target}")  # noqa: T201
