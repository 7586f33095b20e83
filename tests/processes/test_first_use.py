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
