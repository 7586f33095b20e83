"""Linear algebra: metrics of scatter matrices, factors, refinement, conjugate gradients, the row space."""
