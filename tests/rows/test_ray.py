"""The recipes for Ray on the handbook's page: what stands there is run, on a Ray with two worker processes."""

import re
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.rows.engine_tables import name_of, pair

from discriminant import LinearDiscriminantAnalysis, LogisticRegression, rows
from discriminant.rows.parts import ArrayPart
from discriminant.table.errors import TableError

ray = pytest.importorskip("ray", reason="ray is not installed")
# Starting Ray takes longer than everything else that is tested of sources.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

PAGE = Path(__file__).parents[2] / "docs" / "databases-and-clusters.md"


@pytest.fixture(scope="module")
def loans(tmp_path_factory):
    """A folder of three Parquet files of two classes."""
    folder = tmp_path_factory.mktemp("loans")
    random = np.random.default_rng(0)
    for k in range(3):
        paid = random.random(500) < 0.7
        cells = {"income": random.gamma(3, 800, 500) + 900 * paid, "debts": random.poisson(2 - paid), "paid": paid}
        pq.write_table(pa.table(cells), folder / f"{k}.parquet", row_group_size=200)
    return folder


@pytest.fixture(scope="module")
def recipe(loans):
    """What the page's two blocks of code define, on a Ray of this machine."""
    section = PAGE.read_text().split("\n## Ray\n")[1].split("\n## ")[0]
    blocks = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    assert len(blocks) == 2
    names = {"LinearDiscriminantAnalysis": LinearDiscriminantAnalysis, "rows": rows}
    ray.init(num_cpus=2, include_dashboard=False, object_store_memory=200_000_000, log_to_driver=False)
    try:
        for block in blocks:
            exec(block.replace("s3://bucket/loans", str(loans)), names)
        yield names
    finally:
        ray.shutdown()


def test_a_dataset_read_by_the_driver(recipe, loans):
    wanted = LinearDiscriminantAnalysis().fit(rows.open(loans, target="paid"))
    np.testing.assert_allclose(recipe["model"].coef_, wanted.coef_, rtol=1e-12)
    np.testing.assert_allclose(recipe["model"].intercept_, wanted.intercept_, rtol=1e-12)


@pytest.mark.parametrize(
    ("learner", "digits"), [(LinearDiscriminantAnalysis(), 1e-12), (LogisticRegression(alpha=1.0), 1e-8)], ids=str
)
def test_files_read_and_summed_by_tasks(recipe, loans, learner, digits):
    found = learner.fit(recipe["source"])
    wanted = type(learner)(**learner.get_params()).fit(rows.open(loans, target="paid", spool=False))
    np.testing.assert_allclose(found.coef_, wanted.coef_, rtol=digits)
    np.testing.assert_allclose(found.intercept_, wanted.intercept_, rtol=digits)


def test_sums_are_added_in_the_same_tree_as_by_threads(recipe):
    parts = [ArrayPart(rows.from_arrays([[float(k)]], [0]), k) for k in range(7)]
    assert recipe["RayEngine"]().fold(parts, name_of, pair) == "(((01)(23))((45)6))"


def test_a_bad_cell_is_named(recipe, loans, tmp_path):
    bad = pa.table({"income": [1.0, None], "debts": [1, 2], "paid": [True, False]})
    pq.write_table(bad, tmp_path / "bad.parquet")
    source = rows.open([loans, tmp_path / "bad.parquet"], target="paid", engine=recipe["RayEngine"]())
    with pytest.raises(TableError, match=r"bad\.parquet, row 2, column 'income'"):
        LinearDiscriminantAnalysis().fit(source)
