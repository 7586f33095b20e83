"""Decisions as data: a model that is a file, and predicts and explains without the learner it came from."""

from discriminant.model.decision_model import DecisionModel, Decisions, Posterior, Target
from discriminant.model.explain import Explanation, explain
from discriminant.model.file import load, save
from discriminant.model.plain_json import ModelFileError

__all__ = [
    "DecisionModel",
    "Decisions",
    "Explanation",
    "ModelFileError",
    "Posterior",
    "Target",
    "explain",
    "load",
    "save",
]
