"""Sweeps over a block of rows: centre, weigh and sort them by class; sum them and their squares."""

import numpy as np

from discriminant.kernels.compiled import Array, compiled, compiled_reassociating


@compiled_reassociating
def centre_by_class(X: Array, codes: Array, weight: Array, pilot: Array, Z: Array, edges: Array) -> bool:
    """Write the augmented rows √ω(z, 1, ‖z‖²) to Z, class by class, with z = x − the pilot mean of the row's class.

    Rows of class k end up in Z[edges[k]:edges[k + 1]]. An empty ``weight`` means ω = 1.
    Returns whether every ‖z‖² was finite.
    """
    n, d = X.shape
    n_classes = pilot.shape[0]
    edges[:] = 0
    for i in range(n):
        edges[codes[i] + 1] += 1
    for k in range(n_classes):
        edges[k + 1] += edges[k]
    finite = True
    for i in range(n):
        k = codes[i]
        r = edges[k]
        edges[k] += 1
        root = 1.0 if weight.size == 0 else weight[i] ** 0.5
        q = 0.0
        for j in range(d):
            z = X[i, j] - pilot[k, j]
            q += z * z
            Z[r, j] = root * z
        Z[r, d] = root
        Z[r, d + 1] = root * q
        finite &= q - q == 0.0
    # each edge was advanced to the end of its class; move them back by one place
    for k in range(n_classes, 0, -1):
        edges[k] = edges[k - 1]
    edges[0] = 0
    return finite


@centre_by_class.in_numpy
def _centre_by_class(X: Array, codes: Array, weight: Array, pilot: Array, Z: Array, edges: Array) -> bool:
    n, d = X.shape
    order, z = codes.argsort(kind="stable"), Z[:n, :d]
    edges[0] = 0
    np.bincount(codes, minlength=len(pilot)).cumsum(out=edges[1:])
    by_class = X.take(order, axis=0)
    for k, centre in enumerate(pilot):
        own = slice(edges[k], edges[k + 1])
        np.subtract(by_class[own], centre, out=z[own])
    q = np.einsum("ij,ij->i", z, z)
    Z[:n, d], Z[:n, d + 1] = 1.0, q
    if weight.size:
        Z[:n] *= np.sqrt(weight[order])[:, None]
    return bool(np.isfinite(q).all())


@compiled
def add_class_sums(Z: Array, edges: Array, sums: Array, squares: Array) -> None:
    """Add Σω(z, 1, ‖z‖²) of each class to sums, and Σωz² to squares, from augmented rows sorted by class."""
    d = squares.shape[1]
    for k in range(sums.shape[0]):
        for i in range(edges[k], edges[k + 1]):
            root = Z[i, d]
            for j in range(d):
                sums[k, j] += root * Z[i, j]
                squares[k, j] += Z[i, j] * Z[i, j]
            sums[k, d] += root * root
            sums[k, d + 1] += root * Z[i, d + 1]


@add_class_sums.in_numpy
def _add_class_sums(Z: Array, edges: Array, sums: Array, squares: Array) -> None:
    d = squares.shape[1]
    for k in range(len(sums)):
        own = Z[edges[k] : edges[k + 1]]
        sums[k, : d + 2] += own[:, d] @ own[:, : d + 2]
        squares[k] += np.einsum("ij,ij->j", own[:, :d], own[:, :d])
