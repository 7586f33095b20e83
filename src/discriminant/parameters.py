"""What a person passed: read with a clear error for what makes no sense; and parameters under other names.

Of the parameters that people know from scikit-learn, and that a learner here has not, those that change no answer are
passed over with a warning, so that a script goes on; all others are refused with what to write instead.
"""

import warnings
from collections.abc import Callable, Mapping
from functools import wraps
from inspect import currentframe, signature
from typing import Any, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

Shrinkage = float | Literal["auto"] | None
Named = TypeVar("Named", bound=Callable[..., Any])
Class = TypeVar("Class", bound=type)

_LARGEST_COUNT = 2**63 - 1  # of a kernel

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


def renamed_keywords(**new_names: str) -> Callable[[Named], Named]:
    """Decorate a function whose keywords have new names: the old ones still work, with a FutureWarning."""

    def decorate(function: Named) -> Named:
        @wraps(function)
        def with_old_names(*arguments: Any, **keywords: Any) -> Any:
            if keywords.keys() & new_names.keys():
                keywords = _with_new_names(keywords, new_names)
            return function(*arguments, **keywords)

        return with_old_names  # type: ignore[return-value]

    return decorate


def renamed_parameters(**new_names: str) -> Callable[[Named], Named]:
    """Decorate an estimator whose parameters or fitted attributes have new names, old name = new name.

    The constructor, ``set_params`` and the attributes know the old ones too, with a FutureWarning; ``get_params`` and
    so ``clone`` know the new ones alone.
    """

    def decorate(cls: Any) -> Any:
        cls.__init__ = renamed_keywords(**new_names)(cls.__init__)
        cls.set_params = renamed_keywords(**new_names)(cls.set_params)
        for old, new in new_names.items():
            setattr(cls, old, _alias(old, new))
        return cls

    return decorate


def _alias(old: str, new: str) -> property:
    """An attribute under its old name."""

    def value(self: Any) -> Any:
        found = getattr(self, new)
        _warn_of_old_name(old, new, stacklevel=3)
        return found

    def set_value(self: Any, given: Any) -> None:
        _warn_of_old_name(old, new, stacklevel=3)
        setattr(self, new, given)

    return property(value, set_value, doc=f"The old name of ``{new}``.")


def renamed_method(old: str, method: Named) -> Named:
    """A method under its old name: it still works, with a FutureWarning."""
    new = method.__name__

    @wraps(method)
    def call(self: Any, *arguments: Any, **keywords: Any) -> Any:
        _warn_of_old_name(old, new, stacklevel=3)
        return getattr(self, new)(*arguments, **keywords)

    call.__name__, call.__doc__ = old, f"The old name of ``{new}``."
    return call  # type: ignore[return-value]


def _with_new_names(keywords: Mapping[str, Any], new_names: Mapping[str, str]) -> dict[str, Any]:
    for old in keywords.keys() & new_names.keys():
        if new_names[old] in keywords:
            raise TypeError(f"{old} is the old name of {new_names[old]}; give one of the two")
        _warn_of_old_name(old, new_names[old], stacklevel=4)
    return {new_names.get(name, name): value for name, value in keywords.items()}


def _warn_of_old_name(old: str, new: str, stacklevel: int) -> None:
    warnings.warn(f"{old} is now called {new}; the old name will go in version 0.2", FutureWarning, stacklevel)


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
    while frame is not None and frame.f_globals.get("__name__", "").startswith("discriminant."):
        level, frame = level + 1, frame.f_back
    return level


def real_array(value: Any, what: str) -> NDArray[np.float64]:
    """``value`` as float64, refusing text, complex numbers and integers too large for a float."""
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{what} must be a regular array of real numbers ({error})") from error
    kind, of_objects = array.dtype.kind, array.dtype.kind == "O"
    if kind == "c" or (of_objects and any(isinstance(v, complex) for v in array.flat)):
        raise ValueError(f"Complex data not supported: {what} must be real numbers")
    if kind in "USmM" or (of_objects and any(isinstance(v, str | bytes) for v in array.flat)):
        raise TypeError(f"{what} must be real numbers, got {value!r}")
    try:
        return array.astype(np.float64)
    except OverflowError as error:
        raise ValueError(f"{what} holds an integer too large for a float") from error
    except (TypeError, ValueError) as error:
        raise TypeError(f"{what} must be real numbers, got {value!r}") from error


