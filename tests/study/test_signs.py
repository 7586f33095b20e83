"""Columns whose weights are held to a sign, from the table to the decision."""

import numpy as np
import pyarrow as pa
import pytest

from discriminant.study.design import design_of_table
from discriminant.study.signs import signs_of
from discriminant.study.study import study
from discriminant.table.errors import OptionError


def table():
    rng = np.random.default_rng(0)
    age, income = rng.normal(50, 10, 300), rng.lognormal(3, 1, 300)
    y = (0.1 * (age - 50) - 0.3 * np.log(income) + rng.logistic(size=300) > -1).astype(int)
    city = rng.choice(["a", "b"], 300)
    return pa.table({"age": age, "income": income, "city": city, "paid": np.where(y == 1, "yes", "no")})


def test_a_rule_never_falls_with_a_column_that_must_increase():
    design = design_of_table(table(), "paid", forms="auto")
    found = study(design, learners=("logistic-ridge", "least-squares"), increasing=["income"], decreasing=["age"])
    for learner in found.comparison.learners.values():
        assert learner.monotone
    weights = found.learner.coef_[0]
    for place, sign in signs_of(design, ["income"], ["age"]).items():
        assert sign * weights[place] >= 0
    assert not weights[: len(design.encoding.columns[0].values)].any()  # the rows ask for the other sign of age


def test_pieces_of_a_column_all_have_the_sign():
    design = design_of_table(table(), "paid", forms="auto")
    places = signs_of(design, ["income"], [])
    values = [f for column in design.encoding.columns if column.name == "income" for f in column.values]
    assert len(places) == len(values)


@pytest.mark.parametrize(
    ("increasing", "decreasing", "told"),
    [
        (["city"], [], "texts"),
        (["height"], [], "no such column"),
        (["age"], ["age"], "--increasing and in --decreasing"),
    ],
)
def test_what_cannot_be_asked_is_refused(increasing, decreasing, told):
    with pytest.raises(OptionError, match=told):
        signs_of(design_of_table(table(), "paid"), increasing, decreasing)


def test_learners_without_signs_are_refused_or_left_out():
    design = design_of_table(table(), "paid")
    with pytest.raises(OptionError, match="cannot hold"):
        study(design, learners=("lda",), increasing=["age"])
