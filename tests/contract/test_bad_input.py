"""Bad input is refused with a ValueError or TypeError that says where the trouble is, and never crashes."""

import re
from itertools import pairwise

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from discriminant import (
    Adaline,
    FisherDiscriminant,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    LinearSVM,
    LogisticRegression,
    NaiveBayes,
    Perceptron,
    PocketPerceptron,
)

pytestmark = [
    pytest.mark.filterwarnings("ignore:The perceptron still made mistakes"),
    pytest.mark.filterwarnings("ignore:Adaline is still far"),
    pytest.mark.filterwarnings("ignore:The solver"),  # of values whose squares lose the gap in rounding
]

ESTIMATORS = {
    "fisher": FisherDiscriminant(),
    "lda": LinearDiscriminantAnalysis(),
    "least squares": LeastSquaresClassifier(),
    "bernoulli": NaiveBayes(marginal="bernoulli"),
    "gaussian": NaiveBayes(marginal="gaussian"),
    "multinomial": NaiveBayes(marginal="multinomial"),
    "categorical": NaiveBayes(marginal="categorical"),
    "logistic": LogisticRegression(),
    "penalised logistic": LogisticRegression(alpha=1.0),
    "svm": LinearSVM(),
    "squared hinge": LinearSVM(loss="squared_hinge"),
    "perceptron": Perceptron(max_iter=5, random_state=0),
    "batch perceptron": Perceptron(rule="batch", max_iter=5),
    "votes": Perceptron(average="vote", max_iter=5, random_state=0),
    "pocket": PocketPerceptron(max_iter=5, random_state=0),
    "adaline": Adaline(max_iter=5, random_state=0),
    "batch adaline": Adaline(rule="batch", max_iter=5),
}
ADDITIVE = [name for name, e in ESTIMATORS.items() if hasattr(e, "merge")]
# Those that square the columns, and so can overflow.
MOMENTS = ["fisher", "lda", "least squares", "gaussian"]
WITH_PRIORS = [name for name, e in ESTIMATORS.items() if hasattr(e, "priors")]

rng = np.random.default_rng(5)
N, NAMES = 24, ["height", "weight", "age"]
X = rng.integers(0, 9, size=(N, 3)).astype(np.float64)
X[:3] = np.eye(3) + 1
y = np.arange(N) % 3


@pytest.fixture(params=ESTIMATORS)
def model(request):
    return clone(ESTIMATORS[request.param])


@pytest.fixture
def fitted(model):
    return model.fit(X, y)


@pytest.fixture(params=ADDITIVE)
def additive(request):
    """A model that merges and forgets."""
    return clone(ESTIMATORS[request.param])


@pytest.fixture(params=[name for name, e in ESTIMATORS.items() if hasattr(e, "partial_fit")])
def continued(request):
    """A model that takes more rows, fitted."""
    return clone(ESTIMATORS[request.param]).fit(X, y)


class Message(str):
    """What a refusal said."""

    def says(self, *words):
        """Whether it holds every word (a regular expression)."""
        return all(re.search(word, self, re.IGNORECASE) for word in words)


def refusal(call):
    """The message of the ValueError or TypeError that the call must raise."""
    with pytest.raises((ValueError, TypeError)) as caught:
        call()
    return Message(caught.value)


def pandas(table=X):
    return pd.DataFrame(table, columns=NAMES)


def polars(table=X):
    return pl.DataFrame({n: table[:, j] for j, n in enumerate(NAMES)}, strict=False)


def arrow(table=X):
    return pa.table({n: table[:, j] for j, n in enumerate(NAMES)})


FRAMES = {"pandas": pandas, "polars": polars, "pyarrow": arrow}


def with_cell(value, row=4, column=1, dtype=np.float64):
    table = X.astype(dtype)
    table[row, column] = value
    return table


def with_column(make, values):
    """A frame whose column 'weight' holds these values."""
    columns = {"height": X[:, 0].tolist(), "weight": values, "age": X[:, 2].tolist()}
    if make == "pandas":
        return pd.DataFrame(columns)
    return pl.DataFrame(columns, strict=False) if make == "polars" else pa.table(columns)


# --- NaN and infinity -----------------------------------------------------------------------------------

NON_FINITE = {
    "nan": (np.nan, "nan"),
    "inf": (np.inf, "infinity"),
    "-inf": (-np.inf, "infinity"),
    "inf and -inf": (None, "infinity"),
}
TABLES = {
    "float64": lambda t: t,
    "Fortran": np.asfortranarray,
    "float32": lambda t: t.astype(np.float32),
    "float16": lambda t: t.astype(np.float16),
    "list": lambda t: t.tolist(),
    "object": lambda t: t.astype(object),
    "csr": sparse.csr_array,
    "csc": sparse.csc_array,
    "coo": sparse.coo_matrix,
}


def non_finite(kind):
    value, word = NON_FINITE[kind]
    table = with_cell(np.inf if value is None else value)
    if value is None:
        table[7, 1] = -np.inf
    return table, word


@pytest.mark.parametrize("kind", NON_FINITE)
@pytest.mark.parametrize("form", TABLES)
def test_non_finite_cells_are_found(model, form, kind):
    table, word = non_finite(kind)
    bad = TABLES[form](table)
    assert refusal(lambda: model.fit(bad, y)).says(word, r"row 4\b", r"column 1\b")
    model = clone(model).fit(TABLES[form](X), y)
    for score in (model.predict, model.decision_function):
        assert refusal(lambda score=score: score(bad)).says(word, r"row 4\b", r"column 1\b")


@pytest.mark.parametrize("kind", NON_FINITE)
@pytest.mark.parametrize("frame", FRAMES)
def test_non_finite_cells_of_frames_are_found_by_name(model, frame, kind):
    table, word = non_finite(kind)
    assert refusal(lambda: model.fit(FRAMES[frame](table), y)).says(word, r"row 4\b", "'weight'")
    model = clone(model).fit(FRAMES[frame](X), y)
    assert refusal(lambda: model.predict(FRAMES[frame](table))).says(word, r"row 4\b", "'weight'")


