"""DecisionModel <-> the document that a model file holds (docs/model-file.md describes it).

Everything in a document is checked for its type and range when it is read, so that what comes out is a model that can
decide; what goes in is written with keys in a fixed order, and fields that say nothing are left out.
"""

from collections.abc import Callable, Mapping
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from discriminant.findings import shown
from discriminant.gain.matrix import Gain
from discriminant.gain.reading import GainTable, label_text
from discriminant.model.decision_model import RULES, DecisionModel, Label, Posterior, Target
from discriminant.model.fields import Field
from discriminant.model.plain_json import ModelFileError, plain
from discriminant.table.encoding import Column, Encoding, Feature, IndexedEncoding, Kind, Role
from discriminant.table.number_format import DECIMAL_SIGNS, GROUPING_SIGNS, POWERS, NumberFormat

Array = NDArray[np.float64]
Document = dict[str, Any]
Shapes = Mapping[str, tuple[int, ...]]
ArraysReader = Callable[[Field, str, Shapes], Mapping[str, Array]]  # (file, SHA-256, shapes expected) -> arrays

FORMAT = "discriminant model"
VERSION = 1
MOST_INLINE_NUMBERS = 20_000  # of the weights, or of the gain; with more, arrays stand in a file of their own

_FIRST = ("format", "version")
_PARTS = ("target", "encoding", "planes", "posterior", "rule", "gain", "priors", "learner", "findings", "provenance")
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
    "features": [],
    "number_format": None,
    "aliases": {},
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
        "version": VERSION,
        "target": _target_document(model.target),
        "encoding": _encoding_document(model.encoding),
        "planes": {k: v.tolist() for k, v in inline.items()} if file is None else {"file": file, "sha256": sha256},
        "posterior": None if posterior is None else {"slope": posterior.slope, "offsets": _floats(posterior.offsets)},
        "rule": model.rule,
        "gain": _gain_document(model),
        "priors": None if model.priors is None else _floats(model.priors),
        "learner": {"name": model.learner, "parameters": plain(model.parameters, "learner.parameters")},
        "findings": plain(list(model.findings), "findings"),
        "provenance": plain(model.provenance, "provenance"),
    }


def _target_document(target: Target) -> Document:
    document: Document = {"name": target.name, "classes": [_label(c) for c in target.classes]}
    if target.cut:
        document["cut"] = _floats(target.cut)
    if target.number_format is not None:
        document["number_format"] = _number_format_document(target.number_format)
    return document


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
        "low": None if column.low is None else float(column.low),
        "high": None if column.high is None else float(column.high),
        "features": [_feature_document(feature, column.name) for feature in column.features],
        "number_format": _number_format_document(column.number_format),
        "aliases": dict(column.aliases),
    }
    return {key: value for key, value in said.items() if key not in _UNSAID or value != _UNSAID[key]}


def _number_format_document(number_format: NumberFormat | None) -> Document | None:
    if number_format is None:
        return None
    return {
        "decimal": number_format.decimal,
        "grouping": number_format.grouping,
        "units": list(number_format.units),
        "multipliers": {word: 10**power for word, power in number_format.multipliers.items()},
        "parentheses": bool(number_format.parentheses),
    }


def _feature_document(feature: Feature, column: str) -> Document:
    level = {} if feature.level is None else {"level": feature.level}
    usual = feature.name == usual_name(column, feature.role, feature.level)
    name = {} if usual else {"name": feature.name}
    role = {} if feature.role == "value" else {"role": feature.role}
    return {**role, **level, "centre": float(feature.centre), "scale": float(feature.scale), **name}


def usual_name(column: str, role: Role, level: str | None) -> str:
    """What a feature is called unless the document says otherwise."""
    endings = {"value": "", "level": f" = {level}", "other": " = (other)", "blank": " is blank"}
    return column + endings[role]


def _gain_document(model: DecisionModel) -> Document:
    gain = model.gain
    if gain.classes is not None and tuple(gain.classes) != model.classes:
        raise ModelFileError(f"the gain names the classes {list(gain.classes)}, the target {list(model.classes)}")
    matrix: Any = {"array": "gain"} if "gain" in arrays_beside(model) else gain.matrix.tolist()
    reject = {"reject_label": _label(gain.reject_label)} if gain.has_reject else {}
    return {"matrix": matrix, "unit": gain.unit, **reject}


