"""Many learners, one cross-validation, one table."""

from discriminant.comparison.comparison import Comparison
from discriminant.comparison.inference import Difference, Estimate
from discriminant.comparison.run import compare

__all__ = ["Comparison", "Difference", "Estimate", "compare"]
