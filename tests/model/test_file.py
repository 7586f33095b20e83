"""Models in files: what is read is what was written, to the last bit, and a kill never leaves half of one."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given

from discriminant.gain import Gain
from discriminant.model import DecisionModel, ModelFileError, Posterior, Target, load, save
from discriminant.model.file import _read
from discriminant.model.plain_json import MOST_BYTES
from discriminant.table.encoding import Column, Encoding, Feature, IndexedEncoding, piece_name
from discriminant.table.number_format import NumberFormat
from tests.model.samples import ODD_FLOATS, models, random_model, same_bits


def typed(labels):
    return [(type(label), label) for label in labels]


def assert_same(a: DecisionModel, b: DecisionModel) -> None:
    assert same_bits(a.weights, b.weights)
    assert same_bits(a.thresholds, b.thresholds)
    assert same_bits(a.gain.matrix, b.gain.matrix)
    assert typed(a.answers) == typed(b.answers)
    assert a.target == b.target
    assert a.encoding == b.encoding
    assert repr(a.encoding) == repr(b.encoding)  # which tells −0.0 from 0.0
    assert repr(a.posterior) == repr(b.posterior)
    assert (a.rule, a.priors, a.learner, a.gain.unit) == (b.rule, b.priors, b.learner, b.gain.unit)
    assert (a.parameters, a.findings, a.provenance) == (b.parameters, b.findings, b.provenance)


@given(models)
def test_a_model_comes_back_to_the_last_bit(tmp_path_factory, model):
    path = tmp_path_factory.mktemp("model") / "model.json"
    save(model, path)
    back = load(path)
    assert_same(model, back)
    first = path.read_bytes()
    save(back, path)
    assert path.read_bytes() == first


@pytest.mark.parametrize("seed", range(60))
def test_the_version_is_the_least_whose_readers_understand_the_model(tmp_path, seed):
    model = random_model(seed)
    save(model, tmp_path / "model.json")
    text = (tmp_path / "model.json").read_text()
    columns = getattr(model.encoding, "columns", ())
    newer = ('"bends"' in text) or any(
        c.deviation or c.step or not all(f.straight for f in c.features) for c in columns
    )
    assert json.loads(text)["version"] == 1 + newer


def test_pieces_have_their_usual_names_unless_the_file_says_otherwise(tmp_path):
    pieces = [(None, 10.0), (10.0, 25.5), (25.5, None)]
    features = [Feature("", "value", 0.0, 1.0, low=a, high=b) for a, b in pieces]
    model = replace(
        random_model(0, odd=False),
        target=Target("y", ("no", "yes")),
        encoding=Encoding(
            (Column("age", "number", tuple(replace(f, name=piece_name("age", f.low, f.high)) for f in features)),)
        ),
        weights=np.ones((1, 3)),
        thresholds=np.zeros(1),
        gain=Gain(np.eye(2)),
        posterior=Posterior(1.0, (0.0, 0.0), ((0.5, -1.0), (0.7, 2.0))),
        priors=None,
        rule="threshold",
    )
    save(model, tmp_path / "model.json")
    assert '"name": "age' not in (tmp_path / "model.json").read_text().replace('"name": "age",', "")
    back = load(tmp_path / "model.json")
    assert back.encoding.feature_names == ("age up to 10", "age from 10 to 25.5", "age from 25.5")
    assert_same(model, back)


def large_model(seed=0, K=3, d=8000, **changed) -> DecisionModel:
    rng = np.random.default_rng(seed)
    P = 1 if K == 2 else K
    weights = rng.standard_normal((P, d))
    weights.flat[: len(ODD_FLOATS)] = ODD_FLOATS
    made = DecisionModel(
        Target("class", tuple(range(K))),
        IndexedEncoding(d, 1),
        weights,
        rng.standard_normal(P),
        rule="threshold" if K == 2 else "largest",
        gain=Gain(np.eye(K)),
    )
    return replace(made, **changed)


def arrays_in(folder: Path) -> list[str]:
    return sorted(p.name for p in folder.iterdir() if p.name.endswith(".safetensors"))


@pytest.mark.parametrize(("K", "d"), [(2, 47152), (3, 8000), (150, 3), (200, 200)])
def test_large_models_keep_their_arrays_beside_them(tmp_path, K, d):
    model = large_model(K=K, d=d)
    save(model, tmp_path / "model.json")
    assert_same(model, load(tmp_path / "model.json"))
    (name,) = arrays_in(tmp_path)
    document = json.loads((tmp_path / "model.json").read_text())
    assert document["planes"]["file"] == name
    assert (tmp_path / "model.json").stat().st_size < 20_000
    assert (document["gain"]["matrix"] == {"array": "gain"}) == (K * K > 20_000)


def test_the_arrays_are_a_safetensors_file(tmp_path):
    safetensors = pytest.importorskip("safetensors.numpy", reason="the safetensors package is not here to read with")
    model = large_model()
    save(model, tmp_path / "model.json")
    read = safetensors.load_file(tmp_path / arrays_in(tmp_path)[0])
    assert same_bits(read["weights"], model.weights)
    assert same_bits(read["thresholds"], model.thresholds)


def test_saving_again_removes_the_arrays_of_the_old_model_and_no_other(tmp_path):
    path = tmp_path / "model.json"
    strangers = ["other.0a1b2c3d.safetensors", "model.mine.safetensors", "model.v2.0a1b2c3d.safetensors"]
    for name in strangers:
        (tmp_path / name).write_bytes(b"mine")
    save(large_model(0), path)
    first = arrays_in(tmp_path)
    save(large_model(1), path)
    assert len(arrays_in(tmp_path)) == len(first) == 4
    assert set(strangers) < set(arrays_in(tmp_path))
    save(random_model(3), path)
    assert arrays_in(tmp_path) == sorted(strangers)
    document = json.loads(path.read_text())
    document["planes"] = {"file": strangers[0], "sha256": "0" * 64}
    path.write_text(json.dumps(document))
    save(random_model(3), path)
    assert arrays_in(tmp_path) == sorted(strangers)


def test_arrays_that_are_gone_damaged_or_of_another_model_are_refused(tmp_path):
    path = tmp_path / "model.json"
    save(large_model(0), path)
    (name,) = arrays_in(tmp_path)
    arrays = tmp_path / name
    good = arrays.read_bytes()
    damages = {
        "SHA-256": good[:-3] + bytes([good[-3] ^ 1]) + good[-2:],
        "must have": good[:-8],
        "bytes": good + b"\0" * 8,
        "no safetensors": b"",
        "header": b"\xff" * 8 + good[8:],
        "shape": good.replace(b"[3, 8000]", b"[8000, 3]"),
        "F64": good.replace(b'"F64"', b'"F32"', 1),
        "not valid JSON": good[:8] + b"x" + good[9:],
        "data_offsets": good.replace(b"[0, 192000]", b"[8, 192008]"),
    }
    for words, damaged in damages.items():
        arrays.write_bytes(damaged)
        with pytest.raises(ModelFileError, match=words):
            load(path)
    arrays.unlink()
    with pytest.raises(ModelFileError, match="not beside it"):
        load(path)
    arrays.mkdir()
    with pytest.raises(ModelFileError, match="not of a folder"):
        load(path)


@pytest.mark.parametrize(
    "name",
    [
        "../x.0a1b2c3d.safetensors",
        "/etc/passwd",
        "a/b.0a1b2c3d.safetensors",
        "C:\\x.0a1b2c3d.safetensors",
        "x",
        "",
        "\0",
    ],
)
def test_arrays_stand_in_the_folder_of_the_model_only(tmp_path, name):
    path = tmp_path / "model.json"
    save(large_model(0), path)
    document = json.loads(path.read_text())
    document["planes"]["file"] = name
    path.write_text(json.dumps(document))
    with pytest.raises(ModelFileError, match=r"planes\.file must be the name of a file"):
        load(path)


def test_a_reader_between_two_saves_gets_one_of_the_models(tmp_path, monkeypatch):
    path = tmp_path / "model.json"
    save(large_model(0), path)
    stale = path.read_bytes()
    save(large_model(1), path)  # the arrays of the first are gone
    answers = iter([stale, path.read_bytes()])
    monkeypatch.setattr("discriminant.model.file._read", lambda _: next(answers))
    assert_same(load(path), large_model(1))


def test_the_file_is_for_people_too(tmp_path):
    path = tmp_path / "model.json"
    save(random_model(11, odd=False), path)
    text = path.read_text()
    assert text.startswith('{\n  "format": "discriminant model",\n  "version": 2,\n  "target": {"name": "class", ')
    assert max(map(len, text.splitlines())) <= 190
    keys = list(json.loads(text))
    assert keys[:5] == ["format", "version", "target", "encoding", "planes"]
    assert keys[5:] == ["posterior", "rule", "gain", "priors", "learner", "findings", "provenance"]


def test_an_edited_file_with_a_byte_order_mark_is_read(tmp_path):
    path = tmp_path / "model.json"
    save(random_model(5), path)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert_same(load(path), random_model(5))


# --- what cannot be saved -------------------------------------------------------------------------------


def tiny(**changed) -> DecisionModel:
    column = Column("x", "number", (Feature("x", "value", 1.0, 2.0),))
    made = DecisionModel(
        Target("class", ("a", "b")),
        Encoding((column,)),
        np.ones((1, 1)),
        np.zeros(1),
        rule="threshold",
        gain=Gain(np.eye(2)),
    )
    return replace(made, **changed)


WRITTEN = NumberFormat(",", ".", ("€", "EUR"), {"Tsd.": 3}, True)


@pytest.mark.parametrize(
    "model",
    [
        tiny(target=Target("income", ("up to 4", "above 4"), (4.0,))),
        tiny(target=Target("income", ("up to 4", "above 4"), (4.0,), WRITTEN)),
        tiny(encoding=Encoding((Column("x", "number", (Feature("x", "value", 1.0, 2.0),), number_format=WRITTEN),))),
        tiny(
            encoding=Encoding(
                (Column("x", "category", (Feature("x = b", "level", 0.2, 0.4, "b"),), "a", aliases=(("B", "b"),)),)
            )
        ),
    ],
)
def test_how_cells_are_written_is_kept_and_asks_for_a_newer_reader(tmp_path, model):
    path = tmp_path / "model.json"
    save(model, path)
    assert json.loads(path.read_text())["version"] == 2
    assert_same(load(path), model)


def column_with(**changed) -> Encoding:
    feature = replace(Feature("x", "value", 1.0, 2.0), **changed)
    return Encoding((Column("x", "number", (feature,)),))


@pytest.mark.parametrize(
    ("model", "words"),
    [
        (tiny(provenance={"a": float("nan")}), "provenance.a must be finite"),
        (tiny(provenance={"a": {"b": [1, object()]}}), r"provenance\.a\.b\[1\] must be plain data"),
        (tiny(provenance={1: 2}), "keys must be text"),
        (tiny(provenance={"a": "\ud800"}), "surrogate"),
        (
            tiny(encoding=column_with(scale=0.0)),
            r"encoding\.columns\[0\]\.features\[0\]\.scale must be a positive number",
        ),
        (tiny(encoding=column_with(scale=float("inf"))), "scale must be a positive number"),
        (tiny(encoding=column_with(centre=float("nan"))), "centre must be a finite number"),
        (tiny(target=Target("class", ("a", None))), "a label"),
        (tiny(target=Target("class", ("a", 2**70))), "64 bits"),
        (tiny(posterior=Posterior(-1.0, (0.0, 0.0))), r"posterior\.slope"),
        (tiny(priors=(0.5, 0.6)), "priors must be 0 or more and sum to 1"),
        (tiny(gain=Gain(np.eye(2), classes=("b", "a"))), "the gain names the classes"),
        (tiny(provenance={"a": "x" * 26 * 10**6}), "too large"),
    ],
)
def test_a_model_that_could_not_be_read_again_is_not_written(tmp_path, model, words):
    path = tmp_path / "model.json"
    save(tiny(), path)
    before = path.read_bytes()
    with pytest.raises(ModelFileError, match=words):
        save(model, path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["model.json"]


def deep(levels):
    value = []
    for _ in range(levels):
        value = [value]
    return value


def test_data_that_is_too_deep_is_not_written(tmp_path):
    save(tiny(provenance={"a": deep(50)}), tmp_path / "model.json")
    with pytest.raises(ModelFileError, match="too deep"):
        save(tiny(provenance={"a": deep(5000)}), tmp_path / "model.json")
    assert load(tmp_path / "model.json").provenance == {"a": deep(50)}


def test_numpy_numbers_become_plain_ones(tmp_path):
    model = tiny(
        target=Target("class", (np.int64(3), np.int64(4))),
        priors=(np.float64(0.25), np.float64(0.75)),
        provenance={"rows": np.int64(7), "share": np.float32(0.5), "pair": (1, 2)},
    )
    save(model, tmp_path / "model.json")
    back = load(tmp_path / "model.json")
    assert typed(back.classes) == [(int, 3), (int, 4)]
    assert back.provenance == {"rows": 7, "share": 0.5, "pair": [1, 2]}
    assert back.priors == (0.25, 0.75)


# --- kill -9 --------------------------------------------------------------------------------------------

_KILLED_SAVERS = """
import os, random, signal, sys, time
from pathlib import Path
import numpy as np
from discriminant.gain import Gain
from discriminant.model import DecisionModel, Target, load, save
from discriminant.table.encoding import IndexedEncoding

def model(seed):
    weights = np.random.default_rng(seed).standard_normal((1, 60000))
    target, gain = Target("class", (0, 1)), Gain(np.eye(2))
    return DecisionModel(target, IndexedEncoding(60000), weights, np.zeros(1), "threshold", gain)

path, models, rng = Path(sys.argv[1]), [model(seed) for seed in range(3)], random.Random(0)
save(models[0], path)
for round in range(int(sys.argv[2])):
    child = os.fork()
    if child == 0:
        while True:
            for each in models:
                save(each, path)
    time.sleep(rng.uniform(0, 0.1))
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    found = load(path).weights
    print(sum(np.array_equal(found, each.weights) for each in models), flush=True)
"""


def test_a_kill_at_any_moment_leaves_a_whole_model(tmp_path):
    command = [sys.executable, "-c", _KILLED_SAVERS, str(tmp_path / "model.json"), "30"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    assert done.stdout.split() == ["1"] * 30  # each time one of the models, whole


def test_no_more_is_read_than_a_model_can_have(tmp_path):
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(1 << 33)
    assert len(_read(path)) == MOST_BYTES + 1
    with pytest.raises(ModelFileError, match="too large"):
        load(path)
