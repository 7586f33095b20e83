"""The sets of the stored separability results, as (X, whether a row is of the class coded +1)."""

import numpy as np
import pandas as pd
from sklearn.datasets import load_iris, load_svmlight_file


def _csv(shared, path, target, positive, drop=()):
    table = pd.read_csv(shared / path).dropna()
    X = table.drop(columns=[target, *drop]).to_numpy(dtype=float)
    return X, (table[target] == positive).to_numpy()


def _iris(positive, negative):
    X, y = load_iris(return_X_y=True)
    keep = np.isin(y, [*positive, *negative])
    return X[keep], np.isin(y[keep], positive)


def _sonar(shared, part):
    table = pd.read_csv(shared / "sonar" / "sonar.csv")
    if part is not None:
        table = table[table["angle_dependent_split"] == part]
    return table.filter(regex="^v[0-9]").to_numpy(), (table["class"] == "M").to_numpy()


def _heart(shared):
    X, y = load_svmlight_file(str(shared / "heart_scale" / "heart_scale.svm"))
    return X.toarray(), y > 0


def _wdbc(shared):
    table = pd.read_csv(shared / "breast_cancer" / "wdbc.csv")
    X = table.select_dtypes("number").to_numpy()
    (target,) = table.select_dtypes(exclude="number").columns
    return (X - X.mean(axis=0)) / X.std(axis=0), table[target].str.startswith(("m", "M")).to_numpy()


TABLES = {
    "iris_setosa_vs_rest": lambda shared: _iris([0], [1, 2]),
    "iris_versicolor_vs_virginica": lambda shared: _iris([2], [1]),
    "iris_versicolor_vs_rest": lambda shared: _iris([1], [0, 2]),
    "iris_virginica_vs_rest": lambda shared: _iris([2], [0, 1]),
    "iris_setosa_vs_versicolor": lambda shared: _iris([1], [0]),
    "german_numeric": lambda shared: _csv(shared, "german_credit/german_numeric.csv", "class", 2),
    "pima": lambda shared: _csv(shared, "pima/pima.csv", "diabetes", "pos"),
    "pima_tr": lambda shared: _csv(shared, "pima/pima_tr.csv", "type", "Yes"),
    "sonar_all208": lambda shared: _sonar(shared, None),
    "sonar_angle_dependent_train104": lambda shared: _sonar(shared, "train"),
    "sonar_angle_dependent_test104": lambda shared: _sonar(shared, "test"),
    "spambase": lambda shared: _csv(shared, "spambase/spambase.csv.gz", "spam", 1),
    "wbc_683": lambda shared: _csv(shared, "breast_cancer/wbc_original.csv", "Class", "malignant", ["Id"]),
    "wdbc_zscored": _wdbc,
    "heart_scale": _heart,
    "synth_tr": lambda shared: _csv(shared, "synth/synth_tr.csv", "yc", 1),
    "synth_te": lambda shared: _csv(shared, "synth/synth_te.csv", "yc", 1),
    "colon": lambda shared: _csv(shared, "colon/colon.csv.gz", "class", "tumor"),
    "churn_tv": lambda shared: _csv(
        shared, "churn_tv/churn_tv.csv.gz", "target", 1, ["id", "C_FP", "C_FN", "C_TP", "C_TN"]
    ),
}
