"""Python in a process of its own, with a time limit that says where it hung."""

import os
import subprocess
import sys
import textwrap

# two small classes that overlap, for any learner
TABLE = """
import numpy as np
rng = np.random.default_rng(0)
X = rng.normal(size=(120, 3))
y = (X[:, 0] + rng.normal(size=120) > 0).astype(int)
"""


def run(code, *arguments, seconds=60, options=(), without=(), **environment):
    """What the code printed; its process must end well and in time."""
    guard = f"import faulthandler; faulthandler.dump_traceback_later({seconds}, exit=True)\n"
    done = subprocess.run(
        [sys.executable, *options, "-c", guard + textwrap.dedent(code), *map(str, arguments)],
        env={name: value for name, value in os.environ.items() if name not in without}
        | {name: str(value) for name, value in environment.items()},
        capture_output=True,
        text=True,
        timeout=seconds + 30,
    )
    assert done.returncode == 0, f"ended with {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout.strip()
