"""`python -m benchmarks.large`: rows beyond memory, each job in a process of its own: seconds, CPU, peak memory.

The table is made once, in Parquet files of `--folder`: Gaussian columns of wide scales, two classes. CPU seconds
include those of worker processes; peak memory is that of the largest process. `--ratio NAME` runs what one of the
aims needs, and divides: `parquet`, `spool`, `dask`, `spark`, `spark-frame`, `dask-ml`, or `all`.

On a cluster each job first fits one file of the table, so that the cluster has started and compiled; "cpu" is then
that of the fit alone, in all processes below this one. MLlib and dask-ml say by how much their criterion exceeds ours.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
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
    parser.add_argument("--ratio", action="append", choices=[*RATIOS, "all"], default=[])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--run", choices=JOBS, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.run:
        _run(options.run, options.folder)
        return
    make_table(options.folder, options.rows, options.columns)
    ratios = list(RATIOS) if "all" in options.ratio else options.ratio
    jobs = list(dict.fromkeys([*(options.job or []), *(job for name in ratios for job in RATIOS[name][:2])])) or list(
        JOBS
    )
    found: dict[str, list[dict[str, Any]]] = {job: [] for job in jobs}
    for _ in range(options.repeats):  # alternating, so that other work on the machine hits all alike
        for job in jobs:
            found[job].append(_in_process(job, options.folder))
    for job, results in found.items():
        best = min(results, key=lambda result: float(result["cpu"]))
        told = {k: round(v, 3) if isinstance(v, float) else v for k, v in best.items()}
        print(f"{job:24}", json.dumps(told), flush=True)
    for name in ratios:
        top, bottom, aim = RATIOS[name]
        least = [min(_cpu_of(result) for result in found[job]) for job in (top, bottom)]
        print(f"{name:24} CPU of {top} / {bottom}: {least[0] / least[1]:.2f}, {aim}", flush=True)


def _cpu_of(result: dict[str, Any]) -> float:
    return float(result.get("fit cpu", result["cpu"]))


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
    n, d = 100_000, 24  # so many numbers that kernels are worth their while
    y = rng.integers(0, 2, n)
    with tempfile.TemporaryDirectory() as place:
        cells = {f"x{j}": rng.normal(size=n) + y for j in range(d)}
        pq.write_table(pa.table({**cells, "y": y.astype(np.int8)}), f"{place}/t.parquet")
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


# --- clusters -----------------------------------------------------------------------------------------------


def _cpu_of_all() -> float:
    """CPU seconds of this process and all below it, those that have ended and were waited for among them."""
    import psutil

    me = psutil.Process()
    return sum(sum(process.cpu_times()[:4]) for process in (me, *me.children(recursive=True)))


def _timed(fit: Callable[[Path], Any], folder: Path) -> tuple[Any, dict[str, Any]]:
    """What a fit to all files gives, and what it cost, after one to the first file."""
    fit(min(folder.glob("*.parquet")))
    before, begun = _cpu_of_all(), time.perf_counter()
    found = fit(folder)
    return found, {"fit cpu": _cpu_of_all() - before, "fit seconds": time.perf_counter() - begun}


@contextmanager
def _dask() -> Iterator[Any]:
    from distributed import Client, LocalCluster

    with (
        LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster,
        Client(cluster) as client,
    ):
        yield client


def lda_dask(folder: Path) -> dict[str, Any]:
    """The sums of LDA on two worker processes of Dask, which read the files themselves."""
    from discriminant import LinearDiscriminantAnalysis, rows

    with _dask() as client:
        fit = LinearDiscriminantAnalysis().fit
        return _timed(lambda files: fit(rows.from_dask(files, target="y", client=client)), folder)[1]


def logistic_dask(folder: Path) -> dict[str, Any]:
    """Logistic regression by passes of two workers."""
    from discriminant import rows

    with _dask() as client:
        return _fit_logistic(lambda files: rows.from_dask(files, target="y", client=client), folder)


def logistic_dask_ml(folder: Path) -> dict[str, Any]:
    """dask-ml's own with its fastest smooth solver, of an array that is kept in the memory of the same workers."""
    import dask.dataframe as dd
    from dask_ml.linear_model import LogisticRegression

    def fit(files: Path) -> Any:
        table = dd.read_parquet(files).persist()
        y = table["y"].to_dask_array(lengths=True)
        X = table.drop(columns="y").to_dask_array(lengths=True)
        model = LogisticRegression(solver="lbfgs", C=1 / ALPHA, max_iter=500, tol=1e-8).fit(X, y)
        return model.coef_.ravel(), float(np.ravel(model.intercept_)[0])

    with _dask():
        (coef, intercept), spent = _timed(fit, folder)
    return {**spent, "excess": _excess(folder, coef, intercept)}


