"""Checks that can fail, files that appear whole or not at all, and what cannot be asked for."""

import dataclasses
import io
import json
import shutil
import sys
import zipfile

import numpy as np
import pytest

from discriminant.export import TARGETS, ExportError, export, exporting, write_export
from discriminant.table.number_format import NumberFormat
from tests.export import models
from tests.export.runtimes import need


@pytest.mark.parametrize("to", ["sql", "python", "c", "js", "onnx"])
def test_a_check_notices_another_model(to):
    """The answers of one model beside the vectors of another that differs by little."""
    need(to)
    model = models.two()
    weights = np.array(model.weights)
    weights[0, 0] *= 1 + 1e-6
    other = dataclasses.replace(model, weights=weights)
    assert export(model, to).check().passed
    result = export(other, to).check(export(model, to).vectors)
    assert result.status == "failed"
    assert result.worst_score > 1e-9


def test_a_check_notices_other_labels():
    model = models.two()
    swapped = dataclasses.replace(model, target=models.Target("class", ("yes", "no")))
    result = export(swapped, "python").check(export(model, "python").vectors)
    assert result.status == "failed"
    assert result.flips == sum(label is not None for label in export(model, "python").vectors.labels)


def test_what_did_not_run_has_not_passed(monkeypatch):
    model = models.two()
    monkeypatch.setattr("shutil.which", lambda name: None)
    for to, why in (("js", "no node here"), ("c", "no C compiler here"), ("excel", "no LibreOffice here")):
        result = export(model, to).check()
        assert (result.status, result.passed) == ("not checked", False)
        assert why in str(result)
    for dialect in ("postgresql", "bigquery"):
        assert export(model, "sql", dialect=dialect).check().status == "not checked"
    monkeypatch.setitem(sys.modules, "duckdb", None)
    assert "no duckdb here" in str(export(model, "sql", dialect="duckdb").check())


def test_sql_for_more_columns_than_sqlite_has_here_is_written_unchecked(tmp_path):
    written = write_export(models.wide(2001), "sql", tmp_path / "wide.sql")
    assert str(written.check).startswith("not checked: a table of SQLite here has at most 2,000 columns")
    assert "2,001" in written.check.text
    assert all(path.stat().st_size for path in written.paths)


def test_an_export_that_does_not_run_has_failed(monkeypatch):
    write, _, where = exporting.LANGUAGES["python"]
    monkeypatch.setitem(exporting.LANGUAGES, "python", (write, lambda files, plan, vectors: 1 / 0, where))
    result = export(models.two(), "python").check()
    assert result.status == "failed"
    assert "division by zero" in result.text


def test_onnx_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(ExportError, match=r"pip install discriminant\[onnx\]"):
        export(models.two(), "onnx")


@pytest.mark.parametrize("to", TARGETS)
def test_files_and_vectors_are_written(to, tmp_path):
    need(to)
    written = write_export(models.two_with_reject(), to, tmp_path / "churn.x")
    names = {path.name for path in written.paths}
    assert names == {p.name for p in tmp_path.iterdir()}
    assert "churn.vectors.json" in names
    assert all(name.startswith("churn.") for name in names)
    unchecked = to == "excel" and shutil.which("soffice") is None
    assert written.check.status == ("not checked" if unchecked else "passed")
    vectors = json.loads((tmp_path / "churn.vectors.json").read_text())
    assert len(vectors["rows"]) == len(vectors["scores"]) == len(vectors["labels"]) >= 400
    refused = {None} if to in ("sql", "js", "python") else set()  # texts, where they are read
    assert set(vectors["labels"]) <= set(models.two_with_reject().answers) | refused
    assert refused <= set(vectors["labels"])


def test_into_a_folder(tmp_path):
    written = write_export(models.two(), "python", tmp_path)
    assert sorted(p.name for p in written.paths) == ["model.py", "model.vectors.json"]


