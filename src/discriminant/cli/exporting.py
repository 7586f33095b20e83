"""`discriminant export`: the decision in another language."""

from pathlib import Path

from discriminant.cli.models import load_model
from discriminant.cli.outcome import console, print_json, safe
from discriminant.table.errors import OptionError


def export_command(
    model_path: Path, to: str, out: Path | None, dialect: str | None, table: str, check: bool, json: bool
) -> None:
    """The whole command."""
    from discriminant.export import TARGETS, write_export

    if to not in TARGETS:
        raise OptionError(f"cannot export to {to!r}", hint=f"choose from {', '.join(TARGETS)}")
    folder = out if out is not None else (model_path if model_path.is_dir() else model_path.parent)
    if not folder.suffix:
        folder.mkdir(parents=True, exist_ok=True)
    written = write_export(load_model(model_path), to, folder, dialect=dialect, table=table, check=check)
    if json:
        print_json({"files": [str(path) for path in written.paths], "check": str(written.check)})
        return
    lines = console()
    for path in written.paths:
        lines.print(f"Written: {safe(path)}")
    lines.print(f"Check {safe(written.check)}")
