"""`discriminant inspect`: what a model holds, in words."""

from pathlib import Path
from typing import Any

from discriminant.cli.models import load_model
from discriminant.cli.outcome import console, print_json, safe, shorten

_MOST_FEATURES = 15
_MOST_CLASSES = 8


def inspect_command(path: Path, json: bool) -> None:
    """Run `discriminant inspect`."""
    model = load_model(path)
    if json:
        from discriminant.model.schema import document_of

        print_json(document_of(model))
        return
    _print(model)


_RULES = {
    "gain": "the answer of largest expected gain",
    "largest": "the class of the largest score",
}


def _print(model: Any) -> None:
    from rich.table import Table

    from discriminant.learners.registry import title_of

    out = console()
    classes = ", ".join(safe(c) for c in model.classes[:10])
    classes += f" and {len(model.classes) - 10} more" if len(model.classes) > 10 else ""
    name = title_of(model.learner) or "Linear model"
    out.print(f"[bold]{safe(name)}[/bold] for {safe(model.target.name)}: {classes}")
    for told in ("files", "rows", "made", "command"):
        if told in model.provenance:
            value = model.provenance[told]
            text = ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
            out.print(f"{told}: {safe(shorten(text, 200))}")
    rule = f"{safe(model.classes[1])} where the score is above 0" if model.rule == "threshold" else _RULES[model.rule]
    out.print(f"Decides: {rule}. θ: {', '.join(f'{t:.6g}' for t in model.thresholds[:6])}")
    for line in _gain_lines(model):
        out.print(safe(line))
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    planes = ["weight"] if len(model.thresholds) == 1 else [shorten(safe(c), 14) for c in model.classes[:6]]
    for name in ("feature", *planes, "per unit" if len(planes) == 1 else ""):
        table.add_column(name, justify="left" if name == "feature" else "right")
    for name, weights, per_unit in _largest(model):
        cells = [f"{w:+.4g}" for w in weights[:6]]
        table.add_row(safe(shorten(name, 40)), *cells, per_unit)
    out.print(table)
    if len(planes) < len(model.thresholds):
        out.print(f"These are the first {len(planes)} of {len(model.thresholds)} classes; --json has all")
    if model.n_features > _MOST_FEATURES:
        more = model.n_features - _MOST_FEATURES
        out.print(f"{more:,} more feature{'s' * (more > 1)}; --json has all")
    for finding in model.findings[:5]:
        out.print(f"Finding: {safe(finding.get('fact', ''))}. {safe(finding.get('remedy', ''))}.")


def _gain_lines(model: Any) -> list[str]:
    """The matrix; in words where it only counts right answers, and not at all where it fills the screen."""
    import numpy as np

    K = len(model.classes)
    if model.column_gain is not None:
        unit = f" in {model.gain.unit}" if model.gain.unit else ""
        return [f"Gain of each row{unit}: {model.column_gain.text(model.classes)}"]
    if np.array_equal(model.gain.matrix, np.eye(K)):
        return ["Gain: 1 for a right answer, 0 for a wrong one"]
    if K > _MOST_CLASSES:
        return [f"Gain: a matrix of {K} classes and {model.gain.matrix.shape[1]} answers; --json has it"]
    return str(model.gain).splitlines()


def _largest(model: Any) -> list[tuple[str, list[float], str]]:
    import numpy as np

    size = np.abs(model.weights).max(axis=0)
    order = np.argsort(-size, kind="stable")[:_MOST_FEATURES]
    if model.encoding.layout == "svmlight":
        return [(f"index {j + model.encoding.first_index}", model.weights[:, j].tolist(), "") for j in order]
    one = len(model.thresholds) == 1
    return [
        (
            model.encoding.features[j].name,
            model.weights[:, j].tolist(),
            _per_unit(model, j) if one else "",
        )
        for j in order
    ]


def _per_unit(model: Any, j: int) -> str:
    feature = model.encoding.features[j]
    return f"{model.weights[0, j] / feature.scale:+.4g}" + ("" if feature.unit is None else " of its logarithm")
