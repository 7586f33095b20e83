"""What cells the exported functions take, and what they refuse."""

import ctypes
import datetime as dt
import json
import shutil
import subprocess
import sys

import numpy as np
import pytest

from discriminant.export import export
from discriminant.export.c_language import field_names
from discriminant.export.running.programs import FLAGS
from tests.export import models
from tests.export.runtimes import need


def small(classes=("no", "yes")):
    columns = [
        models.number("x", 1.0, 2.0, blank=0.2),
        models.category("c", "u", ["v", "2"], also_blank=("none",)),
        models.date("when", blank=0.1),
        models.flag("f", blank=0.1),
    ]
    return models.model(columns, classes, rule="threshold", posterior=models.Posterior(1.0, (0.0, 0.1)))


def module_of(model):
    space = {"__name__": "exported"}
    exec(export(model, "python").files["model.py"], space)
    return space


ROW = {"x": 2.5, "c": "v", "when": dt.date(2020, 3, 1), "f": True}
SAME = [
    {"x": "2.5"},
    {"x": " 2.50e0 "},
    {"c": " v "},
    {"when": "2020-03-01"},
    {"when": "2020-03-01T00:00:00Z"},
    {"when": "2020-03-01 02:00:00+02:00"},
    {"when": 18322},
    {"f": 1},
    {"f": "TRUE"},
]
BLANK = [None, float("nan"), "", " ", "NA"]
WRONG = [
    {"x": "12 apples"},
    {"x": "inf"},
    {"x": "1_000"},
    {"when": "yesterday"},
    {"when": "2020-02-30"},
    {"f": "maybe"},
]


def test_python_takes_cells_in_many_forms():
    scores = module_of(small())["scores"]
    expected = scores(ROW)
    for other in [*SAME, {"when": dt.datetime(2020, 3, 1)}, {"when": dt.datetime(2020, 3, 1, tzinfo=dt.UTC)}]:
        assert scores(ROW | other) == expected, other
    assert scores(ROW | {"c": 2}) == scores(ROW | {"c": "2"}) == scores(ROW | {"c": 2.0})
    for name in ROW:
        assert len({tuple(scores(ROW | {name: blank})) for blank in BLANK}) == 1
        assert scores(ROW | {name: None}) != expected
    assert scores(ROW | {"c": "none"}) == scores(ROW | {"c": None})


def test_python_refuses_what_it_cannot_read():
    scores = module_of(small())["scores"]
    for wrong in [*WRONG, {"x": float("inf")}]:
        with pytest.raises(ValueError, match=f"column '{next(iter(wrong))}'"):
            scores(ROW | wrong)
    with pytest.raises(KeyError, match="no column 'x'"):
        scores({"c": "v"})


def test_python_needs_nothing_but_the_standard_library(tmp_path):
    """Run by an interpreter without any installed package."""
    (tmp_path / "model.py").write_bytes(export(small(), "python").files["model.py"])
    row = {"x": 1, "c": "v", "when": None, "f": None}
    code = f"import sys; sys.path.insert(0, '.'); import model; print(model.label({row!r}))"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], cwd=tmp_path, capture_output=True, check=True)
    assert done.stdout.decode().strip() in ("no", "yes")


def node(tmp_path, model, expressions):
    need("js")
    for name, content in export(model, "js").files.items():
        (tmp_path / name).write_bytes(content)
    lines = "\n".join(f"tried.push(attempt(() => {e}));" for e in expressions)
    script = f"""import * as model from "./model.mjs";
const ROW = {{ x: 2.5, c: "v", when: new Date(Date.UTC(2020, 2, 1)), f: true }};
const tried = [];
const attempt = (f) => {{ try {{ return f(); }} catch (e) {{ return e.name + ": " + e.message; }} }};
{lines}
console.log(JSON.stringify(tried));
"""
    (tmp_path / "try.mjs").write_text(script)
    done = subprocess.run([shutil.which("node"), "try.mjs"], cwd=tmp_path, capture_output=True, check=True)
    return json.loads(done.stdout)


def test_javascript_takes_cells_in_many_forms(tmp_path):
    changed = [f"model.scores({{ ...ROW, ...{json.dumps(other)} }})" for other in SAME]
    found = node(tmp_path, small(), ["model.scores(ROW)", "model.scores(new Map(Object.entries(ROW)))", *changed])
    assert all(scores == found[0] for scores in found), found
    assert found[0] == pytest.approx(module_of(small())["scores"](ROW), rel=1e-14)


