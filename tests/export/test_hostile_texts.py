"""Every target reads hostile texts as the model does: the same label and score, or no label."""

import os
from functools import cache

import pytest

from discriminant.export import Vectors, export
from tests.export import hostile_texts
from tests.export.runtimes import need

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
    agree(to, dialect, name, 600, SEED)


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(("to", "dialect"), ENGINES)
def test_ten_thousand_rows_of_texts(to, dialect, name):
    agree(to, dialect, name, 10_000, SEED + 1)


def agree(to, dialect, name, n, seed):
    need(to, dialect)
    model, vectors = tried(name, n, seed)
    refused = sum(label is None for label in vectors.labels)
    assert 0.2 * n < refused < 0.9 * n
    result = export(model, to, dialect=dialect).check(vectors)
    assert result.passed, (result.text, first_difference(model, export(model, to, dialect=dialect), vectors))


def first_difference(model, made, vectors):
    """The row that differs, for the message of a failing test."""
    for i in range(len(vectors)):
        one = Vectors.of(model, {name: [own[i]] for name, own in vectors.cells.items()})
        if not made.check(one).passed:
            return one.cells, one.labels
    return None
