"""--group and --time: no row is judged by a model that knows its group, or its future."""

import csv
import json

import numpy as np
import pyarrow as pa
import pytest
from typer.testing import CliRunner

from discriminant import GainClassifier, LinearDiscriminantAnalysis, compare
from discriminant.cli.main import app
from discriminant.study.design import design_of_table
from discriminant.study.holding_out import HoldingOut, read_holding_out
from discriminant.study.study import study
from discriminant.table.errors import OptionError, TableError

N_GROUPS, SIZE = 40, 6


def leaking(seed=0):
    """Each patient has a class by chance and three measurements of its own: only its own rows know its class."""
    rng = np.random.default_rng(seed)
    patient = np.repeat(np.arange(N_GROUPS), SIZE)
    label = np.where(rng.permutation(np.arange(N_GROUPS) % 2), "ill", "well")[patient]
    own = np.eye(N_GROUPS)[patient] + 0.01 * rng.standard_normal((patient.size, N_GROUPS))
    columns = {f"x{j}": own[:, j] for j in range(N_GROUPS)}
    return pa.table({**columns, "patient": [f"p{g:03}" for g in patient], "label": label})


def judged(table, holding_out=None, **options):
    options = {"learners": ["lda-shrinkage"]} | options
    held = {} if holding_out is None else {"holding_out": holding_out}
    return study(design_of_table(table, "label", **held), **options)


def test_a_leak_that_only_groups_reveal():
    table = leaking()
    flattered = judged(table.drop(["patient"]))
    honest = judged(table, HoldingOut(group="patient"))
    for name in flattered.comparison.names:
        assert flattered.comparison.auc[name].value > 0.95
        assert abs(honest.comparison.auc[name].value - 0.5) < 0.2
    assert "patient" not in [column.name for column in honest.design.encoding.columns]
    patients = np.asarray(table.column("patient"))
    folds = honest.comparison.folds
    assert all(np.unique(folds[patients == p]).size == 1 for p in np.unique(patients))


def bending(n=600, seed=1):
    """A column that bends, rows in groups, dates in days."""
    rng = np.random.default_rng(seed)
    x, z = rng.standard_normal(n), rng.exponential(size=n) ** 2
    days = np.sort(rng.integers(0, 300, n))
    return pa.table(
        {
            "x": x,
            "z": z,
            "day": (np.datetime64("2024-01-01") + days.astype("timedelta64[D]")).astype("datetime64[D]"),
            "patient": rng.integers(0, 80, n),
            "label": np.where(x**2 + z / 5 + 0.5 * rng.standard_normal(n) > 1.2, "yes", "no"),
        }
    )


def test_forms_are_chosen_by_rows_held_out_alike():
    for held in (HoldingOut(group="patient"), HoldingOut(time="day", gap=5), HoldingOut(group="patient", time="day")):
        design = design_of_table(bending(), "label", forms="auto", holding_out=held)
        assert len(design.encoding.used[0].features) > 1  # x is bent
        assert not {column.name for column in design.encoding.columns} & set(held.columns)


def test_time_order_judges_by_earlier_rows():
    table = bending()
    found = judged(table, HoldingOut(time="day", gap=10), learners=["lda", "svm"], cv=4)
    days = np.asarray(table.column("day")).astype("datetime64[D]").astype(int)
    assert found.comparison.cv.n_folds == 4
    for learnt, tested in found.comparison.cv.split():
        assert days[learnt].max() <= days[tested].min() - 10
    never = np.flatnonzero(found.comparison.folds < 0)
    assert 100 < never.size < 140
    assert not np.isin(never, found.judged).any()
    assert found.fitted.held_scores.shape[0] == found.judged.size == found.comparison.codes.size


