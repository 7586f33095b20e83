"""Tables that are queries, and answers that are folders."""

import json

import duckdb
import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest

_FIT = ["--target", "y", "--learner", "lda", "--forms", "straight"]


@pytest.fixture
def database(tmp_path):
    random = np.random.default_rng(0)
    n = 1500
    x, town = random.standard_normal((n, 2)), random.choice(["A", "B"], n)
    y = np.where(x @ [1, -1] + (town == "A") + random.logistic(size=n) > 0, "yes", "no")
    rows = pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "town": town, "y": y})
    rows.to_csv(tmp_path / "rows.csv", index=False)
    rows.to_parquet(tmp_path / "rows.parquet", index=False)
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as connection:
        connection.execute("CREATE TABLE orders AS SELECT * FROM rows")
    return tmp_path / "shop.duckdb"


def test_a_query_is_learnt_from_decided_and_judged_as_a_file_is(tmp_path, run, database, monkeypatch):
    query = ["--sql", "SELECT * FROM orders", "--database", database]
    assert run("fit", tmp_path / "rows.parquet", *_FIT, "-o", tmp_path / "file").code == 0
    monkeypatch.setattr("discriminant.cli.room._COPIES", 10**9)
    done = run("fit", *query, *_FIT, "-o", tmp_path / "query", "--memory", "600MB")
    assert done.code == 0, done.err
    models = [json.loads((tmp_path / name / "model.json").read_text()) for name in ("file", "query")]
    np.testing.assert_allclose(models[1]["planes"]["weights"], models[0]["planes"]["weights"], rtol=1e-9)
    figures = [
        json.loads(run("evaluate", tmp_path / "query", *where, "--json").out)
        for where in (query, [tmp_path / "rows.csv"])
    ]
    assert figures[0]["confusion"] == figures[1]["confusion"]
    answered = run("predict", tmp_path / "query", *query, "-o", f"{tmp_path}/answers/", "--partition", "600")
    assert answered.code == 0, answered.err
    parts = sorted((tmp_path / "answers").iterdir())
    assert [pq.read_metadata(part).num_rows for part in parts] == [600, 600, 300]
    assert run("predict", tmp_path / "query", tmp_path / "rows.csv", "-o", tmp_path / "answers.csv").code == 0
    one = pd.read_csv(tmp_path / "answers.csv")
    several = pd.read_parquet(tmp_path / "answers")
    assert several.label.tolist() == one.label.tolist()
    np.testing.assert_allclose(several.score, one.score, rtol=1e-12)
    again = run("predict", tmp_path / "query", *query, "-o", f"{tmp_path}/answers/")
    assert "holds files already" in again.err


def test_a_failure_leaves_no_folder(tmp_path, run, database):
    assert run("fit", tmp_path / "rows.csv", *_FIT, "-o", tmp_path / "model").code == 0
    (tmp_path / "bad.csv").write_text("a,b,town\n1,2,A\nx,2,A\n")
    done = run("predict", tmp_path / "model", tmp_path / "bad.csv", "-o", f"{tmp_path}/answers/")
    assert done.code == 3
    assert not [p for p in tmp_path.iterdir() if "answers" in p.name]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--sql", "SELECT 1 AS y", "--database", "missing.duckdb"], "there is no such file"),
        (["--database", "shop.duckdb"], "--database is of --sql"),
        (["--sql", "DROP TABLE orders"], "not one SELECT"),
        (["--sql", "SELECT nothing FROM orders"], "orders"),
        ([], "no table was named"),
    ],
)
def test_queries_that_cannot_be_asked(run, options, said):
    done = run("fit", *options, "--target", "y")
    assert done.code in (2, 3, 5)
    assert said in done.err
    assert len(done.err.splitlines()) == 1


def test_passwords_stand_nowhere(tmp_path, run):
    address = "postgresql://me:s3cret@127.0.0.1:1/none"
    done = run("fit", "--sql", "SELECT 1 AS y", "--database", address, "--target", "y", "-o", tmp_path / "run")
    assert done.code in (3, 5)
    assert "s3cret" not in done.out + done.err


def test_the_command_that_is_kept_has_no_password(monkeypatch):
    from discriminant.cli.fitting import command_line

    typed = ["discriminant", "fit", "--sql", "SELECT 1", "--database", "postgresql://me:s3@cr:et@host/name"]
    monkeypatch.setattr("sys.argv", typed)
    assert command_line() == "discriminant fit --sql 'SELECT 1' --database 'postgresql://me:***@host/name'"
