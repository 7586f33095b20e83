"""One reader of cv and groups: the same meanings and the same folds wherever rows are held out."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    LeaveOneOut,
    PredefinedSplit,
    StratifiedGroupKFold,
    StratifiedKFold,
    TimeSeriesSplit,
)

from discriminant import (
    GainClassifier,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    LinearSVM,
    LogisticRegression,
    NaiveBayes,
    compare,
)
from discriminant.rows import from_arrays
from discriminant.validation import Folds, TimeOrder

N = 120
RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, N)
X = RNG.standard_normal((N, 3)) + Y[:, None]
GROUPS = np.array([f"patient {g}" for g in RNG.integers(0, 20, N)])
TIMES = RNG.integers(0, 60, N)
LDA = LinearDiscriminantAnalysis()


def both(cv, groups=None, **options):
    """The folds that compare and GainClassifier name, which must be the same."""
    compared = compare(X, Y, learners={"lda": LDA}, cv=cv, groups=groups, random_state=3, **options)
    decided = GainClassifier(LDA, cv=cv, random_state=3).fit(X, Y, groups=groups, **options)
    assert np.array_equal(compared.folds, decided.folds_)
    judged = compared.folds >= 0
    assert np.allclose(compared.scores["lda"][judged], decided.held_out_scores_[judged], rtol=1e-9, atol=1e-12)
    assert np.isnan(decided.held_out_scores_[~judged]).all()
    return compared.folds


@pytest.mark.parametrize(
    ("cv", "groups"),
    [
        (4, None),
        (4, GROUPS),
        ("loo", None),
        ("loo", GROUPS),
        (StratifiedKFold(4), None),
        (LeaveOneOut(), None),
        (GroupKFold(5), GROUPS),
        (StratifiedGroupKFold(4), GROUPS),
        (LeaveOneGroupOut(), GROUPS),
        (TimeSeriesSplit(4, gap=2), None),
        (TimeOrder(TIMES, 4), None),
        (TimeOrder(TIMES, 4, gap=5), GROUPS),
        (PredefinedSplit(np.arange(N) % 4 - 1), None),
        (list(KFold(3).split(X)), None),
        ([(np.arange(N) % 3 != f, np.arange(N) % 3 == f) for f in range(3)], None),
        (np.arange(N) % 5, None),
        ((np.arange(N) % 5).tolist(), None),
        (pd.Series(GROUPS).str[-1], None),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, int | str) else str(value),
)
def test_every_way_to_say_it_means_the_same_in_both(cv, groups):
    folds = both(cv, groups)
    if groups is not None and not isinstance(cv, TimeOrder):
        assert all(np.unique(folds[groups == g]).size == 1 for g in np.unique(groups))


def test_numbers_and_splitters_name_the_folds_they_should():
    assert np.array_equal(both(np.arange(N) % 5), np.arange(N) % 5)
    for f, (_, tested) in enumerate(TimeSeriesSplit(4).split(X)):
        assert (both(TimeSeriesSplit(4))[tested] == f).all()
    assert (both(PredefinedSplit(np.arange(N) % 4 - 1)) == np.arange(N) % 4 - 1).all()
    assert np.array_equal(both(LeaveOneOut()), np.arange(N))
    assert np.array_equal(both("loo"), np.arange(N))


def test_a_generator_of_splits_is_read_once():
    assert (compare(X, Y, learners=["lda"], cv=KFold(3).split(X)).folds >= 0).all()


@pytest.mark.parametrize("groups", [None, GROUPS])
def test_classes_are_even_and_names_make_no_difference(groups):
    folds = both(4, groups)
    for k in (0, 1):
        counts = np.bincount(folds[k == Y], minlength=4)
        assert np.ptp(counts) <= (1 if groups is None else 6)
    renamed = None if groups is None else np.array([name[::-1] for name in groups])
    turned = compare(X, np.array(["b", "a"])[Y], learners=["lda"], cv=4, groups=renamed, random_state=3)
    assert np.array_equal(folds, turned.folds)


def test_rows_without_weight_are_in_no_fold_of_any_kind():
    weight = np.ones(N)
    weight[::7] = 0.0
    for cv, groups in ((4, None), (4, GROUPS), ("loo", None), (KFold(4), None), (np.arange(N) % 3, None)):
        folds = both(cv, groups, sample_weight=weight)
        assert ((folds < 0) == (weight == 0)).all()
    kept = weight > 0
    alone = compare(X[kept], Y[kept], learners=["lda"], cv=4, groups=GROUPS[kept], random_state=3)
    assert np.array_equal(alone.folds, both(4, GROUPS, sample_weight=weight)[kept])


# --- models -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "learner",
    [LDA, LeastSquaresClassifier(), NaiveBayes(), LogisticRegression(alpha=1.0), LinearSVM(), TheirLogistic()],
    ids=lambda learner: type(learner).__name__,
)
@pytest.mark.parametrize(
    ("cv", "groups"), [(TimeOrder(TIMES, 3, gap=4), np.arange(N) // 2), (TimeSeriesSplit(3, max_train_size=50), None)]
)
def test_models_learn_from_the_rows_their_split_names(learner, cv, groups):
    """From sums and fold by fold, in compare and in GainClassifier."""
    found = compare(X, Y, learners={"it": learner}, cv=cv, groups=groups)
    decided = GainClassifier(learner, cv=cv).fit(X, Y, groups=groups)
    splits = list(cv.split(X, Y, groups))
    for f, (learnt, tested) in enumerate(splits):
        model = clone(learner).fit(X[learnt], Y[learnt])
        expected = model.decision_function(X[tested])
        assert (found.folds[tested] == f).all()
        assert np.allclose(found.scores["it"][tested], expected, rtol=1e-5, atol=1e-6)
        assert np.allclose(decided.held_out_scores_[tested], expected, rtol=1e-5, atol=1e-6)
    judged = np.concatenate([tested for _, tested in splits])
    assert np.isnan(np.delete(found.scores["it"], judged)).all()
    assert found.codes.size == judged.size < N
    assert found.accuracy["it"].value == np.mean((found.scores["it"][found.row_numbers] > 0) == Y[found.row_numbers])


def test_folds_can_be_given_again():
    """To judge others by the same models' rows, those that are never judged among them."""
    first = compare(X, Y, learners={"lda": LDA}, cv=TimeOrder(TIMES, 3), gain=[[1, -2], [-1, 1]])
    again = compare(X, Y, learners={"lda": LDA}, cv=first.cv, gain=[[1, -2], [-1, 1]])
    assert np.array_equal(first.scores["lda"], again.scores["lda"], equal_nan=True)
    assert first.gain["lda"] == again.gain["lda"]


