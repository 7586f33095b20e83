"""DecisionModel <-> the document that a model file holds (docs/model-file.md describes it).

Everything in a document is checked for its type and range when it is read, so that what comes out is a model that can
decide; what goes in is written with keys in a fixed order, and fields that say nothing are left out.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from discriminant.findings import shown
from discriminant.gain.columns import ColumnGain
from discriminant.gain.matrix import Gain
from discriminant.gain.reading import GainTable, label_text
from discriminant.model.decision_model import RULES, DecisionModel, Label, Posterior, Target
from discriminant.model.fields import Field
from discriminant.model.gain_terms import read_terms, terms_document
from discriminant.model.plain_json import ModelFileError, plain
from discriminant.model.training_document import read_training, training_document
from discriminant.table.encoding import Column, Encoding, Feature, IndexedEncoding, Kind, Role, piece_name

Array = NDArray[np.float64]
Document = dict[str, Any]
Shapes = Mapping[str, tuple[int, ...]]
ArraysReader = Callable[[Field, str, Shapes], Mapping[str, Array]]  # (file, SHA-256, shapes expected) -> arrays

FORMAT = "discriminant model"
VERSION = 2  # of models with forms, steps or bends, which readers of version 1 do not know; others are written as 1
MOST_INLINE_NUMBERS = 20_000  # of the weights, or of the gain; with more, arrays stand in a file of their own

_FIRST = ("format", "version")
_PARTS = ("target", "encoding", "planes", "posterior", "rule", "gain", "priors", "learner", "findings", "provenance")
_FORM = ("low", "high", "unit")  # of a feature
_OPTIONAL = ("training",)
_KINDS: tuple[Kind, ...] = get_args(Kind)
# fields of a column that are left out of a document where they have these values
_UNSAID: Document = {
    "reason": "",
    "reference": None,
    "also_blank": [],
    "date_format": None,
    "blanks": 0,
    "low": None,
    "high": None,
    "deviation": None,
    "step": None,
    "features": [],
}


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
        "target": {"name": model.target.name, "classes": [_label(c) for c in model.classes]},
        "encoding": _encoding_document(model.encoding),
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


def _version_of(model: DecisionModel) -> int:
    """The least version whose readers understand the model."""
    bent = model.posterior is not None and bool(model.posterior.bends)
    columns = () if isinstance(model.encoding, IndexedEncoding) else model.encoding.columns
    newer = bent or any(
        len(column.values) > 1
        or column.step is not None
        or column.deviation is not None
        or not all(feature.straight for feature in column.features)
        for column in columns
    )
    return VERSION if newer else 1


def _posterior_document(posterior: Posterior) -> Document:
    bends = [{"at": float(at), "change": float(change)} for at, change in posterior.bends]
    offsets = _floats(posterior.offsets)
    return {"slope": posterior.slope, "offsets": offsets, **({"bends": bends} if bends else {})}


def _encoding_document(encoding: Encoding | IndexedEncoding) -> Document:
    if isinstance(encoding, IndexedEncoding):
        return {"layout": "svmlight", "n_features": int(encoding.n_features), "first_index": int(encoding.first_index)}
    return {"layout": "table", "columns": [_column_document(column) for column in encoding.columns]}


def _column_document(column: Column) -> Document:
    said = {
        "name": column.name,
        "kind": column.kind,
        "reason": column.reason,
        "reference": column.reference,
        "also_blank": list(column.also_blank),
        "date_format": column.date_format,
        "blanks": int(column.blanks),
        **{key: _float_or_none(getattr(column, key)) for key in ("low", "high", "deviation", "step")},
        "features": [_feature_document(feature, column) for feature in column.features],
    }
    return {key: value for key, value in said.items() if key not in _UNSAID or value != _UNSAID[key]}


def _feature_document(feature: Feature, column: Column) -> Document:
    level = {} if feature.level is None else {"level": feature.level}
    form = {key: float(value) for key in _FORM if (value := getattr(feature, key)) is not None}
    usual = feature.name == usual_name(column.name, feature, alone=len(column.values) < 2)
    name = {} if usual else {"name": feature.name}
    role = {} if feature.role == "value" else {"role": feature.role}
    return {**role, **level, **form, "centre": float(feature.centre), "scale": float(feature.scale), **name}


def usual_name(column: str, feature: Feature, *, alone: bool) -> str:
    """What a feature is called unless the document says otherwise; ``alone``: as the column's only value."""
    if feature.role == "value":
        return column if alone else piece_name(column, feature.low, feature.high)
    endings = {"level": f" = {feature.level}", "other": " = (other)", "blank": " is blank"}
    return column + endings[feature.role]


def _float_or_none(number: float | None) -> float | None:
    return None if number is None else float(number)


