"""`discriminant demo`: the whole way on data that comes with scikit-learn."""

from pathlib import Path

from discriminant.cli.fitting import FitOptions, fit_command

GAIN = "tp=1000,fn=-5000,fp=-500,unit=EUR"
_DATA = "breast-cancer.csv"


def demo_command(out: Path, seed: int, json: bool) -> None:
    """Write the table, then do what a person would: fit it with a gain where a missed cancer costs most."""
    import pyarrow as pa
    from sklearn.datasets import load_breast_cancer

    from discriminant.table.writing import TableWriter

    data = load_breast_cancer()
    columns = {name: data.data[:, j] for j, name in enumerate(data.feature_names)}
    columns["diagnosis"] = data.target_names[data.target].astype(str)
    out.mkdir(parents=True, exist_ok=True)
    with TableWriter(out / _DATA, list(columns)) as writer:
        writer.write(pa.RecordBatch.from_pydict(columns))
    options = FitOptions([str(out / _DATA)], "diagnosis", GAIN, "malignant", out=out, seed=seed, json=json)
    if not json:
        print(f"discriminant fit {out / _DATA} --target diagnosis --positive malignant --gain {GAIN}\n")  # noqa: T201
    fit_command(options)
