"""Forks, spawns and pools of processes, while other threads fit or before anything was used."""

import os
import threading

import numpy as np
import pytest

from discriminant import LinearDiscriminantAnalysis
from discriminant.rows.threads import single_threaded_blas
from tests.processes.fresh import TABLE, run
from tests.tables import gaussian_table

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")


@needs_fork
def test_children_fit_while_threads_of_the_parent_do():
    """Without locks that are held while forking, most of these children wait for ever."""
    printed = run(
        TABLE
        + """
import os, signal, threading
from discriminant import LinearDiscriminantAnalysis, LogisticRegression, LinearSVM
learners = LinearDiscriminantAnalysis, LogisticRegression, LinearSVM
stop, begun = threading.Event(), threading.Barrier(4)

def fit(learner):
    begun.wait()
    while not stop.is_set():
        learner().fit(X, y)

threads = [threading.Thread(target=fit, args=[learner]) for learner in learners]
for thread in threads: thread.start()
begun.wait()
codes = []
for learner in learners * 4:
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        learner().fit(X, y)
        os._exit(7)
    codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
stop.set()
for thread in threads: thread.join()
print(set(codes))
""",
        seconds=90,
    )
    assert printed == "{7}"


@needs_fork
def test_children_import_while_threads_of_the_parent_do():
    printed = run(
        TABLE
        + """
import os, signal, threading, time
import discriminant
thread = threading.Thread(target=lambda: discriminant.LinearDiscriminantAnalysis)
thread.start()
time.sleep(0.05)
child = os.fork()
if child == 0:
    signal.alarm(30)
    discriminant.LinearDiscriminantAnalysis().fit(X, y)
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    )
    assert printed == "7"


@needs_fork
def test_children_cluster_after_the_parent_did():
    """The threads of GNU OpenMP do not survive a fork, and a child would wait for them for ever."""
    printed = run(
        TABLE
        + """
import os, signal
from discriminant.basis import cluster_means
X = np.repeat(X, 20, axis=0) + rng.normal(size=(2400, 3))
cluster_means(X, 5, 0)
child = os.fork()
if child == 0:
    signal.alarm(20)
    cluster_means(X, 5, 0)
    os._exit(7)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
""",
        OMP_NUM_THREADS=2,
    )
    assert printed == "7"


@needs_fork
def test_a_child_has_the_threads_of_blas_that_a_fit_of_the_parent_held():
    printed = run(
        """
        import os, threading
        from threadpoolctl import threadpool_info
        from discriminant.rows.threads import single_threaded_blas

        def blas():
            return max(library["num_threads"] for library in threadpool_info() if library["user_api"] == "blas")

        def hold():
            with single_threaded_blas():
                inside.wait()
                leave.wait()

        inside, leave = threading.Barrier(2), threading.Event()
        thread = threading.Thread(target=hold)
        thread.start()
        inside.wait()
        with single_threaded_blas():
            child = os.fork()
            held = blas()
        after = blas()
        if child == 0:
            os._exit(10 * held + after)
        leave.set()
        thread.join()
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), held, after, blas())
        """,
        OPENBLAS_NUM_THREADS=2,
        OMP_NUM_THREADS=2,
    )
    assert printed == "12 1 1 2"  # the child: one inside, two outside; the parent while the thread holds, and after


def test_threads_do_not_wait_for_the_computed_values_of_one_another():
    """As they do with functools.cached_property until Python 3.12; a child forked meanwhile waited for ever."""
    from discriminant.cached import cached_property

    both = threading.Barrier(2)

    class Slow:
        @cached_property
        def value(self):
            both.wait(timeout=20)
            return object()

    objects = Slow(), Slow()
    threads = [threading.Thread(target=lambda one=one: one.value) for one in objects]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert objects[0].value is objects[0].value
    assert objects[0].value is not objects[1].value
    assert isinstance(Slow.value, cached_property)


# workers that are started anew look for the function in the main script, which must be a file
FROM_FILE = "import subprocess, sys; sys.exit(subprocess.run([sys.executable, sys.argv[1]]).returncode)"
POOLS = {
    "fork": "multiprocessing.get_context('fork').Pool(2).map(fit, range(4))",
    "forkserver": "multiprocessing.get_context('forkserver').Pool(2).map(fit, range(4))",
    "spawn": "multiprocessing.get_context('spawn').Pool(2).map(fit, range(4))",
    "loky": "joblib.Parallel(2, backend='loky')(joblib.delayed(fit)(k) for k in range(4))",
}


@pytest.mark.parametrize(
    "kind", ["fork", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("spawn", "forkserver", "loky"))]
)
def test_pools_of_processes(kind, tmp_path):
    """Models travel both ways, and threads inside a worker fit too."""
    if kind.startswith("fork") and not hasattr(os, "fork"):
        pytest.skip("this system does not fork")
    script = tmp_path / "script.py"
    script.write_text(
        TABLE
        + f"""
import multiprocessing, joblib
from concurrent.futures import ThreadPoolExecutor
from discriminant import LinearDiscriminantAnalysis
model = LinearDiscriminantAnalysis().fit(X, y)

def fit(k, model=model):
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda _: LinearDiscriminantAnalysis().fit(X, y), range(2)))
    return LinearDiscriminantAnalysis().fit(X, y).coef_ - model.coef_, model

if __name__ == "__main__":
    found = {POOLS[kind]}
    print(len(found), max(abs(difference).max() for difference, _ in found), (found[0][1].predict(X) == y).mean() > 0.6)
"""
    )
    assert run(FROM_FILE, script) == "4 0.0 True"


@needs_fork
def test_a_fork_inside_a_fit_keeps_what_the_thread_holds():
    X, y = gaussian_table(0, n=500, d=3)
    with single_threaded_blas():
        child = os.fork()
        if child == 0:
            os._exit(7 if np.isfinite(LinearDiscriminantAnalysis().fit(X, y).coef_).all() else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
