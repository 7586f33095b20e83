"""What the command says, computed again from its own answers by scikit-learn and plain numpy."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

from tests.end_to_end.cases import Case


@dataclass(frozen=True)
class Answers:
    """The rows of ``predict``, with names that do not depend on how it spells its columns."""

    row: np.ndarray
    label: np.ndarray
    score: np.ndarray
    probability: dict[str, np.ndarray]  # by class; for two classes that of the positive class and its rest
    expected_gain: np.ndarray
    distance: np.ndarray


def numbers(table: pd.DataFrame, column: str) -> np.ndarray:
    """NaN where a cell, or the whole column, is not there."""
    return pd.to_numeric(table[column]).to_numpy(float) if column in table else np.full(len(table), np.nan)


def read_answers(table: pd.DataFrame, classes: list[str], positive: str) -> Answers:
    """Take ``P(yes)`` and ``row`` of today, ``probability`` and ``line`` of before."""
    spelt = {name.casefold(): name for name in classes}  # flags may come back as true and false; a test of its own asks
    probability = {}
    for name in classes:
        for spelling in (f"P({name})", f"probability of {name}"):
            if spelling in table:
                probability[name] = numbers(table, spelling)
    if positive:
        if positive not in probability and "probability" in table:
            probability[positive] = numbers(table, "probability")
        if positive in probability:
            other = next(name for name in classes if name != positive)
            probability[other] = 1 - probability[positive]
    return Answers(
        pd.to_numeric(table["row" if "row" in table else "line"]).to_numpy(int),
        np.array([spelt.get(label.casefold(), label) for label in table["label"].astype(str)], dtype=object),
        numbers(table, "score"),
        probability,
        numbers(table, "expected_gain"),
        numbers(table, "distance"),
    )


def gain_of(case: Case, true: np.ndarray, label: np.ndarray) -> np.ndarray:
    """What each answer earns: the gain of the case, or 1 for a right one."""
    if not case.gain:
        return (true == label).astype(float)
    return np.array([case.gain[t, a] for t, a in zip(true, label, strict=True)])


def expected_gains(case: Case, probability: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """By answer: the mean of its gain over the classes, by the probabilities of the row."""
    gain = case.gain or {(t, a): float(t == a) for t in probability for a in probability}
    return {a: sum(p * gain[t, a] for t, p in probability.items()) for a in probability}


def auc_of(case: Case, true: np.ndarray, answers: Answers, weight=None) -> float:
    """Of two classes: how often a row of the positive class has the larger score."""
    return roc_auc_score(true == case.positive, answers.score, sample_weight=weight)


def log_loss_of(true: np.ndarray, probability: dict[str, np.ndarray]) -> np.ndarray:
    chosen = np.select([true == name for name in probability], list(probability.values()), np.nan)
    return -np.log(np.clip(chosen, 1e-300, 1))


def confusion_of(true: np.ndarray, label: np.ndarray, classes: list[str], answers: list[str], weight=None):
    weight = np.ones(len(true)) if weight is None else weight
    return [[float(weight[(true == t) & (label == a)].sum()) for a in answers] for t in classes]


def standard_error(values: np.ndarray) -> float:
    return float(np.std(values, ddof=1) / np.sqrt(len(values)))


def auc_error(auc: float, positives: int, negatives: int) -> float:
    """Hanley and McNeil's standard error of an AUC."""
    q1, q2 = auc / (2 - auc), 2 * auc**2 / (1 + auc)
    variance = auc * (1 - auc) + (positives - 1) * (q1 - auc**2) + (negatives - 1) * (q2 - auc**2)
    return float(np.sqrt(max(variance, 0) / (positives * negatives)))


def miscalibration(true: np.ndarray, probability: np.ndarray, tolerance: float, bins: int = 10) -> tuple[float, int]:
    """Chi-square of ten bins of equal size, each allowed to be off by ``tolerance`` beside its own noise."""
    order = np.argsort(probability, kind="stable")
    statistic, used = 0.0, 0
    for part in np.array_split(order, bins):
        mean, share = probability[part].mean(), true[part].mean()
        noise = (mean * (1 - mean) + 0.25 / len(part)) / len(part)
        statistic += max(abs(share - mean) - tolerance, 0) ** 2 / noise
        used += 1
    return statistic, used
