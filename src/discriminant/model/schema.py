"""DecisionModel <-> the document that a model file holds (docs/model-file.md describes it).

Everything in a document is checked for its type and range when it is read, so that what comes out is a model that can
decide; what goes in is written with keys in a fixed order, and fields that say nothing are left out.
"""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.gain.columns import ColumnGain, Term
from discriminant.gain.matrix import Gain
from discriminant.gain.reading import GainTable, label_text
from discriminant.model.decision_model import RULES, DecisionModel, Label, Posterior, Target
from discriminant.model.encoding_document import (
    encoding_document,
    number_format_document,
    read_encoding,
    read_number_format,
    refuse_twice,
)
from discriminant.model.plain_json import Field, ModelFileError, plain
from discriminant.model.training import read_training, training_document
from discriminant.table.encoding import IndexedEncoding

Array = NDArray[np.float64]
Document = dict[str, Any]
Shapes = Mapping[str, tuple[int, ...]]
ArraysReader = Callable[[Field, str, Shapes], Mapping[str, Array]]  # (file, SHA-256, shapes expected) -> arrays

FORMAT = "discriminant model"
VERSION = 2  # of models with what readers of version 1 do not know (see `_version_of`); others are written as 1
MOST_INLINE_NUMBERS = 20_000  # of the weights, or of the gain; with more, arrays stand in a file of their own

_FIRST = ("format", "version")
_PARTS = ("target", "encoding", "planes", "posterior", "rule", "gain", "priors", "learner", "findings", "provenance")
_OPTIONAL = ("training",)


# --- a model as a document ------------------------------------------------------------------------------


def arrays_beside(model: DecisionModel) -> dict[str, Array]:
    """The arrays that are too large for the document itself; mostly none."""
    if max(model.weights.size, model.gain.matrix.size) <= MOST_INLINE_NUMBERS:
        return {}
    large_gain = {"gain": model.gain.matrix} if model.gain.matrix.size > MOST_INLINE_NUMBERS else {}
    return {"weights": model.weights, "thresholds": model.thresholds, **large_gain}


def document_of(model: DecisionModel, file: str | None = None, sha256: str = "") -> Document:
    """The document of a model whose arrays stand in ``file``, or in the document itself."""
    inline = {"weights": model.weights, "thresholds": model.thresholds}
    posterior = model.posterior
    return {
        "format": FORMAT,
        "version": _version_of(model),
        "target": _target_document(model.target),
        "encoding": encoding_document(model.encoding),
        "planes": {k: v.tolist() for k, v in inline.items()} if file is None else {"file": file, "sha256": sha256},
        "posterior": None if posterior is None else _posterior_document(posterior),
        "rule": model.rule,
        "gain": _gain_document(model),
        "priors": None if model.priors is None else _floats(model.priors),
        "learner": {"name": model.learner, "parameters": plain(model.parameters, "learner.parameters")},
        "findings": plain(list(model.findings), "findings"),
        "provenance": plain(model.provenance, "provenance"),
        **({} if model.training is None else {"training": training_document(model.training)}),
    }


def _target_document(target: Target) -> Document:
    document: Document = {"name": target.name, "classes": [_label(c) for c in target.classes]}
    if target.cut:
        document["cut"] = _floats(target.cut)
    if target.number_format is not None:
        document["number_format"] = number_format_document(target.number_format)
    return document


def _version_of(model: DecisionModel) -> int:
    """The least version whose readers understand the model."""
    bent = model.posterior is not None and bool(model.posterior.bends)
    columns = () if isinstance(model.encoding, IndexedEncoding) else model.encoding.columns
    newer = (
        bent
        or bool(model.target.cut)
        or any(
            len(column.values) > 1
            or column.step is not None
            or column.deviation is not None
            or column.number_format is not None
            or column.aliases
            or not all(feature.straight for feature in column.features)
            for column in columns
        )
    )
    return VERSION if newer else 1


