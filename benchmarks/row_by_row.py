"""Contests of the learners that take rows one after another: a given number of epochs, the same for everyone.

Classes overlap in all of them, so that nobody is done before the last epoch.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import Perceptron as SklearnPerceptron
from sklearn.linear_model import SGDClassifier

from benchmarks import data
from benchmarks.contest import OURS, Bar, Contender, Contest, Faster
from benchmarks.data import Shape
from benchmarks.plain import PlainPocket
from discriminant import Adaline, Perceptron, PocketPerceptron

_EPOCHS = 5
_STEP = 1e-3
_RATCHET = f"{OURS}, ratchet"
_PLAIN = "plain NumPy"

Make = Callable[[Shape], tuple[Any, NDArray[Any]]]


def _perceptron(shape: Shape, make: Make, least: float | None = None, *, in_order: bool = False) -> Contest:
    """Each with its own way of shuffling, or none."""
    shuffle = not in_order
    models = {
        OURS: partial(Perceptron, max_iter=_EPOCHS, shuffle=shuffle),
        "sklearn Perceptron": partial(SklearnPerceptron, max_iter=_EPOCHS, tol=None, shuffle=shuffle),
    }
    title = "perceptron" if shape.entries is None else "perceptron, CSR"
    title += ", rows in order" if in_order else ""
    return Contest("perceptron", title, shape, partial(_equal_epochs, models, make), _sklearn(least))


def _adaline(shape: Shape, least: float) -> Contest:
    """The same constant step."""
    models = {
        OURS: partial(Adaline, eta=_STEP, schedule="constant", max_iter=_EPOCHS, tol=0),
        "sklearn SGDClassifier": partial(
            SGDClassifier,
            loss="squared_error",
            penalty=None,
            learning_rate="constant",
            eta0=_STEP,
            max_iter=_EPOCHS,
            tol=None,
        ),
    }
    return Contest("adaline", "Adaline", shape, partial(_equal_epochs, models, data.gaussian), _sklearn(least))


def _equal_epochs(models: Mapping[str, Callable[[], Any]], make: Make, shape: Shape) -> Sequence[Contender]:
    X, y = make(shape)
    return [_of_epochs(name, model(), X, y) for name, model in models.items()]


def _of_epochs(name: str, model: Any, X: Any, y: NDArray[Any]) -> Contender:
    """A fit that takes the epochs it should, as one untimed fit shows."""
    model.fit(X, y)
    assert model.n_iter_ == _EPOCHS, f"{name} took {model.n_iter_} epochs, not {_EPOCHS}"
    return Contender(name, {"fit": lambda: model.fit(X, y)})


def _pocket(error: float, bars: tuple[Bar, ...] = ()) -> Contest:
    """The rule as it is written and Gallant's short cut, against the rule in NumPy."""
    title = f"pocket, Bayes error {100 * error:g}%"
    return Contest("pocket", title, Shape(2 * 10**4, 20), partial(_pockets, error), bars)


def _pockets(error: float, shape: Shape) -> Sequence[Contender]:
    X, y = data.overlapping(shape, error)
    faithful = PocketPerceptron(max_iter=_EPOCHS, shuffle=False)
    ratchet = PocketPerceptron(max_iter=_EPOCHS, shuffle=False, ratchet=True)
    plain = PlainPocket(_EPOCHS)
    entries = [_of_epochs(OURS, faithful, X, y), _of_epochs(_RATCHET, ratchet, X, y), _of_epochs(_PLAIN, plain, X, y)]
    _refuse_difference(faithful, plain)
    return [*entries[:-1], Contender(_PLAIN, entries[-1].stages, repeats=2)]


def _refuse_difference(ours: PocketPerceptron, plain: PlainPocket) -> None:
    """Whoever is quicker must still have found the same."""
    assert ours.pocket_errors_ == plain.errors, f"{ours.pocket_errors_} errors, not {plain.errors}"
    assert np.allclose(np.append(ours.coef_, ours.intercept_), plain.w, rtol=1e-9), "other weights in the pocket"


def _sklearn(least: float | None) -> tuple[Bar, ...]:
    return () if least is None else (Faster(least, "sklearn", "sklearn"),)


_DENSE = Shape(10**6, 20)
_CSR = Shape(2 * 10**5, 5 * 10**4, entries=50)

CONTESTS = (
    _perceptron(_DENSE, data.gaussian, 5),
    _perceptron(_DENSE, data.gaussian, in_order=True),
    _perceptron(_CSR, data.sparse_rows, 3),
    _perceptron(_CSR, data.sparse_rows, in_order=True),
    _adaline(_DENSE, 5),
    _pocket(0.10, (Faster(20, _PLAIN, "every update"), Faster(200, _PLAIN, "ratchet", ours=_RATCHET))),
    _pocket(0.35),
)
