"""The command beside its parts: CSV to model and report, against reading it with pyarrow and one LDA of scikit-learn.

    python -m benchmarks.tool [--rows 1000000] [--repeats 3]

Both run as processes of their own, in alternation; times are of the whole process, from its start to its end.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

COLUMNS = 20

PARTS = """
import sys
import numpy as np
import pyarrow.csv
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

table = pyarrow.csv.read_csv(sys.argv[1])
X = np.column_stack([table.column(name).to_numpy() for name in table.schema.names[:-1]])
y = table.column("y").combine_chunks().dictionary_encode().indices.to_numpy()  # texts would take scikit-learn seconds
LinearDiscriminantAnalysis(solver="lsqr").fit(X, y)
"""


def write_table(path: Path, rows: int) -> None:
    random = np.random.default_rng(0)
    X = random.standard_normal((rows, COLUMNS)) * np.linspace(1, 50, COLUMNS) + np.arange(COLUMNS)
    score = (X / np.linspace(1, 50, COLUMNS)) @ random.standard_normal(COLUMNS) + 2 * random.standard_normal(rows)
    columns = {f"x{j}": X[:, j].round(5) for j in range(COLUMNS)}
    pyarrow.csv.write_csv(pa.table({**columns, "y": np.where(score > 3, "yes", "no")}), path)


def seconds(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--rows", type=int, default=1_000_000)
    options.add_argument("--repeats", type=int, default=3)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        write_table(path, chosen.rows)
        ours = [sys.executable, "-m", "discriminant", "fit", str(path), "--target", "y", "--out", f"{folder}/run"]
        parts = [sys.executable, "-c", PARTS, str(path)]
        seconds(ours)  # kernels are compiled once
        times = [(seconds(ours), seconds(parts)) for _ in range(chosen.repeats)]
    for mine, theirs in times:
        print(f"discriminant fit {mine:6.2f} s    pyarrow and one LDA {theirs:6.2f} s    ratio {mine / theirs:.2f}")
    best = [min(column) for column in zip(*times, strict=True)]
    print(f"least of each: {best[0]:.2f} s and {best[1]:.2f} s, ratio {best[0] / best[1]:.2f} (bar: at most 3)")


if __name__ == "__main__":
    main()
