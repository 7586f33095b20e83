"""Model files damaged in their values, their JSON and their bytes; what still loads must predict lawfully."""

import re
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from scipy import sparse

from discriminant.gain import Gain
from discriminant.model import DecisionModel, Target, load, save
from discriminant.table.encoding import Column, IndexedEncoding
from tests.fuzz.judging import require_among, require_finite, require_probabilities
from tests.fuzz.kinds.hostile_cells import cell
from tests.model.mutations import mutated
from tests.model.samples import random_model

_MODELS = 40
_NUMBER = re.compile(rb"(?<=[ \[])-?[0-9][0-9.e+-]*(?=[,\]}])")
_OTHER_NUMBERS = (
    b"0",
    b"1",
    b"-1",
    b"2.5",
    b"1e308",
    b"-1e308",
    b"5e-324",
    b"1e-300",
    b"1e16",
    b"1e200",
    b"99",
    b"0.5",
)
_WIDE = 20_001  # columns: weights of more than 20,000 numbers stand in a file beside the document


def attempt(random: Random, folder: Path) -> None:
    if random.random() < 0.02:
        return _with_arrays(random, folder)
    path = folder / "model.json"
    damage = mutated if random.random() < 0.5 else _with_other_numbers
    path.write_bytes(damage(random, _document(random.randrange(_MODELS))))
    return _judge(random, load(path))


def _with_other_numbers(random: Random, document: bytes) -> bytes:
    """Still a document of the right form: most of these are models."""
    numbers = list(_NUMBER.finditer(document))
    for found in sorted(random.sample(numbers, min(len(numbers), random.choice((1, 2, 5)))), key=lambda m: -m.start()):
        document = document[: found.start()] + random.choice(_OTHER_NUMBERS) + document[found.end() :]
    return document


@cache
def _document(number: int) -> bytes:
    """A sound file; the same of a number, whenever it is asked for."""
    with TemporaryDirectory() as folder:
        save(random_model(number), Path(folder, "model.json"))
        return Path(folder, "model.json").read_bytes()


def _with_arrays(random: Random, folder: Path) -> None:
    """The arrays damaged, not the document; or the document of a model that has arrays."""
    document, name, arrays = _wide_files()
    changed = bytearray(arrays)
    for _ in range(random.choice((0, 1, 3))):
        changed[random.randrange(random.choice((16, 200, len(changed))))] = random.randrange(256)
    cut = len(changed) if random.random() < 0.7 else random.randrange(len(changed))
    (folder / name).write_bytes(bytes(changed[:cut]))
    if random.random() < 0.5:
        document = mutated(random, document)
    (folder / "model.json").write_bytes(document)
    model = load(folder / "model.json")
    require_finite(model.weights, "weights")


@cache
def _wide_files() -> tuple[bytes, str, bytes]:
    weights = np.linspace(-1.0, 1.0, _WIDE)[None]
    with TemporaryDirectory() as folder:
        model = DecisionModel(
            Target("class", ("no", "yes")), IndexedEncoding(_WIDE), weights, np.zeros(1), "threshold", Gain.identity(2)
        )
        save(model, Path(folder, "model.json"))
        (arrays,) = Path(folder).glob("*.safetensors")
        return Path(folder, "model.json").read_bytes(), arrays.name, arrays.read_bytes()


def _judge(random: Random, model: DecisionModel) -> None:
    rows = _rows(random, model.encoding)
    answers = model.predict(rows)
    require_among(answers.tolist(), model.answers)
    scores = model.decision_function(rows)
    require_finite(scores, "scores")
    if model.posterior is not None:
        require_probabilities(model.predict_proba(rows), (len(answers), len(model.classes)))


def _rows(random: Random, encoding: Any) -> Any:
    if isinstance(encoding, IndexedEncoding):
        return sparse.csr_array((2, min(encoding.n_features, 10**6)))
    return {column.name: [_cell(random, column) for _ in range(2)] for column in encoding.used}


def _cell(random: Random, column: Column) -> str | None:
    if random.random() < 0.1:
        return None
    if random.random() < 0.1:
        return cell(random)
    ordinary = {"number": "41.5", "flag": "true", "date": "2019-05-06", "category": "b"}
    return ordinary.get(column.kind, "b")