@pytest.mark.parametrize("kind", NON_FINITE)
def test_non_finite_cells_of_tables_wider_than_tall(model, kind):
    table, word = non_finite(kind)
    wide = np.hstack([table, *[X + j for j in range(10)]])
    assert refusal(lambda: model.fit(wide, y)).says(word, r"row 4\b", r"column 1\b")


@pytest.mark.parametrize("kind", NON_FINITE)
def test_non_finite_cells_of_very_wide_sparse_tables(model, kind):
    table, word = non_finite(kind)
    wide = sparse.hstack([sparse.csr_array(table), sparse.csr_array((N, 2500))]).tocsr()
    assert refusal(lambda: model.fit(wide, y)).says(word, r"row 4\b", r"column 1\b")


def test_the_row_named_is_the_callers_row_when_others_weigh_nothing(model):
    weight = np.ones(N)
    weight[:3] = 0.0
    assert refusal(lambda: model.fit(with_cell(np.nan), y, weight)).says("nan", r"row 4\b")


NULLS = {
    "pandas Int64": lambda: pandas().astype({"weight": "Int64"}).mask(with_cell(-1) == -1),
    "pandas boolean": lambda: with_column("pandas", pd.array([True] * 4 + [None] + [False] * (N - 5), dtype="boolean")),
    "pandas objects": lambda: with_column("pandas", pd.Series([1.5] * 4 + [None] + [2] * (N - 5), dtype=object)),
    "polars": lambda: with_column("polars", [1] * 4 + [None] + [2] * (N - 5)),
    "polars Boolean": lambda: with_column("polars", [True] * 4 + [None] + [False] * (N - 5)),
    "pyarrow": lambda: with_column("pyarrow", [1] * 4 + [None] + [2] * (N - 5)),
    "pyarrow bool": lambda: with_column("pyarrow", [True] * 4 + [None] + [False] * (N - 5)),
}


@pytest.mark.parametrize("frame", NULLS)
def test_nulls_of_frames_are_found_by_name(model, frame):
    table = NULLS[frame]()
    assert refusal(lambda: model.fit(table, y)).says("nan|null|NA|missing", r"row 4\b", "'weight'")
    model = clone(model).fit(FRAMES[frame.split()[0]](X), y)
    assert refusal(lambda: model.predict(table)).says("nan|null|NA|missing", r"row 4\b", "'weight'")


# --- tables that are not tables of numbers --------------------------------------------------------------

CELL = (r"row 4\b", r"column 1\b")
BAD_TABLES = {
    "text in an object array": (lambda: with_cell("tall", dtype=object), ("'tall'", *CELL)),
    "a dict in an object array": (lambda: with_cell({}, dtype=object), (r"\{\}", *CELL)),
    "None in an object array": (lambda: with_cell(None, dtype=object), CELL),
    "None in a list": (lambda: with_cell(None, dtype=object).tolist(), CELL),
    "a complex number in an object array": (lambda: with_cell(1j, dtype=object), ("complex", *CELL)),
    "an array of text": (lambda: np.full((N, 3), "tall"), ("tall", "row 0", "column 0")),
    "a list with text": (lambda: with_cell("tall", dtype=object).tolist(), ("'tall'", *CELL)),
    "bytes": (lambda: np.full((N, 3), b"tall"), ("tall", "row 0", "column 0")),
    "complex": (lambda: X + 1j, ("complex", "X")),
    "complex csr": (lambda: sparse.csr_array(X + 1j), ("complex", "X")),
    "ragged": (lambda: [[1.0, 2.0, 3.0]] * (N - 1) + [[1.0, 2.0]], ("X", "different lengths")),
    "one-dimensional": (lambda: X[:, 0], ("2D", "1D", "reshape")),
    "three-dimensional": (lambda: X[None], ("2D", "3D")),
    "a number": (lambda: 3.0, ("2D", "0D")),
    "None": (lambda: None, ("X",)),
    "a dict": (lambda: {"height": X[:, 0]}, ("X",)),
    "a pandas Series": (lambda: pandas()["height"], ("2D", "1D")),
    "a polars Series": (lambda: polars()["height"], ("2D", "1D")),
    "a sparse vector": (lambda: sparse.coo_array(X[0]), ("2D", "1D")),
    "masked": (lambda: np.ma.array(X, mask=with_cell(-1) == -1), ("masked", *CELL)),
    "np.matrix": (lambda: np.asmatrix(X), (r"np\.matrix", "asarray")),
    "dates": (lambda: X.astype("M8[s]"), ("datetime64", "row 0", "column 0")),
    "durations": (lambda: X.astype("m8[s]"), ("timedelta64", "row 0", "column 0")),
    "records": (lambda: np.zeros((N, 3), dtype="i4,i4"), ("row 0", "column 0")),
    "int64 beyond 2**53": (lambda: with_cell(2**53 + 1, dtype=np.int64), (str(2**53 + 1), r"2\*\*53", *CELL)),
    "int64 below -2**53": (lambda: with_cell(-(2**63), dtype=np.int64), (str(-(2**63)), r"2\*\*53", *CELL)),
    "uint64 beyond 2**53": (lambda: with_cell(2**64 - 1, dtype=np.uint64), (str(2**64 - 1), *CELL)),
    "a list of integers beyond 2**53": (lambda: with_cell(2**53 + 1, dtype=np.int64).tolist(), CELL),
    "a list of integers beyond 2**64": (lambda: with_cell(2**64 + 1, dtype=object).tolist(), CELL),
    "an integer no float can hold": (lambda: with_cell(10**400, dtype=object), ("too large", *CELL)),
    "sparse int64 beyond 2**53": (lambda: sparse.csr_array(with_cell(2**53 + 1, dtype=np.int64)), (str(2**53 + 1),)),
    "no rows": (lambda: X[:0], ("0 sample",)),
    "no columns": (lambda: X[:, :0], ("0 feature",)),
    "no sparse rows": (lambda: sparse.csr_array((0, 3)), ("0 sample",)),
    "no sparse columns": (lambda: sparse.csr_array((N, 0)), ("0 feature",)),
    "an empty list": (list, ("X|array",)),
}


