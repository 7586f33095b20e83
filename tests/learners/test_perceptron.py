"""The perceptron against the rules of the notes, update by update; its variants; its laws."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import load_breast_cancer

from discriminant import Perceptron
from discriminant.findings import FindingWarning, MistakesLeft, TraceCut, VotesLost
from discriminant.optimise.sequential import observers
from discriminant.optimise.sequential.novikoff import novikoff_bound
from tests import transcriptions
from tests.tables import seeds

quiet = pytest.mark.filterwarnings("ignore::discriminant.findings.FindingWarning")
FORMS = {
    "dense": np.asarray,
    "float32": lambda X: X.astype(np.float32),
    "csr": sparse.csr_array,
    "F": np.asfortranarray,
}


def integer_table(seed, n=30, d=4, zeros=0.4):
    """Small integers, so that every order of summation gives the same; no class is missing."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, (n, d)) * (rng.random((n, d)) > zeros)
    y = rng.integers(0, 2, n)
    y[:2] = 0, 1
    return X.astype(float), y


def signs(y):
    return [1 if v else -1 for v in y]


def told(trace):
    """A trace as the transcriptions give it, without the start."""
    return [(step.row, [*step.w.tolist(), -step.theta]) for step in list(trace)[1:]]


@quiet
@given(seed=seeds, form=st.sampled_from(sorted(FORMS)), eta=st.sampled_from([1.0, 0.5, 4.0]), weighted=st.booleans())
def test_stochastic_rule_update_by_update(seed, form, eta, weighted):
    X, y = integer_table(seed)
    weight = np.random.default_rng(seed).integers(1, 4, len(y)).astype(float) if weighted else None
    model = Perceptron(shuffle=False, eta=eta, max_iter=20, trace=True).fit(FORMS[form](X), y, sample_weight=weight)
    updates, mistakes = transcriptions.stochastic_perceptron(X, signs(y), eta, 20, weight)
    assert told(model.trace_) == [(i, w) for i, w in updates]
    assert model.mistakes_.tolist() == mistakes
    assert model.n_updates_ == len(updates) == sum(mistakes)
    assert model.converged_ == (mistakes[-1] == 0)
    assert [*model.coef_[0], model.intercept_[0]] == updates[-1][1]


@quiet
@given(seed=seeds, form=st.sampled_from(sorted(FORMS)), weighted=st.booleans())
def test_batch_rule_update_by_update(seed, form, weighted):
    X, y = integer_table(seed)
    weight = np.random.default_rng(seed).integers(1, 4, len(y)).astype(float) if weighted else None
    model = Perceptron(rule="batch", eta=0.5, max_iter=20, trace=True).fit(FORMS[form](X), y, sample_weight=weight)
    updates, mistakes = transcriptions.batch_perceptron(X, signs(y), 0.5, 20, weight)
    assert told(model.trace_) == updates
    assert model.mistakes_.tolist() == mistakes
    assert model.n_updates_ == len(updates)


@quiet
@given(seed=seeds, form=st.sampled_from(sorted(FORMS)))
def test_cyclic_rule_update_by_update(seed, form):
    X, y = integer_table(seed)
    model = Perceptron(rule="cyclic", eta=0.25, max_iter=20, trace=True).fit(FORMS[form](X), y)
    updates, mistakes = transcriptions.cyclic_perceptron(X, signs(y), 0.25, 20)
    assert told(model.trace_) == updates
    assert model.mistakes_.tolist() == mistakes


def test_zero_score_is_no_mistake_of_the_negative_class_in_the_cyclic_rule():
    X, y = [[1.0], [2.0]], [0, 0]
    X, y = [*X, [-1.0]], [*y, 1]
    cyclic = Perceptron(rule="cyclic", trace=True).fit(X, y)
    stochastic = Perceptron(shuffle=False, trace=True).fit(X, y)
    assert cyclic.trace_.row.tolist()[1] == 2  # the first two rows are right at zero weights
    assert stochastic.trace_.row.tolist()[1] == 0


