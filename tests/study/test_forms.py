"""Which form a number enters in is decided by rows that were not seen."""

import numpy as np
import pyarrow as pa
import pytest
from sklearn.metrics import roc_auc_score

from discriminant import LogisticRegression
from discriminant.study.column_texts import form_of
from discriminant.study.design import design_of_table
from discriminant.study.forms import in_words


def table_of(n=2000, seed=0, **columns):
    random = np.random.default_rng(seed)
    made = {name: make(random, n) for name, make in columns.items()}
    score = made.pop("score")(made)
    label = np.where(score + random.logistic(size=n) > 0, "yes", "no")
    return pa.table({**made, "label": label})


def normal(random, n):
    return random.standard_normal(n)


def forms_of(table, **options):
    design = design_of_table(table, "label", forms="auto", **options)
    return design, {column.name: column for column in design.encoding.columns}


def test_straight_columns_stay_straight():
    table = table_of(x=normal, z=normal, score=lambda random, n: lambda m: m["x"] - 0.5 * m["z"])
    _, columns = forms_of(table)
    assert all(column.values[0].straight for column in columns.values())
    assert all(column.reason == "" for column in columns.values())


def test_outliers_are_clipped_and_told():
    table = table_of(
        x=lambda random, n: np.where(random.random(n) < 0.01, 1e6, random.standard_normal(n)),
        score=lambda random, n: lambda m: np.where(m["x"] > 1e5, 0, 2 * m["x"]),
    )
    design, columns = forms_of(table)
    assert any(feature.high < 5 for feature in columns["x"].values)
    assert "1 row in 100" in columns["x"].reason or len(columns["x"].values) > 1
    y, common = design.question.codes, table["x"].to_numpy() < 1e5
    scores = LogisticRegression(alpha=1.0).fit(design.X, y).decision_function(design.X)
    assert roc_auc_score(y[common], scores[common]) > 0.85


def test_a_column_that_bends_is_bent():
    table = table_of(
        age=lambda random, n: random.uniform(20, 80, n),
        x=normal,
        score=lambda random, n: lambda m: 0.1 * abs(m["age"] - 50) - 1.5 + 0.5 * m["x"],
    )
    design, columns = forms_of(table)
    assert len(columns["age"].values) > 3
    assert form_of(columns["age"]).startswith("bent at ")
    y = design.question.codes
    bent = LogisticRegression(alpha=design.ridge).fit(design.X, y).decision_function(design.X)
    plain = design_of_table(table, "label").X
    straight = LogisticRegression(alpha=1.0).fit(plain, y).decision_function(plain)
    assert roc_auc_score(y, bent) > roc_auc_score(y, straight) + 0.1


def test_a_quantity_may_enter_by_its_logarithm():
    table = table_of(
        n=4000,
        income=lambda random, n: random.lognormal(8, 1.5, n),
        score=lambda random, n: lambda m: 1.5 * (np.log(m["income"]) - 8),
    )
    _, columns = forms_of(table)
    column = columns["income"]
    assert not column.values[0].straight
    assert form_of(column)


def test_numbers_and_dates_have_the_same_forms_however_they_are_written():
    def amount(random, n):
        return np.round(np.exp(random.normal(6, 1.5, n)), 2)

    def day(random, n):
        return np.datetime64("2015-01-01") + random.integers(0, 3000, n)

    def score(random, n):
        return lambda m: np.log(m["amount"]) - 6 + 0.003 * abs((m["day"] - np.datetime64("2019-02-01")).astype(int)) - 2

    plain = table_of(amount=amount, day=day, score=score)
    table = plain.set_column(0, "amount", [[f"${x:,.2f}" for x in plain["amount"].to_pylist()]])
    table = table.set_column(1, "day", [[d.strftime("%d/%m/%Y") for d in plain["day"].to_pylist()]])
    stored, written = (forms_of(each)[1] for each in (plain, table))
    assert all(len(stored[name].values) > 1 or stored[name].values[0].unit for name in ("amount", "day"))
    for name in ("amount", "day"):
        for ours, theirs in zip(written[name].values, stored[name].values, strict=True):
            assert (ours.low, ours.high, ours.unit) == (theirs.low, theirs.high, theirs.unit)
            assert (ours.centre, ours.scale) == pytest.approx((theirs.centre, theirs.scale))


