"""Complete, quasi or none, by enumeration in fractions: slow, obvious, and nothing like a linear program.

The planes u with u·v_i ≥ 0 for all rows are a cone, made of its edges. Where the rows span all r dimensions, an edge is
perpendicular to r − 1 independent rows. The sum of all edges is positive wherever any such plane is.
"""

from fractions import Fraction
from itertools import combinations


def reduced(rows):
    """Pivot columns, and the rows solved for them."""
    table, pivots = [list(row) for row in rows], []
    for j in range(len(table[0]) if table else 0):
        found = next((i for i in range(len(pivots), len(table)) if table[i][j]), None)
        if found is None:
            continue
        at = len(pivots)
        table[at], table[found] = table[found], table[at]
        table[at] = [x / table[at][j] for x in table[at]]
        for i, row in enumerate(table):
            if i != at and row[j]:
                table[i] = [x - row[j] * z for x, z in zip(row, table[at], strict=True)]
        pivots.append(j)
    return pivots, table[: len(pivots)]


def kind_by_edges(X, positive):
    """The kind of separation of a small table."""
    signs = [1 if c else -1 for c in positive]
    vectors = {tuple(Fraction(x) * c for x in (*row, 1)) for row, c in zip(X.tolist(), signs, strict=True)}
    pivots, _ = reduced(vectors)
    vectors = [[v[j] for j in pivots] for v in vectors]
    r, total, edges = len(pivots), [Fraction(0)] * len(vectors), 0
    for some in combinations(vectors, r - 1):
        columns, table = reduced(some)
        if len(columns) < r - 1:
            continue
        free = next(j for j in range(r) if j not in columns)
        u = [Fraction(int(j == free)) for j in range(r)]
        for j, row in zip(columns, table, strict=True):
            u[j] = -row[free]
        scores = [sum(a * b for a, b in zip(u, v, strict=True)) for v in vectors]
        for sign in (1, -1):
            if min(sign * s for s in scores) >= 0:
                total, edges = [t + sign * s for t, s in zip(total, scores, strict=True)], edges + 1
    if not edges:
        return "none"
    return "complete" if min(total) > 0 else "quasi"
