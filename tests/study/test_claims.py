"""What is claimed is about what is delivered: figures, verdicts, and what is set beside them."""

import csv
import io

import numpy as np
import pyarrow as pa
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import QuantileTransformer

from discriminant.comparison import compare
from discriminant.gain.matrix import Gain
from discriminant.learners.base import log_posteriors
from discriminant.learners.lda import LinearDiscriminantAnalysis
from discriminant.learners.logistic import LogisticRegression
from discriminant.study.claims import chosen_learner, claimed_accuracy, claimed_gain
from discriminant.study.design import design_of_table
from discriminant.study.held_out_rows import held_out_csv
from discriminant.study.run import run_of
from discriminant.study.study import study
from tests.study.test_study import ABOUT


def table_of(n=600, seed=0, share=0.5, slope=1.0, noise=3):
    random = np.random.default_rng(seed)
    x = random.standard_normal((n, 1 + noise))
    shift = np.log(share / (1 - share))
    label = np.where(slope * x[:, 0] + shift + random.logistic(size=n) > 0, "yes", "no")
    return pa.table({"useful": x[:, 0], **{f"noise {j}": x[:, 1 + j] for j in range(noise)}, "label": label})


@pytest.mark.parametrize("gain", [None, "tp=5,fn=-10,fp=-2,tn=1", "tp=5,fn=-10,fp=-2,tn=1,reject=0.5"])
def test_figures_are_those_of_the_rows_written_down(gain):
    found = study(design_of_table(table_of(), "label"), gain=gain, learners=["lda", "svm", "perceptron"])
    run = run_of(found, ABOUT)
    rows = list(csv.DictReader(io.StringIO(held_out_csv(found))))
    assert len(rows) == run["compared_rows"]
    figures = run["comparison"][0]["figures"]
    assert figures["accuracy"]["value"] == pytest.approx(np.mean([r["true"] == r["label"] for r in rows]))
    counts = np.array(run["confusion"]["counts"])
    for i, true in enumerate(["no", "yes"]):
        for j, label in enumerate(run["confusion"]["assigned"]):
            assert counts[i, j] == sum(r["true"] == true and r["label"] == label for r in rows)
    if gain:
        earned = (counts * np.array(run["gain"]["matrix"])).sum() / counts.sum()
        assert figures["gain"]["value"] == pytest.approx(earned)
        assert run["expected"]["value"] == pytest.approx(earned)
    sums = [float(r["P(no)"]) + float(r["P(yes)"]) for r in rows]
    np.testing.assert_allclose(sums, 1.0)


def test_figures_of_several_classes_are_those_of_the_rows_written_down():
    random = np.random.default_rng(2)
    codes = random.integers(0, 4, 400)
    x = random.standard_normal((400, 3)) + np.eye(4, 3)[codes] * 1.5
    table = pa.table({**{f"x{j}": x[:, j] for j in range(3)}, "label": np.array(list("abcd"))[codes]})
    found = study(design_of_table(table, "label"), learners=["naive-bayes", "svm"])
    rows = list(csv.DictReader(io.StringIO(held_out_csv(found))))
    run = run_of(found, ABOUT)
    assert run["expected"]["value"] == pytest.approx(np.mean([r["true"] == r["label"] for r in rows]))
    assert np.trace(run["confusion"]["counts"]) == sum(r["true"] == r["label"] for r in rows)


def test_a_rare_class_is_ranked_though_never_answered():
    found = study(design_of_table(table_of(3000, share=0.03, slope=1.2), "label"), learners=["lda", "logistic-ridge"])
    run = run_of(found, ABOUT)
    assert found.fitted.constant == 0
    assert found.fitted.ranks
    assert "The best answer is no for every row where all mistakes cost the same" in run["verdict"]
    assert "ranks rows better than chance" in run["verdict"]
    assert "--gain fn=-" in run["verdict"]
    decided = found.model.decide(found.design.X)
    assert decided.assigned.mean() < 0.01
    scores = decided.posteriors[:, 1]
    yes = found.design.question.codes == 1
    assert np.mean(scores[yes][:, None] > scores[~yes][None]) > 0.7
    # and the gain that it names changes the answer for some rows
    costs = run["verdict"].split("--gain ")[1].rstrip(".")
    other = study(design_of_table(table_of(3000, share=0.03, slope=1.2), "label"), gain=costs, learners=["lda"])
    assert other.model.decide(other.design.X).assigned.mean() > 0.001


