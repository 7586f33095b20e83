"""A rows source names its classes in an order of its own; what learners say must not depend on how names sort."""

import numpy as np
import pytest

from discriminant import compare
from discriminant.learners.registry import known_learners
from discriminant.rows import ArrayRows

CODES = np.random.default_rng(0).integers(0, 3, 240).astype(np.int32)
X = np.random.default_rng(1).standard_normal((240, 4)) + CODES[:, None] * [1.0, -0.6, 0.3, 0.0]


def rows_named(names: list[str]) -> ArrayRows:
    inside = np.flatnonzero(len(names) > CODES)
    table = (X > 0.3).astype(float) if names[0] in ("p", "q") else X
    return ArrayRows(table[inside], np.array(names), CODES[inside])


@pytest.mark.parametrize("name", [n for n in known_learners() if n != "hard-margin"])
@pytest.mark.parametrize("names", [["O", "B"], ["c", "a", "b"]], ids=["two", "three"])
def test_folds(name, names):
    folds = np.arange((len(names) > CODES).sum()) % 5
    given = compare(rows_named(names), learners=[name], cv=folds, random_state=0).outcomes[name]
    in_order = compare(rows_named(sorted(names)), learners=[name], cv=folds, random_state=0).outcomes[name]
    np.testing.assert_allclose(given.scores, in_order.scores, atol=1e-9)
    assert (given.assigned == in_order.assigned).all()


@pytest.mark.parametrize("name", [n for n in known_learners() if n != "hard-margin"])
@pytest.mark.parametrize("names", [["O", "B"], ["c", "a", "b"]], ids=["two", "three"])
def test_fit(name, names):
    given = known_learners()[name].make(0).fit(rows_named(names))
    in_order = known_learners()[name].make(0).fit(rows_named(sorted(names)))
    np.testing.assert_allclose(given.coef_, in_order.coef_, atol=1e-9)
    assert given.classes_.tolist() == names
