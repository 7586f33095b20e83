"""One sweep over a block of rows: centre, weigh and sort them by class, and sum what depends on a row alone."""

from discriminant.kernels.compiled import Array, compiled


@compiled
def centre_by_class(
    X: Array,
    codes: Array,
    weight: Array,
    pilot: Array,
    Z: Array,
    edges: Array,
    counts: Array,
    sums: Array,
    cubic: Array,
    quartic: Array,
) -> bool:
    """Write √ω(x − pilot of its class) to Z, class by class, and add to the sums.

    With z = x − pilot and q = ‖z‖²: counts += ω, sums += ωz, cubic += ωqz, quartic += ωq², for the row's class.
    Rows of class k end up in Z[edges[k]:edges[k + 1]]. An empty ``weight`` means ω = 1.
    Returns whether every q was finite.
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
        q = 0.0
        for j in range(d):
            z = X[i, j] - pilot[k, j]
            Z[r, j] = z
            q += z * z
        finite &= q - q == 0.0
        if weight.size == 0:
            counts[k] += 1.0
            quartic[k] += q * q
            for j in range(d):
                sums[k, j] += Z[r, j]
                cubic[k, j] += q * Z[r, j]
        else:
            omega = weight[i]
            root = omega**0.5
            counts[k] += omega
            quartic[k] += omega * q * q
            for j in range(d):
                z = Z[r, j]
                sums[k, j] += omega * z
                cubic[k, j] += omega * q * z
                Z[r, j] = root * z
    # each edge was advanced to the end of its class; move them back by one place
    for k in range(n_classes, 0, -1):
        edges[k] = edges[k - 1]
    edges[0] = 0
    return finite
