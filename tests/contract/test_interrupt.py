"""Ctrl-C stops a long fit within a second, and the model is what it was before."""

import signal
import subprocess
import sys
import threading
import time

import pytest

SCRIPT = """
import warnings
import numpy as np
from scipy import sparse
from discriminant import Adaline, Perceptron, PocketPerceptron

warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
n, d = {shape}
X = rng.standard_normal((n, d))
y = rng.integers(0, 2, n)
if {sparse}:
    X = sparse.csr_array(X * (rng.random((n, d)) < 0.2))
Perceptron(max_iter=1).fit(X, y)  # compiles how a table of this size is shuffled
for model in [{models}]:
    model.fit(X[:50], y[:50])
    before = model.coef_.copy()
    model.set_params(max_iter=10**9)
    print("begins", flush=True)
    try:
        model.fit(X, y)
    except KeyboardInterrupt:
        print("intact" if np.array_equal(model.coef_, before) and model.n_features_in_ == d else "changed", flush=True)
"""

MODELS = [
    "Perceptron(max_iter=3, tol=None)",
    "Perceptron(max_iter=3, rule='batch', tol=None)",
    "PocketPerceptron(max_iter=3)",
    "PocketPerceptron(max_iter=3, ratchet=True)",
    "Adaline(max_iter=3, tol=0, schedule=lambda t: 1e-4 / (1.0 + t))",
]


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT cannot be sent to one process there")
@pytest.mark.parametrize(("shape", "is_sparse"), [((60, 3), False), ((400_000, 20), False), ((100_000, 50), True)])
def test_interrupt(shape, is_sparse):
    """One process fits all models in turn, and is interrupted in each."""
    late = MODELS
    for _ in range(3):  # other work on the machine may hold one up
        script = SCRIPT.format(shape=shape, sparse=is_sparse, models=", ".join(late))
        outcomes = dict(zip(late, interruptions(script, len(late)), strict=True))
        assert {model: state for model, (state, _) in outcomes.items()} == dict.fromkeys(late, "intact")
        late = [model for model, (_, seconds) in outcomes.items() if seconds >= 1.0]
        if not late:
            return
    pytest.fail(f"they went on for more than a second: {', '.join(late)}")


def interruptions(script, count):
    """What the script says each time it is interrupted, and after how many seconds."""
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
        outcomes = [interrupt(process) for _ in range(count)]
        process.kill()
    return outcomes


def interrupt(process):
    assert process.stdout.readline().strip() == "begins"
    time.sleep(0.4)
    process.send_signal(signal.SIGINT)
    start = time.monotonic()
    deaf = threading.Timer(60.0, process.kill)  # one that never hears is a failure, not a wait for ever
    deaf.start()
    state = process.stdout.readline().strip()
    seconds = time.monotonic() - start
    deaf.cancel()
    return state, seconds