def _label(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def _floats(numbers: Any) -> list[float]:
    return [float(number) for number in numbers]


# --- a document as a model ------------------------------------------------------------------------------


def model_of(document: Any, read_arrays: ArraysReader) -> DecisionModel:
    """The model of a document; `ModelFileError` names the place where it is none."""
    top = Field(document)
    _check_version(top)
    parts = top.object((*_FIRST, *_PARTS))
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
    _refuse_twice([(type(label), label) for label in classes], parts["classes"])
    cut = tuple(point.number() for point in parts["cut"].items()) if "cut" in parts else ()
    if cut and (list(cut) != sorted(set(cut)) or len(cut) != len(classes) - 1):
        parts["cut"].refuse(f"{len(classes) - 1} growing numbers, one fewer than classes")
    number_format = _number_format(parts["number_format"]) if "number_format" in parts else None
    return Target(parts["name"].text(), classes, cut, number_format)


def _posterior(field: Field, K: int) -> Posterior | None:
    if field.value is None:
        return None
    parts = field.object(("slope", "offsets"))
    slope = parts["slope"].number()
    if slope < 0:
        parts["slope"].refuse("0 or a positive number")
    return Posterior(slope, tuple(parts["offsets"].numbers(K).tolist()))


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
    parts = field.object(("matrix", "unit"), ("reject_label",))
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
        features=read("features", lambda f: tuple(_feature(each, name, kind) for each in f.items()), ()),
        reference=read("reference", Field.text, None),
        also_blank=read("also_blank", lambda f: tuple(each.text() for each in f.items()), ()),
        date_format=read("date_format", Field.text, None),
        blanks=read("blanks", Field.count, 0),
        low=read("low", Field.number, None),
        high=read("high", Field.number, None),
        reason=read("reason", Field.text, ""),
        number_format=read("number_format", _number_format, None),
        aliases=read("aliases", _aliases, ()),
    )
    _check_column(column, field)
    return column


def _number_format(field: Field) -> NumberFormat:
    parts = field.object(("decimal", "grouping", "units", "multipliers", "parentheses"))
    decimal, grouping = parts["decimal"].choice(DECIMAL_SIGNS), parts["grouping"].choice(GROUPING_SIGNS)
    if decimal == grouping:
        parts["grouping"].refuse("another sign than the decimal one")
    words = _mapping(parts["multipliers"])
    factors = {10**power: power for power in POWERS}
    for word, factor in words.items():
        if not isinstance(factor, int) or factor not in factors:
            Field(factor, parts["multipliers"], word).refuse("one of " + ", ".join(map(str, factors)))
    if not isinstance(parts["parentheses"].value, bool):
        parts["parentheses"].refuse("true or false")
    units = tuple(unit.text() for unit in parts["units"].items())
    powers = {word: factors[factor] for word, factor in words.items()}
    return NumberFormat(decimal, grouping, units, powers, parts["parentheses"].value)


def _aliases(field: Field) -> tuple[tuple[str, str], ...]:
    return tuple((spelling, Field(level, field, spelling).text()) for spelling, level in _mapping(field).items())


def _feature(field: Field, column: str, kind: Kind) -> Feature:
    parts = field.object(("centre", "scale"), ("role", "level", "name"))
    role = parts.get("role", Field("value", field, "role")).choice(_roles_of(kind))
    if (role == "level") != ("level" in parts):
        raise ModelFileError(f"{field.path} must have a level if its role is level, and none otherwise")
    level = parts["level"].text() if "level" in parts else None
    name = parts["name"].text() if "name" in parts else usual_name(column, role, level)
    return Feature(name, role, parts["centre"].number(), parts["scale"].positive(), level)


def _roles_of(kind: Kind) -> tuple[Role, ...]:
    return ("level", "other", "blank") if kind == "category" else ("value", "blank")


def _check_column(column: Column, field: Field) -> None:
    """Features that belong together."""
    if column.kind == "dropped" and column.features:
        raise ModelFileError(f"{field.path} is dropped and must have no features")
    _refuse_twice([(feature.role, feature.level) for feature in column.features], Field(None, field, "features"))
    if column.kind == "category":
        if column.reference is None:
            raise ModelFileError(f"{field.path} lacks the key 'reference', which a category has")
        if column.reference in column.levels:
            raise ModelFileError(f"{field.path}.reference {shown(column.reference)} has a feature of its own")
    names = {column.reference, *column.levels}
    for spelling, level in column.aliases:
        if spelling in names or level not in names:
            raise ModelFileError(f"{field.path}.aliases: {shown(spelling)} must be another spelling of a level")
    if column.low is not None and column.high is not None and column.low > column.high:
        raise ModelFileError(f"{field.path}.low must not be above its high")
