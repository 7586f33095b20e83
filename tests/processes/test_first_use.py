"""First use of public names by many threads at once: scikit-learn imports in circles, which fails without a lock."""

import ast
from importlib import import_module
from pathlib import Path

import pytest

import discriminant
from tests.processes.fresh import TABLE, run

SOURCES = Path(discriminant.__file__).parent


@pytest.mark.parametrize("first", [0, 26])
def test_sixteen_threads_use_different_names_first(first):
    printed = run(
        """
        import sys, threading
        import discriminant
        first = int(sys.argv[1])
        names = (discriminant.__all__ * 2)[first : first + 16]
        start, failures = threading.Barrier(len(names)), []

        def use(name):
            start.wait()
            try:
                getattr(discriminant, name)
            except Exception as error:
                failures.append((name, error))

        threads = [threading.Thread(target=use, args=[name]) for name in names]
        for thread in threads: thread.start()
        for thread in threads: thread.join()
        print(failures)
        """,
        first,
    )
    assert printed == "[]"


def test_sixteen_threads_fit_first():
    printed = run(
        TABLE
        + """
import threading
import discriminant
learners = ["LinearDiscriminantAnalysis", "LogisticRegression", "NaiveBayes", "FisherDiscriminant"] * 4
start, models = threading.Barrier(len(learners)), []

def fit(name):
    start.wait()
    models.append((name, getattr(discriminant, name)().fit(X, y).predict(X).tolist()))

threads = [threading.Thread(target=fit, args=[name]) for name in learners]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(models), len({str(model) for model in models}))
""",
    )
    assert printed == "16 4"


def test_no_module_takes_the_import_lock_while_it_is_imported():
    """A thread that waits for such a module with the lock in hand would wait for ever."""
    lazy = {
        "discriminant": set(discriminant.__all__),
        "discriminant.gain": set(import_module("discriminant.gain")._HOMES),
    }
    taking = [
        f"{path.relative_to(SOURCES)}: {node.module}"
        for path in SOURCES.rglob("*.py")
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.ImportFrom) and lazy.get(node.module, set()) & {alias.name for alias in node.names}
    ]
    assert taking == []


FIRST_FITS = {
    "LDA": "LinearDiscriminantAnalysis()",
    "Ledoit and Wolf": "LinearDiscriminantAnalysis(shrinkage='auto')",
    "Fisher": "FisherDiscriminant()",
    "least squares": "LeastSquaresClassifier()",
    "naive Bayes": "NaiveBayes(marginal='gaussian')",
    "present or not": "NaiveBayes(marginal='bernoulli')",
    "categories": "NaiveBayes(marginal='categorical')",
    "logistic": "LogisticRegression(alpha=1.0)",
    "hinge": "LinearSVM()",
    "squared hinge": "LinearSVM(loss='squared_hinge')",
    "gain": "GainClassifier(LinearDiscriminantAnalysis(), gain=[[1, -1], [-5, 2]])",
}


def test_small_tables_need_no_compiler(tmp_path):
    """Fits, predictions, thresholds and curves of a small table do not so much as import numba."""
    printed = run(
        TABLE
        + f"""
import sys
from discriminant import *
X = np.rint(4 * np.column_stack([X, X[:, 0] + 1e-9 * X[:, 1], X @ np.ones(3)]))  # columns that determine one another
for name, made in {FIRST_FITS!r}.items():
    model = eval(made).fit(X, y)
    model.predict(X)
    if "numba" in sys.modules:
        print(name)
        break
operating_curve(y, X[:, 0]).hull
print("numba" in sys.modules)
""",
        options=["-W", "ignore"],
        NUMBA_CACHE_DIR=tmp_path,
    )
    assert printed == "False"
