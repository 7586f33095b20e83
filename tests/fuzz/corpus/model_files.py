"""Model files that did more than to say what is wrong with them."""

import json
from pathlib import Path

from discriminant.model import ModelFileError, load, save
from tests.export import models
from tests.fuzz.judging import REFUSALS, require

_PATTERNS = ("(", "%Y(", "[%d", "%", "%%", "%Y-%m-%d)", "*", "\\", "%Q", "%Y" * 50, "", "%d(?P<x>", "%d.%m.%Y+")


def date_format_that_is_a_pattern(folder: Path) -> None:
    """A format is text: signs that mean something in a regular expression stand for themselves, or are refused."""
    path = folder / "model.json"
    save(models.model([models.date("since"), models.number("age")], ("no", "yes"), rule="threshold"), path)
    for pattern in _PATTERNS:
        document = json.loads(path.read_text())
        document["encoding"]["columns"][0]["date_format"] = pattern
        changed = folder / "changed.json"
        changed.write_text(json.dumps(document))
        try:
            load(changed).predict({"since": ["05.01.2020"], "age": ["30"]})
        except REFUSALS:
            continue


def arrays_that_are_holes(folder: Path) -> None:
    """A file of a few blocks that claims gigabytes is refused before anything is allocated."""
    weights = 290_000_000
    header = json.dumps(
        {
            "weights": {"dtype": "F64", "shape": [1, weights], "data_offsets": [0, 8 * weights]},
            "thresholds": {"dtype": "F64", "shape": [1], "data_offsets": [8 * weights, 8 * weights + 8]},
        }
    ).encode()
    with (folder / "model.0a1b2c3d.safetensors").open("wb") as file:
        file.write(len(header).to_bytes(8, "little") + header)
        file.truncate(8 + len(header) + 8 * weights + 8)
    save(models.sparse(d=30), folder / "model.json")
    document = json.loads((folder / "model.json").read_text())
    document["encoding"]["n_features"] = weights
    document["planes"] = {"file": "model.0a1b2c3d.safetensors", "sha256": "0" * 64}
    (folder / "model.json").write_text(json.dumps(document))
    load(folder / "model.json")


def class_that_ends_in_a_nul(folder: Path) -> None:
    """Arrays of texts lose such an end, and a model would answer with a class that it does not have."""
    path = folder / "model.json"
    save(models.model([models.number("age")], ("no", "yes"), rule="threshold"), path)
    document = json.loads(path.read_text())
    document["target"]["classes"][0] = "no\0"
    path.write_text(json.dumps(document))
    try:
        load(path)
    except ModelFileError:
        return
    require(False, "a class that no array can hold")
