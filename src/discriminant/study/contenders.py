"""Who is compared: every learner that this many rows and columns allow, with the reason for those left out.

Learners are taken by name from `comparison.candidates`. Rows are standardised by the encoding, so that penalties and
perceptrons treat columns alike; sparse rows are taken as they are.
"""

from collections.abc import Sequence
from typing import Any

from scipy import sparse

from discriminant.comparison.candidates import CLOSED_FORM, KNOWN
from discriminant.study.learner_texts import TEXTS
from discriminant.table.errors import OptionError

_SPARSE = ("lda-shrinkage", "bernoulli-naive-bayes", "logistic-ridge", "svm", "perceptron")
_WIDE = ("lda-shrinkage", "least-squares", "naive-bayes", "logistic-ridge", "svm", "perceptron")
_MANY_COLUMNS = 2000


def contenders(asked: Sequence[str], X: Any, n_classes: int, separable: bool) -> tuple[list[str], dict[str, str]]:
    """(names to compare, {name: why it is left out}); ``asked`` has names and the groups "all" and "closed-form"."""
    unknown = [name for name in asked if name not in KNOWN and name not in ("all", "closed-form")]
    if unknown:
        raise OptionError(
            f"--learner {unknown[0]!r} is not known", hint=f"known are all, closed-form, {', '.join(KNOWN)}"
        )
    if not asked:
        raise OptionError("--learner names none", hint=f"known are all, closed-form, {', '.join(KNOWN)}")
    every, left_out = _all(X, n_classes, separable) if "all" in asked else ([], {})
    groups = {"all": every, "closed-form": list(CLOSED_FORM)}
    names = list(dict.fromkeys(name for each in asked for name in groups.get(each, [each])))
    return names, {name: why for name, why in left_out.items() if name not in names}


def _all(X: Any, n_classes: int, separable: bool) -> tuple[list[str], dict[str, str]]:
    n, d = X.shape
    names = [name for name in KNOWN if name not in ("bernoulli-naive-bayes", "hard-margin")]
    left_out: dict[str, str] = {}
    if sparse.issparse(X):
        names, why = list(_SPARSE), "not for sparse rows with many columns"
    elif d > min(n, _MANY_COLUMNS):
        names, why = list(_WIDE), "not for more columns than rows"
    else:
        why = ""
    left_out |= {name: why for name in KNOWN if name not in names and name in TEXTS and why and name != "hard-margin"}
    if separable:
        names.append("hard-margin")
    else:
        left_out["hard-margin"] = "the classes overlap, so no plane has a margin"
    return names, left_out


def learners_of(names: Sequence[str], seed: int, ridge: float) -> dict[str, Any]:
    """The learners of these names, unfitted; a logistic regression's ridge is the one that rows were asked for."""
    made = {name: KNOWN[name](seed) for name in names}
    if "logistic-ridge" in made:
        made["logistic-ridge"].set_params(alpha=ridge)
    return made