def test_the_pocket_is_shown_and_not_chosen_unless_asked_for():
    found = study(design_of_table(table_of(), "label"), learners=["pocket", "naive-bayes"])
    assert found.best == "naive-bayes"
    entry = next(e for e in run_of(found, ABOUT)["comparison"] if e["name"] == "pocket")
    assert "order of the rows" in entry["not_offered"]
    assert study(design_of_table(table_of(), "label"), learners=["pocket"]).best == "pocket"


@pytest.mark.parametrize("seed", range(4))
def test_of_learners_that_earn_as_much_the_one_that_ranks_rows_best_is_chosen(seed):
    design = design_of_table(table_of(400, seed=seed, slope=3.0), "label")
    names = ["lda", "naive-bayes", "logistic-ridge", "perceptron", "svm"]
    gain = Gain(np.array([[1.0, -2.0], [-10.0, 5.0]]))
    judged = compare(design.X, design.question.codes, gain=gain, learners=names, random_state=0)
    earned = {name: gain.matrix[judged.codes, judged.decisions[name]] for name in names}
    most = max(names, key=lambda name: earned[name].mean())
    less = {name: earned[most] - earned[name] for name in names}
    as_much = [name for name in names if less[name].mean() <= 2 * less[name].std(ddof=1) / np.sqrt(400)]
    assert len(as_much) > 1
    assert chosen_learner(judged) == max(as_much, key=lambda name: judged.auc[name].value)


def test_a_learner_that_ranks_rows_clearly_better_is_chosen():
    random = np.random.default_rng(0)
    X = random.standard_normal((3000, 2))
    y = (X[:, 0] + random.logistic(size=3000) > 0).astype(int)
    X[:30, 0] = np.where(y[:30] == 1, -60.0, 60.0)  # which all rows hang on
    learners = {
        "logistic-ridge": LogisticRegression(alpha=1.0),
        "lda": make_pipeline(QuantileTransformer(n_quantiles=100), LinearDiscriminantAnalysis()),
    }
    judged = compare(X, y, gain=Gain.identity(2), learners=learners, random_state=0)
    assert judged.auc["lda"].low > judged.auc["logistic-ridge"].high
    assert chosen_learner(judged) == "lda"


def test_intervals_of_rules_that_depend_on_the_order_are_wider():
    table = table_of(400, slope=0.6)
    design = design_of_table(table, "label")
    names = ["lda", "pocket", "perceptron"]
    judged = compare(design.X, design.question.codes, gain=Gain.identity(2), learners=names, random_state=0)
    for name in names:
        claim = claimed_gain(judged, name, judged.decisions[name])
        assert claim.high - claim.low >= judged.gain[name].high - judged.gain[name].low - 1e-12
        share = claimed_accuracy(judged, name, judged.decisions[name])
        assert 0 <= share.low <= share.value <= share.high <= 1
        assert share.value == pytest.approx(claim.value)
    assert chosen_learner(judged) != "pocket"


@pytest.mark.parametrize("labels", [["no", "yes"], [0, 1]])
@pytest.mark.parametrize("gain", ["tp=5,fn=-15,fp=-4", "tp=5,fn=-15,fp=-4,reject=-1"])
def test_rules_by_mistakes_count_them_as_the_gain_does(labels, gain):
    table = table_of(300)
    answers = np.array(labels)[(np.array(table["label"]) == "yes").astype(int)]
    table = table.set_column(table.column_names.index("label"), "label", pa.array(answers))
    found = study(design_of_table(table, "label"), gain=gain, learners=["pocket", "perceptron", "lda"])
    assert not found.comparison.failures
    told = {name: learner.get_params() for name, learner in found.comparison.learners.items()}
    for name in ("pocket", "perceptron"):
        assert told[name]["class_weight"] == {str(labels[0]): 0.2, str(labels[1]): 1.0}
    assert told["lda"]["class_weight"] is None
    without = study(design_of_table(table, "label"), learners=["pocket"]).comparison.learners["pocket"]
    assert len(set((without.class_weight or {0: 1.0}).values())) == 1


def test_accuracy_of_a_rule_by_gain_reaches_the_share_that_the_delivered_threshold_gets_right():
    found = study(design_of_table(table_of(share=0.02), "label"), gain="tp=10,fn=-10,fp=-1", learners=["lda"])
    claim = run_of(found, ABOUT)["comparison"][0]["figures"]["accuracy"]
    delivered = np.mean(found.fitted.held_out_answers(found.gain) == found.comparison.codes)
    assert delivered != pytest.approx(claim["value"], abs=1e-3)
    assert claim["low"] <= delivered <= claim["high"]
    alone = claimed_accuracy(found.comparison, "lda", found.fitted.decided)
    assert claim["high"] - claim["low"] > alone.high - alone.low


