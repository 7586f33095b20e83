"""Class moments in files: to the last bit, as data, and refused where anything is wrong."""

import contextlib
import json
import struct

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discriminant import (
    ClassMoments,
    FisherDiscriminant,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    NaiveBayes,
    load_moments,
    save_moments,
)
from discriminant.model import ModelFileError


def moments(labels=("a", "b"), n=40, d=3, seed=0, **form):
    random = np.random.default_rng(seed)
    y = np.array(labels)[np.arange(n) % len(labels)]
    return ClassMoments.of(random.normal(size=(n, d)) + 1e6 + np.arange(n)[:, None] % len(labels), y, **form)


FORMS = [{}, {"per_class": False}, {"full": False}, {"full": False, "per_class": False}]


@pytest.mark.parametrize("form", FORMS, ids=str)
@pytest.mark.parametrize("labels", [("a", "b"), (1, 2, 5), (1.0, 2.0), (False, True)], ids=str)
def test_moments_come_back_to_the_last_bit(form, labels, tmp_path):
    saved = moments(labels, **form)
    save_moments(saved, tmp_path / "night.moments")
    read = load_moments(tmp_path / "night.moments")
    assert read == saved
    assert read.classes.tolist() == saved.classes.tolist()
    assert read.classes.dtype.kind == saved.classes.dtype.kind


@pytest.mark.parametrize(
    "learner",
    [
        LinearDiscriminantAnalysis(),
        LinearDiscriminantAnalysis(shrinkage="auto"),
        FisherDiscriminant(threshold="gaussian"),
        LeastSquaresClassifier(alpha=1.0),
        NaiveBayes(marginal="gaussian"),
    ],
    ids=str,
)
def test_a_model_of_any_nights(learner, tmp_path):
    random = np.random.default_rng(3)
    X, y = random.normal(size=(90, 4)), np.array(list("pqr"))[random.integers(0, 3, 90)]
    X += (y == "p")[:, None]
    for night in range(3):
        own = slice(30 * night, 30 * night + 30)
        save_moments(ClassMoments.of(X[own], y[own]), tmp_path / f"{night}.moments")
    nights = [load_moments(tmp_path / f"{night}.moments") for night in range(3)]
    kept = learner.fit(sum(nights) - nights[1])
    coef, intercept, columns = kept.coef_, kept.intercept_, kept.n_features_in_
    rest = np.r_[0:30, 60:90]
    whole = learner.fit(X[rest], y[rest])
    assert coef == pytest.approx(whole.coef_, rel=1e-11, abs=1e-13)
    assert intercept == pytest.approx(whole.intercept_, rel=1e-11, abs=1e-13)
    assert columns == 4


def test_columns_have_names(tmp_path):
    import pandas as pd

    table = pd.DataFrame({"age": [1.0, 2.0, 3.0, 5.0], "height": [3.0, 1.0, 2.0, 2.5]})
    save_moments(ClassMoments.of(table, list("abab")), tmp_path / "m")
    read = load_moments(tmp_path / "m")
    assert LinearDiscriminantAnalysis().fit(read).feature_names_in_.tolist() == ["age", "height"]
    with pytest.raises(ValueError, match="'age' here is 'height' there"):
        read + ClassMoments.of(table[["height", "age"]], list("abab"))


def test_what_moments_do_not_tell_is_refused():
    with pytest.raises(TypeError, match="counts values"):
        NaiveBayes(marginal="bernoulli").fit(moments())
    with pytest.raises(ValueError, match="variances alone"):
        LinearDiscriminantAnalysis().fit(moments(full=False))
    with pytest.raises(ValueError, match="per_class=True"):
        LinearDiscriminantAnalysis(shrinkage="auto").fit(moments(per_class=False))
    with pytest.raises(ValueError, match="leave y and sample_weight out"):
        LinearDiscriminantAnalysis().fit(moments(), ["a"])
    with pytest.raises(ValueError, match="one class only"):
        LinearDiscriminantAnalysis().fit(moments(("a",)))


def content(tmp_path):
    save_moments(moments(), tmp_path / "m")
    data = (tmp_path / "m").read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    return json.loads(data[8 : 8 + size]), data[8 + size :]


def written(tmp_path, header, numbers):
    text = json.dumps(header).encode()
    (tmp_path / "m").write_bytes(struct.pack("<Q", len(text)) + text + numbers)
    return tmp_path / "m"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "model"}, "format must be"),
        ({"version": 2}, "version 2 is newer"),
        ({"classes": ["a", "a"]}, "different labels"),
        ({"classes": ["a", 1]}, "different labels of one type"),
        ({"n_columns": 4}, "bytes of numbers"),
        ({"columns": ["x"]}, "names of 3 columns"),
        ({"per_class": 1}, "true or false"),
        ({"full": False}, "radial sums belong"),
        ({"sha256": "0" * 64}, "damaged"),
        ({"more": 1}, "not known"),
    ],
    ids=str,
)
def test_a_damaged_header_is_named(change, message, tmp_path):
    header, numbers = content(tmp_path)
    with pytest.raises(ModelFileError, match=f"^m: .*{message}"):
        load_moments(written(tmp_path, header | change, numbers))


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 700), st.integers(1, 255))
def test_no_changed_byte_is_believed(tmp_path_factory, place, flip):
    folder = tmp_path_factory.mktemp("moments")
    save_moments(moments(n=6, d=2), folder / "m")
    data = bytearray((folder / "m").read_bytes())
    before = load_moments(folder / "m")
    data[place % len(data)] ^= flip
    (folder / "m").write_bytes(bytes(data))
    with contextlib.suppress(ModelFileError):  # labels and flags of the header may be others that make sense
        assert np.array_equal(load_moments(folder / "m").scatter, before.scatter)


@pytest.mark.parametrize("cut", [0, 5, 40, -8])
def test_a_cut_file_is_refused(cut, tmp_path):
    save_moments(moments(), tmp_path / "m")
    (tmp_path / "m").write_bytes((tmp_path / "m").read_bytes()[:cut])
    with pytest.raises(ModelFileError):
        load_moments(tmp_path / "m")
