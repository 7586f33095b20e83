"""`python -m benchmarks.large`: rows beyond memory, each job in a process of its own: seconds, CPU, peak memory.

The table is made once, in Parquet files of `--folder`: Gaussian columns of wide scales, two classes. CPU seconds
include those of worker processes; peak memory is that of the largest process.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

FILES = 8
ROWS_A_GROUP = 100_000
ALPHA = 1.0


def main() -> None:
    """Make the table if it is not there, run the jobs, print a line for each."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.large", description=__doc__)
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--columns", type=int, default=30)
    parser.add_argument("--job", action="append", choices=JOBS, help="only this job; may be given again")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--run", choices=JOBS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        _run(options.run, options.folder)
        return
    make_table(options.folder, options.rows, options.columns)
    jobs = options.job or list(JOBS)
    found: dict[str, list[dict[str, Any]]] = {job: [] for job in jobs}
    for _ in range(options.repeats):  # alternating, so that other work on the machine hits all alike
        for job in jobs:
            found[job].append(_in_process(job, options.folder))
    for job, results in found.items():
        best = min(results, key=lambda result: float(result["cpu"]))
        told = {k: round(v, 3) if isinstance(v, float) else v for k, v in best.items()}
        print(f"{job:24}", json.dumps(told), flush=True)


def make_table(folder: Path, rows: int, columns: int) -> None:
    """Parquet files of a table of two classes, unless they are there."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if folder.exists():
        return
    folder.mkdir(parents=True)
    rng = np.random.default_rng(0)
    w = rng.normal(size=columns) / np.sqrt(columns)
    for k in range(FILES):
        writer = None
        left = rows // FILES
        while left:
            n = min(left, ROWS_A_GROUP)
            Z = rng.normal(size=(n, columns))
            y = (rng.random(n) < 1 / (1 + np.exp(-(Z @ w)))).astype(np.int8)
            X = Z * 10.0 ** (np.arange(columns) % 5 - 2) + 3.0
            table = pa.table({**{f"x{j}": X[:, j] for j in range(columns)}, "y": y})
            writer = writer or pq.ParquetWriter(folder / f"{k}.parquet", table.schema)
            writer.write_table(table)
            left -= n
        assert writer is not None
        writer.close()


def _in_process(job: str, folder: Path) -> dict[str, Any]:
    begun = time.perf_counter()
    command = [sys.executable, "-m", "benchmarks.large", "--folder", str(folder), "--run", job]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode:
        raise RuntimeError(f"{job}: {answer.stderr[-2000:]}")
    result: dict[str, Any] = json.loads(answer.stdout.splitlines()[-1])
    return {"whole": time.perf_counter() - begun, **result}


def _run(job: str, folder: Path) -> None:
    warm_up()
    before, begun = _cpu(), time.perf_counter()
    more = JOBS[job](folder) or {}
    spent = {"seconds": time.perf_counter() - begun, "cpu": _cpu() - before, "peak MB": _peak()}
    print(json.dumps({**spent, **more}))


def warm_up() -> None:
    """Kernels are loaded before the clock starts."""
    import tempfile

    import pyarrow as pa
    import pyarrow.parquet as pq

    from discriminant import LinearDiscriminantAnalysis, LogisticRegression, rows

    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 3000)
    with tempfile.TemporaryDirectory() as place:
        cells = {"a": rng.normal(size=3000) + y, "b": rng.normal(size=3000), "y": y.astype(np.int8)}
        pq.write_table(pa.table(cells), f"{place}/t.parquet")
        source = rows.open(f"{place}/t.parquet", target="y")
        LinearDiscriminantAnalysis().fit(source)
        LogisticRegression(alpha=ALPHA).fit(source)


def _cpu() -> float:
    return sum(
        usage.ru_utime + usage.ru_stime
        for usage in (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    )


def _peak() -> int:
    return max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)) // 1024


# --- jobs -------------------------------------------------------------------------------------------------


def read(folder: Path) -> None:
    """Decode every row group, on threads, and do nothing with it."""
    import pyarrow.parquet as pq

    files = sorted(folder.glob("*.parquet"))
    groups = [(file, g) for file in files for g in range(pq.ParquetFile(file).num_row_groups)]

    def decode(place: tuple[Path, int]) -> int:
        return int(pq.ParquetFile(place[0]).read_row_group(place[1], use_threads=False).num_rows)

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        sum(pool.map(decode, groups))


def lda(folder: Path) -> None:
    """One pass of sums."""
    from discriminant import LinearDiscriminantAnalysis, rows

    LinearDiscriminantAnalysis().fit(rows.open(folder, target="y"))


def logistic_spooled(folder: Path) -> dict[str, Any]:
    """Read once, then a memory map."""
    return _logistic(folder, spool=True)


def logistic_by_passes(folder: Path) -> dict[str, Any]:
    """The files read again for every step."""
    return _logistic(folder, spool=False)


def _logistic(folder: Path, **options: Any) -> dict[str, Any]:
    from discriminant import LogisticRegression, rows

    model = LogisticRegression(alpha=ALPHA).fit(rows.open(folder, target="y", **options))
    return {"passes": int(getattr(model, "n_passes_", 0))}


def logistic_in_memory(folder: Path) -> dict[str, Any]:
    """All rows in an array first; reading and fitting are told apart."""
    from discriminant import LogisticRegression, rows

    whole = rows.open(folder, target="y").collect()
    before = _cpu()
    LogisticRegression(alpha=ALPHA).fit(whole)
    return {"fit cpu": _cpu() - before}


def command(folder: Path) -> None:
    """`discriminant fit` with 500 MB."""
    import tempfile

    with tempfile.TemporaryDirectory() as place:
        words = ["fit", str(folder / "*.parquet"), "--target", "y", "--memory", "500MB", "--out", f"{place}/run"]
        subprocess.run([sys.executable, "-m", "discriminant", *words], check=True, capture_output=True)


def lda_dask(folder: Path) -> dict[str, Any]:
    """The same sums on two worker processes of Dask, which read the files themselves; after a fit to one file."""
    from distributed import Client, LocalCluster

    from discriminant import LinearDiscriminantAnalysis, rows

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster,
        Client(cluster) as client,
    ):

        def cpu() -> float:
            return time.process_time() + sum(client.run(time.process_time).values())

        first = min(folder.glob("*.parquet"))
        LinearDiscriminantAnalysis().fit(rows.from_dask(first, target="y", client=client))
        before = cpu()
        LinearDiscriminantAnalysis().fit(rows.from_dask(folder, target="y", client=client))
        return {"fit cpu": cpu() - before}


JOBS: dict[str, Callable[[Path], dict[str, Any] | None]] = {
    "read": read,
    "lda": lda,
    "logistic-memory": logistic_in_memory,
    "logistic-spool": logistic_spooled,
    "logistic-passes": logistic_by_passes,
    "command": command,
    "lda-dask": lda_dask,
}

if __name__ == "__main__":
    main()
