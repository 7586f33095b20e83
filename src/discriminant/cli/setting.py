"""`discriminant set`: the same model with another threshold, other priors or another gain."""

from pathlib import Path
from typing import Any

from discriminant.cli.models import Decision, load_model, with_decision
from discriminant.cli.outcome import console, print_json, safe
from discriminant.cli.outputs import model_inputs, output_folder, refuse_inputs
from discriminant.table.errors import OptionError


def set_command(model_path: Path, out: Path, decision: Decision, json: bool) -> None:
    """Run `discriminant set`."""
    from discriminant.model import save

    if not decision.given:
        raise OptionError("nothing is to be set", hint="give --threshold, --priors or --gain")
    path = out if out.suffix == ".json" else out / "model.json"
    refuse_inputs([path], [*model_inputs(model_path), decision.gain])
    model = with_decision(load_model(model_path), decision)
    with output_folder(path.parent):
        save(model, path)
    told = _as_result(model)
    if json:
        print_json({"model": str(path), **told})
        return
    lines = console()
    lines.print(safe(told["rule"]))
    lines.print(f"Written: {safe(path)}")


def _as_result(model: Any) -> dict[str, Any]:
    """What the command says in JSON of how the model decides now."""
    two = model.rule == "threshold"
    limit = None
    if two and model.posterior is not None and model.weights.any():
        import numpy as np

        limit = float(np.exp(model.posterior.log_posteriors(np.zeros((1, 1)))[0, 1]))
    rule = "It answers what earns most."
    if limit is not None:
        no, yes = model.classes
        rule = f"It answers {yes} where P({yes}) is above {limit:.4g}, else {no}."
    elif two:
        rule = f"It always answers {model.classes[int(model.thresholds[0] < 0)]}."
    return {"rule": rule, "threshold": limit, "priors": model.priors, "set": model.provenance.get("set", [])}
