"""The same planes with another decision: a threshold of the probability, other priors, another gain.

Nothing is learnt anew. With ℓ(s) the log-odds of two classes at a score, straight or bent,

    priors       offset_k + log(π′_k/π_k): the same p(x | k), more or less common classes
    gain         the second class where ℓ > log((g₁₁ − g₁₂)/(g₂₂ − g₂₁))
    threshold    the second class where P > t, ℓ > log(t/(1 − t))

and θ moves so that the boundary stays at score 0. Several classes are decided by posteriors and gain.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.gain.alignment import align_gain
from discriminant.gain.columns import ColumnGain
from discriminant.gain.matrix import Gain
from discriminant.gain.rates import stakes_of
from discriminant.gain.reading import label_text
from discriminant.model.decision_model import DecisionModel, Posterior
from discriminant.table.errors import OptionError, TableError

Array = NDArray[np.float64]


def with_threshold(model: DecisionModel, threshold: float) -> DecisionModel:
    """The positive class where its probability is above the threshold."""
    if not 0 < threshold < 1:
        raise OptionError(f"--threshold {threshold:g} is no probability", hint="give a number between 0 and 1, as 0.3")
    if len(model.classes) != 2:
        raise TableError(
            f"--threshold is for two classes, and the model has {len(model.classes)}", hint="say it by --gain"
        )
    if model.gain.has_reject:
        raise TableError("--threshold leaves no room to reject rows", hint="give a --gain without reject as well")
    _posterior(model, "--threshold")
    found = _move_boundary(model, float(np.log(threshold / (1 - threshold))))
    return with_note(found, {"threshold": threshold})


def with_priors(model: DecisionModel, priors: Sequence[float]) -> DecisionModel:
    """The model for rows among which the classes have these shares; the gain decides as before."""
    posterior = _posterior(model, "--priors")
    if model.priors is None or min(model.priors) <= 0:
        raise TableError(
            "the model does not say how common its classes were in training, so that --priors cannot be put in "
            "their place",
            hint="fit it again with discriminant fit",
        )
    steps = np.log(np.asarray(priors) / np.asarray(model.priors))
    shifted = replace(posterior, offsets=tuple((np.asarray(posterior.offsets) + steps).tolist()))
    found = replace(model, posterior=shifted, priors=tuple(float(p) for p in priors))
    if model.rule == "threshold":
        found = _move_boundary(found, _log_odds(posterior))  # where the boundary was, in log-odds
    return with_note(found, {"priors": [float(p) for p in priors]})


def with_gain(model: DecisionModel, gain: Gain) -> DecisionModel:
    """The answer of largest expected gain under another gain."""
    _posterior(model, "--gain")
    gain = align_gain(gain, model.classes)
    found = replace(model, gain=gain, rule="gain", column_gain=None)
    if len(model.classes) == 2 and not gain.has_reject:
        stakes = stakes_of(gain.matrix)
        if (stakes > 0).all():
            found = _move_boundary(found, float(np.log(stakes[0] / stakes[1])))
    return with_note(found, {"gain": gain.matrix.tolist(), "unit": gain.unit})


def with_column_gain(model: DecisionModel, gains: ColumnGain, mean: Gain | None = None) -> DecisionModel:
    """The model that answers what each row's own gain makes best; ``mean`` stands for a row of training."""
    if model.posterior is None:
        raise TableError("the model has scores but no probabilities, which gains by row need")
    if model.encoding.layout == "svmlight":
        raise TableError("an svmlight file has no columns to take gains from", hint="give one --gain for all rows")
    usual = gains.with_means(dict.fromkeys(gains.columns, [1.0] * len(model.classes))) if mean is None else mean
    return replace(model, gain=usual, column_gain=gains, rule="gain")


def _posterior(model: DecisionModel, option: str) -> Posterior:
    if model.posterior is None:
        raise TableError(
            f"the model has scores but no probabilities, which {option} needs", hint="fit it with discriminant fit"
        )
    return model.posterior


