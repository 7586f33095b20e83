"""Models in files: ``model.json``, and for large ones their arrays beside it.

No file ever runs code: it is read as plain data, measured before it is parsed, and every field is checked. A write is
complete or did not happen: the document, its arrays (under a name made of their content) and whatever is written with
them take their places together, and the arrays of the old document go (see `table.saving`).
"""

import hashlib
import re
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.findings import shown
from discriminant.forks import importing
from discriminant.model import tensors
from discriminant.model.decision_model import DecisionModel
from discriminant.model.plain_json import MOST_BYTES, Field, ModelFileError, json_text, read_json, refuse_large
from discriminant.model.schema import Shapes, arrays_beside, document_of, model_of
from discriminant.table.saving import NewFile, open_committed, write_together

Array = NDArray[np.float64]
AnyPath = str | PathLike[str]

# Between the reading of a document and of its arrays another model may take its place and remove them, again and again.
_ATTEMPTS = 5
_LONGEST_NAME = 255  # bytes; file systems allow no more
_ARRAYS_NAME = re.compile(r"[^/\\:\0]{1,240}\.[0-9a-f]{8}\.safetensors")


def load(path: AnyPath) -> DecisionModel:
    """The model in a file; `ModelFileError` says what is wrong with it, in one line.

    Parameters
    ----------
    path : of a file that `save` or ``discriminant fit`` wrote.

    Returns
    -------
    DecisionModel
        It decides as the model did that was saved.

    Examples
    --------
    >>> import tempfile
    >>> from discriminant import LinearDiscriminantAnalysis
    >>> learner = LinearDiscriminantAnalysis().fit([[0.0], [1.0], [4.0], [5.0]], ["low", "low", "high", "high"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(learner, f"{folder}/model.json")
    ...     load(f"{folder}/model.json").predict([[0.5], [4.5]]).tolist()
    ['low', 'high']
    """
    path = Path(path)
    for _ in range(_ATTEMPTS):
        try:
            return _model(_read(path), path)
        except FileNotFoundError as error:
            if error.filename is None or Path(error.filename) == path:
                raise
            missing = shown(Path(error.filename).name)
        except ModelFileError as error:
            raise ModelFileError(f"{_quoted_name(path)}: {error}") from None
    raise ModelFileError(f"{_quoted_name(path)}: the file {missing} with its arrays is not beside it")


def save(model: Any, path: AnyPath, *, target: str = "class") -> None:
    """Write a model, or any fitted linear classifier as one, in a single step: a kill leaves the old file or the new.

    Parameters
    ----------
    model : a `DecisionModel`, or a fitted linear classifier.
    path : of the file, such as ``model.json``.
    target : names the column that an estimator predicts, which it does not know itself.

    Examples
    --------
    >>> import tempfile
    >>> from discriminant import LinearDiscriminantAnalysis
    >>> learner = LinearDiscriminantAnalysis().fit([[0.0], [1.0], [4.0], [5.0]], ["low", "low", "high", "high"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(learner, f"{folder}/model.json", target="height")
    ...     load(f"{folder}/model.json").target.name
    'height'
    """
    write_together(model_files(model, path, target=target))


def model_files(model: Any, path: AnyPath, *, target: str = "class") -> list[NewFile]:
    """The files that `save` writes: the document, and its arrays where it is large."""
    path = Path(path)
    if not isinstance(model, DecisionModel):
        with importing:
            from discriminant.model.estimators import decision_model_of

        model = decision_model_of(model, target=target)
    arrays = arrays_beside(model)
    packed = tensors.pack_arrays(arrays) if arrays else b""
    sha256 = hashlib.sha256(packed).hexdigest()
    file = f"{_stem(path)}.{sha256[:8]}.safetensors" if arrays else None
    data = _check_document(model, file, sha256)
    document = NewFile(path, data, lambda: _arrays_file(path))
    return [document] if file is None else [NewFile(path.with_name(file), packed), document]


def _read(path: Path) -> bytes:
    with open_committed(path) as file:
        return file.read(MOST_BYTES + 1)


def _model(data: bytes, path: Path) -> DecisionModel:
    def read_arrays(file: Field, sha256: str, shapes: Shapes) -> Mapping[str, Array]:
        name = file.text()
        if not _ARRAYS_NAME.fullmatch(name) or len(name.encode()) > _LONGEST_NAME:
            file.refuse("the name of a file such as 'model.0a1b2c3d.safetensors', in the folder of the model")
        beside = path.with_name(name)
        if beside.exists() and not beside.is_file():
            file.refuse("the name of a file, not of a folder or device")
        return tensors.unpack_arrays(beside, sha256, shapes)

    return model_of(read_json(data), read_arrays)


def _check_document(model: DecisionModel, file: str | None, sha256: str) -> bytes:
    """The bytes of a document that is sure to be read again."""
    document = document_of(model, file, sha256)
    arrays = arrays_beside(model)
    try:
        model_of(document, lambda *_: arrays)
        data = (json_text(document) + "\n").encode()
        refuse_large(data)
    except ModelFileError as error:
        raise ModelFileError(f"the model cannot be saved: {error}") from None
    return data


def _quoted_name(path: Path) -> str:
    return path.name if path.name.isprintable() else shown(path.name)


def _stem(path: Path) -> str:
    return path.name.removesuffix(".json")


def _arrays_file(path: Path) -> list[str]:
    """The arrays of the document at a path, if it has any and they bear its name."""
    try:
        with path.open("rb") as document:
            file = read_json(document.read(MOST_BYTES + 1))["planes"]["file"]
    except (OSError, ValueError, LookupError, TypeError):
        return []
    ours = isinstance(file, str) and re.fullmatch(re.escape(_stem(path)) + r"\.[0-9a-f]{8}\.safetensors", file)
    return [file] if ours else []
