"""From the scores of any classifier to the decisions that earn the most."""

from discriminant.decisions.classifier import GainClassifier
from discriminant.decisions.prior_shift import estimated_priors, shifted

__all__ = ["GainClassifier", "estimated_priors", "shifted"]