def _fit_logistic(opened: Callable[[Path], Any], folder: Path) -> dict[str, Any]:
    from discriminant import LogisticRegression

    model, spent = _timed(lambda files: LogisticRegression(alpha=ALPHA).fit(opened(files)), folder)
    return {**spent, "passes": int(getattr(model, "n_passes_", 0))}


@contextmanager
def _spark() -> Iterator[Any]:
    """A session with two executors of one core and 2 GB each."""
    from pyspark.sql import SparkSession

    os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    settings = {
        "spark.executorEnv.PYTHONPATH": os.pathsep.join(sys.path),
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.memory": "2g",
        "spark.log.level": "OFF",
    }
    session = SparkSession.builder.master("local-cluster[2,1,2048]").config(map=settings).getOrCreate()
    try:
        yield session
    finally:
        session.stop()


def logistic_spark(folder: Path) -> dict[str, Any]:
    """Logistic regression by passes of two executors, whose tasks read the files themselves."""
    from discriminant import rows

    with _spark() as spark:
        return _fit_logistic(lambda files: rows.from_spark(files, target="y", spark=spark), folder)


def logistic_spark_frame(folder: Path) -> dict[str, Any]:
    """The same of a DataFrame, by `mapInArrow`."""
    from discriminant import rows

    with _spark() as spark:
        return _fit_logistic(lambda files: rows.from_spark(spark.read.parquet(str(files)), target="y"), folder)


def logistic_mllib(folder: Path) -> dict[str, Any]:
    """MLlib's own, of the same criterion and to about the same value of it."""
    from pyspark.ml.classification import LogisticRegression
    from pyspark.ml.feature import VectorAssembler

    def fit(files: Path) -> Any:
        table = spark.read.parquet(str(files))
        columns = [name for name in table.columns if name != "y"]
        vectors = VectorAssembler(inputCols=columns, outputCol="features").transform(table).select("features", "y")
        options = {"regParam": ALPHA / table.count(), "standardization": False, "maxIter": 500, "tol": 1e-9}
        model = LogisticRegression(labelCol="y", **options).fit(vectors)
        return model.coefficients.toArray(), model.intercept

    with _spark() as spark:
        (coef, intercept), spent = _timed(fit, folder)
    return {**spent, "excess": _excess(folder, coef, intercept)}


def _excess(folder: Path, coef: Any, intercept: float) -> float:
    """By how much of it a criterion Σ log(1 + e^−m) + ½α‖w‖² exceeds that of our own fit."""
    from discriminant import LogisticRegression, rows

    source = rows.open(folder, target="y")
    ours = LogisticRegression(alpha=ALPHA).fit(source)
    value, least = (
        source.fold(partial(_loss, coef=w, intercept=b)) + ALPHA / 2 * float(w @ w)
        for w, b in ((coef, intercept), (ours.coef_.ravel(), float(ours.intercept_[0])))
    )
    return value / least - 1


def _loss(block: Any, coef: Any, intercept: float) -> float:
    margins = np.where(block.codes == 1, 1, -1) * (block.matrix @ coef + intercept)
    return float(np.logaddexp(0, -margins).sum())


JOBS: dict[str, Callable[[Path], dict[str, Any] | None]] = {
    "read": read,
    "lda": lda,
    "logistic-memory": logistic_in_memory,
    "logistic-spool": logistic_spooled,
    "logistic-passes": logistic_by_passes,
    "command": command,
    "lda-dask": lda_dask,
    "logistic-dask": logistic_dask,
    "logistic-dask-ml": logistic_dask_ml,
    "logistic-spark": logistic_spark,
    "logistic-spark-frame": logistic_spark_frame,
    "logistic-mllib": logistic_mllib,
}
# name: (of this job, by this one, what is wanted)
RATIOS = {
    "parquet": ("lda", "read", "at most 1.6"),
    "spool": ("logistic-spool", "logistic-memory", "at most 3, and once reading"),
    "dask": ("lda-dask", "lda", "at most 1.5"),
    "spark": ("logistic-mllib", "logistic-spark", "at least 3"),
    "spark-frame": ("logistic-mllib", "logistic-spark-frame", "at least 1"),
    "dask-ml": ("logistic-dask-ml", "logistic-dask", "at least 2"),
}

if __name__ == "__main__":
    main()