def test_leaving_out_the_useful_column_costs_most():
    found = study(design_of_table(table_of(2000, slope=2.0), "label"), learners=["lda"])
    assert next(iter(found.importance)) == "useful"
    assert found.importance["useful"].low > 0.1
    assert abs(found.importance["noise 0"].value) < 0.02
    told = run_of(found, ABOUT)["importance"]["columns"]
    assert told[0]["column"] == "useful"


def test_boosted_trees_are_a_yardstick():
    random = np.random.default_rng(0)
    x = random.standard_normal((2000, 2))
    table = pa.table({"a": x[:, 0], "b": x[:, 1], "label": np.where(x[:, 0] * x[:, 1] > 0, "same", "other")})
    trees = run_of(study(design_of_table(table, "label"), learners=["lda"]), ABOUT)["trees"]
    assert trees["value"] > 0.9
    assert trees["difference"] > 0.3
    assert "better than this rule" in trees["sentence"]
    straight = run_of(study(design_of_table(table_of(2000), "label"), learners=["lda"]), ABOUT)["trees"]
    assert "better than this rule" not in straight["sentence"] or "no better" in straight["sentence"]


def test_losses_are_told_as_losses():
    run = run_of(study(design_of_table(table_of(), "label"), gain="tp=-1,fn=-10,fp=-5,tn=-1", learners=["lda"]), ABOUT)
    assert "loses" in run["verdict"]
    assert "-" not in run["verdict"].split("(95%")[0]


def test_probabilities_rank_where_every_row_is_answered_with_the_positive_class():
    found = study(design_of_table(table_of(3000, share=0.95, slope=0.8), "label"), learners=["lda"])
    assert found.fitted.constant == 1
    p = found.model.decide(found.design.X).posteriors[:, 1]
    yes = found.design.question.codes == 1
    assert p.mean() == pytest.approx(yes.mean(), abs=0.02)
    assert np.mean(p[yes][:, None] > p[~yes][None]) > 0.65


def test_large_scores_of_several_classes_become_probabilities():
    logs = log_posteriors(np.array([[1e16, 1e16, 0.0], [3e12, 3e12 + 1, -3e12]]))
    np.testing.assert_allclose(np.exp(logs).sum(axis=1), 1.0, rtol=1e-12)


def test_what_is_set_beside_the_chosen_rule_is_compared_with_its_own_answers():
    """Answers by probabilities may differ from those that learners were compared by."""
    random = np.random.default_rng(0)
    codes = np.repeat(np.arange(4), [80, 60, 40, 30])
    x = random.standard_normal((210, 3)) + 1.2 * np.eye(4, 3)[codes]
    table = pa.table({**{f"x{j}": x[:, j] for j in range(3)}, "label": np.array(list("abcd"))[codes]})
    found = study(design_of_table(table, "label"), learners=["svm", "pocket"])
    assert found.best == "svm"
    assert (found.comparison.decisions["svm"] != found.fitted.decided).any()
    told = run_of(found, ABOUT)
    right = told["expected"]["value"]
    assert told["trees"]["difference"] == pytest.approx(told["trees"]["value"] - right)
    other = told["comparison"][1]
    assert other["difference"]["value"] == pytest.approx(other["figures"]["accuracy"]["value"] - right)


def test_figures_of_drawn_rows_are_those_of_all_rows_though_rare_classes_are_drawn_whole():
    random = np.random.default_rng(0)
    x = random.standard_normal((12_000, 60))
    rare = x[:, 0] + random.logistic(size=12_000) > 6.1
    table = pa.table({**{f"x{j}": x[:, j] for j in range(60)}, "label": np.where(rare, "fraud", "ok")})
    found = study(design_of_table(table, "label", positive="fraud"), learners=["lda"], gain="tp=50,fn=-200,fp=-5")
    run = run_of(found, ABOUT)
    drawn = found.comparison.codes
    assert drawn.size < 9000
    assert drawn.mean() > 1.1 * rare.mean()
    shares = np.array(run["confusion"]["counts"]).sum(axis=1)
    assert shares[1] / shares.sum() == pytest.approx(rare.mean())
    assert run["baseline"]["value"] == pytest.approx(-200 * rare.mean())
    p = found.model.decide(found.design.X).posteriors[:, 1]
    assert p.mean() == pytest.approx(rare.mean(), rel=0.15)
    rows = list(csv.DictReader(io.StringIO(held_out_csv(found))))
    gains = {("fraud", "fraud"): 50, ("fraud", "ok"): -200, ("ok", "fraud"): -5, ("ok", "ok"): 0}
    earned = sum(float(r["weight"]) * gains[r["true"], r["label"]] for r in rows)
    assert run["expected"]["value"] == pytest.approx(earned / sum(float(r["weight"]) for r in rows))