@quiet
@given(seed=seeds, form=st.sampled_from(sorted(FORMS)), K=st.integers(3, 5))
def test_direct_multiclass_rule(seed, form, K):
    X, _ = integer_table(seed)
    y = np.arange(len(X)) % K
    model = Perceptron(multiclass="direct", shuffle=False, max_iter=15).fit(FORMS[form](X), y)
    W, mistakes = transcriptions.multiclass_perceptron(X, y.tolist(), K, 1.0, 15)
    assert np.column_stack([model.coef_, model.intercept_]).tolist() == W
    assert model.mistakes_.tolist() == mistakes


@quiet
@given(seed=seeds, K=st.integers(3, 4))
def test_one_vs_all_is_a_fit_for_each_class(seed, K):
    X, _ = integer_table(seed)
    y = np.arange(len(X)) % K
    model = Perceptron(shuffle=False, max_iter=15).fit(X, y)
    apart = [Perceptron(shuffle=False, max_iter=15).fit(X, y == k) for k in range(K)]
    assert np.array_equal(model.coef_, np.vstack([m.coef_ for m in apart]))
    assert model.n_updates_ == sum(m.n_updates_ for m in apart)
    assert model.mistakes_[0] == sum(m.mistakes_[0] for m in apart)


@quiet
@given(seed=seeds, rule=st.sampled_from(["stochastic", "cyclic", "batch"]))
def test_average_is_the_mean_of_the_weights_after_each_visit(seed, rule):
    X, y = integer_table(seed)
    order = None if rule != "stochastic" else False
    model = Perceptron(rule=rule, shuffle=order, max_iter=6, average=True).fit(X, y)
    traced = Perceptron(rule=rule, shuffle=order, max_iter=6, trace=True).fit(X, y)
    seen, at = [], 0
    weights = np.column_stack([traced.trace_.w, -traced.trace_.theta])
    for epoch in range(traced.n_iter_):
        if rule == "batch":
            at += traced.mistakes_[epoch] > 0
            seen.append(weights[at])
            continue
        for i in range(len(X)):
            if at + 1 < len(weights) and traced.trace_.row[at + 1] == i and at < traced.mistakes_[: epoch + 1].sum():
                at += 1
            seen.append(weights[at])
    mean = np.mean(seen, axis=0)
    assert np.allclose([*model.coef_[0], model.intercept_[0]], mean, rtol=1e-12, atol=1e-12)


@quiet
@given(seed=seeds)
def test_votes_are_those_of_every_weight_vector(seed):
    X, y = integer_table(seed)
    model = Perceptron(shuffle=False, max_iter=5, average="vote").fit(X, y)
    rows, c = transcriptions.augmented(X), signs(y)
    voters, w, life = [], [0.0] * len(rows[0]), 0
    for _ in range(model.n_iter_):  # as Freund and Schapire write it
        for x, t in zip(rows, c, strict=True):
            if t * transcriptions.dot(w, x) > 0:
                life += 1
            else:
                voters.append((w, life))
                w, life = [a + t * b for a, b in zip(w, x, strict=True)], 1
    voters.append((w, life))
    new = np.random.default_rng(seed).standard_normal((20, X.shape[1]))
    votes = [sum(v * np.sign(transcriptions.dot(w, [*x, 1.0])) for w, v in voters) for x in new]
    assert np.allclose(model.decision_function(new), np.array(votes) / sum(v for _, v in voters))


@quiet
def test_voters_beyond_memory_are_let_go_shortest_lives_first(monkeypatch):
    monkeypatch.setattr(observers, "_VOTER_NUMBERS", 200)
    X, y = load_breast_cancer(return_X_y=True)
    model = Perceptron(average="vote", max_iter=20, random_state=0).fit(X, y)
    (finding,) = model.findings_
    assert isinstance(finding, VotesLost)
    assert model.score(X, y) > 0.8


@quiet
def test_trace_never_exhausts_memory(monkeypatch):
    monkeypatch.setattr(observers, "_TRACE_NUMBERS", 30 * 31)
    X, y = load_breast_cancer(return_X_y=True)
    model = Perceptron(trace=True, max_iter=20, random_state=0).fit(X, y)
    assert len(model.trace_) == 30
    assert not model.trace_.complete
    assert any(isinstance(f, TraceCut) for f in model.findings_)


