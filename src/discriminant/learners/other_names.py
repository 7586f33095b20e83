"""Parameters that people know from scikit-learn and that a learner here has not: what to write in their place."""

from collections.abc import Callable
from functools import wraps
from inspect import signature
from typing import Any, TypeVar

Class = TypeVar("Class", bound=type)

_PRIORS = "priors are the class probabilities: None is the shares of the rows, equal numbers are fit_prior=False"
_SEARCH = "a search over several values is GridSearchCV or, for penalties, choose_alpha"
_TUNED = "the threshold is chosen exactly, among all there are, and threshold_curve_ has what each is worth"

ADVICE: dict[str, str] = {
    "Cs": "the penalties are n_alphas of them, down to the share `smallest` of the largest",
    "alpha": "it has no penalty; LinearSVM and LogisticRegression have",
    "binarize": "make_pipeline(Binarizer(), model) has the same effect",
    "class_prior": _PRIORS,
    "class_weight": "say what classes are worth with gain, and how common they are with priors",
    "copy_X": "X is never changed",
    "cv": "n_folds is the number of folds; choose_alpha takes folds of any kind",
    "dual": "the form of the problem is chosen by the shape of the table",
    "early_stopping": "tol and n_iter_no_change say when to stop",
    "estimator": "the first argument is called learner",
    "eta0": "the step is called eta",
    "fit_intercept": "its threshold follows from the classes themselves, so that there always is one",
    "fit_prior": _PRIORS,
    "force_alpha": "alpha is taken as it is",
    "intercept_scaling": "the intercept is not penalised, so that there is nothing to scale",
    "l1_ratio": "it has no penalty; LinearSVM and LogisticRegression have",
    "l1_ratios": _SEARCH,
    "max_iter": "its solution takes no iterations, or as many as tol asks for",
    "multi_class": "of several classes each is learnt against the rest; OneVsOne(LinearSVM()) learns pairs",
    "n_jobs": "threads are used where they pay; OMP_NUM_THREADS limits them",
    "penalty": (
        "the ridge is C or alpha, L1 is l1_ratio=1.0 and the elastic net anything between; a perceptron has no penalty"
    ),
    "pos_label": "the positive class is that of the gain or the scorer, else the second of classes_",
    "positive": "monotone={column: 1} or bounds keep weights from being negative",
    "random_state": "nothing in its fit is drawn at random",
    "refit": "the learner is always fitted to all rows at the end; cv='prefit' leaves one as it is",
    "response_method": "calibration=None takes scores as they are, and anything else makes them probabilities",
    "scoring": "penalties are judged by the likelihood of rows not seen; GridSearchCV takes any score",
    "solver": "the method is chosen by the shape of the table",
    "store_covariance": "covariance_ is there without being asked for",
    "store_cv_results": _TUNED,
    "thresholds": _TUNED,
    "tol": "columns that depend on one another are found from rounding errors, and named in findings_",
    "use_legacy_attributes": "there are none",
    "validation_fraction": "tol and n_iter_no_change say when to stop",
    "verbose": "nothing is printed; findings_ and n_iter_ say how it went",
}


def explain_other_names(cls: Class) -> Class:
    """Decorate a class whose constructor says what stands in the place of parameters that it has not."""
    if "__init__" in vars(cls):
        cls.__init__ = _explaining(cls.__init__)  # type: ignore[misc]
    return cls


def _explaining(init: Callable[..., None]) -> Callable[..., None]:
    own = signature(init).parameters.keys()

    @wraps(init)
    def with_advice(self: Any, *arguments: Any, **keywords: Any) -> None:
        for name in keywords.keys() - own:
            if name in ADVICE:
                raise TypeError(f"{type(self).__name__} has no {name}: {_advice(name, own)}")
        init(self, *arguments, **keywords)

    return with_advice


def _advice(name: str, own: Any) -> str:
    of_learner = "learner" in own and name in {"class_weight", "fit_intercept", "random_state", "max_iter", "tol"}
    return f"give it to the learner, learner=LogisticRegression({name}=...)" if of_learner else ADVICE[name]
