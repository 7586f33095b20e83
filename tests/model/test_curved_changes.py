"""Changes of columns that are clipped, in pieces, by their logarithm, or whole: they flip, and nothing nearer does."""

import datetime as dt
import math
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from discriminant.gain import Gain
from discriminant.model import DecisionModel, Posterior, Target, explain
from discriminant.table.encoding import Column, Encoding, Feature, piece_name

seeds = st.integers(0, 10_000)


def pieces(name, cuts, **options):
    features = [Feature(piece_name(name, a, b), "value", 0.0, 1.0, low=a, high=b) for a, b in pairwise(cuts)]
    ends = {"low": cuts[0], "high": cuts[-1]}
    return Column(name, "number", tuple(features), **{"deviation": 2.0} | ends | options)


def by_log(name, unit, **options):
    form = {key: options.pop(key) for key in ("low", "high") if key in options}
    return Column(name, "number", (Feature(name, "value", 0.2, 1.5, unit=unit, **form),), **options)


def plain(name, **options):
    return Column(name, "number", (Feature(name, "value", 0.5, 2.0),), **options)


def model_of(columns, weights, threshold, **changed):
    parts = {"rule": "threshold", "gain": Gain(np.eye(2)), "posterior": None} | changed
    return DecisionModel(Target("y", ("no", "yes")), Encoding(tuple(columns)), [weights], [threshold], **parts)


def random_case(seed, *, step=None, columns=2):
    rng = np.random.default_rng(seed)
    made = []
    for j in range(columns):
        kind = int(rng.integers(4))
        name = f"c{j}"
        if kind == 0:
            made.append(pieces(name, sorted({-4.0, 6.0, *rng.uniform(-4, 6, 2).round(2).tolist()}), step=step))
        elif kind == 1:
            made.append(by_log(name, float(rng.uniform(0.2, 5)), deviation=1.5, step=step))
        elif kind == 2:
            made.append(by_log(name, float(rng.uniform(0.2, 5)), low=-3.0, high=8.0, deviation=1.5, step=step))
        else:
            made.append(plain(name, step=step))
    d = sum(len(column.features) for column in made)
    model = model_of(made, rng.normal(size=d).tolist(), float(rng.normal()))
    return model, {c.name: [round(float(rng.uniform(-8, 9)), 0 if step else 3)] for c in made}


def predicted(model, row, flip, exact=True):
    changed = {name: list(cells) for name, cells in row.items()}
    for change in flip.changes:
        changed[change.column] = [change.value if exact else float(change.after.replace(",", ""))]
    return model.predict(changed).tolist()[0]


def clipped(column, x):
    low = min(-math.inf if f.low is None else f.low for f in column.values)
    high = max(math.inf if f.high is None else f.high for f in column.values)
    return np.clip(x, low, high)


def deviation(column):
    return column.deviation or column.values[0].scale


@settings(max_examples=40)
@given(seeds, st.sampled_from([None, 1.0, 0.5]))
def test_what_is_told_really_flips_also_in_few_digits(seed, step):
    model, row = random_case(seed, step=step, columns=3)
    told = explain(model, row)
    for flip in (*told.single, *([told.nearest] if told.nearest else [])):
        assert predicted(model, row, flip) == flip.answer != told.answer
        assert predicted(model, row, flip, exact=False) == flip.answer
        parts = []
        for change in flip.changes:
            column = next(c for c in model.encoding.columns if c.name == change.column)
            before = row[change.column][0]
            parts.append((clipped(column, change.value) - clipped(column, before)) / deviation(column))
            if step is not None:
                assert change.value == round(change.value / step) * step
        assert np.linalg.norm(parts) == pytest.approx(flip.size, rel=1e-9, abs=1e-12)
    if told.nearest is not None and told.single:
        assert told.nearest.size <= told.single[0].size


@settings(max_examples=40)
@given(seeds, st.sampled_from([None, 1.0]))
def test_one_column_alone_no_nearer_value_flips(seed, step):
    model, row = random_case(seed, step=step)
    told = explain(model, row)
    alone = {flip.changes[0].column: flip for flip in told.single}
    for column in model.encoding.columns:
        x = row[column.name][0]
        grid = np.arange(-60.0, 61.0) if step else np.linspace(x - 30, x + 30, 6001)
        table = {name: cells * len(grid) for name, cells in row.items()} | {column.name: grid}
        flips = model.predict(table) != told.answer
        if not flips.any():
            flip = alone.get(column.name)
            assert flip is None or abs(flip.changes[0].value) > 29 - abs(x) or not step
            continue
        sizes = np.abs(clipped(column, grid) - clipped(column, x)) / deviation(column)
        flip = alone[column.name]
        assert flip.size <= sizes[flips].min() * (1 + 1e-9)
        if step:
            assert flip.size == pytest.approx(sizes[flips].min())


