"""Fitted estimators in files: a loaded model answers as the estimator does, or the file was never written."""

import warnings

import numpy as np
import pytest
from sklearn import linear_model, svm
from sklearn.calibration import CalibratedClassifierCV
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis as TheirLDA
from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
from sklearn.exceptions import NotFittedError
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, RobustScaler, StandardScaler
from sklearn.tree import DecisionTreeClassifier

import discriminant as dc
from discriminant.model import DecisionModel, load, save

GAIN = [[0.0, -1.0], [-5.0, 1.0]]


def rows(K=2, d=4, n=400, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, K, n)
    X = rng.standard_normal((n, d)) + 1.2 * rng.standard_normal((K, d))[y]
    return X * 10.0 ** np.arange(d) + 3.0, np.array(["a", "b", "c", "d"])[y]


def kept(estimator, tmp_path) -> DecisionModel:
    save(estimator, tmp_path / "model.json", target="class")
    return load(tmp_path / "model.json")


def fitted(estimator, X, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # findings and iterations are not what is tested here
        return estimator.fit(X, y)


def assert_same_answers(model, estimator, X, *, probabilities):
    assert model.predict(X).tolist() == np.asarray(estimator.predict(X)).tolist()
    assert (model.posterior is not None) == probabilities
    if probabilities:
        assert np.allclose(model.predict_proba(X), estimator.predict_proba(X), rtol=1e-6, atol=1e-9)


PROBABLE = [
    dc.LinearDiscriminantAnalysis(),
    dc.LogisticRegression(alpha=0.1),
    dc.NaiveBayes(marginal="gaussian"),
    TheirLDA(),
    linear_model.LogisticRegression(max_iter=300),
    make_pipeline(StandardScaler(), dc.LogisticRegression(alpha=0.1)),
    make_pipeline(StandardScaler(), linear_model.LogisticRegression()),
    make_pipeline(MinMaxScaler((-1, 3)), RobustScaler(), MaxAbsScaler(), "passthrough", TheirLDA()),
    make_pipeline(StandardScaler(), make_pipeline(StandardScaler(with_mean=False), TheirLDA())),
]
SCORED = [
    dc.FisherDiscriminant(),
    dc.FisherDiscriminant(threshold="accuracy"),
    dc.LeastSquaresClassifier(),
    dc.Perceptron(max_iter=20, random_state=0),
    dc.PocketPerceptron(max_iter=20, random_state=0),
    make_pipeline(StandardScaler(), dc.Adaline(rule="closed-form")),
    make_pipeline(StandardScaler(), dc.LinearSVM()),
    dc.OneVsAll(dc.FisherDiscriminant()),
    make_pipeline(StandardScaler(), linear_model.SGDClassifier(random_state=0)),
    linear_model.RidgeClassifier(),
    make_pipeline(StandardScaler(), svm.LinearSVC()),
    make_pipeline(StandardScaler(), linear_model.Perceptron()),
]


def shown(estimator):
    return type(estimator[-1]).__name__ + " in a pipeline" if hasattr(estimator, "steps") else type(estimator).__name__


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("estimator", PROBABLE, ids=shown)
def test_probable_estimators(tmp_path, estimator, K):
    X, y = rows(K)
    model = kept(fitted(estimator, X, y), tmp_path)
    fresh, _ = rows(K, n=1000, seed=1)
    assert_same_answers(model, estimator, fresh, probabilities=True)
    assert model.rule == ("threshold" if K == 2 else "largest")


@pytest.mark.parametrize("K", [2, 3])
@pytest.mark.parametrize("estimator", SCORED, ids=shown)
def test_scored_estimators(tmp_path, estimator, K):
    X, y = rows(K)
    model = kept(fitted(estimator, X, y), tmp_path)
    fresh, _ = rows(K, n=1000, seed=1)
    assert_same_answers(model, estimator, fresh, probabilities=False)
    scores = estimator.decision_function(fresh)
    assert np.allclose(model.decision_function(fresh), scores, rtol=1e-9, atol=1e-9 * np.abs(scores).max())
    with pytest.raises(ValueError, match="no probabilities"):
        model.predict_proba(fresh)


def test_probabilities_that_are_no_softmax_of_the_scores_are_left_out(tmp_path):
    X, y = rows(3)
    estimator = dc.OneVsAll(dc.LinearDiscriminantAnalysis()).fit(X, y)
    model = kept(estimator, tmp_path)
    assert_same_answers(model, estimator, X, probabilities=False)


def test_presences_become_flags(tmp_path):
    rng = np.random.default_rng(0)
    X = (rng.random((300, 6)) < 0.4).astype(float)
    y = np.where(X @ [1, -1, 2, 0, 1, -2] + rng.normal(size=300) > 0.5, 1, 0)
    estimator = dc.NaiveBayes(marginal="bernoulli").fit(X, y)
    model = kept(estimator, tmp_path)
    assert_same_answers(model, estimator, X, probabilities=True)
    assert {column.kind for column in model.encoding.columns} == {"flag"}
    assert model.predict({f"x{j}": X[:, j] == 1 for j in range(6)}).tolist() == estimator.predict(X).tolist()
    with pytest.raises(ValueError, match="0 or 1"):
        model.predict(2 * X)


def test_counts_are_linear(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.poisson(2.0, (300, 5)).astype(float)
    y = np.where(X[:, 0] > X[:, 1], "x", "y")
    estimator = dc.NaiveBayes(marginal="multinomial").fit(X, y)
    assert_same_answers(kept(estimator, tmp_path), estimator, X, probabilities=True)


# --- decisions by gain ----------------------------------------------------------------------------------


@pytest.mark.parametrize("threshold", ["posterior", "tuned"])
@pytest.mark.parametrize("priors", [None, [0.9, 0.1]])
@pytest.mark.parametrize(
    ("learner", "calibration", "probabilities"),
    [
        (dc.LinearDiscriminantAnalysis(), "auto", True),
        (dc.LinearDiscriminantAnalysis(), "platt", True),
        (dc.LinearDiscriminantAnalysis(), None, True),
        (dc.FisherDiscriminant(), "platt", True),
        (dc.FisherDiscriminant(), None, False),
        (make_pipeline(StandardScaler(), linear_model.LogisticRegression()), "platt", True),
        (make_pipeline(StandardScaler(), svm.LinearSVC()), "platt", True),
    ],
)
def test_two_classes_by_gain(tmp_path, learner, calibration, probabilities, priors, threshold):
    X, y = rows()
    estimator = fitted(
        dc.GainClassifier(learner, GAIN, calibration=calibration, priors=priors, threshold=threshold), X, y
    )
    fresh, _ = rows(n=1000, seed=1)
    model = kept(estimator, tmp_path)
    assert model.rule == "threshold"
    assert_same_answers(model, estimator, fresh, probabilities=probabilities)
    assert np.allclose(model.decision_function(fresh), estimator.decision_function(fresh), rtol=1e-7, atol=1e-9)
    assert model.priors == tuple(estimator.priors_)
    assert model.gain.matrix.tolist() == GAIN


@pytest.mark.parametrize("calibration", ["platt", None])
def test_several_classes_by_gain(tmp_path, calibration):
    X, y = rows(3)
    gain = dc.Gain([[1, -1, 0], [-3, 2, -1], [0, -2, 1]], unit="EUR")
    estimator = dc.GainClassifier(dc.LinearDiscriminantAnalysis(), gain, calibration=calibration).fit(X, y)
    fresh, _ = rows(3, n=1000, seed=1)
    model = kept(estimator, tmp_path)
    assert (model.rule, model.gain.unit) == ("gain", "EUR")
    assert_same_answers(model, estimator, fresh, probabilities=True)


@pytest.mark.parametrize(("reject", "label"), [(0.3, "reject"), ({"ask": 0.3}, "ask"), ({-1: 0.3}, -1)])
@pytest.mark.parametrize("K", [2, 3])
def test_rejecting(tmp_path, K, reject, label):
    X, y = rows(K)
    estimator = dc.GainClassifier(dc.LinearDiscriminantAnalysis(), reject=reject).fit(X, y)
    fresh, _ = rows(K, n=1000, seed=1)
    model = kept(estimator, tmp_path)
    assert model.answers[-1] == label
    answers = model.predict(fresh).tolist()
    assert answers == estimator.predict(fresh).tolist()
    assert label in answers


@pytest.mark.parametrize("calibration", ["platt", None])
@pytest.mark.parametrize("gain", [[[1, 0], [0, 0]], [[0, 0], [0, 1]]])
def test_one_answer_for_all_rows(tmp_path, gain, calibration):
    X, y = rows()
    estimator = dc.GainClassifier(dc.FisherDiscriminant(), gain, calibration=calibration).fit(X, y)
    assert np.isinf(estimator.threshold_)
    assert kept(estimator, tmp_path).predict(X).tolist() == estimator.predict(X).tolist()


def test_a_gain_classifier_at_the_end_of_a_pipeline(tmp_path):
    X, y = rows()
    inner = make_pipeline(StandardScaler(with_std=False), dc.LinearDiscriminantAnalysis())
    estimator = make_pipeline(StandardScaler(), dc.GainClassifier(inner, GAIN)).fit(X, y)
    assert_same_answers(kept(estimator, tmp_path), estimator, X, probabilities=True)


def test_what_a_file_does_not_hold_of_gains_is_refused_with_the_way_out(tmp_path):
    X, y = rows()
    isotonic = dc.GainClassifier(dc.FisherDiscriminant(), GAIN, calibration="isotonic").fit(X, y)
    with pytest.raises(ValueError, match="calibration='platt'"):
        save(isotonic, tmp_path / "model.json")
    by_row = dc.Gain.by_row(lambda table: np.broadcast_to(GAIN, (len(table), 2, 2)))
    differing = dc.GainClassifier(dc.LinearDiscriminantAnalysis(), by_row).fit(X, y)
    with pytest.raises(ValueError, match="differ by row"):
        save(differing, tmp_path / "model.json")
    curved = dc.GainClassifier(dc.OneVsAll(dc.LinearDiscriminantAnalysis()), calibration="platt").fit(*rows(3))
    with pytest.raises(TypeError, match="linear"):
        save(curved, tmp_path / "model.json")
    assert list(tmp_path.iterdir()) == []


# --- what is no linear classifier -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("estimator", "words"),
    [
        (DecisionTreeClassifier(), "no coef_"),
        (GaussianNB(), "no coef_"),
        (QuadraticDiscriminantAnalysis(), "no coef_"),
        (svm.SVC(), "no coef_"),
        (CalibratedClassifierCV(svm.LinearSVC()), "no coef_"),
        (make_pipeline(PCA(2), TheirLDA()), "'pca' .PCA. of the pipeline does more than shift and stretch"),
        (make_pipeline(MinMaxScaler(clip=True), TheirLDA()), "'minmaxscaler'"),
        (dc.OneVsOne(dc.LinearDiscriminantAnalysis()), "do not follow from|does not decide|planes for"),
        (make_pipeline(StandardScaler(), svm.SVC(kernel="linear")), "do not follow from"),
        (dc.Perceptron(average="vote", max_iter=5, random_state=0), "do not follow from"),
        (dc.NaiveBayes(marginal="categorical"), "planes|do not follow from|columns"),
    ],
    ids=lambda value: "" if isinstance(value, str) else shown(value),
)
def test_estimators_that_are_not_linear_are_refused(tmp_path, estimator, words):
    X, y = rows(3)
    X = np.abs(np.round(X)) % 3 if isinstance(estimator, dc.NaiveBayes) else X
    fitted(estimator, X, y)
    with pytest.raises(TypeError, match=words):
        save(estimator, tmp_path / "model.json")
    assert list(tmp_path.iterdir()) == []


def test_other_things_are_refused(tmp_path):
    with pytest.raises(NotFittedError):
        save(dc.LinearDiscriminantAnalysis(), tmp_path / "model.json")
    with pytest.raises(TypeError):
        save({"weights": [1]}, tmp_path / "model.json")
    X, _ = rows()
    with pytest.raises(TypeError, match="no classes_"):
        save(linear_model.LinearRegression().fit(X, X[:, 0]), tmp_path / "model.json")


class Liar(linear_model.LogisticRegression):
    """Answers otherwise than its planes."""

    def predict(self, X):
        return np.where(np.asarray(X)[:, 0] > 3.0, self.classes_[1], self.classes_[0])


def test_a_model_that_would_answer_otherwise_is_never_written(tmp_path):
    X, y = rows()
    with pytest.raises(TypeError, match="made-up rows are answered otherwise"):
        save(Liar(max_iter=3000).fit(X, y), tmp_path / "model.json")
    assert list(tmp_path.iterdir()) == []


# --- names, labels, scales ------------------------------------------------------------------------------


def test_columns_keep_their_names_and_labels_their_types(tmp_path):
    pandas = pytest.importorskip("pandas")
    X, y = rows()
    frame = pandas.DataFrame(X, columns=["age", "income", "a b", "Größe"])
    for labels in (y, y == "a", np.where(y == "a", 3, 7), np.where(y == "a", 1.0, 2.0)):
        estimator = dc.LinearDiscriminantAnalysis().fit(frame, labels)
        model = kept(estimator, tmp_path)
        assert [column.name for column in model.encoding.columns] == list(frame.columns)
        answers = model.predict(frame[["Größe", "income", "a b", "age"]])
        assert answers.tolist() == estimator.predict(frame).tolist()
        assert type(answers.tolist()[0]) is type(labels.tolist()[0])
    assert model.target.name == "class"
    assert model.learner == "LinearDiscriminantAnalysis"
    assert model.provenance["versions"]["discriminant"] == dc.__version__


@pytest.mark.parametrize("power", [-100, -20, 20, 100])
def test_badly_scaled_columns(tmp_path, power):
    X, y = rows()
    X = X * 10.0 ** (np.array([0, 1, -1, 0.5]) * power)
    estimator = fitted(dc.LinearDiscriminantAnalysis(), X, y)
    assert_same_answers(kept(estimator, tmp_path), estimator, X, probabilities=True)


def test_findings_go_with_the_model(tmp_path):
    X, y = rows()
    X[:, 1] = X[:, 0]
    estimator = fitted(dc.LinearDiscriminantAnalysis(), X, y)
    model = kept(estimator, tmp_path)
    assert [finding["kind"] for finding in model.findings] == [type(f).__name__ for f in estimator.findings_]
    assert model.findings


def test_sparse_weights(tmp_path):
    X, y = rows()
    estimator = linear_model.LogisticRegression(max_iter=2000).fit(X, y).sparsify()
    assert_same_answers(kept(estimator, tmp_path), estimator, X, probabilities=True)
