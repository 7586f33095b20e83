"""Two sentences where people look: Cover's probability for one's own rows, and what kind of learner decides."""

import numpy as np
import pyarrow as pa

from discriminant import LogisticRegression, cover_probability
from discriminant.learners.registry import KINDS, known_learners
from discriminant.report import render
from discriminant.study.design import design_of_table
from discriminant.study.run import run_of
from discriminant.study.separation import separation_of
from discriminant.study.study import study
from discriminant.study.verdict import amount
from tests.report.runs import two_classes
from tests.study.test_study import ABOUT


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


def told_of(table, target, **options):
    """What the command would print and the report show of a table."""
    options = {"learners": ["lda", "least-squares"], **options}
    return run_of(study(design_of_table(table, target), **options), ABOUT)


def test_amounts_side_by_side_have_as_many_digits():
    assert [amount(v) for v in (25.006, 23.7, 1.6, -4.5, 0.09)] == ["25.0", "23.7", "1.60", "-4.50", "0.0900"]
    assert [amount(v) for v in (287.3, 25.0, 0.0, 1234.5, 1e-7)] == ["287", "25", "0", "1,234", "1.00e-07"]


def test_overlap_of_all_pairs_is_one_sentence():
    random = np.random.default_rng(0)
    codes = np.arange(200) % 4
    noise = separation_of(random.normal(size=(200, 2)), codes, list("abcd"), np.arange(200), 0)
    assert noise["text"] == "No plane separates any two of the 4 classes."
    moved = random.normal(size=(200, 2)) + np.where(codes == 3, 100.0, 0.0)[:, None]
    some = separation_of(moved, codes, list("abcd"), np.arange(200), 0)
    assert some["text"] == "No plane separates a and b; a and c; b and c. 3 other pairs can be separated."
    codes = np.arange(300) % 5
    moved = random.normal(size=(300, 2)) + np.where(codes == 4, 100.0, 0.0)[:, None]
    many = separation_of(moved, codes, list("abcde"), np.arange(300), 0)["text"]
    assert many.startswith("No plane separates 6 of 10 pairs of classes: a and b; ")
    assert separation_of(moved, np.arange(300) % 60, range(60), np.arange(300), 0)["text"].count("1,770 pairs") == 1


def test_two_rows_of_a_class_are_not_said_to_hold_nothing():
    """A ranking without an error whose interval is wide: few rows, not columns that say nothing."""
    random = np.random.default_rng(3)
    few = np.arange(99) % 50 == 0
    X = random.normal(size=(99, 3)) + np.where(few, 4.0, 0.0)[:, None]
    table = pa.table({**{c: X[:, j] for j, c in enumerate("abc")}, "state": np.where(few, "broken", "fine")})
    verdict = told_of(table, "state")["verdict"]
    assert "Nothing in these columns" not in verdict
    assert "No ranking is better" not in verdict


def test_one_copy_is_told_in_the_singular():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 5))
    X[58] = X[0]
    table = pa.table({**{c: X[:, j] for j, c in enumerate("abcde")}, "k": [str(i % 2) for i in range(60)]})
    (found,) = [f for f in told_of(table, "k")["findings"] if f["kind"] == "DuplicatedRows"]
    assert found["fact"] == "1 of 60 rows is a copy of another"
    assert found["remedy"] == "If it is in the table by mistake, remove it and fit again"


def test_large_numbers_of_a_column_are_written_in_full():
    random = np.random.default_rng(0)
    x = random.normal(size=80)
    x[3] = 2.5e9
    table = pa.table({"income": x, "k": [str(i % 2) for i in range(80)]})
    run = told_of(table, "k", learners=["naive-bayes"])
    (column,) = run["columns"]
    assert "to 2,500,000,000" in column["summary"]
    assert "e+" not in column["summary"] + column["done"]
    assert not any("e+" in row["cells"]["income"] for row in [*run["rows"]["nearest"], *run["rows"]["worst"]])
