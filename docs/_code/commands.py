"""The command on pages: what a reader's terminal shows."""

from unittest.mock import patch

LOOK = {"COLUMNS": "98", "NO_COLOR": "1", "TERM": "dumb"}


def discriminant(*arguments):
    """What `discriminant ARGUMENTS` prints; it must succeed."""
    # In a notebook Rich would draw into the page by itself, 115 columns wide.
    with patch("rich.console._is_jupyter", return_value=False):
        from typer.testing import CliRunner

        from discriminant.cli.main import app

        ran = CliRunner().invoke(app, list(map(str, arguments)), env=LOOK, prog_name="discriminant")
    assert ran.exit_code == 0, ran.output
    return ran.output
