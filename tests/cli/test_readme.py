"""The console blocks of the README: every command of them prints what stands there."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest

README = Path(__file__).parents[2] / "README.md"
LEFT_OUT = "…"  # a line of its own: any number of lines; at the end of a line: the rest of it


def console_blocks():
    """[(command, the lines it prints), …] of every block."""
    for block in re.findall(r"```console\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL):
        commands = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
        yield [(first, lines) for first, *lines in (command.splitlines() for command in commands)]


def printed(command, run):
    """What a command prints: standard output, then standard error."""
    if not command.startswith("discriminant "):
        return subprocess.run(command, shell=True, check=True, capture_output=True, text=True).stdout
    result = run(*shlex.split(command)[1:])
    assert result.code == 0, result.err
    return result.out + result.err


def pattern(lines):
    """An expression for what stands there; measured seconds and rounding errors may be other numbers."""
    parts = []
    for line in lines:
        if line == LEFT_OUT:
            parts.append(r"(?:.*\n)*?")
            continue
        text = re.escape(line.removesuffix(LEFT_OUT))
        text = re.sub(r"(%(?:\\ )+[0-9]\\.[0-9]{3})(?:\\ )+[0-9.\\]+$", r"\1 +[0-9.]+", text)  # AUC, then seconds
        text = re.sub(r"[0-9]\\.[0-9]e\\-1[0-9]", r"[0-9.e-]+", text)
        text = re.sub(r"([0-9]\\.[0-9]{7})[0-9]{5,}", r"\1[0-9]+", text)  # other processors round otherwise
        parts.append(text + (r".*" if line.endswith(LEFT_OUT) else "") + r" *\n")
    return "".join(parts)


def test_console_blocks_are_what_the_commands_print(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = list(console_blocks())
    assert len(blocks) >= 4
    for command, lines in (shown for block in blocks for shown in block):
        told = printed(command, run)
        assert re.fullmatch(pattern(lines), told), f"$ {command}\n{told}"


@pytest.mark.parametrize(
    ("shown", "told", "same"),
    [
        (["*  LDA  94.2%  0.989     0.01"], "*  LDA  94.2%  0.989     0.35  \n", True),
        (["*  LDA  94.2%  0.989     0.01"], "*  LDA  94.2%  0.988     0.01  \n", False),
        (["a", "…", "d"], "a\nb\nc\nd\n", True),
        (["a", "…", "d"], "a\nb\nc\n", False),
        (["off by 5.1e-15", "new: …"], "off by 7e-16\nnew: rows\n", True),
        (["1,23.842617682332776"], "1,23.842617682331\n", True),
        (["1,23.842617682332776"], "1,23.842711\n", False),
    ],
)
def test_patterns_of_lines(shown, told, same):
    assert bool(re.fullmatch(pattern(shown), told)) == same