def test_the_command_names_the_folds_of_the_library(tmp_path):
    """The same seed deals the same folds in the command, in compare and in GainClassifier."""
    rng = np.random.default_rng(2)
    y = rng.integers(0, 2, 200)
    X = rng.standard_normal((200, 3)) + y[:, None]
    group = rng.integers(0, 30, 200)
    path, out = tmp_path / "t.csv", tmp_path / "held.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["a", "b", "c", "g", "y"])
        writer.writerows(
            [*map(repr, map(float, row)), f"g{g}", ["no", "yes"][k]] for row, g, k in zip(X, group, y, strict=True)
        )
    for more, groups in (([], None), (["--group", "g"], group)):
        options = [
            "--cv",
            "4",
            "--seed",
            "7",
            "--learner",
            "lda",
            "--held-out",
            str(out),
            "-o",
            str(tmp_path / "model"),
        ]
        ignored = [] if more else ["--ignore", "g"]
        done = CliRunner().invoke(app, ["fit", str(path), "--target", "y", *options, *more, *ignored])
        assert done.exit_code == 0, done.output
        with out.open() as file:
            named = np.array([int(row["fold"]) - 1 for row in csv.DictReader(file)])
        compared = compare(X, y, learners=["lda"], cv=4, groups=groups, random_state=7)
        decided = GainClassifier(LinearDiscriminantAnalysis(), cv=4, random_state=7).fit(X, y, groups=groups)
        assert np.array_equal(named, compared.folds)
        assert np.array_equal(named, decided.folds_)


def test_the_run_says_which_rows_judged_which(tmp_path):
    table, path = bending(), tmp_path / "t.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table.schema.names)
        writer.writerows(zip(*(column.to_pylist() for column in table.columns), strict=True))
    arguments = ["fit", str(path), "--target", "label", "--learner", "lda", "--time", "day", "--gap", "7", "--cv", "3"]
    done = CliRunner().invoke(app, [*arguments, "--group", "patient", "-o", str(tmp_path / "m")])
    assert done.exit_code == 0, done.output
    run = json.loads((tmp_path / "m" / "run.json").read_text())
    told = run["validation"]
    assert (told["group"], told["time"], told["gap"]) == ("patient", "day", 7.0)
    assert len(told["folds"]) == 3
    assert sum(fold["judged"] for fold in told["folds"]) == run["compared_rows"] < 600
    for words in ("model of earlier rows alone, 7 days earlier at least", "never judged", "rows of a patient that it"):
        assert words in told["text"]
        assert words in " ".join(done.output.split())
        assert words in (tmp_path / "m" / "report.html").read_text()


def test_what_cannot_be_is_refused():
    table = bending(200)
    names = table.schema.names
    with pytest.raises(TableError, match="patiens"):
        read_holding_out("patiens", None, None, names, {})
    with pytest.raises(OptionError, match="--gap is of --time"):
        read_holding_out("patient", None, 3.0, names, {})
    with pytest.raises(TableError, match="'label' is the column of --target too"):
        read_holding_out("label", None, None, names, {"--target": "label"})
    blank = table.set_column(3, "patient", pa.array([None if i == 17 else i % 9 for i in range(200)]))
    with pytest.raises(TableError, match="row 18 has no group in 'patient'"):
        design_of_table(blank, "label", holding_out=HoldingOut(group="patient"))
    one = table.set_column(3, "patient", pa.array(["a"] * 200))
    with pytest.raises(TableError, match="same in every row"):
        design_of_table(one, "label", holding_out=HoldingOut(group="patient"))
    words = table.set_column(2, "day", pa.array(["soon", "later"] * 100))
    with pytest.raises(TableError, match="--time 'day' holds neither dates nor numbers"):
        design_of_table(words, "label", holding_out=HoldingOut(time="day"))
    with pytest.raises(TableError, match="--time: no block of rows has all classes before it"):
        judged(table, HoldingOut(time="day", gap=1000), learners=["lda"])
    by_class = table.set_column(3, "patient", table.column("label"))
    with pytest.raises(TableError, match="--group: class 'no' has rows in 1 group, too few"):
        judged(by_class, HoldingOut(group="patient"), learners=["lda"])
