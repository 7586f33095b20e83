"""`discriminant export`: the decision in another language."""

import contextlib
from functools import partial
from pathlib import Path

from discriminant.cli.models import load_model
from discriminant.cli.outcome import console, print_json, safe
from discriminant.cli.outputs import model_inputs, output_folder, refuse_inputs
from discriminant.table.errors import OptionError


def export_command(
    model_path: Path, to: str, out: Path | None, dialect: str | None, table: str, check: bool, json: bool
) -> None:
    """Run `discriminant export`."""
    from discriminant.export import TARGETS, write_export

    if to not in TARGETS:
        raise OptionError(f"cannot export to {to!r}", hint=f"choose from {', '.join(TARGETS)}")
    folder = out if out is not None else (model_path if model_path.is_dir() else model_path.parent)
    model = load_model(model_path)
    refuse = partial(refuse_inputs, inputs=model_inputs(model_path))
    with contextlib.nullcontext() if folder.suffix else output_folder(folder):
        written = write_export(model, to, folder, dialect=dialect, table=table, check=check, before_writing=refuse)
    if json:
        print_json({"files": [str(path) for path in written.paths], "check": str(written.check)})
        return
    lines = console()
    for path in written.paths:
        lines.print(f"Written: {safe(path)}")
    told = str(written.check)
    lines.print(safe(f"Check {told}" if written.check.status != "not checked" else f"N{told[1:]}"))
