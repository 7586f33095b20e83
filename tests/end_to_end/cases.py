"""Each table with the options it is fitted with, and what is known of it beforehand."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.end_to_end.tables import (
    Maker,
    blanks,
    cauchy,
    classes,
    collinear,
    constants,
    counts,
    credit,
    dates,
    duplicated,
    echoed,
    flags,
    giveaway,
    lognormal,
    mixed,
    noise,
    normal,
    outliers,
    quasi_separable,
    rare_levels,
    separable,
    stored,
    stored_pair,
    tiny,
    u_shaped,
    unequal_spread,
    weighted,
    wide,
)


@dataclass(frozen=True)
class Case:
    """A table with the options it is fitted with, and what is known of it beforehand.

    ``gain`` is what ``options`` say, written out by hand: (true class, answer) -> gain, classes as text.
    ``fresh_rows`` are drawn from the same source after the table; a real table keeps rows apart for them.
    """

    name: str
    make: Maker
    rows: int
    options: tuple[str, ...] = ()
    target: str = "y"
    positive: str = ""  # the one that the command must take as positive; "" for more than two classes
    gain: Mapping[tuple[str, str], float] = field(default_factory=dict)
    fresh_rows: int = 2500
    weight: str = ""
    ignore: tuple[str, ...] = ()
    knows: frozenset[str] = frozenset()

    def tables(self) -> tuple[pd.DataFrame, pd.DataFrame]:
        """The table to learn from, and fresh rows of the same source."""
        both = self.make(np.random.default_rng(len(self.name) * 1009 + self.rows), self.rows + self.fresh_rows)
        return both.iloc[: self.rows].reset_index(drop=True), both.iloc[self.rows :].reset_index(drop=True)


def pays(positive: str, other: str, tp=0.0, fn=0.0, fp=0.0, tn=0.0) -> dict[tuple[str, str], float]:
    return {(positive, positive): tp, (positive, other): fn, (other, positive): fp, (other, other): tn}


LOOSE = normal("good", "bad", steep=1.0, shift=-1.0)
MADE = [
    Case("letters", normal("O", "B"), 300, ("--positive", "B"), positive="B"),
    Case("letters-default", normal("B", "O"), 300, positive="O"),
    Case(
        "bad-good",
        LOOSE,
        400,
        ("--positive", "bad", "--gain", "tp=5,fn=-10,fp=-2,tn=1"),
        positive="bad",
        gain=pays("bad", "good", 5, -10, -2, 1),
    ),
    Case(
        "bad-good-default",
        LOOSE,
        400,
        ("--gain", "tp=1,fn=-2,fp=-10,tn=5"),
        positive="good",
        gain=pays("good", "bad", 1, -2, -10, 5),
    ),
    Case(
        "fraud",
        normal("ok", "fraud", steep=1.5, shift=-7.2),
        2400,
        ("--positive", "fraud", "--gain", "tp=100,fn=-100,fp=-1"),
        positive="fraud",
        gain=pays("fraud", "ok", 100, -100, -1),
    ),
    Case(
        "fraud-no-gain", normal("ok", "fraud", steep=1.5, shift=-5.5), 1500, ("--positive", "fraud"), positive="fraud"
    ),
    Case("no-yes", normal("no", "yes"), 300, ("--positive", "no"), positive="no"),
    Case("zero-one", normal(0, 1), 300, ("--positive", "0"), positive="0"),
    Case("zero-one-default", normal(0, 1, shift=-1), 300, positive="1"),
    Case("true-false", normal(False, True), 300, ("--positive", "False"), positive="False"),
    Case(
        "minus-plus",
        normal(-1, 1),
        300,
        ("--positive", "-1", "--gain", "tp=2,fn=-5,fp=-1"),
        positive="-1",
        gain=pays("-1", "1", 2, -5, -1),
    ),
    Case("two-one", normal(2, 1, steep=3), 300, ("--positive", "1"), positive="1"),
    Case("lognormal", lognormal, 500, positive="yes", knows=frozenset({"heavy"})),
    Case("cauchy", cauchy, 500, positive="up", knows=frozenset({"heavy"})),
    Case(
        "credit",
        credit,
        1800,
        ("--positive", "default", "--gain", "tp=200,fn=-1000,fp=-100,tn=50"),
        positive="default",
        gain=pays("default", "paid", 200, -1000, -100, 50),
        fresh_rows=5000,
        knows=frozenset({"heavy"}),
    ),
    Case("credit-no-gain", credit, 1500, ("--positive", "default"), positive="default", knows=frozenset({"heavy"})),
    Case("outliers", outliers, 600, positive="leave", knows=frozenset({"heavy"})),
    Case("rare-levels", rare_levels, 500, ("--positive", "move"), positive="move"),
    Case("blanks", blanks, 500, positive="yes"),
    Case("constants", constants, 250, positive="b"),
    Case("collinear", collinear, 300, positive="b"),
    Case("separable", separable, 250, positive="yes", knows=frozenset({"separable"})),
    Case("quasi-separable", quasi_separable, 400, ("--positive", "no"), positive="no"),
    Case("five-classes", classes(5), 400),
    Case("twelve-classes", classes(12), 600),
    Case("duplicated", duplicated, 400, positive="yes", knows=frozenset({"duplicated"})),
    Case("tiny", tiny, 4, fresh_rows=200, positive="yes", knows=frozenset({"may refuse"})),
    Case("dates", dates, 300, positive="stays"),
    Case("flags", flags, 400, ("--positive", "healthy"), positive="healthy"),
    Case("weighted", weighted, 400, ("--weight", "w"), positive="yes", weight="w"),
    Case("wide", wide, 80, positive="b", knows=frozenset({"separable"})),
    Case("giveaway", giveaway, 300, ("--positive", "closed"), positive="closed"),
    Case("noise", noise, 300, positive="tails", knows=frozenset({"nothing"})),
    Case(
        "noise-gain",
        noise,
        300,
        ("--positive", "heads", "--gain", "tp=3,fn=-3,fp=-1,tn=1"),
        positive="heads",
        gain=pays("heads", "tails", 3, -3, -1, 1),
        knows=frozenset({"nothing"}),
    ),
    Case("u-shaped", u_shaped, 450, ("--positive", "ill"), positive="ill"),
    Case(
        "mixed",
        mixed,
        600,
        ("--positive", "bad", "--gain", "tp=40,fn=-60,fp=-10,tn=5,unit=EUR"),
        positive="bad",
        gain=pays("bad", "good", 40, -60, -10, 5),
    ),
    Case("counts", counts, 450, positive="yes"),
    Case("unequal-spread", unequal_spread, 450, ("--positive", "narrow"), positive="narrow"),
    Case("echoed-naive-bayes", echoed, 400, ("--learner", "naive-bayes"), positive="yes"),
    Case(
        "three-gains",
        classes(3),
        400,
        ("--gain", "4,-1,-2;-3,2,0;-9,1,6"),
        gain={
            (f"kind {i:02d}", f"kind {j:02d}"): float(v)
            for i, row in enumerate(([4, -1, -2], [-3, 2, 0], [-9, 1, 6]))
            for j, v in enumerate(row)
        },
    ),
    *(
        Case(
            f"unstable-{learner}",
            credit,
            800,
            ("--learner", learner, "--positive", "default", "--gain", "tp=200,fn=-1000,fp=-100,tn=50"),
            positive="default",
            gain=pays("default", "paid", 200, -1000, -100, 50),
            knows=frozenset({"heavy"}),
        )
        for learner in ("pocket", "adaline", "perceptron")
    ),
]

GERMAN = pays("2", "1", 0, -5, -1, 0)
REAL = [
    Case(
        "wbc",
        stored("breast_cancer/wbc_original.csv"),
        400,
        ("--ignore", "Id"),
        "Class",
        "malignant",
        fresh_rows=299,
        ignore=("Id",),
    ),
    Case(
        "wdbc",
        stored("breast_cancer/wdbc.csv"),
        350,
        ("--positive", "benign", "--gain", "tp=10,fn=-10,fp=-1000,tn=100"),
        "diagnosis",
        "benign",
        pays("benign", "malignant", 10, -10, -1000, 100),
        fresh_rows=219,
        knows=frozenset({"separable"}),
    ),
    Case(
        "churn",
        stored("churn_tv/churn_tv.csv.gz", drop=("C_FP", "C_FN", "C_TP", "C_TN"), whole=("target",)),
        2500,
        ("--gain", "tp=-3,fn=-60,fp=-6,tn=0", "--ignore", "id"),
        "target",
        "1",
        pays("1", "0", -3, -60, -6),
        fresh_rows=6800,
        ignore=("id",),
    ),
    Case("german", stored("german_credit/german_numeric.csv"), 700, ("--gain", "0,-1;-5,0"), "class", "2", GERMAN, 300),
    Case(
        "german-words",
        stored("german_credit/german_symbolic.csv"),
        500,
        ("--positive", "1", "--gain", "tp=0,fn=-1,fp=-5,tn=0"),
        "class",
        "1",
        GERMAN,
        300,
    ),
    Case("iris", stored("iris/iris.csv"), 100, (), "species", fresh_rows=50),
    Case("pima", stored("pima/pima.csv"), 468, ("--positive", "neg"), "diabetes", "neg", fresh_rows=300),
    Case("pima-ripley", stored_pair("pima/pima_tr.csv", "pima/pima_te.csv"), 200, (), "type", "Yes", fresh_rows=332),
    Case(
        "sonar",
        stored("sonar/sonar.csv", drop=("record", "angle_dependent_split")),
        130,
        ("--positive", "M"),
        "class",
        "M",
        fresh_rows=78,
    ),
    Case("spambase", stored("spambase/spambase.csv.gz"), 1000, (), "spam", "1", fresh_rows=3600),
    Case("synth", stored_pair("synth/synth_tr.csv", "synth/synth_te.csv"), 250, (), "yc", "1", fresh_rows=1000),
    Case("covtype", stored("covtype_20k/covtype_20k.csv.gz"), 700, (), "Cover_Type", fresh_rows=4000),
]
EVERY = [*MADE, *REAL]
# Large tables, and tables of which another, quicker one shows the same: other spellings of two classes (zero-one,
# minus-plus), the default positive class (bad-good-default, zero-one-default), no gain (credit-no-gain), no signal
# (noise-gain), classes that a plane separates (separable, wide), words of credit (mixed), diabetes (pima-ripley).
SLOW = {"churn", "spambase", "covtype"}
SLOW |= {"two-one", "letters-default", "fraud-no-gain", "noise", "wdbc", "german-words", "pima"}


def by_name(cases: list[Case]) -> list[Any]:
    """As parameters of a test."""
    return [pytest.param(c, id=c.name, marks=[pytest.mark.slow] if c.name in SLOW else []) for c in cases]
