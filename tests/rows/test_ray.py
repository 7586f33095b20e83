"""The recipes for Ray that the handbook prints, run as they stand on a Ray of this machine."""

import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from discriminant import LinearDiscriminantAnalysis, rows

ray = pytest.importorskip("ray", reason="ray is not installed")
# Ray takes longer to start than all its tasks here.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

PAGE = Path(__file__).parents[2] / "docs" / "databases-and-clusters.md"
N = 900


@pytest.fixture(scope="module", autouse=True)
def cluster():
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


@pytest.fixture(scope="module")
def table():
    random = np.random.default_rng(0)
    paid = random.integers(0, 2, N)
    X = random.normal(size=(N, 2)) + paid[:, None]
    return pa.table({"income": X[:, 0], "debts": 1e3 + X[:, 1], "paid": np.array(["no", "yes"])[paid]})


@pytest.fixture
def recipes(tmp_path, table):
    """The programs of the page, reading files of this test."""
    for k in range(3):
        pq.write_table(table.slice(k * N // 3, N // 3), tmp_path / f"{k}.parquet", row_group_size=120)
    _, _, section = PAGE.read_text().partition("## Ray")
    found = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    assert len(found) == 2
    return [program.replace("s3://bucket/loans/", f"{tmp_path}/") for program in found]


@pytest.mark.parametrize("which", [0, 1], ids=["batches of a dataset", "an engine of tasks"])
def test_a_recipe(recipes, table, which):
    given = {"LinearDiscriminantAnalysis": LinearDiscriminantAnalysis, "rows": rows}
    exec(compile(recipes[which], f"{PAGE.name}, recipe {which}", "exec"), given)
    model = given["model"] if which == 0 else LinearDiscriminantAnalysis().fit(given["source"])
    X = np.column_stack([table["income"], table["debts"]])
    wanted = LinearDiscriminantAnalysis().fit(X, np.array(table["paid"].to_pylist()))
    assert np.array_equal(model.classes_, wanted.classes_)
    assert np.allclose(model.coef_, wanted.coef_, rtol=1e-12)
    assert np.allclose(model.intercept_, wanted.intercept_, rtol=1e-10)
