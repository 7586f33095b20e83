"""Solving: metrics of scatter matrices, contrasts between class means, refinement, matrix-free regression."""
