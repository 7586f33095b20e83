"""Parameters that people know from scikit-learn and that a learner here has not: what to write in their place.

Those that change no answer are passed over with a warning, so that a script goes on; all others are refused.
"""

import warnings
from collections.abc import Callable
from functools import wraps
from inspect import currentframe, signature
from typing import Any, TypeVar

Class = TypeVar("Class", bound=type)

_PRIORS = "priors are the class probabilities: None is the shares of the rows, equal numbers are fit_prior=False"
_NO_PENALTY = "it has no penalty; LinearSVM and LogisticRegression have"
_KINDS_OF_PENALTY = "l1_ratio=0.0 is the ridge (l2), l1_ratio=1.0 is l1, and the elastic net is anything between"
_SEARCH = "a search over several values is GridSearchCV or, for penalties, choose_alpha"
_TUNED = "the threshold is chosen exactly, among all there are, and threshold_curve_ has what each is worth"

ADVICE: dict[str, str] = {
    "Cs": "the penalties are n_alphas of them, down to the share `smallest` of the largest",
    "alpha": _NO_PENALTY,
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
    "l1_ratio": _NO_PENALTY,
    "l1_ratios": _SEARCH,
    "max_iter": "its solution takes no iterations, or as many as tol asks for",
    "multi_class": "several classes are learnt as one model, or each against the rest; OneVsAll and OneVsOne choose",
    "n_jobs": "threads are used where they pay; OMP_NUM_THREADS limits them",
    "penalty": _NO_PENALTY,
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

# What changes no answer, whatever its value.
WITHOUT_EFFECT = frozenset(
    {"copy_X", "dual", "n_jobs", "random_state", "solver", "store_covariance", "use_legacy_attributes", "verbose"}
)


def explain_other_names(cls: Class) -> Class:
    """Decorate a class whose constructor says what stands in the place of parameters that it has not."""
    if "__init__" in vars(cls):
        cls.__init__ = _explaining(cls.__init__)  # type: ignore[misc]
    return cls


def _explaining(init: Callable[..., None]) -> Callable[..., None]:
    own = signature(init).parameters.keys()

    @wraps(init)
    def with_advice(self: Any, *arguments: Any, **keywords: Any) -> None:
        for name in sorted((keywords.keys() - own) & ADVICE.keys()):
            told = f"{type(self).__name__} has no {name}: {_advice(name, own)}"
            if name not in WITHOUT_EFFECT or _of_learner(name, own):
                raise TypeError(told)
            warnings.warn(told, stacklevel=_level_of_caller())
            del keywords[name]
        init(self, *arguments, **keywords)

    return with_advice


def _advice(name: str, own: Any) -> str:
    if _of_learner(name, own):
        return f"give it to the learner, learner=LogisticRegression({name}=...)"
    return _KINDS_OF_PENALTY if name == "penalty" and "l1_ratio" in own else ADVICE[name]


def _of_learner(name: str, own: Any) -> bool:
    return "learner" in own and name in {"class_weight", "fit_intercept", "random_state", "max_iter", "tol"}


def _level_of_caller() -> int:
    """The ``stacklevel`` of the first frame that is not of this package, however constructors are wrapped."""
    level, frame = 0, currentframe()
    while frame is not None and frame.f_globals["__name__"].startswith("discriminant."):
        level, frame = level + 1, frame.f_back
    return level
