"""Scores of rows by models that have not seen them: one reader of folds, one way from a learner to held-out scores."""

from discriminant.validation.folds import Folds
from discriminant.validation.source_folds import IdFolds
from discriminant.validation.time_order import TimeOrder

__all__ = ["Folds", "IdFolds", "TimeOrder"]
