"""The public names, pinned; documentation that runs; imports that stay light."""

import doctest
import importlib
import os
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
        "Adaline",
        "ClassMoments",
        "Comparison",
        "DecisionModel",
        "DelayNetwork",
        "Finding",
        "FindingWarning",
        "FisherDiscriminant",
        "Gain",
        "GainClassifier",
        "GaussianBasis",
        "Hyperplane",
        "LeastSquaresClassifier",
        "LinearDiscriminantAnalysis",
        "LinearSVM",
        "LogisticRegression",
        "Loss",
        "NaiveBayes",
        "NotSeparableError",
        "OneVsAll",
        "OneVsOne",
        "OperatingCurve",
        "Perceptron",
        "PocketPerceptron",
        "ScoreCounts",
        "Separation",
        "SparseLogisticRegression",
        "ThresholdNetwork",
        "ThresholdUnit",
        "alpha_path",
        "best_threshold",
        "capacity",
        "choose_alpha",
        "compare",
        "cover_probability",
        "expected_gain",
        "fisher_criterion",
        "gradient_descent",
        "least_squares",
        "load",
        "load_moments",
        "losses",
        "operating_curve",
        "plots",
        "projected_moments",
        "regression_descent",
        "ripley_probability",
        "robbins_monro",
        "rows",
        "save",
        "save_moments",
        "schedules",
        "selection_stability",
        "separate",
        "variance_inflation",
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


@pytest.mark.parametrize("name", [m for m in MODULES if m != "discriminant.__main__"])
def test_docstring_examples(name):
    result = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert result.failed == 0


@pytest.mark.parametrize(
    "page", ["README.md", "CONTRIBUTING.md", "docs/nightly-sums.md", "docs/folds.md", "docs/large-data.md"]
)
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


def test_arrays_are_learnt_from_without_what_tables_and_the_command_need():
    code = """
import sys
class Absent:
    def find_spec(self, name, *rest):
        if name.partition(".")[0] in ("pyarrow", "typer", "rich", "jinja2"):
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Absent())
import discriminant as d
X, y = [[0.0], [1.0], [3.0], [4.5]], [0, 0, 1, 1]
learners = d.LinearDiscriminantAnalysis(), d.LogisticRegression(C=1.0), d.LinearSVM(), d.Perceptron(), d.NaiveBayes()
for learner in (*learners, d.OneVsAll(d.LinearSVM()), d.OneVsOne(d.LinearSVM()), d.GainClassifier(d.LinearSVM(), cv=2)):
    print(learner.fit(X, y).predict([[9.0]]))
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["[1]"] * 8


def test_runs_where_no_cache_can_be_written(tmp_path):
    """A read-only install without a home compiles its kernels anew."""
    code = """
import numba.core.caching as caching
for locator in caching.CacheImpl._locator_classes:
    locator.from_function = classmethod(lambda cls, function, path: None)
from discriminant import Adaline, LinearDiscriminantAnalysis, PocketPerceptron
for learner in (LinearDiscriminantAnalysis(), PocketPerceptron(), Adaline()):
    print(learner.fit([[0.0], [1.0], [3.0], [4.5]], [0, 0, 1, 1]).predict([[9.0]]))
"""
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.split() == ["[1]"] * 3


def test_unchanged_kernels_are_not_compiled_again(tmp_path):
    """A second process takes them from the cache."""
    code = """
import sys
from discriminant import Adaline, Perceptron, PocketPerceptron
from scipy.sparse import csr_array
X, y = [[0.0], [1.0], [3.0], [4.5]], [0, 0, 1, 1]
Perceptron().fit(csr_array(X), y)
for learner in (PocketPerceptron(), Adaline()):
    learner.fit(X, y)
from discriminant.kernels import adaline, counting_errors, ordering, perceptron
kernels = [perceptron.perceptron_pass, counting_errors.add_errors, adaline.adaline_pass, ordering.fingerprints]
print(sum(sum(kernel.stats.cache_misses.values()) for kernel in kernels))
"""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    runs = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
        for _ in range(2)
    ]
    assert int(runs[0].stdout) > 0
    assert int(runs[1].stdout) == 0