@settings(max_examples=30)
@given(seeds)
def test_two_columns_together_are_as_near_as_a_grid_finds(seed):
    model, row = random_case(seed)
    told = explain(model, row)
    first, second = model.encoding.columns
    x, y = row["c0"][0], row["c1"][0]
    near = told.nearest.size if told.nearest is not None else 3.0
    assume(near < 6)
    X, Y = np.meshgrid(
        clipped(first, x) + deviation(first) * near * np.linspace(-1, 1, 161),
        clipped(second, y) + deviation(second) * near * np.linspace(-1, 1, 161),
    )
    flips = (model.predict({"c0": X.ravel(), "c1": Y.ravel()}) != told.answer).reshape(X.shape)
    sizes = np.hypot(
        (clipped(first, X) - clipped(first, x)) / deviation(first),
        (clipped(second, Y) - clipped(second, y)) / deviation(second),
    )
    nearest = sizes[flips].min() if flips.any() else np.inf
    if told.nearest is None:
        assert nearest == np.inf
    else:
        assert told.nearest.size <= nearest * 1.05 + 1e-9


@settings(max_examples=30)
@given(seeds)
def test_pieces_of_one_slope_are_the_clipped_column(seed):
    rng = np.random.default_rng(seed)
    cuts = sorted({-4.0, 6.0, *rng.uniform(-4, 6, 3).tolist()})
    slope, other, threshold = rng.normal(size=3).tolist()
    many = pieces("a", cuts)
    one = Column(
        "a", "number", (Feature("a", "value", 0.0, 1.0, low=-4.0, high=6.0),), low=-4.0, high=6.0, deviation=2.0
    )
    several = model_of([many, plain("b")], [slope] * len(many.features) + [other], threshold + slope * sum(cuts[1:-1]))
    single = model_of([one, plain("b")], [slope, other], threshold)
    row = {"a": [float(rng.uniform(-6, 8))], "b": [float(rng.normal())]}
    assert several.decision_function(row) == pytest.approx(single.decision_function(row), abs=1e-12)
    a, b = explain(several, row), explain(single, row)
    assert a.answer == b.answer
    assert (a.nearest is None) == (b.nearest is None)
    if a.nearest is not None:
        assert a.nearest.size == pytest.approx(b.nearest.size, rel=1e-6, abs=1e-9)
    assert [f.changes[0].column for f in a.single] == [f.changes[0].column for f in b.single]
    np.testing.assert_allclose([f.size for f in a.single], [f.size for f in b.single], rtol=1e-9, atol=1e-9)
    assert a.contributions[0].per_unit == pytest.approx(b.contributions[0].per_unit, abs=1e-12)


@settings(max_examples=30)
@given(seeds)
def test_bent_boundaries_of_curved_columns(seed):
    """Three classes with a gain that bends the boundary: found along rays, and checked by the model."""
    rng = np.random.default_rng(seed)
    two, row = random_case(seed)
    model = DecisionModel(
        Target("k", ("x", "y", "z")),
        two.encoding,
        rng.normal(size=(3, two.n_features)),
        rng.normal(size=3),
        rule="gain",
        gain=Gain(np.array([[3.0, 0.0, 2.0], [0.0, 2.0, 1.0], [0.0, 1.0, 2.0]])),
        posterior=Posterior(1.0, (0.0, 0.1, 0.0)),
    )
    told = explain(model, row)
    for flip in (*told.single, *([told.nearest] if told.nearest else [])):
        assert predicted(model, row, flip) != told.answer


# --- whole values and words -----------------------------------------------------------------------------


def test_a_year_changes_by_whole_years_and_is_written_as_one():
    year = Column("year", "number", (Feature("year", "value", 2007.0, 1.0),), low=1998.0, high=2012.0, step=1.0)
    told = explain(model_of([year], [1.0], -0.0031 - 1e-9), {"year": [2007]})
    assert [str(flip) for flip in told.single] == ["no with year from 2007 to 2006"]
    assert told.single[0].changes[0].value == 2006.0
    assert str(told.nearest) == "no with year from 2007 to 2006"