def test_vectors_come_back_bit_for_bit(tmp_path):
    made = export(models.two(), "python")
    read = json.loads(made.vectors.to_json())
    assert np.array_equal(np.array(read["scores"], dtype=float), made.vectors.scores, equal_nan=True)
    assert read["columns"] == list(made.vectors.cells)


def test_a_wrong_export_is_not_written(tmp_path, monkeypatch):
    real = exporting.vectors_of
    wrong = dataclasses.replace(real(models.two()), scores=real(models.two()).scores + 1e-6)
    monkeypatch.setattr(exporting, "vectors_of", lambda m, texts: wrong)
    with pytest.raises(ExportError, match="does not agree with the model and was not written"):
        write_export(models.two(), "python", tmp_path / "model.py")
    assert list(tmp_path.iterdir()) == []


def test_vectors_visit_every_level_and_blank():
    model = models.two()
    cells = export(model, "python").vectors.cells
    for column in model.encoding.used:
        seen = set(cells[column.name])
        assert None in seen
        assert set(column.levels) <= seen


def test_the_same_model_gives_the_same_files():
    for to in ("sql", "c", "js", "python", "excel"):
        assert export(models.two(), to).files == export(models.two(), to).files


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"to": "cobol"}, "cannot export to 'cobol'; it must be one of sql, c, js, python, onnx, excel"),
        ({"to": "sql", "dialect": "oracle"}, "dialect 'oracle' is none of sqlite, duckdb, postgresql, bigquery"),
        ({"to": "c", "dialect": "sqlite"}, "c has no dialects"),
        ({"to": "c", "name": 'a"b'}, "cannot be the name of a file"),
    ],
)
def test_what_cannot_be_asked_for(options, message):
    with pytest.raises(ExportError, match=message):
        export(models.two(), **options)


def test_a_model_without_columns():
    model = models.model([models.Column("id", "dropped")], ("a", "b"), rule="threshold")
    with pytest.raises(ExportError, match="uses no column"):
        export(model, "python")


def test_every_export_says_how_numbers_are_written():
    price = dataclasses.replace(models.number("price \n*/"), number_format=NumberFormat(",", ".", ("€",)))
    made = models.model([price, models.number("age")], ("no", "yes"), rule="threshold")
    for to in TARGETS:
        files = export(made, to).files
        first = files["model.h"] if to == "c" else next(iter(files.values()))
        if to == "excel":
            first = zipfile.ZipFile(io.BytesIO(first)).read("xl/sharedStrings.xml")
        reads_texts = to in ("sql", "js", "python")
        said = b"A text is read as the table writes" if reads_texts else b"Numbers are given plain, such as 1234.5"
        assert said in first, to
        assert b"1.234,50 \\u20ac" in first.replace(b"\\\\u", b"\\u"), to
        assert export(made, to).check().status != "failed", to
    plain = export(models.model([models.number("age")], ("no", "yes"), rule="threshold"), "sql").files["model.sql"]
    assert b"given plain" not in plain
    assert b"A text is read" not in plain


def test_without_a_check_nothing_is_run(tmp_path, monkeypatch):
    monkeypatch.setattr("subprocess.run", None)
    for to in ("python", "js", "c"):
        written = write_export(models.two(), to, tmp_path, check=False)
        assert written.check.status == "not checked"
        assert all(path.exists() for path in written.paths)


def test_the_module_of_python_is_not_run_in_this_process(monkeypatch):
    made = export(models.two(), "python")
    monkeypatch.setattr("builtins.exec", None)
    assert made.check().passed


def test_the_vectors_hold_texts_that_are_refused():
    document = json.loads(export(models.two(), "python").vectors.to_json())
    refused = [i for i, label in enumerate(document["labels"]) if label is None]
    cells = {cell for i in refused for cell in document["rows"][i]}
    assert {"1-2", "5e", "19700102", "2"} <= cells
    assert all(document["scores"][i] == [None] for i in refused)
