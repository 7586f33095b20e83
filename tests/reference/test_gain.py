"""Gains against the lecture notes' worked table, and against money counted on real customers."""

import gzip
import json

import numpy as np
import pandas as pd
import pytest

from discriminant import Gain, best_threshold, expected_gain, operating_curve
from discriminant.gain import joint_table
from discriminant.statistics.cuts import best_cut

GAIN, PRIORS = [[2, -3], [-4, 4]], [0.6, 0.4]
# P_F, P_M, E; the notes print .399 at P_F = .5, where their own worked table gives .393
ROWS = [
    (0.0, 1.0, -0.200),
    (0.1, 0.790, 0.110),
    (0.2, 0.619, 0.303),
    (0.3, 0.478, 0.406),
    (0.4, 0.363, 0.431),
    (0.5, 0.269, 0.393),
    (0.6, 0.192, 0.304),
    (0.7, 0.129, 0.173),
    (0.8, 0.077, 0.009),
    (0.9, 0.035, -0.185),
    (1.0, 0.0, -0.400),
]


@pytest.mark.parametrize(("false_alarm", "misdetect", "expected"), ROWS)
def test_gain_table_of_the_notes(false_alarm, misdetect, expected):
    assert abs(float(expected_gain((misdetect, false_alarm), GAIN, PRIORS)) - expected) < 0.0005 + 1e-9
    joint = joint_table(misdetect, false_alarm, PRIORS)
    assert (joint * GAIN).sum() == pytest.approx(float(expected_gain((misdetect, false_alarm), GAIN, PRIORS)))


def test_joint_table_of_the_notes():
    np.testing.assert_allclose(joint_table(0.269, 0.5, PRIORS), [[0.4386, 0.1614], [0.2, 0.2]])
    swapped = joint_table(0.269, 0.5, PRIORS[::-1], positive=1)
    np.testing.assert_allclose(swapped, [[0.2, 0.2], [0.1614, 0.4386]])


@pytest.mark.parametrize("positive", ["c1", "c2"])
def test_the_notes_as_a_curve_of_rows(positive):
    """Rows that have exactly these rates: the best threshold is the row of .431, whichever class comes first."""
    c1 = np.repeat(np.arange(10, -1, -1), np.diff(np.r_[[0], [round(1000 * (1 - m)) for _, m, _ in ROWS]]))
    c2 = np.repeat(np.arange(10, -1, -1), np.diff(np.r_[[0], [round(1000 * f) for f, _, _ in ROWS]]))
    other = "c2" if positive == "c1" else "c1"
    y, score = np.repeat([positive, other], [c1.size, c2.size]), np.r_[c1, c2].astype(float)
    curve = operating_curve(y, score, positive=positive)
    gain = Gain(GAIN, classes=[positive, other])
    priors = {positive: 0.6, other: 0.4}
    gains = expected_gain(curve, gain, priors)
    np.testing.assert_allclose(gains, [e for _, _, e in ROWS], atol=0.0005 + 1e-9)
    best = best_threshold(curve, gain=gain, priors=priors)
    assert (best.misdetect, best.false_alarm) == pytest.approx((0.363, 0.4))
    assert round(best.expected_gain, 3) == 0.431
    at_half = curve.joint(curve.thresholds[5], priors)
    expected = np.array([[0.4386, 0.1614], [0.2, 0.2]])
    np.testing.assert_allclose(at_half, expected if positive == "c1" else expected[::-1, ::-1], atol=1e-12)


def test_rates_need_priors_and_a_pair():
    arrays = expected_gain(([0.363, 0.269], [0.4, 0.5]), GAIN, PRIORS)
    np.testing.assert_allclose(arrays, [0.431, 0.393], atol=0.0005)
    named = Gain(GAIN, classes=["c1", "c2"])
    assert expected_gain((0.363, 0.4), named, {"c2": 0.4, "c1": 0.6}, positive="c1") == pytest.approx(arrays[0])
    with pytest.raises(ValueError, match="give priors="):
        expected_gain((0.1, 0.2), GAIN)
    with pytest.raises(TypeError, match="OperatingCurve"):
        expected_gain(0.1, GAIN, PRIORS)
    with pytest.raises(ValueError, match="misdetect must lie between"):
        expected_gain((1.1, 0.2), GAIN, PRIORS)
    with pytest.raises(ValueError, match="knows its positive class"):
        expected_gain(operating_curve([0, 1], [0, 1]), GAIN, positive=0)


# --- customers with money -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def churn(shared):
    with gzip.open(shared / "churn_tv" / "churn_tv.csv.gz", "rt") as file:
        table = pd.read_csv(file)
    told = json.loads((shared / "reference" / "churn_tv_costs.json").read_text())
    logistic = told["logistic"]
    score = table[[f"x{j}" for j in range(1, 47)]].to_numpy() @ np.array(logistic["w"]) + logistic["b"]
    columns = {(1, 1): "C_TP", (1, 0): "C_FN", (0, 1): "C_FP", (0, 0): "C_TN"}
    gain = Gain.by_row(columns, classes=[0, 1], costs=True).for_table(table)
    return table["target"].to_numpy().astype(int), score, gain, told


def test_cost_of_simple_rules(churn):
    y, _, gain, told = churn
    for assigned, name in ((np.zeros_like(y), "all_negative"), (np.ones_like(y), "all_positive"), (y, "perfect")):
        assert -gain.realised(y, assigned).sum() == pytest.approx(told[f"cost_{name}"], rel=1e-9)


def test_minimum_risk_by_row(churn):
    y, score, gain, told = churn
    p = 1 / (1 + np.exp(-score))
    assigned = gain.decide(np.column_stack([1 - p, p]))
    expected = told["logistic"]["bayes_minimum_risk"]
    assert -gain.realised(y, assigned).sum() == pytest.approx(expected["cost"], rel=1e-9)
    assert (int(assigned.sum()), int(assigned[y == 1].sum())) == (expected["n_positive"], expected["tp"])


def test_best_single_threshold(churn):
    y, score, gain, told = churn
    rows = np.arange(y.size)
    benefit = gain.matrix[rows, y, 1] - gain.matrix[rows, y, 0]
    expected = told["logistic"]["best_single_threshold"]
    assigned = (score > best_cut(score, benefit)).astype(int)
    assert -gain.realised(y, assigned).sum() == pytest.approx(expected["cost"], rel=1e-9)
    assert operating_curve(y, score).auc == pytest.approx(told["logistic"]["auc"], rel=1e-9)
    # the same cut by weighing each row with its stake
    stake = np.abs(benefit)
    found = best_threshold(y, score, stake, gain=[[0, -1], [0, 1]])
    assert (benefit[y == 1] > 0).all()
    assert found.decide(score).sum() == y.size - expected["n_negative"]