def test_thousands_are_marked_from_ten_thousand_on():
    income = Column("income", "number", (Feature("income", "value", 1e4, 1e3),))
    told = explain(model_of([income], [1.0], 0.5), {"income": [9876.5]})
    assert str(told.single[0]) == "yes with income from 9876.5 to 10,501"


def test_dates_change_by_whole_days():
    since = Column("since", "date", (Feature("since", "value", 18000.0, 100.0),), low=17000.0, high=19000.0)
    told = explain(model_of([since], [1.0], 0.0031), {"since": ["2019-04-14"]})
    assert str(told.single[0]) == "yes with since from 2019-04-14 to 2019-04-15"
    told = explain(model_of([since], [1.0], 0.0031), {"since": [dt.datetime(2019, 4, 13, 17, 30)]})
    assert str(told.single[0]) == "yes with since from 2019-04-13 17:30:00 to 2019-04-15"


def test_whole_numbers_are_not_all_moved_a_little():
    """Ten counts share one step among them: as few as are needed move, by whole numbers."""
    counts = [Column(f"n{j}", "number", (Feature(f"n{j}", "value", 0.0, 1.0),), step=1.0) for j in range(10)]
    told = explain(model_of(counts, [1.0] * 10, 1.5), {f"n{j}": [0] for j in range(10)})
    assert sum(change.value for change in told.nearest.changes) == 2.0
    assert told.nearest.size == pytest.approx(math.sqrt(2))


def test_other_columns_make_up_for_whole_numbers():
    columns = [replace(plain("n"), step=1.0), plain("x")]
    told = explain(model_of(columns, [1.0, 1.0], 2.1), {"n": [0.0], "x": [0.5]})
    values = {change.column: change.value for change in told.nearest.changes}
    assert values.get("n", 0.0) == round(values.get("n", 0.0))
    assert predicted(model_of(columns, [1.0, 1.0], 2.1), {"n": [0.0], "x": [0.5]}, told.nearest) == "yes"
    assert told.nearest.size < min(flip.size for flip in told.single)


def test_from_beyond_the_clip_a_change_is_counted_from_its_end():
    column = Column("debt", "number", (Feature("debt", "value", 50.0, 10.0, low=0.0, high=100.0),), low=0.0, high=1e9)
    told = explain(model_of([column], [1.0], 0.0), {"debt": [1e6]})
    assert told.answer == "yes"
    assert told.single[0].size == pytest.approx(5.0)
    assert str(told.single[0]).startswith("no with debt from 1,000,000 to ")
    assert told.contributions[0].per_unit == (0.0,)


def test_per_unit_is_the_slope_where_the_row_is():
    column = pieces("a", [0.0, 2.0, 5.0])
    model = model_of([column, by_log("b", 4.0)], [3.0, -1.0, 1.5], 0.0)
    for x, y, slopes in (
        (1.0, 0.0, (3.0, 0.25)),
        (2.0, 4.0, (-1.0, 0.125)),
        (4.0, -4.0, (-1.0, 0.125)),
        (9.0, 1.0, (0.0, 0.2)),
    ):
        told = explain(model, {"a": [x], "b": [y]})
        assert [c.per_unit[0] for c in told.contributions] == pytest.approx(slopes)


def test_several_pieces_have_no_distance_but_one_form_has():
    in_pieces = model_of([pieces("a", [0.0, 2.0, 5.0])], [3.0, -1.0], 0.0)
    assert not in_pieces.has_distance
    assert explain(in_pieces, {"a": [1.0]}).distance is None
    assert in_pieces.decide(np.zeros((1, 2))).distance is None
    assert model_of([by_log("b", 4.0)], [1.0], 0.5).has_distance


def test_a_bent_posterior_that_may_reject():
    gain = Gain(np.array([[1.0, -1.0, 0.5], [-1.0, 1.0, 0.5]]))
    posterior = Posterior(0.2, (0.0, 0.0), ((0.0, 1.5), (1.0, -1.7)))
    model = model_of([plain("a")], [1.0], 0.0, rule="gain", gain=gain, posterior=posterior)
    told = explain(model, {"a": [0.6]})
    assert told.answer == "reject"
    for flip in told.single:
        assert predicted(model, {"a": [0.6]}, flip) == flip.answer != "reject"
        back = 0.6 + (flip.changes[0].value - 0.6) * (1 - 1e-6)
        assert model.predict({"a": [back]}).tolist() == ["reject"]
