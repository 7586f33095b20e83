"""Every learner that goes from row to row keeps the same kind of path: weights, criterion and mistakes at each step."""

import numpy as np
import pytest
from scipy import sparse

from discriminant import Adaline, Perceptron, PocketPerceptron, gradient_descent, regression_descent
from discriminant.findings import TraceCut
from discriminant.optimise import traces
from discriminant.optimise.traces import Trace, TraceStep

pytestmark = pytest.mark.filterwarnings("ignore::discriminant.findings.FindingWarning")


def table(K=2, n=40, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % K
    return rng.normal(size=(n, 3)) + y[:, None], y


def perceptron_criterion(X, c, step, weight=1.0):
    margin = c * (X @ step.w - step.theta)
    return -(weight * np.minimum(margin, 0)).sum(), int((margin <= 0).sum())


def squares(X, c, step, weight=1.0):
    score = X @ step.w - step.theta
    return 0.5 * (weight * (c - score) ** 2).sum(), int((c * score <= 0).sum())


LEARNERS = {
    "stochastic": (Perceptron(trace=True, max_iter=5, random_state=0), perceptron_criterion),
    "cyclic": (Perceptron(rule="cyclic", trace=True, max_iter=5, init="random", random_state=0), perceptron_criterion),
    "batch": (Perceptron(rule="batch", trace=True, max_iter=5), perceptron_criterion),
    "pocket": (PocketPerceptron(trace=True, max_iter=5, random_state=0), perceptron_criterion),
    "ratchet": (PocketPerceptron(ratchet=True, trace=True, max_iter=5, random_state=0), perceptron_criterion),
    "adaline": (Adaline(trace=True, max_iter=5, random_state=0), squares),
    "adaline in batches": (Adaline(rule="batch", trace=True, max_iter=5), squares),
    "closed form": (Adaline(rule="closed-form", trace=True), squares),
}


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array], ids=["dense", "sparse"])
def test_a_step_has_weights_criterion_and_mistakes(name, form):
    model, measured = LEARNERS[name]
    X, y = table()
    weight = np.random.default_rng(1).uniform(0.5, 2, len(y))
    trace = model.fit(form(X), y, sample_weight=weight).trace_
    assert isinstance(trace, Trace)
    assert trace.complete
    assert len(trace) == len(trace.w) == len(list(trace))
    for k, step in enumerate(trace):
        criterion, mistakes = measured(X, 2 * y - 1, step, weight)
        assert isinstance(step, TraceStep)
        assert step.criterion == pytest.approx(criterion)
        assert step.mistakes == mistakes
        assert (trace[k].w == step.w).all()
    if "ket" not in name and "ratchet" not in name:
        np.testing.assert_array_equal(trace[-1].w, model.coef_[0])
    assert not hasattr(type(model)().fit(X, y), "trace_")


def test_the_pocket_holds_a_step_of_its_path():
    X, y = table(seed=3)
    for ratchet in (False, True):
        model = PocketPerceptron(trace=True, random_state=0, ratchet=ratchet, max_iter=20).fit(X, y)
        held = model.trace_[model.found_after_]
        np.testing.assert_array_equal(held.w, model.coef_[0])
        assert held.mistakes == model.pocket_errors_
        plain = PocketPerceptron(random_state=0, ratchet=ratchet, max_iter=20).fit(X, y)
        np.testing.assert_array_equal(plain.coef_, model.coef_)
    best = PocketPerceptron(trace=True, random_state=0, max_iter=20).fit(X, y)
    assert best.trace_.mistakes.min() == best.pocket_errors_


def test_a_path_for_each_plane():
    X, y = table(K=3)
    for model in (Perceptron(trace=True, max_iter=3), PocketPerceptron(trace=True, max_iter=3), Adaline(trace=True)):
        paths = model.fit(X, y).trace_
        assert len(paths) == 3
        for k, path in enumerate(paths):
            assert path.mistakes[0] == len(y), "all are wrong on w = 0"
            assert path.w.shape[1] == 3, k


def test_a_path_goes_on_with_more_rows():
    X, y = table()
    for model in (Perceptron(trace=True), Adaline(trace=True)):
        model.partial_fit(X[:20], y[:20]).partial_fit(X[20:], y[20:])
        trace = model.trace_
        assert trace.mistakes[0] == 20
        last = trace[-1]
        assert last.mistakes == ((2 * y[20:] - 1) * (X[20:] @ last.w - last.theta) <= 0).sum()


def test_steps_that_take_too_long_to_measure_are_let_go(monkeypatch):
    X, y = table(seed=5)
    monkeypatch.setattr(traces, "_MOST_PRODUCTS", 40 * 4 * 6)
    model = Perceptron(trace=True, random_state=0, max_iter=5, tol=None).fit(X, y)
    assert len(model.trace_) == 6
    assert not model.trace_.complete
    assert any(isinstance(finding, TraceCut) for finding in model.findings_)