def test_gains_by_row_are_those_of_judged_rows():
    gain = np.zeros((N, 2, 2))
    gain[:, 0, 0] = gain[:, 1, 1] = np.arange(N)
    found = compare(X, Y, learners={"lda": LDA}, cv=TimeSeriesSplit(4), gain=gain)
    right = found.decisions["lda"] == found.codes
    assert found.gain["lda"].value == pytest.approx(np.mean(found.row_numbers * right))
    model = GainClassifier(LDA, gain, cv=TimeSeriesSplit(4)).fit(X, Y)
    assert model.gain_.matrix.shape[0] == found.codes.size


def test_rows_sources_take_groups():
    rows = from_arrays(X, Y)
    assert np.array_equal(compare(rows, learners=["lda"], cv=4, groups=GROUPS, random_state=3).folds, both(4, GROUPS))
    assert np.array_equal(GainClassifier(LDA, cv=4, random_state=3).fit(rows, groups=GROUPS).folds_, both(4, GROUPS))


# --- leaks ----------------------------------------------------------------------------------------------------


def leaking(seed=0, n_groups=60, size=8):
    """Each group has a class by chance, and columns that tell the groups apart: only a group's own rows know it."""
    rng = np.random.default_rng(seed)
    groups = np.repeat(np.arange(n_groups), size)
    label = rng.permutation(np.arange(n_groups) % 2)
    return np.eye(n_groups)[groups] + 0.01 * rng.standard_normal((groups.size, n_groups)), label[groups], groups


@pytest.mark.parametrize("cv", [5, GroupKFold(5), StratifiedGroupKFold(5), LeaveOneGroupOut(), "loo"], ids=str)
def test_a_leak_that_only_groups_reveal(cv):
    table, labels, groups = leaking()
    learners = {"lda": LinearDiscriminantAnalysis(shrinkage=0.1), "logistic": LogisticRegression(alpha=0.1)}
    without = compare(table, labels, learners=learners, cv=5, random_state=0)
    within = compare(table, labels, learners=learners, cv=cv, groups=groups, random_state=0)
    for name, learner in learners.items():
        assert without.auc[name].value > 0.99
        assert GainClassifier(learner, cv=5).fit(table, labels).expected_gain_ > 0.99
        assert within.accuracy[name].value < 0.6
        if isinstance(cv, int | GroupKFold | StratifiedGroupKFold):  # folds of one group have no order
            assert abs(within.auc[name].value - 0.5) < 0.2
            assert GainClassifier(learner, cv=cv).fit(table, labels, groups=groups).expected_gain_ < 0.65


def test_time_order_judges_by_earlier_rows_alone():
    dates = np.datetime64("2024-01-01") + TIMES.astype("timedelta64[D]")
    splits = list(TimeOrder(dates, 4, gap=3).split(X, Y))
    assert len(splits) == 4
    for learnt, judged in splits:
        assert TIMES[learnt].max() <= TIMES[judged].min() - 3
        others = np.concatenate([tested for _, tested in splits if tested is not judged])
        assert not np.isin(TIMES[judged], TIMES[others]).any()  # rows of one time stay together
    for numbers in (TIMES, TIMES.astype(float), pd.Series(dates).dt.date.to_numpy(), pd.Series(dates)):
        again = list(TimeOrder(numbers, 4, gap=3).split(X, Y))
        assert all(np.array_equal(*pair) for pair in zip(sum(splits, ()), sum(again, ()), strict=True))
    for learnt, judged in TimeOrder(TIMES, 4).split(X, Y, GROUPS):
        assert not np.isin(GROUPS[learnt], GROUPS[judged]).any()


