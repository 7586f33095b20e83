"""scikit-learn on the same tables: what a person would have got without the command."""

import numpy as np
import pandas as pd
from sklearn.compose import ColumnTransformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.model_selection import StratifiedGroupKFold, cross_val_predict
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, QuantileTransformer, StandardScaler
from threadpoolctl import threadpool_limits

from tests.end_to_end.cases import Case

BLANK = ["", "NA", "?", "null", "n/a", "-", "None", "NaN"]


def features(case: Case, table: pd.DataFrame) -> pd.DataFrame:
    """Columns as numbers where they can be, dates as days, the rest as text."""
    left_out = [case.target, *case.ignore, *([case.weight] if case.weight else [])]
    columns = {}
    for name, column in table.drop(columns=left_out).items():
        text = column.astype(str).where(~column.isna(), "").replace(BLANK, np.nan)
        numbers = pd.to_numeric(text, errors="coerce")
        if numbers.notna().sum() == text.notna().sum():
            columns[name] = numbers
            continue
        days = pd.to_datetime(text, format="%Y-%m-%d", errors="coerce")
        if days.notna().sum() == text.notna().sum():
            columns[name] = (days - pd.Timestamp(0)).dt.days.astype(float)
        elif text.nunique() < 0.5 * len(text):
            columns[name] = text.fillna("(blank)").astype(object)
    return pd.DataFrame(columns)


def logistic(x: pd.DataFrame, robust: bool = False) -> Pipeline:
    """Standardised (or ranked) columns and a logistic regression."""
    numbers = [name for name in x if x[name].dtype.kind in "fi" and x[name].notna().any()]
    words = [name for name in x if x[name].dtype.kind == "O"]
    scaling = QuantileTransformer(n_quantiles=min(100, len(x)), output_distribution="normal") if robust else None
    prepared = ColumnTransformer(
        [
            (
                "numbers",
                make_pipeline(SimpleImputer(add_indicator=True), scaling or FunctionTransformer(), StandardScaler()),
                numbers,
            ),
            ("words", OneHotEncoder(handle_unknown="ignore", min_frequency=3), words),
        ]
    )
    return make_pipeline(prepared, LogisticRegression(max_iter=2000))


def averaged_perceptron(x: pd.DataFrame, seed: int) -> Pipeline:
    """The same columns and a perceptron, a hundred epochs, the mean of its weights."""
    last = SGDClassifier(
        loss="perceptron", penalty=None, learning_rate="constant", eta0=1.0, average=True, max_iter=100, tol=None,
        random_state=seed,
    )  # fmt: skip
    return make_pipeline(*(step for _, step in logistic(x).steps[:-1]), last)


def held_out_probabilities(x: pd.DataFrame, y: np.ndarray, robust: bool = False) -> np.ndarray:
    """P(yes) of every row by a model of the other folds."""
    return _held_out(logistic(x, robust), x, y, "predict_proba")[:, 1]


def held_out_perceptron_scores(x: pd.DataFrame, y: np.ndarray, seed: int) -> np.ndarray:
    """The scores of every row by perceptrons of the other folds."""
    return _held_out(averaged_perceptron(x, seed), x, y, "decision_function")


def _held_out(model: Pipeline, x: pd.DataFrame, y: np.ndarray, method: str) -> np.ndarray:
    """Rows that are the same stay together."""
    same = pd.util.hash_pandas_object(x, index=False)
    folds = StratifiedGroupKFold(5, shuffle=True, random_state=1)
    with threadpool_limits(1):  # threads that wait for one another cost more than such small tables
        return cross_val_predict(model, x, y, cv=folds, groups=same, method=method)


def fresh_probabilities(x: pd.DataFrame, y: np.ndarray, new: pd.DataFrame, robust: bool = False) -> np.ndarray:
    """P(yes) of new rows by a model of all others."""
    with threadpool_limits(1):
        return logistic(x, robust).fit(x, y).predict_proba(new[list(x.columns)])[:, 1]