def read_choice(value: Any, choices: tuple[str, ...], name: str) -> str:
    """One of the choices, or a clear error."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, got {value!r}")
    return value


def read_penalty(value: Any, name: str) -> float:
    """A finite number, not negative."""
    number = _read_number(value, name)
    if not 0 <= number < np.inf:
        raise ValueError(f"{name} must be finite and not negative, got {value!r}")
    return number


def read_positive(value: Any, name: str) -> float:
    """A finite number above zero."""
    number = _read_number(value, name)
    if not 0 < number < np.inf:
        raise ValueError(f"{name} must be finite and greater than zero, got {value!r}")
    return number


def read_strength(value: Any, name: str) -> float:
    """A number above zero; infinity stands for no penalty at all."""
    number = _read_number(value, name)
    if not number > 0:
        raise ValueError(f"{name} must be greater than zero, got {value!r}")
    return number


def read_share(value: Any, name: str) -> float:
    """A number strictly between zero and one."""
    number = _read_number(value, name)
    if not 0 < number < 1:
        raise ValueError(f"{name} must lie between 0 and 1, got {value!r}")
    return number


def read_ratio(value: Any, name: str) -> float:
    """A number from zero to one."""
    number = _read_number(value, name)
    if not 0 <= number <= 1:
        raise ValueError(f"{name} must be a number from 0 to 1, got {value!r}")
    return number


def read_count(value: Any, name: str, least: int = 1) -> int:
    """A whole number, not below the least there may be."""
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"{name} must be a whole number, got {value!r}")
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {value!r}")
    if value > _LARGEST_COUNT:
        raise ValueError(f"{name} must be at most {_LARGEST_COUNT}, which nothing can be counted beyond")
    return int(value)


def read_flag(value: Any, name: str) -> bool:
    """True or False, not something that looks like it."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def _read_number(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise TypeError(f"{name} must be a number, got {value!r}")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{name} must be finite, got a number of too many digits") from None


def read_priors(priors: Any, classes: NDArray[Any], counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Class probabilities: the given ones (a sequence in the order of classes, or a mapping), or n_k/n."""
    if priors is None:
        return np.asarray(counts / counts.sum())
    if hasattr(priors, "keys"):
        labels = classes.tolist()
        unknown = [c for c in priors if c not in labels]
        missing = [c for c in labels if c not in priors]
        if unknown:
            raise ValueError(f"priors names class {unknown[0]!r}, which has no rows; the classes are {labels}")
        if missing:
            raise ValueError(f"priors gives no probability for class {missing[0]!r}")
        priors = [priors[c] for c in labels]
    p = real_array(priors, "priors")
    if p.shape != classes.shape:
        raise ValueError(
            f"Number of priors must match number of classes: priors has {p.size} entries (shape {p.shape}), but there "
            f"are {classes.size} classes with rows: {classes.tolist()}; give one number for each"
        )
    bad = np.flatnonzero(~(p > 0) | ~np.isfinite(p))
    if bad.size:
        raise ValueError(
            f"the prior of class {classes.tolist()[bad[0]]!r} is {p[bad[0]]}; priors must be positive "
            "(leave a class's rows out if it cannot occur)"
        )
    if abs(p.sum() - 1.0) > 1e-8:
        raise ValueError(f"priors must sum to one, but they sum to {p.sum():.10g}")
    return p


def read_shrinkage(shrinkage: Any) -> Shrinkage:
    """None, "auto", or a number from 0 to 1."""
    if shrinkage is None:
        return None
    if isinstance(shrinkage, str) and shrinkage == "auto":
        return "auto"
    if isinstance(shrinkage, bool) or not isinstance(shrinkage, int | float | np.integer | np.floating):
        raise ValueError(f"shrinkage must be None, 'auto' or a number from 0 to 1, got {shrinkage!r}")
    if not 0.0 <= shrinkage <= 1.0:
        raise ValueError(f"shrinkage must lie between 0 and 1, got {shrinkage!r}")
    return float(shrinkage)