@given(seed=seeds)
def test_separable_rows_are_learnt_within_novikoffs_bound(seed):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((40, 3))
    side = X @ rng.standard_normal(3) - 0.3
    keep = np.abs(side) > 0.2
    X, y = X[keep], side[keep] > 0
    if y.all() or not y.any():
        return
    for model in (Perceptron(random_state=0), Perceptron(shuffle=False), Perceptron(rule="cyclic", eta=3.0)):
        bound = model.set_params(max_iter=100_000).fit(X, y).novikoff(X, y)
        assert model.converged_
        assert model.score(X, y) == 1.0
        assert model.findings_ == ()
        assert model.n_updates_ <= bound.bound
        assert f"{model.n_updates_} updates made" in str(bound)


def test_novikoffs_margin_is_the_exact_one():
    # between (0, ½) and (1, 1)·: the margin of AND in the space with a constant is that of w = (2, 2, −3)
    bound = novikoff_bound([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1])
    assert bound.margin == pytest.approx(1 / np.sqrt(17), rel=1e-9)
    assert bound.radius == pytest.approx(np.sqrt(3))
    with pytest.raises(ValueError, match="not separable"):
        novikoff_bound([[0, 0], [1, 1], [0, 1], [1, 0]], [0, 0, 1, 1])
    with pytest.raises(ValueError, match="two classes"):
        novikoff_bound([[0], [1], [2]], [0, 1, 2])


def test_overlapping_classes_are_reported():
    X, y = [[0.0], [1.0], [0.5], [2.0]], [0, 1, 1, 0]
    with pytest.warns(FindingWarning, match="still made mistakes"):
        model = Perceptron(max_iter=50, random_state=0).fit(X, y)
    assert not model.converged_
    assert len(model.mistakes_) == model.n_iter_ == 50
    assert isinstance(model.findings_[0], MistakesLeft)


@quiet
@given(seed=seeds, average=st.sampled_from([False, True, "vote"]))
def test_shuffled_fit_ignores_row_order_and_takes_weights_for_repetition(seed, average):
    X, y = integer_table(seed, n=40)
    rng = np.random.default_rng(seed)
    weight = rng.integers(0, 4, len(y))
    weight[:2] = 1
    repeated = rng.permutation(np.repeat(np.arange(len(y)), weight))
    options = {"max_iter": 10, "random_state": 3, "average": average}
    weighed = Perceptron(**options).fit(X, y, sample_weight=weight)
    again = Perceptron(**options).fit(X[repeated], y[repeated])
    as_sparse = Perceptron(**options).fit(sparse.csr_array(X[repeated]), y[repeated])
    for other in (again, as_sparse):
        assert np.array_equal(weighed.coef_, other.coef_)
        assert np.array_equal(weighed.decision_function(X), other.decision_function(X))
        assert weighed.mistakes_.tolist() == other.mistakes_.tolist()


@quiet
def test_seed_decides_the_shuffle_and_the_start():
    X, y = load_breast_cancer(return_X_y=True)
    options = {"max_iter": 5, "init": "random"}
    one, same, other = (Perceptron(**options, random_state=s).fit(X, y) for s in (1, 1, 2))
    assert np.array_equal(one.coef_, same.coef_)
    assert not np.array_equal(one.coef_, other.coef_)


@quiet
def test_partial_fit_is_an_epoch_and_goes_on_from_there():
    X, y = integer_table(5, n=60)
    whole = Perceptron(shuffle=False, max_iter=1, average=True).fit(X, y)
    parts = Perceptron(shuffle=False, average=True)
    for a in range(0, 60, 20):
        parts.partial_fit(X[a : a + 20], y[a : a + 20], classes=[0, 1])
    assert np.allclose(parts.coef_, whole.coef_, rtol=1e-14)
    assert parts.n_updates_ == whole.n_updates_
    assert parts.findings_ == ()


