"""Spelling of the handbook, of what stands beside it, and of docstrings; words that look like mistakes are listed."""

import re
from pathlib import Path

import pytest

from tests.docs.pages import DOCS, ROOT, sources

WORDS = Path(__file__).with_name("words.txt")
TEXTS = [
    *sources(),
    *(DOCS / "gallery").glob("*.*"),
    *(DOCS / "_code").glob("*.py"),
    *(ROOT / "src").rglob("*.py"),
    *ROOT.glob("*.md"),
]


def test_no_word_is_misspelt(capsys):
    codespell = pytest.importorskip("codespell_lib", reason="codespell is not installed; install the extra docs")
    found = codespell.main("--ignore-words", str(WORDS), "--disable-colors", *map(str, TEXTS))
    told = capsys.readouterr().out.replace(f"{ROOT}/", "")
    assert found == 0, told


def test_no_word_comes_twice_in_a_row():
    twice = re.compile(r"\b([a-z]+)\s+\1\b(?!-)")
    meant = {"that", "had", "x", "w", "n", "d", "s", "c", "a", "b", "t", "k"}
    found = [
        (str(path.relative_to(ROOT)), word)
        for path in sources()
        for word in twice.findall(re.sub(r"```.*?```|`[^`]*`|\$[^$]*\$", " · ", path.read_text(), flags=re.DOTALL))
        if word not in meant
    ]
    assert found == []
