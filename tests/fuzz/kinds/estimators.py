"""Hostile arrays through every public estimator."""

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.covariance import LedoitWolf

import discriminant as d
from tests.fuzz.judging import REFUSALS, require, require_among, require_finite, require_probabilities
from tests.fuzz.kinds import hostile_arrays

_CLASS_WEIGHTS = (None, None, "balanced", {0: 2.0}, {0: 0.0, 1: 1.0}, {"class 0": 1e-300, "class 1": 1e300}, {"no": 1})
_BOUNDS = (None, None, {0: (0, None)}, {0: (-1.0, 1.0), -1: (None, 0.0)}, {"x0": (0.0, 0.0)}, {0: (1e300, None)})
_SIGNS = (None, None, {0: 1}, {0: -1, 1: 1}, {"x0": 0}, [1], {9: 1})
_GROUPS = (None, None, None, [[0, 1]], [[0], [1, 2]], [["x0", "x1"]], [[0, 0]], [[]], [[5, 99]])
_LIMITED: dict[str, tuple[Any, ...]] = {
    "l1_ratio": (0.0, 1.0, 0.5, 1e-300, 1.0),
    "bounds": _BOUNDS,
    "monotone": _SIGNS,
    "column_groups": _GROUPS,
    "fit_intercept": (True, False),
}
_LEARNERS: dict[Any, dict[str, tuple[Any, ...]]] = {
    d.FisherDiscriminant: {
        "threshold": ("midpoint", "accuracy", "gaussian", "gain"),
        "shrinkage": (None, "auto", 0.3, 1.0, 1e-300),
        "priors": (None, (0.5, 0.5), (0.0, 1.0)),
        "gain": (None, [[1, -5], [-1, 2]]),
    },
    d.LinearDiscriminantAnalysis: {
        "shrinkage": (None, "auto", 0.0, 0.3, 1.0),
        "priors": (None, (0.9, 0.1), (1e-300, 1.0)),
        "method": ("mle", "moment"),
        "n_components": (None, 1, 3),
        "covariance_estimator": (None, None, LedoitWolf()),
        "class_weight": _CLASS_WEIGHTS,
    },
    d.LeastSquaresClassifier: {"alpha": (0.0, 1.0, 1e-300, 1e300), **_LIMITED, "class_weight": _CLASS_WEIGHTS},
    d.NaiveBayes: {
        "marginal": (
            *("bernoulli", "gaussian", "multinomial", "categorical", "auto", {0: "bernoulli", None: "gaussian"}),
            *({"x0": "gaussian", None: "categorical"}, {-1: "multinomial", 0: "multinomial", None: "bernoulli"}),
        ),
        "alpha": (1.0, 0.0, 1e-300, 1e300, [1.0, 0.5]),
        "var_smoothing": (0.0, 1e-9, 1e300),
        "min_categories": (None, 2, [1, 3], 10**6),
        "categories": (None, None, [[0, 1], [0, 1, 2]]),
        "class_weight": _CLASS_WEIGHTS,
    },
    d.Perceptron: {
        "rule": ("stochastic", "batch", "cyclic"),
        "eta": (1.0, 1e-300, 1e300),
        "max_iter": (20, 1),
        "init": ("zeros", "random"),
        "average": (False, True, "vote"),
        "trace": (False, True),
        "multiclass": ("one-vs-all", "direct"),
        "ties": (None, "mistake", "positive", "negative"),
        "warm_start": (False, True),
        "class_weight": _CLASS_WEIGHTS,
        "random_state": (0,),
    },
    d.PocketPerceptron: {
        "eta": (1.0, 1e-300, 1e300),
        "max_iter": (20, 1),
        "ratchet": (False, True),
        "count_start": (True, False),
        "warm_start": (False, True),
        "class_weight": _CLASS_WEIGHTS,
        "random_state": (0,),
    },
    d.Adaline: {
        "rule": ("stochastic", "batch", "closed-form"),
        "eta": (None, 0.1, 1e300),
        "max_iter": (20, 1),
        "warm_start": (False, True),
        "class_weight": _CLASS_WEIGHTS,
        "random_state": (0,),
    },
    d.LogisticRegression: {
        "alpha": (0.0, 1.0, 1e-300, 1e300),
        "C": (None, None, 1.0, 1e-300, float("inf")),
        "firth": (False, False, True),
        **_LIMITED,
        "warm_start": (False, True),
        "class_weight": _CLASS_WEIGHTS,
    },
    d.SparseLogisticRegression: {
        **_LIMITED,
        "n_alphas": (3, 20),
        "n_folds": (2, 3),
        "rule": ("one-standard-error", "best"),
        "class_weight": _CLASS_WEIGHTS,
    },
    d.LinearSVM: {
        "C": (1.0, float("inf"), 1e-300, 1e300),
        "loss": ("hinge", "squared_hinge"),
        **_LIMITED,
        "class_weight": _CLASS_WEIGHTS,
    },
}
_RARE = ("l1_ratio", "bounds", "monotone", "column_groups")  # most combinations of all of them are refused
_ALWAYS = ("random_state", "max_iter", "n_alphas", "n_folds")  # answers are to be the same again, and soon
_WRONG = (None, "x", -1, 0, float("nan"), float("inf"), [], 10**400, object)
# Where rows and weights of the model multiply to less than a double holds, scores have to be finite.
_ORDINARY = 1e100


