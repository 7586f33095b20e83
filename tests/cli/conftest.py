"""Commands run in this process."""

import sys

import pytest

from discriminant.cli.main import main


class Result:
    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def run(capfd, monkeypatch):
    """Run a command in this process."""

    def command(*arguments) -> Result:
        monkeypatch.setattr(sys, "argv", ["discriminant", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        out, err = capfd.readouterr()
        return Result(ended.value.code or 0, out, err)

    return command