@pytest.mark.parametrize("rows", [30, 39])
def test_few_rows_choose_nothing(rows):
    table = table_of(n=rows, x=normal, score=lambda random, n: lambda m: m["x"])
    design, columns = forms_of(table, least_rows=2)
    assert columns["x"].values[0].straight
    assert design.ridge == 1.0


def test_several_classes():
    random = np.random.default_rng(3)
    age = random.uniform(0, 9, 3000)
    table = pa.table({"age": age, "x": random.standard_normal(3000), "label": np.where(abs(age - 4.5) < 1.5, "b", "a")})
    label = np.where(age > 8, "c", table["label"].to_numpy(zero_copy_only=False))
    table = table.set_column(2, "label", pa.array(label))
    _, columns = forms_of(table)
    assert len(columns["age"].values) > 2


def test_the_order_of_the_columns_and_units_do_not_matter():
    random = np.random.default_rng(5)
    columns = {"a": random.lognormal(2, 1.5, 1500), "b": random.standard_normal(1500)}
    label = np.where(np.log(columns["a"]) - 2 + columns["b"] + random.logistic(size=1500) > 0, "y", "n")
    first, _ = forms_of(pa.table({**columns, "label": label}))
    other, _ = forms_of(pa.table({"b": columns["b"], "a": columns["a"] * 1024, "label": label}))
    np.testing.assert_allclose(np.sort(np.abs(first.X).sum(axis=0)), np.sort(np.abs(other.X).sum(axis=0)), rtol=1e-9)


def test_shares_in_words():
    assert in_words(0.02) == "2 rows in 100 hold"
    assert in_words(1e-9) == "1 row in 1,000,000 holds"


def test_rich_encodings_of_few_rows_are_judged_with_a_ridge_that_suits_them():
    """Thirty columns that bend a little each: under the ridge of straight ones, 200 pieces look like noise."""
    random = np.random.default_rng(5)

    def drawn(n):
        X = random.standard_normal((n, 30))
        y = random.random(n) < 1 / (1 + np.exp(-0.35 * (np.abs(X) - 0.8).sum(axis=1)))
        return pa.table({**{f"x{j}": X[:, j] for j in range(30)}, "y": np.where(y, "yes", "no")})

    table, fresh = drawn(900), drawn(4000)
    bent, straight = (design_of_table(table, "y", forms=forms) for forms in ("auto", "straight"))
    assert all(len(column.values) > 1 for column in bent.encoding.used)
    assert bent.ridge > 1
    of_fresh = []
    for design in (bent, straight):
        model = LogisticRegression(alpha=design.ridge).fit(design.X, design.question.codes)
        score = design.encoding.encode(fresh).matrix @ model.coef_[0]
        of_fresh.append(roc_auc_score(np.array(fresh.column("y").to_pylist()) == "yes", score))
    assert of_fresh[0] > of_fresh[1] + 0.1


@pytest.mark.parametrize("seed", [2, 3])
def test_a_ridge_is_judged_by_the_probabilities_that_are_made_of_its_scores(seed):
    """A strong ridge ranks rows best, though its own log-odds are far too close to even ones."""
    random = np.random.default_rng(seed)

    def drawn(n):
        X = random.lognormal(0, 1, (n, 8))
        y = random.random(n) < 1 / (1 + np.exp(1 - 0.5 * np.log(X).sum(axis=1)))
        return pa.table({**{f"x{j}": X[:, j] for j in range(8)}, "y": np.where(y, "yes", "no")})

    table, fresh = drawn(400), drawn(4000)
    happened = np.array(fresh.column("y").to_pylist()) == "yes"
    design = design_of_table(table, "y", forms="auto")
    of_fresh = {}
    for ridge in (10.0, design.ridge):
        model = LogisticRegression(alpha=ridge).fit(design.X, design.question.codes)
        of_fresh[ridge] = roc_auc_score(happened, design.encoding.encode(fresh).matrix @ model.coef_[0])
    assert of_fresh[design.ridge] > of_fresh[10.0] + 0.01
    assert of_fresh[design.ridge] > 0.77