def test_javascript_blanks(tmp_path):
    for name in ROW:
        blanks = ["null", "undefined", "NaN", '""', '" "', '"NA"']
        found = node(tmp_path, small(), [f"model.scores({{ ...ROW, {name}: {blank} }})" for blank in blanks])
        assert all(scores == found[0] for scores in found)
        assert found[0] == pytest.approx(module_of(small())["scores"](ROW | {name: None}), rel=1e-14)


def test_javascript_refuses_what_it_cannot_read(tmp_path):
    wrong = [f"model.scores({{ ...ROW, ...{json.dumps(w)} }})" for w in WRONG]
    wrong += ["model.scores({ ...ROW, x: Infinity })", "model.scores({ ...ROW, when: new Date('x') })"]
    for found in node(tmp_path, small(), wrong):
        assert str(found).startswith("RangeError: "), found
        assert "in column" in found


def test_javascript_labels_keep_their_type(tmp_path):
    for classes in [("no", "yes"), (0, 1), (False, True), (0.5, 1.5)]:
        (found,) = node(tmp_path, small(classes), ["[model.label(ROW), ...model.classes]"])
        assert found[1:] == list(classes)
        assert type(found[0]) is type(classes[0])
    (found,) = node(tmp_path, small((1, 2**60)), ["model.classes.map(String)"])
    assert found == ["1", str(2**60)]


def compiled(tmp_path, model):
    need("c")
    for name, content in export(model, "c").files.items():
        (tmp_path / name).write_bytes(content)
    library = tmp_path / "model.so"
    subprocess.run(["gcc", *FLAGS, "-fPIC", "-shared", "-o", library, tmp_path / "model.c", "-lm"], check=True)
    return ctypes.CDLL(str(library))


class Row(ctypes.Structure):
    _fields_ = [("x", ctypes.c_double), ("c", ctypes.c_char_p), ("when", ctypes.c_double), ("f", ctypes.c_double)]


def test_c_from_another_language(tmp_path):
    library = compiled(tmp_path, small())
    library.discriminant_label.restype = ctypes.c_char_p
    scores = (ctypes.c_double * 1)()
    rows = [(2.5, b"\t v\n", 18322, 1.0), (np.nan, None, np.nan, np.nan), (2.5, b"never", 18322, 0.0)]
    cells = [ROW, dict.fromkeys(ROW), ROW | {"c": "never", "f": False}]
    module = module_of(small())
    for given, row in zip(rows, cells, strict=True):
        library.discriminant_scores(ctypes.byref(Row(*given)), scores)
        assert scores[0] == pytest.approx(module["scores"](row)[0], rel=1e-14)
        assert library.discriminant_label(library.discriminant_decide(scores)).decode() == module["label"](row)
    library.discriminant_scores(ctypes.byref(Row(np.inf, b"v", 0.0, 0.0)), scores)
    assert library.discriminant_decide(scores) == -1
    assert library.discriminant_label(-1) is None


@pytest.mark.parametrize(
    ("classes", "kind"),
    [
        ((-(2**63), 2**63 - 1), ctypes.c_longlong),
        ((0.5, -1e300), ctypes.c_double),
        ((False, True), ctypes.c_int),
        ((1, 2**70), ctypes.c_char_p),
    ],
)
def test_c_labels_keep_their_type(tmp_path, classes, kind):
    library = compiled(tmp_path, small(classes))
    library.discriminant_label.restype = kind
    found = [library.discriminant_label(place) for place in range(2)]
    assert found == [str(c).encode() if kind is ctypes.c_char_p else c for c in classes]


def test_fields_of_c_are_identifiers():
    names = ["age", "Age", "int", "my col", "my-col", "2nd", "é", "", "NULL", "class", "a" * 99, "a" * 98]
    fields = field_names(names)
    assert len(set(fields)) == len(names)
    assert all(f.isidentifier() and f.isascii() for f in fields)
    assert fields[:5] == ["age", "Age", "int_", "my_col", "my_col_2"]