def test_blocks_before_a_class_is_seen_are_not_judged():
    late = np.r_[np.zeros(40, int), np.arange(80) % 2]
    found = compare(X, late, learners=["lda"], cv=TimeOrder(np.arange(N), 5))
    assert (found.folds[:60] == -1).all()
    assert (found.folds[60:] == np.repeat([0, 1, 2], 20)).all()


# --- what is refused ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cv", "groups", "error", "words"),
    [
        (1, None, ValueError, "cv=1 leaves no rows.*at least 2 folds"),
        (100, None, ValueError, r"class \d has \d+ rows, too few for cv=100 folds.*take cv=\d+"),
        (15, np.arange(N) % 9, ValueError, "rows in 9 groups, too few for cv=15.*take cv=9"),
        (2.5, None, TypeError, "cv must be a number of folds, 'loo', a splitter"),
        ("five", None, ValueError, "cv must be a number of folds, 'loo', a splitter"),
        (True, None, TypeError, "cv must be a number"),
        (GroupKFold(5), None, ValueError, "cv=GroupKFold.*give groups="),
        (KFold(5), GROUPS, ValueError, r"lets group 'patient \d+' judge its own model: of its rows \d+ and \d+"),
        (np.arange(N) % 5, GROUPS, ValueError, "lets group 'patient"),
        (TimeSeriesSplit(4), GROUPS, ValueError, "lets group 'patient"),
        (5, GROUPS[:7], ValueError, r"the group of each of 120 rows, got an array of shape \(7,\)"),
        (5, np.where(np.arange(N) == 17, np.nan, 1.0), ValueError, "groups names none for row 17"),
        (5, np.where(np.arange(N) == 17, None, GROUPS), ValueError, "groups names none for row 17"),
        ([(np.arange(50), np.arange(50, 200))], None, ValueError, "split 0 of cv names row 120, but the table has 120"),
        ([(np.arange(50), np.arange(49, 60))] * 2, None, ValueError, "tests row 49 in folds 0 and 1"),
        ([(np.arange(60), np.arange(59, 120))], None, ValueError, "learns from row 59 in fold 0"),
        ([(np.arange(60), np.arange(60, 120))], None, ValueError, "all rows into one fold"),
        ([(np.arange(60),)], None, TypeError, "entry 0 is"),
        ([("a", "b")], None, TypeError, "split 0 of cv must name rows by number"),
        ([], None, ValueError, "a fold for 0 rows"),
        (np.arange(7), None, ValueError, "a fold for 7 rows, but the table has 120"),
        (np.zeros(N), None, ValueError, "all rows into one fold"),
        (Y, None, ValueError, "all rows of class 0 lie in fold 0"),
        (Folds(np.arange(7, dtype=np.int32)), None, ValueError, "a fold for 7 rows"),
        (TimeOrder(np.zeros(N)), None, ValueError, "no block of rows has all classes before it"),
        (TimeOrder(TIMES, 4, gap=1000), None, ValueError, "take fewer blocks, or a smaller gap"),
        (TimeOrder(TIMES[:5]), None, ValueError, "times has 5 entries but X has 120 rows"),
        (TimeOrder(np.where(np.arange(N) == 3, np.nan, 1.0)), None, ValueError, "times has none for row 3"),
        (TimeOrder(GROUPS), None, TypeError, "times must be a number or a date"),
        (TimeOrder(TIMES, gap=-1), None, ValueError, "gap"),
    ],
    ids=lambda value: str(value)[:40] if not isinstance(value, np.ndarray) else "rows",
)
def test_bad_folds_are_refused_alike(cv, groups, error, words):
    with pytest.raises(error, match=words):
        compare(X, Y, learners=["lda"], cv=cv, groups=groups)
    with pytest.raises(error, match=words):
        GainClassifier(LDA, cv=cv).fit(X, Y, groups=groups)


def test_a_class_that_is_not_judged_or_not_learnt():
    early = np.r_[np.arange(30) % 2, np.zeros(90, int)]
    with pytest.raises(ValueError, match="all rows of class 1 are never judged"):
        compare(
            X, early, learners=["lda"], cv=[(np.arange(40), np.arange(40, 80)), (np.arange(80), np.arange(80, 120))]
        )
    late = np.r_[np.zeros(30, int), np.arange(90) % 2]
    with pytest.raises(ValueError, match="the model of fold 0 learns from no row of class 1"):
        compare(X, late, learners=["lda"], cv=TimeSeriesSplit(5))
