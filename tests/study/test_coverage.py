"""Claims made on one half of a real table, against what the delivered model earns on the other.

Both halves are noisy: a claim of 95% and a result of 95% disagree, beyond √(reach² + reach′²), in about one case of 20.
"""

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from sklearn.base import clone

from discriminant.comparison.inference import RowWeights, mean_estimate
from discriminant.study.claims import claimed_gain
from discriminant.study.design import design_of_table
from discriminant.study.rule import fit_rule
from discriminant.study.study import study

GAIN = "tp=5,fn=-10,fp=-2,tn=1"
TABLES = {
    "pima": ("pima/pima.csv", "diabetes", "pos"),
    "german": ("german_credit/german_symbolic.csv", "class", "2"),
    "wdbc": ("breast_cancer/wdbc.csv", "diagnosis", "malignant"),
    "synth": ("synth/synth_tr.csv", "yc", "1"),
}
LEARNERS = ("fisher", "lda", "lda-shrinkage", "least-squares", "naive-bayes", "logistic-ridge", "svm", "perceptron",
            "pocket", "adaline")  # fmt: skip
HALVES = 50


def halves(shared, name):
    file, target, positive = TABLES[name]
    table = pyarrow.csv.read_csv(shared / file)
    for seed in range(HALVES):
        order = np.random.default_rng(seed).permutation(table.num_rows)
        half = table.num_rows // 2
        yield table.take(pa.array(order[:half])), table.take(pa.array(order[half:])), target, positive


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
@pytest.mark.filterwarnings("ignore")
def test_claims_hold_on_the_other_half(shared, name):
    inside = {learner: [] for learner in (*LEARNERS, "the chosen one")}
    for ours, theirs, target, positive in halves(shared, name):
        design = design_of_table(ours, target, positive=positive, forms="auto", least_rows=2)
        found = study(design, gain=GAIN, learners=LEARNERS)
        labels = np.array([str(c) for c in theirs.column(target).to_pylist()])
        codes = (labels == str(design.question.classes[1])).astype(int)
        X = design.encoding.encode(theirs).matrix
        for learner in inside:
            own = found.best if learner == "the chosen one" else learner
            fitted = found.fitted
            if own != found.best:
                refitted = clone(found.comparison.learners[own]).fit(design.rows)
                fitted = fit_rule(found.comparison, own, refitted, design.X, found.gain)
            claim = claimed_gain(found.comparison, own, fitted.decided)
            answers = ((X @ fitted.weights.T - fitted.thresholds)[:, 0] > 0).astype(int)
            result = mean_estimate(found.gain.matrix[codes, answers], RowWeights(None))
            reach = np.hypot((claim.high - claim.low) / 2, (result.high - result.low) / 2)
            inside[learner].append(abs(claim.value - result.value) <= reach)
    for learner, held in inside.items():
        # 95% of 50, less three standard errors
        assert np.mean(held) >= 0.95 - 3 * np.sqrt(0.95 * 0.05 / HALVES), (learner, np.mean(held))
