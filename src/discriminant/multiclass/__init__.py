"""Several classes from classifiers of two, and the pieces of planes that bound their regions."""

from discriminant.multiclass.cells import DecisionCells, Piece, decision_cells
from discriminant.multiclass.facets import neighbours
from discriminant.multiclass.one_vs_all import OneVsAll
from discriminant.multiclass.one_vs_one import OneVsOne

__all__ = ["DecisionCells", "OneVsAll", "OneVsOne", "Piece", "decision_cells", "neighbours"]