def test_partial_fit_must_know_its_classes():
    with pytest.raises(ValueError, match="name all of them"):
        Perceptron().partial_fit([[1.0], [2.0]], ["a", "a"])
    model = Perceptron().partial_fit([[1.0], [2.0]], ["a", "a"], classes=["a", "b"])
    before = model.coef_.copy()
    with pytest.raises(ValueError, match="'c', which is not among the classes"):
        model.partial_fit([[1.0]], ["c"])
    with pytest.raises(ValueError, match="NaN"):
        model.partial_fit([[3.0], [np.nan]], ["b", "a"])
    assert np.array_equal(model.coef_, before)
    model.partial_fit([[-3.0]], ["b"])
    assert model.predict([[-4.0]]).tolist() == ["b"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"eta": 0.0}, "eta must be finite and greater than zero"),
        ({"eta": -1}, "eta must be finite and greater than zero"),
        ({"eta": np.nan}, "eta must be finite and greater than zero"),
        ({"eta": np.inf}, "eta must be finite and greater than zero"),
        ({"max_iter": 0}, "max_iter must be at least 1"),
        ({"rule": "online"}, "rule must be one of 'stochastic', 'batch', 'cyclic'"),
        ({"init": "ones"}, "init must be one of 'zeros', 'random'"),
        ({"average": "votes"}, "average must be True, False or 'vote'"),
        ({"rule": "cyclic", "shuffle": True}, "keeps the order of the rows"),
        ({"multiclass": "all"}, "multiclass must be one of"),
        ({"multiclass": "direct", "rule": "batch"}, "goes with rule='stochastic'"),
        ({"multiclass": "direct", "trace": True}, "neither votes nor a trace"),
    ],
)
def test_nonsense_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        Perceptron(**options).fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("options", [{"eta": "1"}, {"max_iter": 2.5}, {"max_iter": True}, {"shuffle": 1}, {"trace": 1}])
def test_wrong_types_are_refused(options):
    (name,) = options
    with pytest.raises(TypeError, match=name):
        Perceptron(**options).fit([[0.0], [1.0]], [0, 1])


@quiet
@pytest.mark.parametrize("rule", ["stochastic", "batch"])
def test_overflow_names_the_column(rule):
    X = np.array([[1e300, 1.0], [-1e300, 2.0], [1.5e300, 3.0], [1.2e308, 1.0]])
    with pytest.raises(ValueError, match=r"column 0 reaches 1.2e\+308"):
        Perceptron(rule=rule, eta=1e5).fit(X, [0, 1, 1, 0])


def test_repeated_rows_are_visited_as_often():
    """Taken as one heavy row they would make far more updates than Novikoff's bound allows."""
    X = np.vstack([np.tile([[0.0, 1.0]], (1000, 1)), [[0, 0], [0, 1], [1, 0], [1, 1]]])
    y = [0] * 1000 + [0, 0, 0, 1]
    for seed in range(5):
        model = Perceptron(random_state=seed).fit(X, y)
        assert model.novikoff(X, y).updates <= 51


def test_novikoffs_bound_is_not_for_weights():
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]
    model = Perceptron(shuffle=False).fit(X, y, sample_weight=[1000, 1, 1, 1])
    with pytest.raises(ValueError, match="without sample_weight"):
        model.novikoff(X, y)
    with pytest.raises(ValueError, match="init='zeros'"):
        Perceptron(init="random", random_state=0).fit(X, y).novikoff(X, y)


def test_novikoffs_bound_of_wide_sparse_rows():
    rng = np.random.default_rng(0)
    X = sparse.random_array((80, 20_000), density=1e-3, rng=rng, format="csr")
    y = np.arange(80) % 2
    bound = novikoff_bound(X, y)
    model = Perceptron(max_iter=10_000, random_state=0).fit(X, y)
    assert model.n_updates_ <= bound.bound
    assert bound.margin > 0


@quiet
def test_trace_tells_rows_of_the_users_table():
    X, y = integer_table(3)
    weight = np.ones(len(y))
    weight[[0, 5]] = 0
    weight[1] = 1
    y[:4] = 0, 1, 0, 1
    traced = Perceptron(shuffle=False, trace=True, max_iter=3).fit(X, y, sample_weight=weight)
    assert not {0, 5} & set(traced.trace_.row.tolist())
    for before, after in zip(list(traced.trace_), list(traced.trace_)[1:], strict=False):
        assert np.array_equal(np.abs(after.w - before.w), np.abs(X[after.row]))
        assert (2 * y[after.row] - 1) * (X[after.row] @ before.w - before.theta) <= 0


def test_the_log_of_a_wide_table_is_short():
    assert observers.TraceKeeper(np.zeros(10**6)).capacity == 1
    assert observers.VoteCounter(np.zeros(10**6)).capacity == 1


