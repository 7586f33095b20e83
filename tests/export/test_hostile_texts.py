"""Every target reads hostile texts as the model does: the same label and score, or no label."""

import os
import shutil
import tempfile
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from discriminant.export import Vectors, export
from discriminant.export.checks import compare_answers
from discriminant.export.plan import plan_of
from discriminant.export.workbook import workbook_bytes
from tests.export import hostile_texts, models, postgres
from tests.export.runtimes import need
from tests.export.workbook_reader import Workbook

ENGINES = [("sql", "sqlite"), ("sql", "duckdb"), ("js", None), ("python", None)]
MODELS = {f.__name__: f for f in (hostile_texts.mixed, hostile_texts.written, hostile_texts.in_pieces)}
SEED = int(os.environ.get("HOSTILE_SEED", "0"))


@cache
def tried(name, n, seed):
    model = MODELS[name]()
    return model, Vectors.of(model, hostile_texts.texts(model, n, seed))


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(("to", "dialect"), ENGINES)
def test_texts_are_read_as_the_model_reads_them(to, dialect, name):
    assert difference(to, dialect, name, 600, SEED) is None


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(("to", "dialect"), ENGINES)
def test_ten_thousand_rows_of_texts(to, dialect, name):
    assert difference(to, dialect, name, 10_000, SEED + 1) is None


def difference(to, dialect, name, n, seed):
    """What the check said and the first row that differs; None where every row agrees."""
    need(to, dialect)
    model, vectors = tried(name, n, seed)
    refused = sum(label is None for label in vectors.labels)
    assert 0.2 * n < refused < 0.9 * n
    result = export(model, to, dialect=dialect).check(vectors)
    return (
        None if result.passed else (result.text, first_difference(model, export(model, to, dialect=dialect), vectors))
    )


def first_difference(model, made, vectors):
    """The row that differs, for the message of a failing test."""
    for i in range(len(vectors)):
        one = Vectors.of(model, {name: [own[i]] for name, own in vectors.cells.items()})
        if not made.check(one).passed:
            return one.cells, one.labels
    return None


@pytest.mark.parametrize("to", ["c", "onnx"])
def test_texts_of_categories_where_numbers_are_no_texts(to):
    need(to)
    model, vectors = categories(2000, without="\0")
    result = export(model, to).check(vectors)
    assert result.passed, result.text
    assert result.rows > 1500


def test_texts_of_categories_in_a_workbook():
    need("excel")
    model, vectors = categories(120, without="\0\r\ufffe\uffff")
    plan = plan_of(model)
    workbook = Workbook(workbook_bytes(model, plan, vectors, every_row=True))
    assert workbook.value("Test!A3") == 0


def categories(n, without):
    """Rows whose texts of categories are hostile, without characters that a target has no way to hold."""
    columns = [c for c in (*models.mixed_columns(), *hostile_texts.written_columns()) if c.kind == "category"]
    model = models.model(columns, ("no", "yes"), rule="threshold", posterior=models.Posterior(1.3, (0.0, -0.2)))
    cells = hostile_texts.texts(model, n, SEED)
    kept = [i for i in range(n) if not any(set(own[i] or "") & set(without) for own in cells.values())]
    return model, Vectors.of(model, {name: [own[i] for i in kept] for name, own in cells.items()})


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    if postgres.programs() is None or shutil.which("psql") is None:
        pytest.skip("NOT TESTED: no server of PostgreSQL on this machine, so its SQL was parsed but not run")
    folder = Path(tempfile.mkdtemp(prefix="pg"))  # a path of a socket is short
    folder.chmod(0o755)
    started = postgres.Server(folder)
    yield started
    started.stop()
    shutil.rmtree(folder)


@pytest.mark.parametrize("name", MODELS)
def test_texts_in_postgresql(server, name):
    model, vectors = tried(name, 600, SEED)
    kept = [i for i in range(600) if not any("\0" in (own[i] or "") for own in vectors.cells.values())]  # it has no NUL
    cells = {column: [own[i] for i in kept] for column, own in vectors.cells.items()}
    result = in_postgresql(server, model, cells, typed=False)
    assert result.passed, result.text


@pytest.mark.parametrize("name", models.MODELS)
def test_columns_of_their_own_types_in_postgresql(server, name):
    model = models.MODELS[name]()
    result = in_postgresql(server, model, models.rows(model, 150), typed=True)
    assert result.passed, result.text


def in_postgresql(server, model, cells, typed):
    plan, vectors = plan_of(model), Vectors.of(model, cells)
    query = export(model, "sql", dialect="postgresql").files["model.sql"].decode()
    answers = server.answers(query, plan, cells, typed=typed)
    if isinstance(model.answers[0], bool):
        answers = replace(answers, labels=[None if a is None else a == "t" for a in answers.labels])
    elif not isinstance(model.answers[0], str) and "reject" not in model.answers:
        answers = replace(answers, labels=[None if a is None else type(model.answers[0])(a) for a in answers.labels])
    return compare_answers(vectors, answers, "PostgreSQL")
