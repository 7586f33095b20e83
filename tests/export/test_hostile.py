"""Names, levels and labels are data: whatever they hold, exports hold the code that was meant and no other."""

import ast
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discriminant.export import DIALECTS, ExportError, Vectors, export
from discriminant.export.literals import ascii_text, c_text
from discriminant.table.texts import BLANK_TOKENS
from tests.export import models
from tests.export.runtimes import need

# no NUL (SQL has none) and no lone surrogates (files have none)
texts = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), min_size=1, max_size=12)
filled = texts.map(str.strip).filter(lambda t: t not in BLANK_TOKENS)


@st.composite
def odd_models(draw):
    names = draw(st.lists(texts, min_size=2, max_size=3, unique_by=str.lower))
    levels = draw(st.lists(filled, min_size=2, max_size=4, unique=True))
    classes = draw(st.lists(texts, min_size=2, max_size=2, unique=True))
    columns = [models.category(names[0], levels[0], levels[1:], other=draw(st.booleans()))]
    columns += [models.number(name) for name in names[1:]]
    return models.model(columns, tuple(classes), rule="threshold")


@settings(max_examples=40)
@given(odd_models())
def test_any_names_in_sqlite_and_python(model):
    for to in ("sql", "python"):
        result = export(model, to).check()
        assert result.passed, (to, result.text)


@settings(max_examples=8)
@given(odd_models())
def test_any_names_in_c_and_javascript(model):
    need("c")
    need("js")
    for to in ("c", "js"):
        result = export(model, to).check()
        assert result.passed, (to, result.text)


@settings(max_examples=300)
@given(st.text())
def test_escaped_text_is_plain(text):
    try:
        text.encode()
    except UnicodeEncodeError:
        return
    for written in (ascii_text(text), c_text(text)):
        assert written.isascii()
        assert written.isprintable()
        assert "*/" not in written
        assert "</" not in written
        assert "??" not in written
        assert not written.endswith("\\")
    assert ast.literal_eval(c_text(text).replace('"', 'b"', 1)) == text.encode()  # octal escapes are those of C


def test_python_defines_what_it_should_and_runs_nothing():
    tree = ast.parse(export(models.hostile(), "python").files["model.py"])
    kinds = {type(node) for node in tree.body}
    assert kinds == {ast.Expr, ast.Import, ast.Assign, ast.FunctionDef}
    assert next(ast.literal_eval(n.value) for n in tree.body if isinstance(n, ast.Expr)).startswith("Written by")
    (model,) = (n for n in tree.body if isinstance(n, ast.Assign) and n.targets[0].id == "MODEL")
    data = ast.literal_eval(model.value)
    assert [c["name"] for c in data["columns"]] == list(models.HOSTILE)


def test_javascript_closes_no_script_and_has_the_lines_that_were_meant():
    plain, hostile = (export(m, "js").files["model.mjs"].decode() for m in (_renamed(), models.hostile()))
    assert "</script" not in hostile
    assert hostile.isascii()
    assert len(hostile.splitlines()) == len(plain.splitlines())


def test_c_has_the_lines_that_were_meant():
    plain, hostile = (export(m, "c").files for m in (_renamed(), models.hostile()))
    for name in ("model.c", "model.h"):
        assert len(hostile[name].splitlines()) == len(plain[name].splitlines())
        assert hostile[name].isascii()
        assert hostile[name].count(b"/*") == hostile[name].count(b"*/") == plain[name].count(b"/*")
        assert b"system(" not in re.sub(rb'"[^"\n]*"', b"", hostile[name])


def test_comments_of_sql_stay_on_their_lines():
    for dialect in DIALECTS:
        text = export(models.hostile(), "sql", dialect=dialect).files["model.sql"].decode()
        before, _, _ = text.partition("\nWITH ")
        assert all(line.startswith("-- ") for line in before.split("\n"))
        assert before.isascii()


def _renamed():
    """The hostile model with plain names."""
    model = models.hostile()
    fresh = iter(range(10**6))
    columns = []
    for column in model.encoding.columns:
        levels = [f"level {next(fresh)}" for _ in column.levels]
        other = any(f.role == "other" for f in column.features)
        name = f"column {next(fresh)}"
        columns.append(
            models.number(name) if column.kind == "number" else models.category(name, "ref", levels, other=other)
        )
    gain = models.Gain(model.gain.matrix[:, :2], classes=("a", "b"), reject=0.6)
    return models.model(columns, ("a", "b"), rule="gain", gain=gain, posterior=model.posterior)


@pytest.mark.parametrize("to", ["sql", "c", "excel"])
def test_a_nul_is_refused_where_it_cannot_be_said(to):
    model = models.model([models.category("c", "a", ["b\0c"])], ("x", "y"), rule="threshold")
    with pytest.raises(ExportError, match="NUL character"):
        export(model, to)


@pytest.mark.parametrize("to", ["js", "python", "onnx"])
def test_a_nul_is_text_elsewhere(to):
    need(to)
    model = models.model([models.category("c", "a", ["b\0c"])], ("x", "y"), rule="threshold")
    assert export(model, to).check(Vectors.of(model, {"c": ["b\0c", "b", "a", None]})).passed


def test_text_that_is_no_unicode():
    model = models.model([models.number("\ud800")], ("x", "y"), rule="threshold")
    with pytest.raises(ExportError, match="no valid Unicode"):
        export(model, "python")