def test_descents_are_subscripted_alike():
    X, y = table()
    path = gradient_descent(X, y, loss="perceptron", step=0.1, max_iter=5)
    for step in path:
        criterion, mistakes = perceptron_criterion(X, 2 * y - 1, step)
        assert step.criterion == pytest.approx(criterion)
        assert step.mistakes == mistakes
    some = gradient_descent(X, y, step=0.1, max_iter=5, batch_size=3, random_state=0)
    assert some[-1].mistakes == ((2 * y - 1) * (X @ some[-1].w - some[-1].theta) <= 0).sum()
    assert regression_descent(X, y.astype(float), max_iter=5)[-1].mistakes == -1


# --- ties -----------------------------------------------------------------------------------------------

# On w = (1, −1) the first row is a tie: x₁ = x₂.
TIED, CLASSES = [[1.0, 1.0], [2.0, 1.0], [1.0, 3.0]], [1, 1, 0]


@pytest.mark.parametrize(("ties", "wrong"), [("positive", []), ("negative", [0]), ("mistake", [0])])
def test_a_tie_of_class_one_is_right_where_the_notes_say_so(ties, wrong):
    model = Perceptron(init=[1, -1, 0], shuffle=False, ties=ties, trace=True).fit(TIED, CLASSES)
    assert model.trace_.row[1:].tolist()[:1] == wrong
    assert model.trace_[0].mistakes == len(wrong)
    assert model.converged_


@pytest.mark.parametrize(("ties", "wrong"), [("positive", [0]), ("negative", []), ("mistake", [0])])
def test_a_tie_of_the_other_class(ties, wrong):
    swapped = [[-a, -b] for a, b in TIED]
    model = Perceptron(init=[1, -1, 0], shuffle=False, ties=ties, trace=True).fit(swapped, [1 - c for c in CLASSES])
    assert model.trace_.row[1:].tolist()[:1] == wrong


def test_cyclic_answers_ties_as_asked():
    cyclic = {ties: Perceptron(rule="cyclic", ties=ties, trace=True) for ties in (None, "negative", "positive")}
    rows = {ties: model.fit(TIED, CLASSES).trace_.row.tolist()[1] for ties, model in cyclic.items()}
    assert rows == {None: 0, "negative": 0, "positive": 2}


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"ties": "first"}, "ties must be"),
        ({"ties": "positive", "rule": "batch"}, "row by row"),
        ({"ties": "negative", "multiclass": "direct"}, "row by row"),
        ({"ties": "mistake", "rule": "cyclic"}, "'positive' or 'negative'"),
    ],
)
def test_ties_that_make_no_sense(parameters, message):
    with pytest.raises(ValueError, match=message):
        Perceptron(**parameters).fit(TIED, CLASSES)


# --- the pocket of the notes ----------------------------------------------------------------------------


def notes_pocket(X, c, w, epochs):
    """As the notes write it: a random start with h = 0, and a count after every update."""
    best, most = w, 0
    for _ in range(epochs):
        for x, sign in zip(X, c, strict=True):
            if sign * (w @ x) <= 0:
                w = w + sign * x
                h = int((c * (X @ w) > 0).sum())
                if h > most:
                    best, most = w, h
    return best, len(c) - most


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("ratchet", [False, True])
def test_the_start_of_the_notes_is_not_counted(seed, ratchet):
    X, y = table(seed=seed)
    start = np.random.default_rng(seed).normal(size=4)
    augmented = np.column_stack([X, np.ones(len(y))])
    theirs, errors = notes_pocket(augmented, 2 * y - 1, start, 8)
    ours = PocketPerceptron(init=start, shuffle=False, max_iter=8, count_start=False, ratchet=ratchet).fit(X, y)
    if not ratchet:
        np.testing.assert_allclose(np.append(ours.coef_, ours.intercept_), theirs)
        assert ours.pocket_errors_ == errors
    counted = PocketPerceptron(init=start, shuffle=False, max_iter=8, ratchet=ratchet).fit(X, y)
    assert counted.pocket_errors_ <= ours.pocket_errors_


def test_a_start_that_nothing_after_it_matches():
    """One row flipped, and the start the best plane there is: the notes' pocket loses it."""
    X, y = np.array([[-2.0], [-1.0], [1.0], [2.0], [9.0]]), np.array([0, 0, 1, 1, 0])
    ours = PocketPerceptron(init=[1.0, 0.0], shuffle=False, max_iter=1).fit(X, y)
    notes = PocketPerceptron(init=[1.0, 0.0], shuffle=False, max_iter=1, count_start=False).fit(X, y)
    assert (ours.pocket_errors_, ours.found_after_) == (1.0, 0)
    assert notes.pocket_errors_ > 1
    assert notes.found_after_ == 1
