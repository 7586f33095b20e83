"""From a table to a decision: what is written in the model and in the run is what the library computes."""

import json

import numpy as np
import pyarrow as pa
import pytest

from discriminant import Gain
from discriminant.study.design import design_of_table
from discriminant.study.evidence import operating_points
from discriminant.study.gains import read_gain_option
from discriminant.study.question import ask
from discriminant.study.run import run_of
from discriminant.study.study import study
from discriminant.table.errors import TableError

ABOUT = {
    "title": "t",
    "made": "2020-01-01T00:00:00Z",
    "command": "discriminant fit",
    "seed": 0,
    "versions": {},
    "files": ["t.csv"],
    "rows": 400,
    "columns": 4,
    "sha256": "",
    "notes": [],
    "reproduce": {"commands": [], "python": ""},
}


def table_of(n=400, seed=0, classes=("no", "yes")):
    random = np.random.default_rng(seed)
    x, z = random.standard_normal((2, n))
    town = random.choice(["A", "B", "C"], n, p=[0.5, 0.3, 0.2])
    score = 1.5 * x - z + (town == "B") + random.standard_normal(n)
    cut = np.quantile(score, np.linspace(0, 1, len(classes) + 1)[1:-1])
    label = np.array(classes)[np.searchsorted(cut, score)]
    return pa.table({"x": x, "z": np.where(random.random(n) < 0.1, np.nan, z), "town": town, "label": label})


@pytest.fixture(scope="module")
def two():
    design = design_of_table(table_of(), "label")
    return study(design, gain="tp=5,fn=-20,fp=-4,unit=EUR", learners=["lda", "logistic", "svm"])


@pytest.fixture(scope="module")
def three():
    design = design_of_table(table_of(classes=("a", "b", "c")), "label")
    return study(design, learners=["lda", "naive-bayes", "perceptron"])


def test_model_decides_as_the_run_says(two):
    decided = two.model.decide(two.design.X)
    np.testing.assert_array_equal(decided.assigned, (decided.scores[:, 0] > 0).astype(int))
    earned = decided.posteriors @ two.gain.matrix
    ties = np.isclose(earned[:, 0], earned[:, 1], rtol=1e-9, atol=1e-9)
    np.testing.assert_array_equal(earned.argmax(axis=1)[~ties], decided.assigned[~ties])


def test_boundary_is_where_both_answers_earn_the_same(two):
    slope, (first, second) = two.fitted.posterior.slope, two.fitted.posterior.offsets
    p = 1 / (1 + np.exp(-(second - first)))
    earned = np.array([1 - p, p]) @ two.gain.matrix
    assert slope > 0
    assert earned[0] == pytest.approx(earned[1], abs=1e-9)


def test_scores_are_those_of_the_learner_up_to_the_threshold(two):
    ours = two.model.scores(two.design.X)[:, 0]
    theirs = two.design.X @ two.learner.coef_[0]
    np.testing.assert_allclose(ours - ours[0], theirs - theirs[0], atol=1e-9)


def test_run_is_json_and_its_figures_are_those_of_the_comparison(two):
    run = json.loads(json.dumps(run_of(two, ABOUT), allow_nan=False))
    best = two.comparison.gain[two.best]
    assert run["expected"] == {"value": best.value, "low": best.low, "high": best.high}
    assert run["comparison"][0]["name"] == run["best"] == two.best
    assert sum(map(sum, run["confusion"]["counts"])) == 400
    chosen = run["two"]["chosen"]
    above = two.fitted.held_scores[:, 0] > 0
    codes = two.comparison.codes
    assert run["two"]["thresholds"][chosen] == 0.0
    assert run["two"]["negatives"][chosen] == (above & (codes == 0)).sum()
    assert run["two"]["positives"][chosen] == (above & (codes == 1)).sum()
    # the matrix is of thresholds that had not seen the rows either
    right = np.trace(run["confusion"]["counts"]) / 400
    assert right == pytest.approx(run["comparison"][0]["figures"]["accuracy"]["value"])
    assert [c["kind"] for c in run["columns"]] == ["number", "number", "category"]
    assert "EUR" in run["verdict"]


def test_several_classes(three):
    run = json.loads(json.dumps(run_of(three, ABOUT), allow_nan=False))
    decided = three.model.decide(three.design.X)
    np.testing.assert_array_equal(decided.assigned, decided.posteriors.argmax(axis=1))
    assert run["two"] is None
    assert np.allclose(np.sum(run["many"]["posteriors"], axis=1), 1, atol=1e-4)
    assert run["criterion"] == "accuracy"
    assert 0.5 < run["expected"]["value"] < 1
    assert run["verdict"].endswith("%.")


def test_weights_have_intervals_and_units(two):
    run = run_of(two, ABOUT)
    feature = next(f for f in run["weights"]["features"] if f["name"] == "x")
    scale = next(f.scale for f in two.design.encoding.features if f.name == "x")
    assert feature["low"][0] < feature["standardised"][0] < feature["high"][0]
    assert feature["low"][0] > 0
    assert feature["per_unit"][0] == pytest.approx(feature["standardised"][0] / scale)


def test_same_seed_same_run(two):
    again = study(two.design, gain=two.gain, learners=["lda", "logistic", "svm"])
    first, second = run_of(two, ABOUT), run_of(again, ABOUT)
    for run in (first, second):
        for entry in run["comparison"]:
            entry["seconds"] = None
    assert first == second


def test_a_table_that_tells_nothing_gets_one_answer():
    random = np.random.default_rng(0)
    table = pa.table({"x": random.standard_normal(300), "label": np.where(np.arange(300) % 20 == 0, "yes", "no")})
    found = study(design_of_table(table, "label"), learners=["least-squares"])
    run = run_of(found, ABOUT)
    assert "always no" in run["verdict"]
    assert "No ranking is better than chance" in run["verdict"]
    assert found.model.decide(found.design.X).assigned.mean() < 0.1


