"""What ``predict`` and ``evaluate`` say of a table, computed again from the rows themselves."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score, roc_auc_score

from tests.end_to_end import oracle
from tests.end_to_end.cases import EVERY, by_name

PARTS = ("train", "fresh")
TWO = [case for case in by_name(EVERY) if case.values[0].positive]


@pytest.mark.parametrize("case", by_name(EVERY))
def test_nothing_is_said_on_standard_error(fitted, case):
    assert fitted(case).outcome.complaints == ""


@pytest.mark.parametrize("case", TWO)
def test_the_positive_class_is_the_one_asked_for_or_the_second_in_order(fitted, case):
    run = fitted(case).run
    assert str(run["data"]["positive"]) == case.positive
    assert str(run["data"]["classes"][1]["label"]) == case.positive


@pytest.mark.parametrize("case", by_name(EVERY))
def test_classes_are_counted_right(fitted, case):
    found = fitted(case)
    true = found.true("train")
    assert {str(c["label"]): c["rows"] for c in found.run["data"]["classes"]} == dict(pd.Series(true).value_counts())


@pytest.mark.parametrize("case", by_name(EVERY))
@pytest.mark.parametrize("part", PARTS)
def test_every_row_is_answered_once_with_a_class(fitted, case, part):
    found = fitted(case)
    answers = found.answers(part)
    assert len(answers.label) == len(found.true(part))
    assert set(answers.label) <= set(found.classes)
    assert (np.diff(answers.row) == 1).all()
    assert np.isfinite(answers.score).all()


@pytest.mark.parametrize("case", by_name(EVERY))
def test_labels_are_spelt_as_in_the_table(fitted, case):
    found = fitted(case)
    assert set(found.table_of_answers("fresh")["label"]) <= set(found.true("train"))


@pytest.mark.parametrize("case", TWO)
def test_label_score_probability_and_distance_of_two_classes_are_of_one_rule(fitted, case):
    answers = fitted(case).answers("fresh")
    probability = answers.probability[case.positive]
    assert ((answers.label == case.positive) == (answers.score > 0)).all()
    assert ((probability >= 0) & (probability <= 1)).all()
    order = np.argsort(answers.score, kind="stable")
    assert (np.diff(probability[order]) >= -1e-12).all(), "a larger score must not be less probable"
    far = (np.abs(answers.score) > 1e-9 * np.abs(answers.score).max()) & np.isfinite(answers.distance)
    if far.any():
        ratio = np.abs(answers.distance[far] / answers.score[far])
        np.testing.assert_allclose(ratio, ratio[0], rtol=1e-6)


@pytest.mark.parametrize("case", [c for c in by_name(EVERY) if not c.values[0].positive])
def test_probabilities_of_many_classes_add_up_and_the_answer_earns_most_by_them(fitted, case):
    answers = fitted(case).answers("fresh")
    assert set(answers.probability) == set(fitted(case).classes)
    np.testing.assert_allclose(sum(answers.probability.values()), 1, atol=1e-9)
    gains = oracle.expected_gains(case, answers.probability)
    best = np.max(list(gains.values()), axis=0)
    np.testing.assert_allclose([gains[a][i] for i, a in enumerate(answers.label)], best, atol=1e-9)


@pytest.mark.parametrize("case", by_name(EVERY))
def test_expected_gain_is_that_of_the_answer_by_the_probabilities(fitted, case):
    answers = fitted(case).answers("fresh")
    gains = oracle.expected_gains(case, answers.probability)
    told = np.array([gains[a][i] for i, a in enumerate(answers.label)])
    np.testing.assert_allclose(answers.expected_gain, told, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("case", TWO)
def test_the_answer_is_seldom_the_one_that_earns_less_by_its_own_probability(fitted, case):
    """Threshold and probability are estimated apart, so that they may differ, but only near the threshold."""
    answers = fitted(case).answers("fresh")
    gains = oracle.expected_gains(case, answers.probability)
    told = np.array([gains[a][i] for i, a in enumerate(answers.label)])
    best = np.max(list(gains.values()), axis=0)
    spread = max(case.gain.values(), default=1) - min(case.gain.values(), default=0)
    assert np.mean(best - told) < 0.01 * spread
    assert np.mean(best - told > 0.05 * spread) < 0.05


@pytest.mark.parametrize("case", by_name(EVERY))
@pytest.mark.parametrize("part", PARTS)
def test_evaluate_says_what_the_answers_say(fitted, case, part):
    found = fitted(case)
    true, answers, told = found.true(part), found.answers(part), found.evaluation(part)
    weight = found.table(part)[case.weight].to_numpy(float) if case.weight and "weight" in told else None
    assert told["rows"] == len(true)
    assert told["accuracy"]["value"] == pytest.approx(accuracy_score(true, answers.label, sample_weight=weight))
    earned = oracle.gain_of(case, true, answers.label)
    assert told["gain"]["value"] == pytest.approx(np.average(earned, weights=weight))
    counted = oracle.confusion_of(true, answers.label, found.classes, [str(a) for a in told["answers"]], weight)
    assert told["confusion"] == counted
    loss = np.average(oracle.log_loss_of(true, answers.probability), weights=weight)
    assert told["log_loss"]["value"] == pytest.approx(loss, rel=1e-6, abs=1e-12)
    if case.positive:
        assert told["auc"]["value"] == pytest.approx(oracle.auc_of(case, true, answers, weight), abs=1e-9)


@pytest.mark.parametrize("case", by_name(EVERY))
@pytest.mark.parametrize("part", PARTS)
def test_intervals_of_evaluate_hold_their_value_and_stay_possible(fitted, case, part):
    told = fitted(case).evaluation(part)
    bounds = {"accuracy": (0, 1), "auc": (0, 1), "log_loss": (0, np.inf)}
    bounds["gain"] = (min(case.gain.values(), default=0), max(case.gain.values(), default=1))
    for name, (least, most) in bounds.items():
        low, value, high = (told[name][key] for key in ("low", "value", "high"))
        assert least - 1e-12 <= low <= value + 1e-12, (name, low, value, high)
        assert value - 1e-12 <= high <= most + 1e-12, (name, low, value, high)


@pytest.mark.parametrize("case", [c for c in by_name(EVERY) if not c.values[0].positive])
def test_auc_of_many_classes_is_a_mean_over_pairs_or_one_against_the_rest(fitted, case):
    """Any of scikit-learn's four averages is fine, as long as it is one of them."""
    found = fitted(case)
    true, answers = found.true("fresh"), found.answers("fresh")
    names = sorted(found.classes)
    table = np.column_stack([answers.probability[name] for name in names])
    table /= table.sum(axis=1, keepdims=True)
    ways = [(how, mean) for how in ("ovr", "ovo") for mean in ("macro", "weighted")]
    known = [roc_auc_score(true.astype(str), table, multi_class=how, average=mean, labels=names) for how, mean in ways]
    assert min(abs(found.evaluation("fresh")["auc"]["value"] - k) for k in known) < 2e-3
