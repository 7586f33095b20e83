"""`discriminant report`: the page of a saved run, made again."""

from pathlib import Path

from discriminant.cli.outcome import print_json
from discriminant.cli.outputs import refuse_inputs


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
