"""The rules as the lecture notes write them, in plain Python: lists in, lists out, nothing clever.

Rows are augmented with a last component 1; c is +1 or −1. Each returns every update as (row, weights after it).
"""


def dot(w, x):
    return sum(a * b for a, b in zip(w, x, strict=True))


def augmented(X):
    return [[*map(float, x), 1.0] for x in X]


def stochastic_perceptron(X, c, eta, epochs, weight=None, orders=None):
    """w += η t φ(x) for each misclassified row, w·φ t ≤ 0, one row after another."""
    X = augmented(X)
    w = [0.0] * len(X[0])
    updates, mistakes = [], []
    for epoch in range(epochs):
        mistakes.append(0)
        for i in orders[epoch] if orders else range(len(X)):
            if c[i] * dot(w, X[i]) <= 0:
                step = eta * c[i] * (1.0 if weight is None else weight[i])
                w = [a + step * b for a, b in zip(w, X[i], strict=True)]
                updates.append((i, w))
                mistakes[-1] += 1
        if mistakes[-1] == 0:
            break
    return updates, mistakes


def batch_perceptron(X, c, eta, epochs, weight=None):
    """w += η Σ t φ(x) over all misclassified rows."""
    X = augmented(X)
    w = [0.0] * len(X[0])
    updates, mistakes = [], []
    for _ in range(epochs):
        wrong = [i for i in range(len(X)) if c[i] * dot(w, X[i]) <= 0]
        mistakes.append(len(wrong))
        if not wrong:
            break
        for i in wrong:
            step = eta * c[i] * (1.0 if weight is None else weight[i])
            w = [a + step * b for a, b in zip(w, X[i], strict=True)]
        updates.append((-1, w))
    return updates, mistakes


def cyclic_perceptron(X, c, delta, epochs):
    """w(t+1) = w(t) + δ[c − y]x with y = +1 if w·x > 0 else −1, t running through the rows again and again."""
    X = augmented(X)
    w = [0.0] * len(X[0])
    updates, mistakes = [], []
    for _ in range(epochs):
        mistakes.append(0)
        for i, x in enumerate(X):
            y = 1 if dot(w, x) > 0 else -1
            if c[i] != y:
                w = [a + delta * (c[i] - y) * b for a, b in zip(w, x, strict=True)]
                updates.append((i, w))
                mistakes[-1] += 1
        if mistakes[-1] == 0:
            break
    return updates, mistakes


def multiclass_perceptron(X, k, n_classes, eta, epochs):
    """The row's own plane takes ηx and the highest of the others gives it, where that one scores as high."""
    X = augmented(X)
    W = [[0.0] * len(X[0]) for _ in range(n_classes)]
    mistakes = []
    for _ in range(epochs):
        mistakes.append(0)
        for x, own in zip(X, k, strict=True):
            scores = [dot(w, x) for w in W]
            rival = max((j for j in range(n_classes) if j != own), key=lambda j: (scores[j], -j))
            if scores[rival] >= scores[own]:
                W[own] = [a + eta * b for a, b in zip(W[own], x, strict=True)]
                W[rival] = [a - eta * b for a, b in zip(W[rival], x, strict=True)]
                mistakes[-1] += 1
        if mistakes[-1] == 0:
            break
    return W, mistakes


def n_right(w, X, c, weight=None):
    """The weight of the rows classified right."""
    omega = [1.0] * len(X) if weight is None else weight
    return sum(o for x, t, o in zip(augmented(X), c, omega, strict=True) if t * dot(w, x) > 0)


def pocket(X, c, eta, epochs, weight=None, orders=None):
    """h_s = 0; after every update count h; if h > h_s, w_s = w and h_s = h."""
    updates, _ = stochastic_perceptron(X, c, eta, epochs, weight, orders)
    best, kept, found = 0, [0.0] * (len(X[0]) + 1), 0
    for t, (_, w) in enumerate(updates, start=1):
        h = n_right(w, X, c, weight)
        if h > best:
            best, kept, found = h, w, t
    return kept, best, found


def ratchet(X, c, eta, epochs):
    """Gallant: count only when the run of right rows is longer than the pocket's; keep if more are right.

    The same weights are not counted twice, and while the pocket's own weights go on, so does its run.
    """
    rows = augmented(X)
    w = [0.0] * len(rows[0])
    kept, best, kept_run, run, checks, standing = list(w), 0, 0, 0, 0, "new"
    for _ in range(epochs):
        mistakes = 0
        for i, x in enumerate(rows):
            if c[i] * dot(w, x) > 0:
                run += 1
                if run > kept_run and standing == "kept":
                    kept_run = run
                if run > kept_run and standing == "new":
                    h = n_right(w, X, c)
                    checks, standing = checks + 1, "known"
                    if h > best:
                        kept, best, kept_run, standing = w, h, run, "kept"
            else:
                w = [a + eta * c[i] * b for a, b in zip(w, x, strict=True)]
                run, standing, mistakes = 0, "new", mistakes + 1
        if mistakes == 0:
            break
    return kept, best, checks


def stochastic_adaline(X, c, steps, epochs, weight=None):
    """w(t+1) = w(t) + δ(t)[c − w·x]x."""
    X = augmented(X)
    w = [0.0] * len(X[0])
    t = 0
    for _ in range(epochs):
        for i, x in enumerate(X):
            delta = steps(t, x) * (1.0 if weight is None else weight[i])
            error = c[i] - dot(w, x)
            w = [a + delta * error * b for a, b in zip(w, x, strict=True)]
            t += 1
    return w


def batch_adaline(X, c, delta, epochs):
    """w(t+1) = w(t) + δ Σ[c − w(t)·x]x."""
    X = augmented(X)
    w = [0.0] * len(X[0])
    for _ in range(epochs):
        errors = [c[i] - dot(w, x) for i, x in enumerate(X)]
        w = [a + delta * sum(e * x[j] for e, x in zip(errors, X, strict=True)) for j, a in enumerate(w)]
    return w