@quiet
def test_options_do_not_change_while_learning_goes_on():
    X, y = integer_table(4)
    model = Perceptron(max_iter=3, random_state=0).fit(X, y)
    scores = model.decision_function(X)
    model.set_params(average="vote")
    assert np.array_equal(model.decision_function(X), scores)  # as it was fitted
    with pytest.raises(ValueError, match="average was False when learning began"):
        model.partial_fit(X, y)
    with pytest.raises(ValueError, match="classes were"):
        model.set_params(average=False).partial_fit(X, y, classes=[0, 1, 2])


def test_weights_that_overflow_blame_the_step():
    with pytest.raises(ValueError, match="take a smaller eta"):
        Perceptron(eta=1e308, shuffle=False, max_iter=50).fit([[5.0], [9.0], [7.0]], [0, 1, 0])


def test_updates_of_a_trace_are_numbered():
    X, y = [[0.0, 1], [1, 0], [1, 1], [0, 0]], [1, 1, 1, 0]
    trace = Perceptron(shuffle=False, trace=True).fit(X, y).trace_
    assert [(s.row, s.w.tolist(), s.theta) for s in trace] == [
        (s.row, s.w.tolist(), s.theta) for s in (trace[i] for i in range(len(trace)))
    ]
    assert trace[0].row == -1
    assert trace[0][1].tolist() == [0.0, 0.0]
    assert trace[-1][2] == trace.theta[-1]
    with pytest.raises(IndexError):
        trace[len(trace)]


# --- patience -------------------------------------------------------------------------------------------


def overlapping(n=300):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    return X, (X[:, 0] + rng.normal(size=n) > 0).astype(int)


@pytest.mark.parametrize("options", [{}, {"rule": "batch"}, {"rule": "cyclic"}, {"multiclass": "direct"}])
def test_overlapping_classes_are_given_up_and_told(options):
    X, y = overlapping()
    y = y + (X[:, 1] > 1) if options.get("multiclass") else y
    with pytest.warns(FindingWarning):
        model = Perceptron(random_state=0, n_iter_no_change=7, **options).fit(X, y)
    assert model.n_iter_ < 300
    assert not model.converged_
    finding = model.findings_[0]
    assert isinstance(finding, MistakesLeft)
    assert "7 of them without fewer mistakes" in finding.fact
    assert "tol=None" in finding.remedy
    assert min(model.mistakes_[-7:]) >= min(model.mistakes_[:-7])


@pytest.mark.parametrize(("noise", "epochs"), [(0.25, 5), (0.02, 20)])
def test_patience_is_short_where_too_many_rows_are_wrong_for_any_plane(noise, epochs):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(9000, 3))
    y = (X[:, 0] > 0) ^ (rng.random(9000) < noise)
    with pytest.warns(FindingWarning, match=f"{epochs} of them without fewer mistakes"):
        model = Perceptron(random_state=0).fit(X, y)
    assert model.n_iter_ < 100


def test_without_patience_the_rule_of_the_notes_goes_on():
    X, y = overlapping()
    with pytest.warns(FindingWarning, match=r"after 150 epochs\."):
        model = Perceptron(tol=None, max_iter=150, random_state=0).fit(X, y)
    assert model.n_iter_ == 150


def test_a_larger_tolerance_gives_up_sooner():
    X, y = load_breast_cancer(return_X_y=True)
    with pytest.warns(FindingWarning):
        epochs = [Perceptron(tol=tol, n_iter_no_change=5, random_state=0).fit(X, y).n_iter_ for tol in (0.0, 0.05)]
    assert epochs[1] < epochs[0]


@pytest.mark.parametrize("options", [{"rule": "cyclic"}, {"average": True}, {"shuffle": False}, {}])
def test_epochs_made_together_are_those_made_one_by_one(options):
    """With a trace every epoch is a call of its own."""
    X, y = overlapping(60)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FindingWarning)
        together, apart = (Perceptron(random_state=0, trace=trace, **options).fit(X, y) for trace in (False, True))
    np.testing.assert_array_equal(together.coef_, apart.coef_)
    np.testing.assert_array_equal(together.mistakes_, apart.mistakes_)


@pytest.mark.parametrize(("options", "said"), [({"tol": -1.0}, "tol"), ({"n_iter_no_change": 0}, "n_iter_no_change")])
def test_patience_that_makes_no_sense_is_refused(options, said):
    with pytest.raises(ValueError, match=said):
        Perceptron(**options).fit([[0.0], [1.0]], [0, 1])
