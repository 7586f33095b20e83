"""Ten million rows are decided in constant memory."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

_SMALL_PARENT = """
import os, sys
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, used = os.wait4(child, 0)
print(used.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
"""
_FIT = ["--target", "y", "--learner", "lda", "--out", "run"]


@pytest.mark.slow
def test_predict_on_ten_million_rows_stays_under_500_megabytes(tmp_path):
    random = np.random.default_rng(0)
    part = {"x": random.standard_normal(1_000_000).round(4), "town": random.choice(["A", "B", "C"], 1_000_000)}
    part["y"] = np.where(part["x"] + random.standard_normal(1_000_000) > 0, "yes", "no")
    with (tmp_path / "big.csv").open("wb") as file:
        for i in range(10):
            options = pyarrow.csv.WriteOptions(include_header=i == 0)
            pyarrow.csv.write_csv(pa.table(part), file, options)
    pyarrow.csv.write_csv(pa.table(part).slice(0, 1000), tmp_path / "small.csv")
    command = [sys.executable, "-m", "discriminant"]
    subprocess.run([*command, "fit", "small.csv", *_FIT], cwd=tmp_path, check=True, capture_output=True)
    largest = _kilobytes_of([*command, "predict", "run", "big.csv", "-o", "out.csv"], tmp_path)
    with (tmp_path / "out.csv").open("rb") as file:
        assert sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(1 << 20), b"")) == 10_000_001
    assert largest < 500_000


def _kilobytes_of(command, folder):
    """The most memory that this one process held; a child counts what its parent held, hence a small one between."""
    done = subprocess.run([sys.executable, "-c", _SMALL_PARENT, *command], cwd=folder, check=True, capture_output=True)
    return int(done.stdout.splitlines()[-1])  # behind what the command itself says
