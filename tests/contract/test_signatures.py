"""Editors show the types of public signatures, so Any stands only where no type says what may be passed."""

import inspect
import types
import typing
from typing import Any

import discriminant

# Parameters that may be Any wherever they occur, and why.
ALLOWED = {
    **dict.fromkeys(
        ("X", "table"), "arrays, sparse matrices, frames of several libraries and rows sources share no type"
    ),
    **dict.fromkeys(("y", "true", "assigned", "classes"), "labels in any of these, and None beside a rows source"),
    **dict.fromkeys(("positive", "negative", "label"), "a label may be any value"),
    **dict.fromkeys(
        ("gain", "matrix", "costs", "reject"), "whatever a Gain is made of: arrays, frames, mappings, calls"
    ),
    **dict.fromkeys(("learner", "learners", "model"), "anybody's estimators; scikit-learn has no types"),
    "cv": "a number, a splitter of scikit-learn, splits, or a fold for each row",
    "curve": "a curve, counts of scores, rates, or labels in any form",
    "params": "metadata for the learner inside: whatever that takes",
    "covariance_estimator": "anybody's estimator; scikit-learn has no types",
    "columns": "names, numbers or a mask",
    "rows": "a slice, numbers or a mask",
    "statistics": "what the learner sums over rows: another statistic for each marginal of naive Bayes",
    "priors": "of an OperatingCurve: in the order of its classes, or by their names",
}
# Functions and methods that may return Any.
RETURNED = {
    "read_columns": "dense or sparse; SciPy has no types",
    "summarise": "what the learner sums over rows: another statistic for each marginal of naive Bayes",
    "refit": "whatever the learner of that name is",
    "get_metadata_routing": "scikit-learn has no types",
    "table": "a data frame of a library that may be absent",
    "cover_probability": "a number for numbers, an array for arrays",
    "ripley_probability": "a number for numbers, an array for arrays",
}


# Parameters that may be any text; what is one of some words is a Literal that editors offer.
TEXTS = {
    "unit",
    "text",
    "fact",
    "evidence",
    "remedy",
    "target",
    "name",
    "to",
    "learner",
    "path",
    "scoring",
    "loss",
    "by",
}


def public_callables():
    """(name, callable): public functions, classes and their public methods that are ours."""
    for name in discriminant.__all__:
        thing = getattr(discriminant, name)
        if inspect.ismodule(thing) or thing is discriminant.FindingWarning:  # a warning of Python's has no signature
            continue
        yield name, thing
        for attribute, member in inspect.getmembers(thing) if inspect.isclass(thing) else ():
            ours = inspect.isfunction(member) or inspect.ismethod(member)
            old_name = member.__module__ == "discriminant.parameters" if ours else False  # hands on what it is given
            if ours and member.__module__.startswith("discriminant") and not (old_name or attribute.startswith("_")):
                yield f"{name}.{attribute}", member


def test_any_stands_only_where_no_type_fits():
    bare = []
    for name, thing in public_callables():
        signature = inspect.signature(thing)
        bare += [
            f"{name}({p.name})"
            for p in signature.parameters.values()
            if p.annotation in (Any, "Any") and p.name not in ALLOWED
        ]
        returns_any = signature.return_annotation in (Any, "Any")
        bare += [f"{name} ->"] if returns_any and name.split(".")[-1] not in RETURNED else []
    assert bare == [], "give these a type, or say in ALLOWED why there is none"


def test_every_allowance_is_used():
    found = [(name, inspect.signature(thing)) for name, thing in public_callables()]
    parameters = {p.name for _, s in found for p in s.parameters.values() if p.annotation in (Any, "Any")}
    returned = {name.split(".")[-1] for name, s in found if s.return_annotation in (Any, "Any")}
    assert set(ALLOWED) <= parameters
    assert set(RETURNED) <= returned


def test_choices_are_literals():
    """``str`` stands alone, or beside None and what a name stands for, only where any text may."""
    plain = [
        f"{name}({p.name})"
        for name, thing in public_callables()
        for p in inspect.signature(thing).parameters.values()
        if _takes_any_text(p.annotation) and p.name not in TEXTS
    ]
    assert plain == [], "give these a Literal, or say in TEXTS that any text may be passed"


def _takes_any_text(annotation):
    parts = typing.get_args(annotation) if isinstance(annotation, types.UnionType) else (annotation,)
    return str in parts and bytes not in parts  # array-likes of NumPy are unions of nearly everything
