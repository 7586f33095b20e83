"""Who is compared: every learner that this many rows and columns allow, with the reason for those left out.

Learners are taken by name from `learners.registry`. Rows are standardised by the encoding, so that penalties and
perceptrons treat columns alike; sparse rows are taken as they are.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from scipy import sparse

from discriminant.gain.matrix import Gain
from discriminant.gain.rates import stakes_of
from discriminant.learners.registry import known_learners
from discriminant.table.encoding import Encoding, IndexedEncoding
from discriminant.table.errors import OptionError

_MANY_COLUMNS = 2000


def contenders(asked: Sequence[str], X: Any, separable: bool) -> tuple[list[str], dict[str, str]]:
    """(names to compare, {name: why it is left out}); ``asked`` has names and the groups "all" and "closed-form"."""
    known = known_learners()
    unknown = [name for name in asked if name not in known and name not in ("all", "closed-form")]
    if unknown:
        raise OptionError(
            f"--learner {unknown[0]!r} is not known", hint=f"known are all, closed-form, {', '.join(known)}"
        )
    if not asked:
        raise OptionError("--learner names none", hint=f"known are all, closed-form, {', '.join(known)}")
    every, left_out = _all_learners(X, separable) if "all" in asked else ([], {})
    groups = {"all": every, "closed-form": [name for name, entry in known.items() if entry.closed_form]}
    names = list(dict.fromkeys(name for each in asked for name in groups.get(each, [each])))
    return names, {name: why for name, why in left_out.items() if name not in names}


def have_ridge(asked: Sequence[str]) -> bool:
    """Whether some of the learners that are asked for take the ridge that suits the rows."""
    known = known_learners()
    return "all" in asked or any(known[name].ridge for name in asked if name in known)


def _all_learners(X: Any, separable: bool) -> tuple[list[str], dict[str, str]]:
    n, d = X.shape
    entries = [entry for entry in known_learners().values() if not entry.leaves_out]
    if sparse.issparse(X):
        able, why = {entry.name for entry in entries if entry.sparse}, "not for sparse rows with many columns"
    elif d > min(n, _MANY_COLUMNS):
        able, why = {entry.name for entry in entries if entry.wide}, "not for more columns than rows"
    else:
        able, why = {entry.name for entry in entries if entry.needs != "binary"}, ""
    usual = [entry.name for entry in entries if entry.needs != "separable"]
    of_separable = [entry.name for entry in entries if entry.needs == "separable"]
    names = [name for name in usual if name in able] + (of_separable if separable else [])
    left_out = {name: why for name in usual if why and name not in able}
    overlap = "the classes overlap, so no plane has a margin"
    return names, left_out | {name: overlap for name in of_separable if not separable}


def learners_of(
    names: Sequence[str], seed: int, ridge: float, signs: Mapping[int, int], groups: Sequence[Sequence[int]] = ()
) -> dict[str, Any]:
    """The learners of these names, unfitted; those with a ridge get the one that rows were asked for.

    ``signs`` are those that weights are held to, by the places of their features; ``groups`` the features of each
    column, which those that leave columns out leave out together.
    """
    held = {"monotone": dict(signs)} if signs else {}
    together = [group for group in groups if not any(j in signs for j in group)]
    made = {}
    for entry in (known_learners()[name] for name in names):
        own = {entry.ridge: ridge} if entry.ridge else {}
        made[entry.name] = entry.make(seed).set_params(
            **own, **held, **({"column_groups": together or None} if entry.leaves_out else {})
        )
    return made


def weigh_mistakes(learners: Mapping[str, Any], classes: Sequence[Any], gain: Gain) -> None:
    """Let learners that count mistakes count them as the gain does: of two classes, by what either mistake costs.

    A rare class that costs much would hardly count otherwise: a few mistakes in it are worth less than the many false
    alarms of a plane that ranks rows well.
    """
    if len(classes) != 2 or not (stakes := stakes_of(gain.matrix)).min() > 0:
        return
    costs = dict(zip(classes, (stakes / stakes.max()).tolist(), strict=True))
    for name, learner in learners.items():
        if known_learners()[name].counts_mistakes:
            learner.set_params(class_weight=costs)


def features_by_column(encoding: Encoding | IndexedEncoding) -> list[list[int]]:
    """The places of the features of each column that has several, such as the indicators of a category."""
    if not isinstance(encoding, Encoding):
        return []
    return [list(range(start, stop)) for _, start, stop in encoding.places() if stop - start > 1]