@pytest.mark.filterwarnings("ignore:the matrix subclass:PendingDeprecationWarning")
@pytest.mark.parametrize("kind", BAD_TABLES)
def test_tables_that_are_not_numbers_in_rows_and_columns(model, kind):
    make, words = BAD_TABLES[kind]
    labels = y[: make().shape[0]] if kind.startswith("no ") else y
    assert refusal(lambda: model.fit(make(), labels)).says(*words)
    model = clone(model).fit(X, y)
    assert refusal(lambda: model.predict(make())).says(*words)


BAD_COLUMNS = {
    "text": ["tall"] * N,
    "numbers as text": ["1.5"] * N,
    "dates": list(pd.date_range("2020-01-01", periods=N).to_pydatetime()),
    "lists": [[1.0]] * N,
    "integers beyond 2**53": [2**53 + 1] * N,
}


@pytest.mark.parametrize("kind", BAD_COLUMNS)
@pytest.mark.parametrize("frame", FRAMES)
def test_columns_of_frames_that_are_not_numbers_are_named(model, frame, kind):
    table = with_column(frame, BAD_COLUMNS[kind])
    assert refusal(lambda: model.fit(table, y)).says("'weight'")
    model = clone(model).fit(FRAMES[frame](X), y)
    assert refusal(lambda: model.predict(table)).says("'weight'")


@pytest.mark.parametrize("frame", FRAMES)
def test_frames_of_integers_alone_name_the_column_too(model, frame):
    table = FRAMES[frame](with_cell(2**53 + 1, dtype=np.int64))
    assert refusal(lambda: model.fit(table, y)).says("'weight'", str(2**53 + 1), r"row 4\b")


