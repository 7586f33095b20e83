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
model = {model}
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
    "Perceptron(max_iter=3)",
    "Perceptron(max_iter=3, rule='batch')",
    "PocketPerceptron(max_iter=3)",
    "PocketPerceptron(max_iter=3, ratchet=True)",
    "Adaline(max_iter=3, tol=0, schedule=lambda t: 1e-4 / (1.0 + t))",
]


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT cannot be sent to one process there")
@pytest.mark.parametrize(("shape", "is_sparse"), [((60, 3), False), ((400_000, 20), False), ((100_000, 50), True)])
@pytest.mark.parametrize("model", MODELS)
def test_interrupt(model, shape, is_sparse):
    script = SCRIPT.format(shape=shape, sparse=is_sparse, model=model)
    for _ in range(3):  # other work on the machine may hold one up
        told, took = interrupted(script)
        assert told == "intact"
        if took < 1.0:
            return
    pytest.fail(f"it went on for {took:.1f} s")


def interrupted(script):
    """What the script says once it is interrupted, and after how many seconds."""
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline().strip() == "begins"
        time.sleep(0.4)
        process.send_signal(signal.SIGINT)
        start = time.monotonic()
        deaf = threading.Timer(60.0, process.kill)  # one that never hears is a failure, not a wait for ever
        deaf.start()
        told = process.stdout.readline().strip()
        took = time.monotonic() - start
        deaf.cancel()
        process.kill()
    return told, took