def test_reject_column_is_an_answer():
    found = study(design_of_table(table_of(), "label"), gain="tp=5,fn=-5,fp=-5,tn=5,reject=2", learners=["logistic"])
    run = run_of(found, ABOUT)
    assert run["confusion"]["assigned"] == ["no", "yes", "reject"]
    assert found.model.rule == "gain"
    assert run["confusion"]["counts"][0][2] > 0


def test_weights_are_repetitions():
    table = table_of(120)
    random = np.random.default_rng(1)
    times = random.integers(0, 3, 120)
    weighted = table.append_column("w", pa.array(times.astype(float)))
    repeated = table.take(pa.array(np.repeat(np.arange(120), times)))
    first = design_of_table(weighted, "label", weight="w").question
    second = design_of_table(repeated, "label").question
    np.testing.assert_allclose(first.shares, second.shares)
    assert first.notes == (f"{int((times == 0).sum())} rows of weight 0 left out",)


# --- the question ---------------------------------------------------------------------------------------


def test_rows_without_a_class_are_left_out_and_said():
    table = pa.table({"x": [1.0, 2.0, 3.0, 4.0], "y": ["a", None, "b", "a"]})
    question = ask(table, "y")
    assert question.notes == ("1 row where y is blank (or NA, None, null and the like) left out",)
    assert (question.classes, question.codes.tolist(), question.rows.tolist()) == (("a", "b"), [0, 1, 0], [0, 2, 3])


@pytest.mark.parametrize(
    ("cells", "classes"),
    [
        (pa.array([1.0, 0.0, 1.0]), (0, 1)),
        (pa.array([True, False, True]), (False, True)),
        (pa.array([2, 1, 2]), (1, 2)),
        (pa.array(["no", "yes", "no"]).dictionary_encode(), ("no", "yes")),
        (pa.array([0.5, 1.5, None]), (0.5, 1.5)),
    ],
)
def test_targets_of_any_kind(cells, classes):
    question = ask(pa.table({"x": [1, 2, 3], "y": cells}), "y")
    assert question.classes == classes
    assert [type(c) for c in question.classes] == [type(c) for c in classes]


def test_the_positive_class_comes_last():
    table = pa.table({"x": [1, 2, 3], "y": ["yes", "no", "yes"]})
    assert ask(table, "y").classes == ("no", "yes")
    turned = ask(table, "y", positive="no")
    assert (turned.classes, turned.codes.tolist()) == (("yes", "no"), [0, 1, 0])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"target": "Y"}, r"--target: the table has no column 'Y'; did you mean 'y'\?"),
        ({"target": "y", "positive": "maybe"}, "--positive 'maybe' is no class"),
        ({"target": "price"}, "measurements and no classes"),
        ({"target": "one"}, "only 'same'"),
        ({"target": "y", "weight": "price", "positive": None}, None),
        ({"target": "y", "weight": "cost"}, "--weight: the table has no column 'cost'; its columns are 'price', 'y'"),
        ({"target": "y", "weight": "minus"}, "row 3 of the weights"),
    ],
)
def test_bad_questions_are_answered_clearly(options, message):
    n = 300
    table = pa.table(
        {
            "price": np.arange(n) / 7 + 1,
            "y": np.where(np.arange(n) % 2, "a", "b"),
            "one": ["same"] * n,
            "minus": [1.0, 1.0, -1.0] + [1.0] * (n - 3),
        }
    )
    if message is None:
        assert ask(table, **options).weight.size == n
    else:
        with pytest.raises(TableError, match=message):
            ask(table, **options)


# --- gains ----------------------------------------------------------------------------------------------


def test_gains_as_people_type_them(tmp_path):
    classes = ["no", "yes"]
    assert read_gain_option("2,-3;-4,4", classes).matrix.tolist() == [[2, -3], [-4, 4]]
    assert read_gain_option("tp=50,fp=-4,fn=-20", classes).matrix.tolist() == [[0, -4], [-20, 50]]
    assert read_gain_option("tp=1, unit=EUR", classes).unit == "EUR"
    path = tmp_path / "gain.csv"
    path.write_text("EUR,yes,no\nyes,50,-20\nno,-4,0\n")
    assert read_gain_option(str(path), classes) == Gain([[0, -4], [-20, 50]], classes, "EUR")


@pytest.mark.parametrize("text", ["nowhere.csv", "tp=x", "xx=1", "1,2;3", "1,2,3;4,5,6;7,8,9", "tp"])
def test_bad_gains_are_answered_clearly(text):
    with pytest.raises(TableError, match="--gain"):
        read_gain_option(text, ["no", "yes"])


# --- operating points -----------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 5, 200, 6000])
def test_operating_points_count_rows_above(n):
    random = np.random.default_rng(n)
    scores = random.standard_normal(n).round(2 if n == 200 else 8)
    codes = random.integers(0, 2, n)
    weight = random.integers(1, 4, n).astype(float)
    points = operating_points(scores, codes, weight)
    t = np.array(points["thresholds"])
    assert (np.diff(t) < 0).all()
    assert t.size <= 1600
    for i in range(0, t.size, max(t.size // 50, 1)):
        above = scores > t[i]
        assert points["positives"][i] == weight[above & (codes == 1)].sum()
        assert points["negatives"][i] == weight[above & (codes == 0)].sum()
    assert t[points["chosen"]] == 0.0


def test_classes_are_in_the_order_of_their_letters():
    table = pa.table({"x": np.arange(8.0), "label": ["no", "Yes"] * 4})
    assert design_of_table(table, "label").question.classes == ("no", "Yes")