def attempt(random: Random, folder: Path) -> None:
    if random.random() < 0.06:
        return _function(random)
    model = _model(random)
    X = hostile_arrays.rows(random)
    n = _length(X)
    y, weight = hostile_arrays.labels(random, n), hostile_arrays.weights(random, n)
    if isinstance(model, d.OneVsAll) and random.random() < 0.3:
        return _several_labels(random, model, X, n)
    in_parts = random.random() < 0.1 and hasattr(model, "partial_fit")
    _fit(random, model, X, y, weight, in_parts)
    if not hasattr(model, "classes_"):
        return None  # partial_fit waits for rows of a second class
    _judge(model, X)
    _judge_limits(model)
    for _ in range(2):
        try:
            _judge(model, hostile_arrays.rows(random, d=model.n_features_in_ if random.random() < 0.9 else None))
        except REFUSALS:
            continue
    if random.random() < 0.1:
        _saved(model, folder, X)
    if random.random() < 0.1 and not in_parts and not getattr(model, "warm_start", False):
        again = clone(model).fit(X, y) if weight is None else clone(model).fit(X, y, sample_weight=weight)
        require(np.array_equal(again.predict(X), model.predict(X)), "a clone fitted alike answers otherwise")
    return None


def _model(random: Random) -> Any:
    kind = random.choice(list(_LEARNERS))
    chosen = {name: random.choice(values) for name, values in _LEARNERS[kind].items()}
    share = {name: 1.0 if name in _ALWAYS else 0.2 if name in _RARE else 0.4 for name in chosen}
    learner = kind(**{name: value for name, value in chosen.items() if random.random() < share[name]})
    if random.random() < 0.04:
        learner.set_params(**{random.choice(list(learner.get_params())): random.choice(_WRONG)})
    wrapped = random.random()
    if wrapped < 0.1:
        return random.choice((d.OneVsAll, d.OneVsOne))(learner)
    if wrapped < 0.15:
        reject = random.choice((None, None, -0.1, 0.6))
        return d.GainClassifier(learner, gain=random.choice((None, [[1, -5], [-1, 2]])), reject=reject, cv=2)
    return learner


def _fit(random: Random, model: Any, X: Any, y: Any, weight: Any, in_parts: bool) -> None:
    if in_parts:
        classes = random.choice((None, None, y, [0, 1, 2], ["class 0", "class 1", "class 2"], [], [1, 1]))
        model.partial_fit(X, y, classes=classes)
        model.partial_fit(X, y)
    elif weight is None:
        model.fit(X, y)
        if getattr(model, "warm_start", False):
            model.fit(X, y)
    else:
        model.fit(X, y, sample_weight=weight)


def _several_labels(random: Random, model: Any, X: Any, n: int) -> None:
    """An indicator matrix as y: the answers are one, too."""
    Y = np.random.default_rng(random.getrandbits(64)).random((n, random.choice((1, 2, 3)))) < random.random()
    model.fit(X, random.choice((Y.astype(int), Y, sparse.csr_array(Y.astype(int)), Y.astype(float))))
    found = model.predict(X)
    if not model.multilabel_:
        return _judge(model, X)
    found = found.toarray() if sparse.issparse(found) else np.asarray(found)
    require(found.shape == Y.shape and np.isin(found, (0, 1)).all(), "labels that are no indicators", found)
    return require_finite(model.decision_function(X), "scores") if _ordinary(X) else None


