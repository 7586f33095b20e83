"""Findings: typed, printable, each with the fact, the evidence and the remedy; doubtful ones warn."""

import dataclasses
import warnings

import numpy as np
import pandas as pd
import pytest

from discriminant import (
    Finding,
    FindingWarning,
    FisherDiscriminant,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    findings,
)
from tests.tables import gaussian_table


def found(model, kind):
    """The one finding of a kind."""
    (only,) = (f for f in model.findings_ if isinstance(f, kind))
    return only


def frame(seed=0, **extra):
    X, y = gaussian_table(seed)
    table = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    return table.assign(**{name: make(table) for name, make in extra.items()}), y


def test_every_kind_is_printable_and_frozen():
    kinds = [k for k in vars(findings).values() if isinstance(k, type) and issubclass(k, Finding)]
    assert len(kinds) > 10
    for kind in kinds:
        finding = kind("The fact", "The evidence", "The remedy")
        assert str(finding) == "The fact. The evidence. The remedy."
        assert isinstance(kind.doubtful, bool)
        with pytest.raises(dataclasses.FrozenInstanceError):
            finding.fact = "another"


@pytest.mark.parametrize(
    "model", [LinearDiscriminantAnalysis(), FisherDiscriminant(), LeastSquaresClassifier()], ids=str
)
def test_clean_data_has_no_findings(model):
    X, y = frame()
    assert model.fit(X, y).findings_ == ()


@pytest.mark.parametrize("model", [LinearDiscriminantAnalysis(), LeastSquaresClassifier()], ids=str)
@pytest.mark.parametrize("value", [0.0, 0.1, 1e8])
def test_constant_column(model, value):
    X, y = frame(flat=lambda t: value)
    finding = found(model.fit(X, y), findings.ConstantColumn)
    assert finding.columns == ("flat",)
    assert "same in every row" in str(finding)
    clean = type(model)().fit(X.drop(columns="flat"), y)
    np.testing.assert_allclose(model.decision_function(X), clean.decision_function(X.drop(columns="flat")), rtol=1e-6)


@pytest.mark.parametrize("offset", [0.0, 1e6])
def test_singular_covariance_names_the_columns(offset):
    X, y = frame(total=lambda t: t.a - 3 * t.c + offset)
    model = LinearDiscriminantAnalysis().fit(X, y)
    finding = found(model, findings.SingularCovariance)
    assert finding.columns == ("a", "c", "total")
    assert finding.relations == ("total = 1·(a) -3·(c) + constant",)
    assert not any(isinstance(f, findings.SeparatedInNullSpace) for f in model.findings_)
    clean = LinearDiscriminantAnalysis().fit(X.drop(columns="total"), y)
    np.testing.assert_allclose(
        model.decision_function(X), clean.decision_function(X.drop(columns="total")), rtol=1e-6, atol=1e-6
    )


def test_two_dependencies_are_told_apart():
    X, y = frame(twice=lambda t: 2 * t.a, sum=lambda t: t.b + t.c)
    finding = found(LinearDiscriminantAnalysis().fit(X, y), findings.SingularCovariance)
    assert set(finding.columns) == {"a", "b", "c", "twice", "sum"}
    assert set(finding.relations) == {"twice = 2·(a) + constant", "sum = 1·(b) +1·(c) + constant"}


def test_a_column_that_gives_the_class_away():
    X, y = frame()
    X["leak"] = np.where(y == 1, 7.0, 3.0)
    model = LinearDiscriminantAnalysis().fit(X, y)
    finding = found(model, findings.SeparatedInNullSpace)
    assert finding.columns == ("leak",)
    assert finding.classes == ("0", "1")
    assert model.score(X, y) == 1.0


def test_class_of_one_row():
    X, y = frame()
    labels = np.where(np.arange(len(y)) == 5, "odd", y.astype(str))
    finding = found(LinearDiscriminantAnalysis().fit(X, labels), findings.OneRowClass)
    assert finding.classes == ("odd",)


def test_too_few_rows_warn_and_shrinkage_helps():
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((12, 12)), np.arange(12) % 2
    with pytest.warns(FindingWarning, match="too few rows"):
        model = LinearDiscriminantAnalysis().fit(X, y)
    assert found(model, findings.MoreColumnsThanRows).doubtful
    assert not LinearDiscriminantAnalysis(shrinkage="auto").fit(X, y).findings_


def test_warnings_point_at_the_caller():
    rng = np.random.default_rng(0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        LinearDiscriminantAnalysis().fit(rng.standard_normal((12, 12)), np.arange(12) % 2)
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    "model", [LinearDiscriminantAnalysis(shrinkage=0.1), LeastSquaresClassifier(alpha=1.0)], ids=str
)
def test_unequal_scales_matter_where_a_penalty_sees_them(model):
    X, y = frame(huge=lambda t: 1e7 * t.a + t.b)
    with pytest.warns(FindingWarning, match="different scales"):
        model.fit(X, y)
    assert found(model, findings.UnequalScales).columns[1] == "huge"
    X, y = frame(large=lambda t: 10 * t.a + t.b**2)
    assert not type(model)(**model.get_params()).fit(X, y).findings_


def test_nearly_dependent_columns():
    """Seen through squares alone, a spread of 1e-6 beside 1 costs twelve digits; the rows themselves know better."""
    X, y = gaussian_table(1, n=300)
    near = X[:, 0] + 2e-6 * np.random.default_rng(0).standard_normal(len(X))
    table = np.column_stack([X, near])
    assert found(LinearDiscriminantAnalysis().partial_fit(table, y), findings.IllConditioned).doubtful
    assert LinearDiscriminantAnalysis().fit(table, y).findings_ == ()


def test_float32():
    X, y = gaussian_table(2)
    huge = X.copy()
    huge[:, 1] *= 1e20
    finding = found(LinearDiscriminantAnalysis().fit(huge.astype(np.float32), y), findings.Float32Range)
    assert finding.columns == ("column 1",)
    assert "overflow" in finding.fact
    far = X.copy()
    far[:, 2] += 1e6
    finding = found(LinearDiscriminantAnalysis().fit(far.astype(np.float32), y), findings.Float32Range)
    assert finding.columns == ("column 2",)
    assert LinearDiscriminantAnalysis().fit(far, y).findings_ == ()


def test_partial_fit_keeps_findings_without_warning():
    model = LinearDiscriminantAnalysis().partial_fit(np.random.default_rng(0).standard_normal((6, 6)), [0, 1] * 3)
    assert found(model, findings.MoreColumnsThanRows)
