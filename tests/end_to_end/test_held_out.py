"""``fit --held-out FILE``: the rows that learners were compared on, from which the claims can be computed again."""

import numpy as np
import pandas as pd
import pytest

from tests.end_to_end import oracle
from tests.end_to_end.cases import EVERY, by_name
from tests.end_to_end.conftest import held_out_option

pytestmark = pytest.mark.skipif(not held_out_option(), reason="this version has no fit --held-out")


def read(found):
    return pd.read_csv(found.folder / "held-out.csv", dtype={"true": str, "label": str}, keep_default_na=False)


@pytest.mark.parametrize("case", by_name(EVERY))
def test_rows_are_those_of_the_table(fitted, case):
    found = fitted(case)
    rows, true = read(found), found.true("train")
    assert rows["row"].is_unique
    assert rows["row"].between(1, len(true)).all()
    assert len(rows) == found.run.get("compared_rows", len(true))
    assert (rows["true"] == true[rows["row"] - 1]).all()
    assert rows["fold"].nunique() >= 2
    assert set(rows["label"]) <= set(found.classes)


@pytest.mark.parametrize("case", by_name(EVERY))
def test_figures_of_the_winner_follow_from_them(fitted, case):
    found = fitted(case)
    rows = read(found)
    weight = found.table("train")[case.weight].to_numpy(float)[rows["row"] - 1] if case.weight else None
    true, label = rows["true"].to_numpy(object), rows["label"].to_numpy(object)
    figures = found.best["figures"]
    accuracy = np.average(true == label, weights=weight)
    assert figures["accuracy"]["value"] == pytest.approx(accuracy, abs=1e-12)
    gain = np.average(oracle.gain_of(case, true, label), weights=weight)
    if case.gain:
        assert figures["gain"]["value"] == pytest.approx(gain, rel=1e-12, abs=1e-12)
    assert found.run["expected"]["value"] == pytest.approx(gain, rel=1e-12, abs=1e-12)
    answers = [str(a) for a in found.run["confusion"]["assigned"]]
    counted = oracle.confusion_of(true, label, found.classes, answers, weight)
    np.testing.assert_allclose(found.run["confusion"]["counts"], counted, rtol=1e-12)


@pytest.mark.parametrize("case", [c for c in by_name(EVERY) if c.values[0].positive])
def test_probabilities_of_rows_not_seen_are_probabilities(fitted, case):
    found = fitted(case)
    rows = read(found)
    probability = rows[f"P({case.positive})"].astype(float)
    assert probability.between(0, 1).all()
    assert np.isfinite(rows["score"].astype(float)).all()


@pytest.mark.parametrize("case", [c for c in by_name(EVERY) if not c.values[0].positive])
def test_probabilities_of_many_classes_add_up(fitted, case):
    found = fitted(case)
    rows = read(found)
    np.testing.assert_allclose(rows[[f"P({name})" for name in found.classes]].astype(float).sum(axis=1), 1, atol=1e-9)