def _judge_limits(model: Any) -> None:
    """Weights within their bounds and of their signs; of two classes, by the numbers of the columns."""
    if np.shape(getattr(model, "coef_", ())) != (1, getattr(model, "n_features_in_", 0)) or len(model.classes_) < 2:
        return  # of one class alone nothing is learnt yet
    weights = np.ravel(model.coef_)
    for j, (low, high) in (getattr(model, "bounds", None) or {}).items():
        own = weights[int(str(j).removeprefix("x"))]
        require((low is None or own >= low) and (high is None or own <= high), "a weight beyond its bounds", model)
    signs = getattr(model, "monotone", None) or {}
    for j, sign in signs.items() if isinstance(signs, dict) else enumerate(signs):
        require(weights[int(str(j).removeprefix("x"))] * sign >= 0, "a weight of the other sign", model)
    for name in ("gap_", "kkt_"):
        require(not np.isnan(np.max(getattr(model, name, 0.0))), f"{name} that is no number", model)


def _length(X: Any) -> int:
    try:
        return int(X.shape[0]) if hasattr(X, "shape") else len(X)
    except (TypeError, IndexError):
        return 0


def _judge(model: Any, X: Any) -> None:
    """Lawful answers to rows: classes, scores, probabilities."""
    n, K = _length(X), len(model.classes_)
    answers = model.predict(X)
    require(np.shape(answers) == (n,), "answers of another shape")
    if not (isinstance(model, d.GainClassifier) and model.gain_.has_reject):
        require_among(answers, model.classes_)
    if hasattr(model, "coef_") and getattr(model, "alpha", 1.0) != 0.0:
        require_finite(model.coef_, "coef_")
        require_finite(model.intercept_, "intercept_")
    if hasattr(model, "decision_function"):
        scores = np.asarray(model.decision_function(X))
        require(scores.shape[0] == n, "scores of another shape")
        require(not np.isnan(scores).any(), "scores that are no numbers")
        if _ordinary(X) and _ordinary(getattr(model, "coef_", 0.0)) and not _always_the_same(model):
            require_finite(scores, "scores")
    if hasattr(model, "predict_proba"):
        # one class alone against the rest, of which there is none, has a second column of zeros, as in scikit-learn
        columns = max(K, 2) if isinstance(model, d.OneVsAll) else K
        require_probabilities(model.predict_proba(X), (n, columns))


def _always_the_same(model: Any) -> bool:
    """By gain, one answer may be the best for all rows; its threshold is infinite."""
    return isinstance(model, d.GainClassifier) and model.rule_.threshold is not None and np.isinf(model.rule_.threshold)


def _ordinary(X: Any) -> bool:
    try:
        values = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
    except REFUSALS:
        return False
    return bool(np.abs(values).max(initial=0.0) < _ORDINARY)


def _saved(model: Any, folder: Path, X: Any) -> None:
    """A file of the model answers as the model does; both may refuse."""
    d.save(model, folder / "model.json")
    loaded = d.load(folder / "model.json")
    if isinstance(X, np.ndarray) and X.dtype == np.float64:
        require((loaded.predict(X) == model.predict(X)).all(), "a loaded model answers otherwise")


def _function(random: Random) -> None:
    """Public functions that take arrays."""
    n = random.choice((0, 1, 2, 5, 12))
    X, y = hostile_arrays.matrix(random, n), hostile_arrays.labels(random, n)
    scores = X[:, 0] if X.shape[1] else X
    match random.randrange(7):
        case 0:
            require(d.separate(X, y).verify(X, y), "a separation that does not hold")
        case 1:
            d.operating_curve(y, scores)
        case 2:
            d.best_threshold(y, scores, gain=random.choice((None, [[1, -5], [-1, 2]])))
        case 3:
            require_finite(d.GaussianBasis(n_centres=3, random_state=0).fit(X).transform(X), "a Gaussian basis")
        case 4:
            d.ClassMoments.of(X, y)
        case 5:
            path = d.alpha_path(_path_learner(random), X, y, n_alphas=4)
            require_finite(path.coef, "weights along a path")
        case 6:
            d.choose_alpha(_path_learner(random), X, y, n_alphas=3, cv=2)


def _path_learner(random: Random) -> Any:
    kind = random.choice((d.LogisticRegression, d.LeastSquaresClassifier))
    return kind(l1_ratio=random.choice((1.0, 0.5)), column_groups=random.choice((None, None, [[0, 1]])))