def _log_odds(posterior: Posterior) -> float:
    """ℓ at score 0."""
    return float(posterior.log_odds(np.zeros(1))[0])


def _score_at(posterior: Posterior, log_odds: float) -> float | None:
    """The score at which ℓ, which never falls, has this height; None where it has it nowhere."""
    at, slopes, heights = posterior.pieces()
    if slopes[0] > 0 and log_odds <= heights[0]:
        return float(at[0] + (log_odds - heights[0]) / slopes[0])
    for start, slope, height, end in zip(at, slopes, heights, [*heights[1:], np.inf], strict=True):
        if slope > 0 and height <= log_odds <= end:
            return float(start + (log_odds - height) / slope)
    return None


def _move_boundary(model: DecisionModel, log_odds: float) -> DecisionModel:
    """Two classes, with the boundary, score 0, where the log-odds are these."""
    assert model.posterior is not None
    step = _score_at(model.posterior, log_odds)
    if step is None:  # no row's probability reaches so far
        always = 1.0 if _log_odds(model.posterior) > log_odds else -1.0
        nothing, shares = np.zeros_like(model.weights), model.priors or (0.5, 0.5)
        posterior = Posterior(0.0, (0.0, float(np.log(shares[1] / shares[0]))))
        answer = np.array([-always])
        return replace(model, weights=nothing, thresholds=answer, posterior=posterior, rule="threshold", training=None)
    bends = tuple((at - step, change) for at, change in model.posterior.bends)
    offset = log_odds - sum(change * max(-at, 0.0) for at, change in bends)
    return replace(
        model,
        thresholds=model.thresholds + step,
        posterior=Posterior(model.posterior.slope, (0.0, offset), bends),
        rule="threshold",
        training=_moved_scores(model, step),
    )


def _moved_scores(model: DecisionModel, step: float) -> Any:
    """The summary of training, whose scores move with θ."""
    if model.training is None:
        return None
    score = model.training.score
    ends = {end: value - step for end in ("low", "high") if (value := getattr(score, end)) is not None}
    moved = replace(score, edges=tuple(edge - step for edge in score.edges), **ends)
    return replace(model.training, score=moved)


def with_note(model: DecisionModel, what: dict[str, Any]) -> DecisionModel:
    """What was set is kept in the provenance, in order."""
    earlier = model.provenance.get("set", [])
    return replace(model, provenance={**model.provenance, "set": [*earlier, what]})


def read_priors(text: str, classes: Sequence[Any]) -> list[float]:
    """Shares of the classes as typed: "0.9,0.1" in their order, "yes=0.1,no=0.9", or one of two: "yes=0.1"."""
    parts = [part.strip() for part in text.split(",") if part.strip()]
    names = [label_text(c) for c in classes]
    named = dict(_named(part, names) for part in parts) if all("=" in part for part in parts) and parts else None
    if named is None:
        values = [_share(part) for part in parts]
    else:
        values = [named.get(name, -1.0) for name in names]
        if len(named) == len(names) - 1:
            values = [1.0 - sum(named.values()) if value < 0 else value for value in values]
    if len(values) != len(names) or min(values) <= 0 or abs(sum(values) - 1) > 1e-3:
        raise OptionError(
            f"--priors {text!r} must give {len(names)} shares above 0 that sum to 1",
            hint=f"one for each of {', '.join(names)}, as in " + ",".join(f"{n}={1 / len(names):.2g}" for n in names),
        )
    return [value / sum(values) for value in values]


def _named(part: str, names: Sequence[str]) -> tuple[str, float]:
    name, _, value = (each.strip() for each in part.rpartition("="))
    if name not in names:
        raise OptionError(f"--priors: {name!r} is no class of the model", hint=f"its classes are {', '.join(names)}")
    return name, _share(value)


def _share(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise OptionError(f"--priors: {text!r} is no number", hint="as in 0.9,0.1 or yes=0.1") from None