KEYWORDS = """
alignas alignof auto bool break case char const constexpr continue default do double else enum extern false float for
goto if inline int long nullptr register restrict return short signed sizeof static static_assert struct switch
thread_local true typedef typeof typeof_unqual union unsigned void volatile while _Bool _Atomic _Generic
and and_eq asm bitand bitor catch char8_t char16_t char32_t class co_await co_return co_yield compl concept const_cast
consteval constinit decltype delete dynamic_cast explicit export final friend import module mutable namespace new
noexcept not not_eq operator or or_eq override private protected public reinterpret_cast requires static_cast template
this throw try typeid typename using virtual wchar_t xor xor_eq __proto__ constructor prototype arguments await yield
function let var null undefined None lambda def pass select from where table group order index rowid main errno NAN
stdin linux unix
""".split()  # noqa: SIM905


@pytest.mark.parametrize("command", [["gcc", "-std=c99"], ["gcc", "-std=c2x"], ["gcc"], ["g++", "-std=c++20"]])
def test_columns_called_as_keywords_are(tmp_path, command):
    if shutil.which(command[0]) is None:
        pytest.skip(f"NOT TESTED: {command[0]} is not on this machine")
    model = models.model([models.number(name) for name in KEYWORDS], ("a", "b"), rule="threshold")
    files = export(model, "c").files
    for name, content in files.items():
        (tmp_path / name).write_bytes(content)
    user = tmp_path / ("user.cpp" if command[0] == "g++" else "user.c")
    user.write_text(
        "#include <math.h>\n#include <stdio.h>\n#include <errno.h>\n"
        + '#include "model.h"\nint main(void) { return 0; }\n'
    )
    sources = [user] if command[0] == "g++" else [user, tmp_path / "model.c"]
    compiled = subprocess.run(
        [*command, "-fsyntax-only", "-Wall", "-Werror", *sources], check=False, capture_output=True, text=True
    )
    assert compiled.returncode == 0, compiled.stderr


@pytest.mark.parametrize(("to", "dialect"), [("js", None), ("python", None), ("sql", "sqlite"), ("sql", "duckdb")])
def test_columns_called_as_keywords_elsewhere(to, dialect):
    need(to, dialect)
    names = list({name.lower(): name for name in KEYWORDS}.values())
    columns = [
        models.number(name) if i % 2 else models.category(name, "class", ["typeof", "NULL "])
        for i, name in enumerate(names)
    ]
    result = export(models.model(columns, ("select", "delete"), rule="threshold"), to, dialect=dialect).check()
    assert result.passed, result.text


def test_sparse_indices(tmp_path):
    model = models.sparse()
    module = module_of(model)
    assert module["scores"]([1, 501], [2.0, 9.0]) == module["scores"]([1], [2.0])  # never seen: counts for nothing
    with pytest.raises(IndexError, match="index 0 is less than 1"):
        module["scores"]([0], [1.0])
    found = node(tmp_path, model, ["model.scores([1, 501], [2, 9])", "model.scores([0], [1])"])
    assert found[0] == module["scores"]([1], [2.0])
    assert found[1].startswith("RangeError: index 0 is less than 1")


@pytest.mark.parametrize(
    ("classes", "kind"), [(("no", "yes"), str), ((0, 1), int), ((False, True), bool), ((0.5, 1.5), float)]
)
def test_onnx_labels_keep_their_type(classes, kind):
    need("onnx")
    import onnx
    import onnxruntime

    content = export(small(classes), "onnx").files["model.onnx"]
    onnx.checker.check_model(onnx.load_from_string(content), full_check=True)
    session = onnxruntime.InferenceSession(content, providers=["CPUExecutionProvider"])
    assert [(i.name, i.type) for i in session.get_inputs()] == [
        ("x", "tensor(double)"),
        ("c", "tensor(string)"),
        ("when", "tensor(double)"),
        ("f", "tensor(double)"),
    ]
    blank = {"x": [[np.nan]], "c": np.array([[""]], dtype=object), "when": [[np.nan]], "f": [[np.nan]]}
    label, scores, chances = session.run(["label", "scores", "probabilities"], blank)
    module = module_of(small(classes))
    row = dict.fromkeys(ROW)
    assert label.tolist() == [module["label"](row)]
    assert type(label.tolist()[0]) is kind
    assert scores[0] == pytest.approx(module["scores"](row), rel=1e-14)
    assert chances[0] == pytest.approx(module["probabilities"](row), rel=1e-14)


def test_onnx_columns_with_the_names_of_outputs():
    need("onnx")
    model = models.model(
        [models.number("label"), models.number("scores"), models.number("_0")], ("a", "b"), rule="threshold"
    )
    assert export(model, "onnx").check().passed
