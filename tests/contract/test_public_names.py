"""The public names, pinned; documentation that runs; imports that stay light."""

import doctest
import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import pytest

import discriminant

ROOT = Path(__file__).parents[2]


def test_exported_names():
    assert discriminant.__all__ == [
        "ClassMoments",
        "Finding",
        "FindingWarning",
        "FisherDiscriminant",
        "Hyperplane",
        "LeastSquaresClassifier",
        "LinearDiscriminantAnalysis",
        "NaiveBayes",
        "least_squares",
        "rows",
    ]
    for name in discriminant.__all__:
        assert getattr(discriminant, name) is not None
        assert name in dir(discriminant)
    with pytest.raises(AttributeError, match="nothing_like_this"):
        discriminant.nothing_like_this  # noqa: B018


def test_version_is_that_of_the_package():
    declared = re.search(r'^version = "(.+)"', (ROOT / "pyproject.toml").read_text(), re.MULTILINE)
    assert declared is not None
    assert discriminant.__version__ == declared.group(1)


MODULES = ["discriminant"] + [m.name for m in pkgutil.walk_packages(discriminant.__path__, "discriminant.")]


@pytest.mark.parametrize("name", [m for m in MODULES if m != "discriminant.demo"])
def test_docstring_examples(name):
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert result.failed == 0


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_examples_on_pages(page, tmp_path, monkeypatch):
    """Every ```python block of a page runs, in order; lines with `# ->` say what the expression gives."""
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    assert blocks
    scope = {}
    for block in blocks:
        exec(compile(block, page, "exec"), scope)
        for line in block.splitlines():
            if "  # -> " in line:
                expression, expected = line.split("  # -> ")
                assert repr(eval(expression, scope)) == expected.strip(), line


def test_import_is_light():
    code = "import sys, discriminant; print([m for m in ('sklearn', 'numba', 'pyarrow', 'scipy') if m in sys.modules])"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"


def test_runs_where_no_cache_can_be_written(tmp_path):
    """A read-only install without a home compiles its kernels anew."""
    code = """
import numba.core.caching as caching
for locator in caching.CacheImpl._locator_classes:
    locator.from_function = classmethod(lambda cls, function, path: None)
from discriminant import LinearDiscriminantAnalysis
print(LinearDiscriminantAnalysis().fit([[0.0], [1.0], [3.0], [4.5]], [0, 0, 1, 1]).predict([[9.0]]))
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[1]"
