"""`discriminant separable`: a plane, or a proof that there is none."""

from collections.abc import Sequence
from typing import Any

from discriminant.cli.outcome import console, print_json, safe
from discriminant.table.errors import OptionError


def separable_command(
    data: Sequence[str],
    target: str,
    ignore: Sequence[str],
    delimiter: str | None,
    json: bool,
    classes: Sequence[str] = (),
    above: float | None = None,
    bins: int | None = None,
) -> None:
    """Run `discriminant separable`."""
    from discriminant.study.class_making import ClassOptions
    from discriminant.study.design import design_of_sparse, design_of_table
    from discriminant.study.separation import separation_of
    from discriminant.table.reading import open_table

    asked = ClassOptions(tuple(classes), above, bins)
    source = open_table(data, delimiter=delimiter)
    if source.format == "svmlight":
        X, labels = source.read_sparse()
        design = design_of_sparse(X, labels, first_index=source.first_index, asked=asked)
    elif not target:
        raise OptionError(
            "--target is missing", hint=f"name the column with the classes; the last is {source.names[-1]!r}"
        )
    else:
        design = design_of_table(source.read(labels=target), target, ignore=ignore, asked=asked)
    question = design.question
    found = separation_of(design.X, question.codes, question.classes, design.row_numbers, seed=0, patient=True)
    found["rows"], found["features"] = int(design.X.shape[0]), int(design.X.shape[1])
    if json:
        print_json(found)
    else:
        _print(found)


_HEADS = {
    "complete": "Separable",
    "quasi": "Partly decided",
    "none": "Not separable",
    "unknown": "Not settled",
}


def _print(found: dict[str, Any]) -> None:
    out = console()
    size = f"({found['rows']:,} rows, {found['features']:,} features)"
    out.print(f"[bold]{_HEADS[found['kind']]}[/bold] {size}. {safe(found['text'])}")
    proof = found["proof"] or []
    for label in dict.fromkeys(entry["class"] for entry in proof):
        own = [entry for entry in proof if entry["class"] == label]
        terms = " + ".join(f"{entry['weight']:.4g}·row {entry['row']}" for entry in own[:8])
        out.print(f"  {safe(label)}: {terms}" + (f" + {len(own) - 8} more" if len(own) > 8 else ""))
