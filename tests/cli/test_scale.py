"""Ten million rows are decided in constant memory."""

import resource
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

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
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    subprocess.run([*command, "predict", "run", "big.csv", "-o", "out.csv"], cwd=tmp_path, check=True)
    largest = max(before, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
    with (tmp_path / "out.csv").open("rb") as file:
        assert sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(1 << 20), b"")) == 10_000_001
    assert largest < 500_000  # kilobytes, the fit of the small table included