def _gain_document(model: DecisionModel) -> Document:
    gain = model.gain
    if gain.classes is not None and tuple(gain.classes) != model.classes:
        raise ModelFileError(f"the gain names the classes {list(gain.classes)}, the target {list(model.classes)}")
    matrix: Any = {"array": "gain"} if "gain" in arrays_beside(model) else gain.matrix.tolist()
    reject = {"reject_label": _label(gain.reject_label)} if gain.has_reject else {}
    by_column = {} if model.column_gain is None else {"columns": terms_document(model.column_gain)}
    return {"matrix": matrix, "unit": gain.unit, **reject, **by_column}


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
    encoding = _encoding(parts["encoding"])
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
            parameters=_mapping(learner["parameters"]),
            findings=tuple(_mapping(finding) for finding in parts["findings"].items()),
            provenance=_mapping(parts["provenance"]),
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
    parts = field.object(("name", "classes"))
    classes = tuple(label.label() for label in parts["classes"].items())
    if len(classes) < 2:
        raise ModelFileError(f"{parts['classes'].path} must have two or more classes, got {len(classes)}")
    _refuse_twice([(type(label), label) for label in classes], parts["classes"])
    return Target(parts["name"].text(), classes)


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


def _mapping(field: Field) -> Document:
    if not isinstance(field.value, dict):
        field.refuse("an object")
    return dict(field.free())


def _refuse_twice(values: list[Any], field: Field) -> None:
    if len(set(values)) < len(values):
        seen: set[Any] = set()
        for i, value in enumerate(values):
            if value in seen:
                raise ModelFileError(f"{field.path}[{i}] repeats an earlier one")
            seen.add(value)


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
    return ColumnGain(read_terms(parts["columns"], K, K + ("reject_label" in parts)), parts["unit"].text(), reject)


# --- encoding -------------------------------------------------------------------------------------------


def _encoding(field: Field) -> Encoding | IndexedEncoding:
    layout = field.object(("layout",), ("columns", "n_features", "first_index"))["layout"].choice(("table", "svmlight"))
    if layout == "svmlight":
        sizes = field.object(("layout", "n_features", "first_index"))
        return IndexedEncoding(sizes["n_features"].count(), sizes["first_index"].count())
    columns = field.object(("layout", "columns"))["columns"]
    encoding = Encoding(tuple(_column(column) for column in columns.items()))
    _refuse_twice([column.name for column in encoding.columns], columns)
    return encoding


def _column(field: Field) -> Column:
    parts = field.object(("name", "kind"), tuple(_UNSAID))

    def read(key: str, how: Callable[[Field], Any], otherwise: Any) -> Any:
        return how(parts[key]) if key in parts and parts[key].value is not None else otherwise

    name, kind = parts["name"].text(), parts["kind"].choice(_KINDS)
    column = Column(
        name,
        kind,
        features=read("features", lambda f: _features(f, name, kind), ()),
        reference=read("reference", Field.text, None),
        also_blank=read("also_blank", lambda f: tuple(each.text() for each in f.items()), ()),
        date_format=read("date_format", Field.text, None),
        blanks=read("blanks", Field.count, 0),
        low=read("low", Field.number, None),
        high=read("high", Field.number, None),
        reason=read("reason", Field.text, ""),
        deviation=read("deviation", Field.positive, None),
        step=read("step", Field.positive, None),
    )
    _check_column(column, field)
    return column


def _features(field: Field, column: str, kind: Kind) -> tuple[Feature, ...]:
    read = [_feature(each, kind) for each in field.items()]
    alone = sum(feature.role == "value" for feature, _ in read) < 2
    return tuple(
        feature if named else replace(feature, name=usual_name(column, feature, alone=alone)) for feature, named in read
    )


def _feature(field: Field, kind: Kind) -> tuple[Feature, bool]:
    """A feature, and whether the document names it."""
    parts = field.object(("centre", "scale"), ("role", "level", "name", *_FORM))
    role = parts.get("role", Field("value", field, "role")).choice(_roles_of(kind))
    if (role == "level") != ("level" in parts):
        raise ModelFileError(f"{field.path} must have a level if its role is level, and none otherwise")
    level = parts["level"].text() if "level" in parts else None
    name = parts["name"].text() if "name" in parts else ""
    form = _form(parts, field, may_bend=role == "value" and kind != "flag")
    return Feature(name, role, parts["centre"].number(), parts["scale"].positive(), level, *form), "name" in parts


def _form(parts: Mapping[str, Field], field: Field, *, may_bend: bool) -> tuple[float | None, ...]:
    """(low, high, unit)."""
    for key in _FORM:
        if key in parts and not may_bend:
            raise ModelFileError(f"{field.path} has the key {key!r}, which only values of numbers and dates have")
    low, high = (parts[key].number() if key in parts else None for key in ("low", "high"))
    if low is not None and high is not None and low >= high:
        raise ModelFileError(f"{field.path}.low must be below its high")
    return low, high, parts["unit"].positive() if "unit" in parts else None


def _roles_of(kind: Kind) -> tuple[Role, ...]:
    return ("level", "other", "blank") if kind == "category" else ("value", "blank")


def _check_column(column: Column, field: Field) -> None:
    """Features that belong together."""
    if column.kind == "dropped" and column.features:
        raise ModelFileError(f"{field.path} is dropped and must have no features")
    what = [(f.role, f.level, f.low, f.high, f.unit) for f in column.features]
    _refuse_twice(what, Field(None, field, "features"))
    if column.kind == "category":
        if column.reference is None:
            raise ModelFileError(f"{field.path} lacks the key 'reference', which a category has")
        if column.reference in column.levels:
            raise ModelFileError(f"{field.path}.reference {shown(column.reference)} has a feature of its own")
    if column.low is not None and column.high is not None and column.low > column.high:
        raise ModelFileError(f"{field.path}.low must not be above its high")