def test_pandas_columns_of_objects_and_categories_are_named(model):
    for values in (
        pd.Series([*X[:-1, 1], "tall"], dtype=object),
        pd.Series([*X[:-1, 1], {}], dtype=object),
        pd.Series([*X[:-1, 1], 10**400], dtype=object),
        pd.Series([1j] * N),
        pd.Series(["a", "b"] * (N // 2), dtype="category"),
    ):
        assert refusal(lambda values=values: model.fit(with_column("pandas", values), y)).says("'weight'")


def test_a_lazy_frame_is_refused_with_its_remedy(model):
    assert refusal(lambda: model.fit(polars().lazy(), y)).says("lazy|collect")


def test_columns_of_one_name_are_refused(model):
    assert refusal(lambda: model.fit(pandas().rename(columns={"age": "weight"}), y)).says("'weight'|unique")


# --- labels ---------------------------------------------------------------------------------------------


TEXT = np.array(["a", "b", "c"] * (N // 3), dtype=object)


def labels_with(value, dtype=object):
    labels = y.astype(dtype)
    labels[4] = value
    return labels


BAD_LABELS = {
    "NaN": (lambda: labels_with(np.nan, np.float64), ("nan", r"row 4\b")),
    "infinity": (lambda: labels_with(np.inf, np.float64), ("infinity", r"row 4\b")),
    "None among integers": (lambda: [*y[:4].tolist(), None, *y[5:].tolist()], ("missing|nan|none", r"row 4\b")),
    "None among words": (lambda: [*TEXT[:4], None, *TEXT[5:]], ("missing|nan|none", r"row 4\b")),
    "NaN among words": (lambda: [*TEXT[:4], np.nan, *TEXT[5:]], ("missing|nan", r"row 4\b")),
    "NaN among words, object array": (lambda: np.array([*TEXT[:4], np.nan, *TEXT[5:]], object), (r"row 4\b",)),
    "pandas nulls": (lambda: pd.Series([*TEXT[:4], None, *TEXT[5:]]), ("missing|nan", r"row 4\b")),
    "pandas NA": (lambda: pd.Series([*TEXT[:4], None, *TEXT[5:]], dtype="string"), ("missing|nan", r"row 4\b")),
    "pandas Int64 NA": (lambda: pd.array([*y[:4], None, *y[5:]], dtype="Int64"), ("missing|nan", r"row 4\b")),
    "pandas category NaN": (lambda: pd.Categorical([*TEXT[:4], None, *TEXT[5:]]), ("missing|nan", r"row 4\b")),
    "polars nulls": (lambda: pl.Series([*TEXT[:4], None, *TEXT[5:]]), ("missing|nan", r"row 4\b")),
    "polars integer nulls": (lambda: pl.Series([*y[:4].tolist(), None, *y[5:].tolist()]), ("nan", r"row 4\b")),
    "pyarrow nulls": (lambda: pa.array([*TEXT[:4], None, *TEXT[5:]]), ("missing|nan", r"row 4\b")),
    "NaT": (lambda: np.array(["2020", "2021", "2022", "2020", "NaT"] + ["2020"] * (N - 5), "M8[ns]"), (r"row 4\b",)),
    "masked": (lambda: np.ma.array(y, mask=np.arange(N) == 4), ("masked|missing", r"row 4\b")),
    "continuous": (lambda: y + 0.5, ("continuous", "0.5", "row 0")),
    "continuous objects": (lambda: labels_with(1.5), (r"1\.5", "discrete")),
    "words and numbers": (lambda: ["a", 1, "b"] * (N // 3), ("mix|one type",)),
    "words and numbers, object array": (lambda: np.array(["a", 1, "b"] * (N // 3), object), ("mix", "int", "str")),
    "dicts": (lambda: [{"a": 1}] * N, ("label",)),
    "complex": (lambda: y + 1j, ("complex", "y")),
    "two columns": (lambda: np.column_stack([y, y]), ("1d", r"\(24, 2\)")),
    "ragged": (lambda: [[1], [1, 2]] * (N // 2), (r"\by\b",)),
    "a number": (lambda: 3, ("1d",)),
    "None": (lambda: None, ("requires y",)),
    "one class": (lambda: np.zeros(N), ("one class", "0")),
    "one word": (lambda: ["only"] * N, ("one class", "'only'")),
    "too few": (lambda: y[:-1], ("24", "23", "y")),
    "too many": (lambda: np.r_[y, 0], ("24", "25", "y")),
    "none at all": (list, ("24", "0", "y")),
}


@pytest.mark.parametrize("kind", BAD_LABELS)
def test_labels_that_are_not_one_class_for_each_row(model, kind):
    make, words = BAD_LABELS[kind]
    assert refusal(lambda: model.fit(X, make())).says(*words)


def test_labels_in_a_column_are_read_with_a_warning(model):
    with pytest.warns(match="column-vector y"):
        model.fit(X, y[:, None])
    assert np.array_equal(model.predict(X), clone(model).fit(X, y).predict(X))


# --- weights --------------------------------------------------------------------------------------------


def weights_with(value):
    weight = np.ones(N)
    weight[4] = value
    return weight


BAD_WEIGHTS = {
    "negative": (lambda: weights_with(-1), ("sample_weight", "-1", r"row 4\b")),
    "NaN": (lambda: weights_with(np.nan), ("sample_weight", "nan", r"row 4\b")),
    "infinite": (lambda: weights_with(np.inf), ("sample_weight", "inf", r"row 4\b")),
    "None": (lambda: [*np.ones(4), None, *np.ones(N - 5)], ("sample_weight", r"row 4\b")),
    "all zero": (lambda: np.zeros(N), ("sample_weight", "zero")),
    "zero but for one class": (lambda: (y == 0).astype(float), ("one class", "0")),
    "too few": (lambda: np.ones(N - 1), ("sample_weight", "23", "24")),
    "too many": (lambda: np.ones(N + 1), ("sample_weight", "25", "24")),
    "a column": (lambda: np.ones((N, 1)), ("weight", "1D")),
    "words": (lambda: ["heavy"] * N, ("sample_weight", "heavy")),
    "a dict": (dict, ("sample_weight",)),
    "complex": (lambda: np.ones(N) * 1j, ("sample_weight", "complex|numbers")),
    "a negative number for all": (lambda: -1.0, ("sample_weight", "-1")),
    "ragged": (lambda: [[1.0], [1.0, 2.0]] * (N // 2), ("sample_weight",)),
}


@pytest.mark.parametrize("kind", BAD_WEIGHTS)
def test_weights_that_are_not_one_non_negative_number_for_each_row(model, kind):
    make, words = BAD_WEIGHTS[kind]
    assert refusal(lambda: model.fit(X, y, make())).says(*words)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_weights_whose_sum_overflows(name):
    """Either a clear refusal or finite planes; never NaN or a stray RuntimeWarning."""
    outcome = fit_or_refusal(name, X, sample_weight=np.full(N, 1e308))
    assert outcome.says("weight") if isinstance(outcome, Message) else np.isfinite(outcome).all()


# --- columns at predict ---------------------------------------------------------------------------------


@pytest.mark.parametrize("frame", FRAMES)
def test_columns_that_are_not_those_of_the_fit_are_refused(model, frame):
    make = FRAMES[frame]
    model.fit(make(X), y)
    names = {
        "reordered": (["weight", "height", "age"], ("order",)),
        "renamed": (["height", "mass", "age"], ("mass", "weight")),
    }
    for columns, words in names.values():
        table = pandas()[columns] if "mass" not in columns else pandas().set_axis(columns, axis=1)
        table = {"pandas": lambda t: t, "polars": pl.from_pandas, "pyarrow": pa.Table.from_pandas}[frame](table)
        assert refusal(lambda table=table: model.predict(table)).says("feature names", *words)
        assert refusal(lambda table=table: model.decision_function(table)).says("feature names", *words)
    fewer = make(X).drop_columns("age") if frame == "pyarrow" else make(X)[["height", "weight"]]
    assert refusal(lambda: model.predict(fewer)).says("missing", "age")


def test_columns_with_and_without_names_do_not_mix_silently(model):
    named, plain = clone(model).fit(pandas(), y), clone(model).fit(X, y)
    with pytest.warns(UserWarning, match="valid feature names"):
        assert np.array_equal(named.predict(X), plain.predict(X))
    with pytest.warns(UserWarning, match="fitted without feature names"):
        assert np.array_equal(plain.predict(pandas()), named.predict(pandas()))


@pytest.mark.parametrize(
    "make", [lambda t: t, lambda t: t.tolist(), lambda t: t.astype(np.float32), sparse.csr_array, sparse.csc_matrix]
)
def test_a_wrong_number_of_columns_is_refused(fitted, make):
    for table, width in ((X[:, :2], "2"), (np.hstack([X, X]), "6")):
        for score in (fitted.predict, fitted.decision_function):
            assert refusal(lambda score=score, table=table: score(make(table))).says(f"{width} features", "3 features")
        if hasattr(fitted, "partial_fit"):
            assert refusal(lambda table=table: fitted.partial_fit(make(table), y)).says(
                f"{width} features", "3 features"
            )
        if hasattr(fitted, "forget"):
            assert refusal(lambda table=table: fitted.forget(make(table), y)).says(f"{width} features", "3 features")


def test_a_model_that_is_not_fitted_says_so(model):
    calls = [
        lambda: model.predict(X),
        lambda: model.decision_function(X),
        lambda: model.hyperplane(),
        lambda: model.hyperplanes_,
    ]
    calls += [lambda: model.forget(X, y)] if hasattr(model, "forget") else []
    optional = ["predict_proba", "predict_log_proba", "transform", "predict_joint_log_proba"]
    calls += [lambda name=name: getattr(model, name)(X) for name in optional if hasattr(model, name)]
    for call in calls:
        with pytest.raises(NotFittedError, match=f"{type(model).__name__}.*not fitted"):
            call()


def test_what_a_fitted_lda_or_fisher_keeps_needs_a_fit():
    for call in (
        lambda: LinearDiscriminantAnalysis().covariance_,
        lambda: LinearDiscriminantAnalysis().with_priors([0.5, 0.5]),
        lambda: LinearDiscriminantAnalysis().with_shrinkage(0.5),
        lambda: LinearDiscriminantAnalysis().loo_decision_function(X, y),
        lambda: FisherDiscriminant().within_scatter_,
        lambda: FisherDiscriminant().between_scatter_,
        lambda: NaiveBayes(marginal="categorical").indicators(X),
    ):
        with pytest.raises(NotFittedError, match="not fitted"):
            call()


def test_planes_between_classes_that_are_not_there(fitted):
    assert refusal(lambda: fitted.hyperplane(0, 9)).says("9", r"\[0, 1, 2\]")
    assert refusal(lambda: fitted.hyperplane(1, 1)).says("one class")
    assert refusal(lambda: fitted.hyperplane()).says("3 classes", "hyperplane")


# --- parameters -----------------------------------------------------------------------------------------

BAD_PRIORS = {
    "too few": ([0.5, 0.5], ("priors", "2 entries", "3 classes")),
    "too many": ([0.25] * 4, ("priors", "4 entries", "3 classes")),
    "one number": (0.5, ("priors", "3 classes")),
    "two-dimensional": ([[0.2, 0.3, 0.5]], ("priors", r"shape|one-dimensional|1D")),
    "not summing to one": ([0.5, 0.5, 0.5], ("sum to one", r"1\.5")),
    "not quite summing to one": ([0.2, 0.3, 0.500001], ("sum to one", r"1\.000001")),
    "zero": ([0.0, 0.5, 0.5], ("prior of class", "0", "positive")),
    "negative": ([0.5, -0.5, 1.0], ("prior of class", r"-0\.5", "positive")),
    "NaN": ([np.nan, 0.5, 0.5], ("prior of class", "nan")),
    "infinite": ([np.inf, 0.5, 0.5], ("prior of class", "inf")),
    "words": (["a", "b", "c"], ("priors must be real numbers",)),
    "complex": (np.array([0.2 + 1j, 0.3, 0.5]), ("priors must be real numbers",)),
    "a word": ("uniform", ("priors must be real numbers", "uniform")),
    "a class without rows": ({0: 0.25, 1: 0.25, 2: 0.25, 7: 0.25}, ("7", "no rows")),
    "a class by the wrong type": ({"0": 0.5, 1: 0.25, 2: 0.25}, ("'0'", "no rows")),
    "a class left out": ({0: 0.5, 1: 0.5}, ("no probability for class 2",)),
    "no class": ({}, ("no probability for class 0",)),
    "a mapping not summing to one": ({0: 0.5, 1: 0.5, 2: 0.5}, ("sum to one",)),
    "a mapping with NaN": ({0: np.nan, 1: 0.5, 2: 0.5}, ("prior of class", "nan")),
}


@pytest.mark.parametrize("kind", BAD_PRIORS)
@pytest.mark.parametrize("name", WITH_PRIORS)
def test_priors_that_are_not_probabilities_of_the_classes(name, kind):
    priors, words = BAD_PRIORS[kind]
    message = refusal(lambda: clone(ESTIMATORS[name]).set_params(priors=priors).fit(X, y))
    assert message.says(*words)
    assert "np.int64" not in message


def test_a_prior_for_a_class_that_lost_its_rows_to_weights_is_refused():
    model = LinearDiscriminantAnalysis(priors=[0.2, 0.3, 0.5])
    assert refusal(lambda: model.fit(X, y, (y != 2).astype(float))).says("3 entries", "2 classes")
    assert refusal(lambda: model.set_params(priors={0: 0.2, 1: 0.3, 2: 0.5}).fit(X, y, (y != 2) * 1.0)).says(
        "2", "no rows"
    )


@pytest.mark.parametrize("value", [-0.1, 1.1, np.nan, np.inf, "Auto", "x", True, [0.5], 1j, {}], ids=repr)
@pytest.mark.parametrize("name", ["fisher", "lda"])
def test_shrinkage_is_none_auto_or_from_zero_to_one(name, value):
    assert refusal(lambda: clone(ESTIMATORS[name]).set_params(shrinkage=value).fit(X, y)).says(
        "shrinkage", re.escape(repr(value))
    )


@pytest.mark.parametrize("value", [-1.0, -1e-300, np.nan, np.inf, "1", None, True, [1.0], 1j], ids=repr)
@pytest.mark.parametrize("name", [n for n in ESTIMATORS if hasattr(ESTIMATORS[n], "alpha")])
def test_alpha_is_a_finite_number_not_negative(name, value):
    assert refusal(lambda: clone(ESTIMATORS[name]).set_params(alpha=value).fit(X, y)).says(
        "alpha", re.escape(repr(value))
    )


@pytest.mark.parametrize("value", ["x", "", "MLE", None, 3, ["mle"]], ids=repr)
@pytest.mark.parametrize(
    ("estimator", "parameter", "choices"),
    [
        (LinearDiscriminantAnalysis, "method", ("'mle'", "'moment'")),
        (FisherDiscriminant, "threshold", ("'midpoint'", "'accuracy'", "'gain'", "'gaussian'")),
        (NaiveBayes, "marginal", ("'bernoulli'", "'gaussian'", "'multinomial'", "'categorical'")),
    ],
)
def test_choices_are_listed_when_none_of_them_is_given(estimator, parameter, choices, value):
    assert refusal(lambda: estimator(**{parameter: value}).fit(X, y)).says(parameter, re.escape(repr(value)), *choices)


@pytest.mark.parametrize("value", [0, -1, 3, True, "1", 1.5], ids=repr)
def test_n_components_is_a_possible_number_of_directions(value):
    assert refusal(lambda: LinearDiscriminantAnalysis(n_components=value).fit(X, y)).says(
        "n_components", re.escape(repr(value))
    )


@pytest.mark.parametrize("threshold", ["gain", "gaussian"])
@pytest.mark.parametrize(
    ("gain", "words"),
    [
        (np.eye(2), ("for 2 classes, but there are 3",)),
        ([1, 2, 3], ("K×K", r"\(3,\)")),
        (np.full((3, 3), np.nan), ("nan",)),
        ([[1, 2], [3]], ("gain", "numbers")),
        ("high", ("gain", "high")),
        (np.eye(3) * 1j, ("numbers",)),
    ],
)
def test_gain_is_a_finite_square_matrix_of_the_classes(threshold, gain, words):
    assert refusal(lambda: FisherDiscriminant(threshold=threshold, gain=gain).fit(X, y)).says("gain", *words)


def test_gain_is_needed_for_its_threshold():
    assert refusal(lambda: FisherDiscriminant(threshold="gain").fit(X, y)).says("gain matrix")
    two = y > 0
    assert refusal(lambda: FisherDiscriminant(threshold="gaussian", gain=-np.eye(2)).fit(X, two)).says("gain", "reward")


def test_thresholds_that_look_at_every_row_do_not_add_rows():
    for verb in ("partial_fit", "merge", "forget"):
        assert not hasattr(FisherDiscriminant(threshold="accuracy"), verb)
        with pytest.raises(AttributeError, match=verb) as caught:
            getattr(FisherDiscriminant(threshold="gain", gain=np.eye(3)), verb)
        assert "looks at the score of every row" in str(caught.value.__cause__)


def test_the_moment_method_needs_more_rows_than_classes():
    assert refusal(lambda: LinearDiscriminantAnalysis(method="moment").fit(X[:3], y[:3])).says(
        "moment", "3 rows in 3 classes"
    )


@pytest.mark.parametrize("table", [-X, sparse.csr_array(-X)], ids=["dense", "sparse"])
def test_counts_below_zero_are_refused_by_cell(table):
    row, column = np.argwhere(X > 0)[0]
    assert refusal(lambda: NaiveBayes(marginal="multinomial").fit(table, y)).says(
        "negative", f"row {row}\\b", f"column {column}\\b"
    )
    assert refusal(lambda: NaiveBayes(marginal="multinomial").fit(pandas(-X), y)).says("negative", f"'{NAMES[column]}'")


# --- values whose squares overflow ----------------------------------------------------------------------


def fit_or_refusal(name, table, **extra):
    """Every number of the planes and scores of a fit, or the message of its refusal."""
    try:
        model = clone(ESTIMATORS[name]).fit(table, y, **extra)
    except ValueError as error:
        return Message(error)
    return np.concatenate([np.ravel(a) for a in (model.coef_, model.intercept_, model.decision_function(table))])


OVERFLOWING = {
    "tall": lambda t: t,
    "float list": lambda t: t.tolist(),
    "csr": sparse.csr_array,
    "wide": lambda t: np.hstack([t, *[X + j for j in range(10)]]),
    "very wide csr": lambda t: sparse.hstack([sparse.csr_array(t), sparse.csr_array((N, 2500))]).tocsr(),
}


@pytest.mark.parametrize("form", OVERFLOWING)
@pytest.mark.parametrize("name", MOMENTS)
def test_a_column_whose_squares_overflow_is_named(name, form):
    table = OVERFLOWING[form](with_cell(1e200))
    assert refusal(lambda: clone(ESTIMATORS[name]).fit(table, y)).says("overflow", r"column 1\b", "1e\\+200")


@pytest.mark.parametrize("name", MOMENTS)
def test_a_column_of_a_frame_whose_squares_overflow_is_named(name):
    assert refusal(lambda: clone(ESTIMATORS[name]).fit(pandas(with_cell(1e200)), y)).says("overflow", "'weight'")
    wide = pd.concat([pandas(with_cell(1e200)), *[pandas().add_suffix(str(j)) for j in range(10)]], axis=1)
    assert refusal(lambda: clone(ESTIMATORS[name]).fit(wide, y)).says("overflow", "'weight'")


@pytest.mark.parametrize("scale", [1e100, 1e150, 1e153, 3e153, 1e154, 1e160, 1e300, 1.7e307])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_large_values_are_fitted_or_refused_but_never_lost(name, scale):
    outcome = fit_or_refusal(name, X * np.array([1.0, scale, 1.0]))
    refused = isinstance(outcome, Message)
    assert outcome.says(r"column 1\b", "overflow") if refused else np.isfinite(outcome).all()


@pytest.mark.parametrize("name", ESTIMATORS)
def test_the_largest_floats_of_both_signs_are_fitted_or_refused(name):
    table = X.copy()
    table[:, 1] = np.where(X[:, 1] > X[:, 1].mean(), 1.7e308, -1.7e308)
    outcome = fit_or_refusal(name, table)
    assert outcome.says(r"column 1\b") if isinstance(outcome, Message) else np.isfinite(outcome).all()


@pytest.mark.parametrize("name", ESTIMATORS)
def test_scores_that_overflow_are_refused_or_still_have_a_sign(name):
    model = clone(ESTIMATORS[name]).fit(X * 1e-3, y > 0)
    largest = np.array([[1.7e308, -1.7e308, 1.7e308], [1.7e308, 1.7e308, 1.7e308]])
    try:
        scores = model.decision_function(largest)
    except ValueError as error:
        assert re.search(r"row 0\b.*(overflow|large)|(overflow|large).*row 0\b", str(error)), str(error)  # noqa: PT017
        return
    assert not np.isnan(scores).any()


# --- taking away and merging ----------------------------------------------------------------------------


def test_rows_of_an_unknown_class_cannot_be_forgotten(additive):
    fitted = additive.fit(X, y)
    before = fitted.decision_function(X)
    message = refusal(lambda: fitted.forget(X[:2], [0, 7]))
    assert message.says("7", "none|taken away")
    assert "np.int64" not in message
    assert np.array_equal(fitted.decision_function(X), before)


def test_more_rows_than_there_are_cannot_be_forgotten(additive):
    fitted = additive.fit(X, y)
    before = fitted.decision_function(X)
    message = refusal(lambda: fitted.forget(np.vstack([X, X]), np.r_[y, y]))
    assert message.says("more rows", "0", "taken away")
    assert "np.int64" not in message
    assert np.array_equal(fitted.decision_function(X), before)


@pytest.mark.parametrize("name", [*MOMENTS, "multinomial", "categorical"])
def test_rows_that_were_never_seen_cannot_be_forgotten(name):
    model = clone(ESTIMATORS[name]).fit(X, y)
    before = model.decision_function(X)
    assert refusal(lambda: model.forget(X[:6] + 1000, y[:6])).says("never|more rows", "taken away")
    assert np.array_equal(model.decision_function(X), before)


def test_two_classes_must_be_left(additive):
    fitted = additive.fit(X, y)
    assert refusal(lambda: fitted.forget(X[y < 2], y[y < 2])).says("one class|two classes")
    assert refusal(lambda: fitted.forget(X, y)).says("two classes")


def test_a_failed_addition_changes_nothing(continued):
    fitted = continued
    before = fitted.decision_function(X)
    for table, labels in ((with_cell(np.nan), y), (X[:, :2], y), (X, y[:5]), (X, y + 0.5)):
        assert refusal(lambda table=table, labels=labels: fitted.partial_fit(table, labels))
        assert np.array_equal(fitted.decision_function(X), before)


def test_only_allowed_classes_are_added(continued):
    assert refusal(lambda: clone(continued).partial_fit(X, y, classes=[0, 1])).says("class 2", r"\[0, 1\]")


def test_labels_of_another_type_are_not_added(continued):
    words = np.array(["a", "b", "c"])[y]
    assert refusal(lambda: continued.partial_fit(X, words)).says("class|label|type")
    if hasattr(continued, "merge"):
        assert refusal(lambda: continued.merge(clone(continued).fit(X, words))).says("class|label|type")


@pytest.mark.parametrize("theirs", ADDITIVE)
@pytest.mark.parametrize("ours", ADDITIVE)
def test_only_models_of_one_kind_are_merged(ours, theirs):
    a, b = clone(ESTIMATORS[ours]).fit(X, y), clone(ESTIMATORS[theirs]).fit(X, y)
    before = a.decision_function(X)
    if ours == theirs:
        a.merge(b)
        assert a.predict(X).shape == (N,)
        return
    words = (ours, theirs) if type(a) is type(b) else (type(a).__name__, type(b).__name__)
    assert refusal(lambda: a.merge(b)).says("merge", *words)
    assert np.array_equal(a.decision_function(X), before)


def test_models_of_other_columns_are_not_merged(additive):
    model = additive
    other = clone(model).fit(X[:, :2], y)
    assert refusal(lambda: clone(model).fit(X, y).merge(other)).says("merge", "3 and 2 columns")
    named, reordered = clone(model).fit(pandas(), y), clone(model).fit(pandas()[["age", "weight", "height"]], y)
    assert refusal(lambda: named.merge(reordered)).says("name|column")


def test_only_fitted_models_are_merged(additive):
    fitted = additive.fit(X, y)
    assert refusal(lambda: fitted.merge(clone(fitted))).says("seen no rows|not fitted")
    assert refusal(lambda: fitted.merge(3)).says("int", type(fitted).__name__)


# --- malformed sparse structures ------------------------------------------------------------------------


def whole_table():
    """A sparse table with some entries in every row."""
    table = np.where(np.random.default_rng(1).random((N, 5)) < 0.5, 0.0, 1.0 + np.arange(5 * N).reshape(N, 5) % 7)
    table[:, 0] = np.arange(N) % 4 + 1
    return table


def dense_of_compressed(major, minor, indptr, indices, data):
    """The table these arrays mean, read slowly and safely; None where they mean none."""
    if any(a.ndim != 1 for a in (indptr, indices, data)):
        return None
    if indptr.dtype.kind not in "iu" or indices.dtype.kind not in "iu" or data.dtype.kind not in "fiub":
        return None
    ends = indptr.tolist()
    if len(ends) != major + 1 or ends[0] != 0 or any(b < a for a, b in pairwise(ends)):
        return None
    if ends[-1] > len(indices) or ends[-1] > len(data):
        return None
    table = np.zeros((major, minor))
    for i, (a, b) in enumerate(pairwise(ends)):
        for j, value in zip(indices[a:b].tolist(), data[a:b].tolist(), strict=True):
            if not 0 <= j < minor:
                return None
            table[i, j] += value
    return table


def _outside(r, X):
    X.indices[r.integers(X.indices.size)] = r.choice([99, 5, 24, 2**31 - 1])


def _negative(r, X):
    X.indices[r.integers(X.indices.size)] = r.choice([-1, -5, -(2**31)])


def _decreasing(r, X):
    k = r.integers(1, X.indptr.size)
    X.indptr[k] = r.integers(-5, X.indptr[k] + 1)


def _swapped(r, X):
    i, j = r.integers(X.indptr.size, size=2)
    X.indptr[[i, j]] = X.indptr[[j, i]]


def _short_indptr(r, X):
    X.indptr = X.indptr[: r.integers(0, X.indptr.size)]


def _long_indptr(r, X):
    X.indptr = np.concatenate([X.indptr, np.full(r.integers(1, 9), X.indptr[-1], dtype=X.indptr.dtype)])


def _late_start(r, X):
    X.indptr[0] = r.choice([-3, -1, 1, 2])


def _end_beyond_data(r, X):
    X.indptr[-1] += r.choice([1, 7, 10**6, 2**30])


def _jump(r, X):
    X.indptr[r.integers(1, X.indptr.size)] = r.choice([10**6, 2**31 - 1])


def _float_indices(r, X):
    X.indices = X.indices.astype(np.float64) + r.choice([0.0, 0.5])


def _float_indptr(r, X):
    X.indptr = X.indptr.astype(r.choice(["f4", "f8"]))


def _short_data(r, X):
    X.data = X.data[: r.integers(0, X.data.size)]


def _short_indices(r, X):
    X.indices = X.indices[: r.integers(0, X.indices.size)]


def _huge_indices(r, X):
    X.indices = X.indices.astype(np.int64)
    X.indices[r.integers(X.indices.size)] = r.choice([2**40, -(2**40), 2**63 - 1, -(2**63)])


def _unsigned_indices(r, X):
    X.indices = X.indices.astype(r.choice(["u1", "u4", "u8"]))


def _narrow_indices(r, X):
    X.indices, X.indptr = X.indices.astype(r.choice(["i1", "i2"])), X.indptr.astype("i2")


def _square_data(r, X):
    X.data = np.atleast_2d(X.data) if r.random() < 0.5 else X.data[:, None]


def _square_indices(r, X):
    X.indices = X.indices[:, None]


def _complex_data(r, X):
    X.data = X.data + 1j


def _object_data(r, X):
    X.data = X.data.astype(object)


def _shuffled(r, X):
    r.shuffle(X.indices)


CORRUPTIONS = [
    _outside,
    _negative,
    _decreasing,
    _swapped,
    _short_indptr,
    _long_indptr,
    _late_start,
    _end_beyond_data,
    _jump,
    _float_indices,
    _float_indptr,
    _short_data,
    _short_indices,
    _huge_indices,
    _unsigned_indices,
    _narrow_indices,
    _square_data,
    _square_indices,
    _complex_data,
    _object_data,
    _shuffled,
]
# These leave a matrix that means something; each of the rest must be refused somewhere.
HARMLESS = {_unsigned_indices, _narrow_indices, _shuffled}


def read_as(call, dense):
    """The call on a corrupted table: refused if it means nothing, else what the same call gives on ``dense``."""
    try:
        got = call()
    except (ValueError, TypeError):
        return "refused"
    assert dense is not None, "a malformed table was accepted"
    assert np.allclose(got, dense(), rtol=1e-9, atol=1e-9)
    return "read"


@pytest.mark.filterwarnings("ignore::discriminant.findings.FindingWarning")
@pytest.mark.parametrize(
    ("make", "times"), [(sparse.csr_array, 1000), (sparse.csr_matrix, 200), (sparse.csc_array, 200)]
)
def test_malformed_compressed_tables_are_refused(make, times):
    r = np.random.default_rng(2024)
    table = whole_table()
    models = [clone(e).fit(table, y) for e in ESTIMATORS.values()]
    outcomes = {}
    for k in range(times):
        corrupt = CORRUPTIONS[k % len(CORRUPTIONS)]
        bad = make(table)
        corrupt(r, bad)
        flip = bad.format == "csc"
        arrays = [np.asarray(a).copy() for a in (bad.indptr, bad.indices, bad.data)]
        meaning = dense_of_compressed(*(table.shape[::-1] if flip else table.shape), *arrays)
        meaning = meaning.T if meaning is not None and flip else meaning
        model = models[k % len(models)]
        at_predict = read_as(
            lambda model=model, bad=bad: model.decision_function(bad),
            None if meaning is None else lambda model=model, meaning=meaning: model.decision_function(meaning),
        )
        at_fit = read_as(
            lambda model=model, bad=bad: clone(model).fit(bad, y).decision_function(table),
            None
            if meaning is None
            else lambda model=model, meaning=meaning: clone(model).fit(meaning, y).decision_function(table),
        )
        outcomes.setdefault(corrupt, set()).update({at_predict, at_fit})
        after = [np.asarray(a) for a in (bad.indptr, bad.indices, bad.data)]
        assert all(np.array_equal(a, b) for a, b in zip(arrays, after, strict=True)), "the caller's arrays changed"
    assert all("refused" in found for corrupt, found in outcomes.items() if corrupt not in HARMLESS)
    assert "read" in outcomes[_shuffled]


@pytest.mark.parametrize(
    ("corrupt", "words"),
    [
        (lambda X: X.indices.__setitem__(0, 99), ("row 0", "column 99", "5 columns")),
        (lambda X: X.indices.__setitem__(0, -1), ("row 0", "column -1")),
        (lambda X: X.indptr.__setitem__(0, 1), ("indptr", "starts at 1")),
        (lambda X: X.indptr.__setitem__(5, 0), ("indptr", "decreases at row 4")),
        (lambda X: X.indptr.__setitem__(-1, 9999), ("indptr", "9999")),
        (lambda X: setattr(X, "indptr", X.indptr[:-1]), ("indptr", "24 entries", "24 rows")),
        (lambda X: setattr(X, "indices", X.indices * 1.0), ("indices", "float64")),
        (lambda X: setattr(X, "data", X.data[:3]), ("3 values",)),
    ],
)
def test_a_malformed_table_says_what_is_wrong_with_it(fitted, corrupt, words):
    bad = sparse.csr_array(whole_table())
    corrupt(bad)
    assert refusal(lambda: clone(fitted).fit(bad, y)).says("malformed CSR", *words)
    assert refusal(lambda: fitted.predict(bad)).says("malformed CSR", *words)


def _coordinates(r, X, axis, value, dtype=None):
    places = [np.array(c, dtype=dtype or c.dtype) for c in X.coords]
    places[axis][r.integers(places[axis].size)] = value
    X.coords = tuple(places)


COO_CORRUPTIONS = [
    lambda r, X: _coordinates(r, X, 0, r.choice([N, 99, 2**31 - 1])),
    lambda r, X: _coordinates(r, X, 1, r.choice([5, 99, 2**31 - 1])),
    lambda r, X: _coordinates(r, X, 0, r.choice([-1, -(2**31)])),
    lambda r, X: _coordinates(r, X, 1, r.choice([-1, -(2**31)])),
    lambda r, X: _coordinates(r, X, 1, r.choice([2**40, -(2**40)]), np.int64),
    lambda r, X: _coordinates(r, X, 0, 0.5, np.float64),
    lambda r, X: setattr(X, "data", X.data[: r.integers(0, X.data.size)]),
    lambda r, X: setattr(X, "data", np.r_[X.data, X.data]),
    lambda r, X: setattr(X, "coords", (X.coords[0][:-1], X.coords[1])),
    lambda r, X: setattr(X, "coords", (X.coords[0], X.coords[1][:-1])),
    lambda r, X: setattr(X, "data", X.data[:, None]),
    lambda r, X: setattr(X, "coords", (X.coords[0][:, None], X.coords[1])),
]


@pytest.mark.parametrize("make", [sparse.coo_array, sparse.coo_matrix])
def test_malformed_coordinate_tables_are_refused(make):
    r = np.random.default_rng(7)
    table = whole_table()
    models = [clone(e).fit(table, y) for e in ESTIMATORS.values()]
    for k in range(96):
        bad = make(table)
        COO_CORRUPTIONS[k % len(COO_CORRUPTIONS)](r, bad)
        model = models[k % len(models)]
        assert read_as(lambda model=model, bad=bad: model.decision_function(bad), None) == "refused"
        assert read_as(lambda model=model, bad=bad: clone(model).fit(bad, y), None) == "refused"