def _posterior_document(posterior: Posterior) -> Document:
    bends = [{"at": float(at), "change": float(change)} for at, change in posterior.bends]
    offsets = _floats(posterior.offsets)
    return {"slope": posterior.slope, "offsets": offsets, **({"bends": bends} if bends else {})}


def _gain_document(model: DecisionModel) -> Document:
    gain = model.gain
    if gain.classes is not None and tuple(gain.classes) != model.classes:
        raise ModelFileError(f"the gain names the classes {list(gain.classes)}, the target {list(model.classes)}")
    matrix: Any = {"array": "gain"} if "gain" in arrays_beside(model) else gain.matrix.tolist()
    reject = {"reject_label": _label(gain.reject_label)} if gain.has_reject else {}
    terms = () if model.column_gain is None else model.column_gain.terms
    by_column = {"columns": [[_term_document(term) for term in row] for row in terms]} if terms else {}
    return {"matrix": matrix, "unit": gain.unit, **reject, **by_column}


def _term_document(term: Term) -> Any:
    """A number, or a factor and a column."""
    return term.factor if term.column is None else {"times": term.factor, "column": term.column}


def _label(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def _floats(numbers: Any) -> list[float]:
    return [float(number) for number in numbers]


# --- a document as a model ------------------------------------------------------------------------------


def model_of(document: Any, read_arrays: ArraysReader) -> DecisionModel:
    """The model of a document; `ModelFileError` names the place where it is none."""
    top = Field(document)
    _check_version(top)
    parts = top.object((*_FIRST, *_PARTS), _OPTIONAL)
    target = _target(parts["target"])
    encoding = read_encoding(parts["encoding"])
    K = len(target.classes)
    weights, thresholds, arrays = _planes(parts["planes"], K, encoding.n_features, parts["gain"], read_arrays)
    learner = parts["learner"].object(("name", "parameters"))
    try:
        return DecisionModel(
            target,
            encoding,
            weights,
            thresholds,
            rule=parts["rule"].choice(RULES),
            gain=_gain(parts["gain"], target, arrays),
            posterior=_posterior(parts["posterior"], K),
            priors=_priors(parts["priors"], K),
            learner=learner["name"].text(),
            parameters=learner["parameters"].mapping(),
            findings=tuple(finding.mapping() for finding in parts["findings"].items()),
            provenance=parts["provenance"].mapping(),
            training=read_training(parts["training"], encoding) if "training" in parts else None,
            column_gain=_column_gain(parts["gain"], K),
        )
    except ModelFileError:
        raise
    except ValueError as error:  # parts that do not belong together
        raise ModelFileError(str(error)) from None


def _check_version(top: Field) -> None:
    if not isinstance(top.value, dict) or top.value.get("format") != FORMAT:
        raise ModelFileError(f"not a model file: the document must be an object with the format {FORMAT!r}")
    version = Field(top.value.get("version"), top, "version").count(1)
    if version > VERSION:
        raise ModelFileError(
            f"made by a newer discriminant (file version {version}, this one reads {VERSION}): update it"
        )


def _target(field: Field) -> Target:
    parts = field.object(("name", "classes"), ("cut", "number_format"))
    classes = tuple(label.label() for label in parts["classes"].items())
    if len(classes) < 2:
        raise ModelFileError(f"{parts['classes'].path} must have two or more classes, got {len(classes)}")
    refuse_twice([(type(label), label) for label in classes], parts["classes"])
    cut = tuple(point.number() for point in parts["cut"].items()) if "cut" in parts else ()
    if cut and (list(cut) != sorted(set(cut)) or len(cut) != len(classes) - 1):
        parts["cut"].refuse(f"{len(classes) - 1} growing numbers, one fewer than classes")
    number_format = read_number_format(parts["number_format"]) if "number_format" in parts else None
    return Target(parts["name"].text(), classes, cut, number_format)


def _posterior(field: Field, K: int) -> Posterior | None:
    if field.value is None:
        return None
    parts = field.object(("slope", "offsets"), ("bends",))
    slope = parts["slope"].number()
    if slope < 0:
        parts["slope"].refuse("0 or a positive number")
    bends = tuple(_bend(each) for each in parts["bends"].items()) if "bends" in parts else ()
    try:
        return Posterior(slope, tuple(parts["offsets"].numbers(K).tolist()), bends)
    except ModelFileError:
        raise
    except ValueError as error:
        raise ModelFileError(f"{field.path}.bends: {error}") from None


def _bend(field: Field) -> tuple[float, float]:
    parts = field.object(("at", "change"))
    return parts["at"].number(), parts["change"].number()


def _priors(field: Field, K: int) -> tuple[float, ...] | None:
    if field.value is None:
        return None
    priors = field.numbers(K)
    if (priors < 0).any() or abs(priors.sum() - 1.0) > 1e-6:
        raise ModelFileError(f"{field.path} must be 0 or more and sum to 1, got a sum of {priors.sum():.9g}")
    return tuple(priors.tolist())


# --- planes and gain ------------------------------------------------------------------------------------


def _planes(
    field: Field, K: int, d: int, gain: Field, read_arrays: ArraysReader
) -> tuple[Array, Array, Mapping[str, Array]]:
    """(weights, thresholds, arrays that stand in a file)."""
    P = 1 if K == 2 else K
    if not (isinstance(field.value, dict) and "file" in field.value):
        parts = field.object(("weights", "thresholds"))
        return parts["weights"].matrix(P, d), parts["thresholds"].numbers(P), {}
    parts = field.object(("file", "sha256"))
    shapes: dict[str, tuple[int, ...]] = {"weights": (P, d), "thresholds": (P,)}
    if _in_arrays(gain):
        shapes["gain"] = (K, K + ("reject_label" in gain.value))
    arrays = read_arrays(parts["file"], parts["sha256"].text(), shapes)
    return arrays["weights"], arrays["thresholds"], arrays


def _in_arrays(gain: Field) -> bool:
    return isinstance(gain.value, dict) and gain.value.get("matrix") == {"array": "gain"}


def _gain(field: Field, target: Target, arrays: Mapping[str, Array]) -> Gain:
    parts = field.object(("matrix", "unit"), ("reject_label", "columns"))
    K = len(target.classes)
    if _in_arrays(field) and "gain" not in arrays:
        parts["matrix"].refuse("a list of lists, for the planes name no file with arrays")
    matrix = arrays["gain"] if _in_arrays(field) else parts["matrix"].matrix(K, K + ("reject_label" in parts))
    reject: Label = parts["reject_label"].label() if "reject_label" in parts else "reject"
    named = len({label_text(label) for label in target.classes}) == K
    try:
        return Gain(GainTable(matrix, target.classes if named else None, reject), None, parts["unit"].text())
    except ModelFileError:
        raise
    except ValueError as error:
        raise ModelFileError(f"{field.path}.matrix: {error}") from None


def _column_gain(field: Field, K: int) -> ColumnGain | None:
    parts = field.object(("matrix", "unit"), ("reject_label", "columns"))
    if "columns" not in parts:
        return None
    reject: Label = parts["reject_label"].label() if "reject_label" in parts else "reject"
    terms = tuple(tuple(_term(each) for each in row.items()) for row in parts["columns"].items())
    n_columns = K + ("reject_label" in parts)
    if len(terms) != K or any(len(row) != n_columns for row in terms):
        raise ModelFileError(f"{parts['columns'].path} must have {K} rows of {n_columns}")
    return ColumnGain(terms, parts["unit"].text(), reject)


def _term(field: Field) -> Term:
    if not isinstance(field.value, dict):
        return Term(field.number())
    parts = field.object(("times", "column"))
    return Term(parts["times"].number(), parts["column"].text())
