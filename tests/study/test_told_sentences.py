"""Two sentences where people look: Cover's probability for one's own rows, and what kind of learner decides."""

import numpy as np

from discriminant import LogisticRegression, cover_probability
from discriminant.learners.registry import KINDS, known_learners
from discriminant.report import render
from tests.report.runs import two_classes


def rows(K=2):
    rng = np.random.default_rng(0)
    return rng.normal(size=(60, 3)), np.arange(60) % K


def test_the_summary_has_both():
    told = str(LogisticRegression().fit(*rows()).summary())
    assert f"60 rows in 3 columns: random labels are separable with probability {cover_probability(60, 3):.2g}" in told
    assert KINDS["discriminative"] in told
    assert "one class against the rest, 60 rows in 3 columns" in str(LogisticRegression().fit(*rows(3)).summary())


def test_every_learner_is_of_one_kind():
    kinds = {name: entry.kind for name, entry in known_learners().items()}
    assert kinds["lda"] == kinds["naive-bayes"] == "generative"
    assert kinds["logistic"] == kinds["perceptron"] == "discriminative"


def test_the_report_has_both():
    run = two_classes()
    run["learner"]["kind"] = "generative"
    run["separation"]["capacity"] = "60 rows in 3 columns: random labels are <b>"
    page = render(run)
    assert KINDS["generative"].replace("'", "&#39;") in page
    assert "random labels are &lt;b&gt;" in page
    run["learner"]["kind"] = "<script>"
    assert 'id="kind"' not in render(run)
