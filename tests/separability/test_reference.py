"""The stored verdicts of linear programs on real tables, each now with its proof."""

import pytest

from discriminant import separate
from tests.separability.tables_of_reference import TABLES

KINDS = {"separable": "complete", "quasi-separable": "quasi", "overlapping": "none"}
WITH_MARGIN = [name for name in TABLES if name.startswith(("iris_setosa", "sonar", "wdbc", "colon"))]


def test_every_stored_set_is_read(oracle):
    assert set(oracle("separability")) == set(TABLES)


@pytest.mark.parametrize("name", TABLES)
def test_stored_verdicts(oracle, shared, name):
    stored = oracle("separability")[name]
    X, positive = TABLES[name](shared)
    assert X.shape == (stored["n"], stored["d"])
    assert positive.sum() == stored["n_positive"]
    found = separate(X, positive)
    assert found.kind == KINDS[stored["status"]]
    assert found.verify(X, positive, tolerance=0)
    if found.kind != "complete":
        assert found.certificate.residual == 0


@pytest.mark.parametrize("name", WITH_MARGIN)
def test_stored_margins(oracle, shared, name):
    stored = oracle("separability")[name]
    X, positive = TABLES[name](shared)
    found = separate(X, positive, margin=True)
    assert found.margin == pytest.approx(stored["max_geometric_margin_unscaled"], rel=1e-6)
    assert found.verify(X, positive)
