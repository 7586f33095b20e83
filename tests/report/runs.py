"""Runs to render: realistic ones of two and of several classes, and ones in which as much as possible is odd."""

from typing import Any

import numpy as np

LEARNERS = {
    "lda": "Linear discriminant analysis",
    "logistic": "Logistic regression",
    "svm": "Linear support vector machine",
    "least_squares": "Least squares",
    "naive_bayes": "Naive Bayes (Gaussian)",
    "perceptron": "Pocket perceptron",
}
COLUMNS = ["duration", "amount", "age", "rate", "residence", "checking", "history", "purpose", "savings", "job", "id"]


def interval(value: float, half: float) -> dict[str, float]:
    return {"value": value, "low": value - half, "high": value + half}


def operating_points(scores: np.ndarray, codes: np.ndarray, most: int = 1500) -> dict[str, Any]:
    """Counts above each threshold, from one that assigns nothing to one that assigns everything."""
    distinct = np.unique(scores)[::-1]
    cuts = np.concatenate([distinct[:1] + 0.1, (distinct[:-1] + distinct[1:]) / 2, distinct[-1:] - 0.1])
    exact = cuts.size <= most
    if not exact:
        cuts = cuts[np.unique(np.linspace(0, cuts.size - 1, most).round().astype(int))]
    above = [np.sort(scores[codes == k]) for k in (0, 1)]
    counted = [side.size - np.searchsorted(side, cuts, side="right") for side in above]
    return {
        "thresholds": cuts.tolist(),
        "negatives": counted[0].tolist(),
        "positives": counted[1].tolist(),
        "totals": [int((codes == 0).sum()), int((codes == 1).sum())],
        "exact": exact,
        "chosen": int(np.abs(cuts).argmin()),
    }


def two_classes(n: int = 1000, *, gain: bool = True, labels: tuple[Any, Any] = ("good", "bad"), seed: int = 0):
    """Credit: three in ten loans go bad, and a bad loan that was granted costs five times a good one refused."""
    rng = np.random.default_rng(seed)
    codes = (rng.random(n) < 0.3).astype(int)
    scores = rng.normal(np.where(codes == 1, 0.95, -0.55), 1.0) + 0.35
    two = operating_points(scores, codes)
    edges = np.linspace(scores.min() - 0.05, scores.max() + 0.05, 41)
    two["histogram"] = {
        "edges": edges.tolist(),
        "counts": [np.histogram(scores[codes == k], edges)[0].tolist() for k in (0, 1)],
    }
    two |= {"slope": 1.5, "offset": -1.35, "auc": interval(0.79, 0.03)}
    i = two["chosen"]
    (n0, n1), fp, tp = two["totals"], two["negatives"][i], two["positives"][i]
    matrix = [[0.0, -1.0], [-5.0, 0.0]] if gain else [[1.0, 0.0], [0.0, 1.0]]
    counts = np.array([[n0 - fp, fp], [n1 - tp, tp]])
    value = float((counts * np.array(matrix)).sum() / n)
    run = common(list(labels), [n0, n1], n, matrix, "EUR" if gain else "", value)
    run["two"] = two
    run["confusion"] = {"assigned": list(labels), "counts": counts.tolist()}
    run["calibration"] = bins(1 / (1 + np.exp(-(1.5 * scores - 1.35))), codes)
    return run


def several_classes(n_classes: int = 3, n: int = 900, *, gain: bool = True, seed: int = 1) -> dict[str, Any]:
    """Classes around a circle."""
    rng = np.random.default_rng(seed)
    shares = np.linspace(1.5, 0.5, n_classes)
    codes = np.sort(rng.choice(n_classes, n, p=shares / shares.sum()))
    angle = 2 * np.pi * np.arange(n_classes) / n_classes
    means = 2.2 * np.column_stack([np.cos(angle), np.sin(angle)])
    points = means[codes] + rng.normal(size=(n, 2))
    logs = -0.5 * ((points[:, None] - means) ** 2).sum(axis=2) + np.log(shares)
    posteriors = np.exp(logs - logs.max(axis=1, keepdims=True))
    posteriors = np.round(posteriors / posteriors.sum(axis=1, keepdims=True), 5)
    labels = [f"species {k + 1}" for k in range(n_classes)]
    matrix = np.where(np.eye(n_classes) == 1, 10.0, -3.0) if gain else np.eye(n_classes)
    if gain:
        matrix[0, 1:] = -25.0
    assigned = (posteriors @ matrix).argmax(axis=1)
    counts = np.zeros((n_classes, n_classes), int)
    np.add.at(counts, (codes, assigned), 1)
    value = float((counts * matrix).sum() / n)
    totals = np.bincount(codes, minlength=n_classes)
    run = common(labels, totals.tolist(), n, matrix.tolist(), "USD" if gain else "", value, planes=labels)
    run["many"] = {
        "rows": n,
        "sampled": False,
        "true": codes.tolist(),
        "posteriors": posteriors.tolist(),
        "points": points.round(3).tolist(),
    }
    run["confusion"] = {"assigned": labels, "counts": counts.tolist()}
    run["calibration"] = bins(posteriors.max(axis=1), (posteriors.argmax(axis=1) == codes).astype(int))
    return run


def bins(probability: np.ndarray, right: np.ndarray) -> list[dict[str, Any]]:
    """Ten bins of like size."""
    found = []
    for rows in np.array_split(np.argsort(probability), 10):
        share, n = float(right[rows].mean()), rows.size
        half = 1.96 * np.sqrt(max(share * (1 - share), 0.02) / n)
        low, high = max(0.0, share - half), min(1.0, share + half)
        found.append({"mean": float(probability[rows].mean()), "share": share, "low": low, "high": high, "rows": n})
    return found


def common(
    labels: list[Any], totals: list[int], n: int, matrix: list[list[float]], unit: str, value: float, planes: Any = None
) -> dict[str, Any]:
    """What every run has."""
    given = matrix != np.eye(len(labels)).tolist()
    shares = [t / n for t in totals]
    constant = [sum(p * row[a] for p, row in zip(shares, matrix, strict=True)) for a in range(len(labels))]
    best = int(np.argmax(constant))
    words = f"{value:.2f} {unit} a row" if given else f"{value:.1%} of the rows right"
    return {
        "format": "discriminant run",
        "version": 1,
        "title": "loans.csv: outcome",
        "made": "2026-11-16T07:00:00Z",
        "command": "discriminant fit loans.csv --target outcome",
        "seed": 0,
        "versions": {"discriminant": "0.1.0", "numpy": "2.4.6", "python": "3.13.1"},
        "data": {
            "files": ["loans.csv"],
            "rows": n + 3,
            "used_rows": n,
            "columns": len(COLUMNS) + 1,
            "sha256": "9f2c" * 16,
            "target": "outcome",
            "weight": None,
            "classes": [{"label": a, "rows": t, "share": s} for a, t, s in zip(labels, totals, shares, strict=True)],
            "positive": labels[1],
            "notes": ["3 rows without a class were left out.", "The delimiter is a semicolon."],
        },
        "columns": columns(),
        "columns_left_out": 0,
        "verdict": f"Linear discriminant analysis earns most: {words}, against {constant[best]:.2f} for always "
        f"answering {labels[best]}.",
        "criterion": "gain" if given else "accuracy",
        "unit": unit,
        "gain": {"given": given, "classes": labels, "assigned": labels, "matrix": matrix, "unit": unit},
        "priors": {"rows": shares, "used": shares},
        "separation": {
            "kind": "none",
            "text": "The convex hulls of the two classes share a point.",
            "proof": [
                {"class": labels[k], "row": row, "weight": weight}
                for k, row, weight in [(0, 12, 0.5), (0, 731, 0.3), (0, 44, 0.2), (1, 9, 0.75), (1, 410, 0.25)]
            ],
            "margin": None,
        },
        "best": "lda",
        "learner": {"name": "lda", "text": LEARNERS["lda"], "parameters": {"shrinkage": None, "method": "mle"}},
        "comparison": learners(value, given),
        "baseline": {"label": labels[best], "value": constant[best]},
        "expected": interval(value, 0.03 if not given else 0.06 * max(1.0, abs(value))),
        "two": None,
        "many": None,
        "weights": weights([f"{labels[1]} against {labels[0]}"] if planes is None else planes),
        "rows": examples(labels),
        "findings": findings(),
        "reproduce": {
            "commands": ["pip install discriminant==0.1.0", "discriminant fit loans.csv --target outcome --seed 0"],
            "python": "import discriminant\n\nmodel = discriminant.load('model.json')\nmodel.predict(table)",
        },
    }


def columns() -> list[dict[str, Any]]:
    kinds = ["number"] * 5 + ["category"] * 5 + ["dropped"]
    done = {
        "number": "standardised; blanks count as average",
        "category": "one feature a level but the most common",
        "dropped": "left out: every value is different, an identifier",
    }
    summaries = {"number": "4 to 72, mean 20.9", "category": "4 levels; most common: none (39%)", "dropped": "text"}
    return [
        {
            "name": name,
            "kind": kind,
            "done": done[kind],
            "blanks": 3 * (i % 3),
            "summary": summaries[kind],
            "features": {"number": 1, "category": 3, "dropped": 0}[kind],
        }
        for i, (name, kind) in enumerate(zip(COLUMNS, kinds, strict=True))
    ]


def learners(value: float, given: bool) -> list[dict[str, Any]]:
    step = 0.04 * max(1.0, abs(value)) if given else 0.012
    found: list[dict[str, Any]] = []
    for i, (name, text) in enumerate(LEARNERS.items()):
        level = value - step * i * (i + 1) / 2.5
        gain, accuracy = interval(level, 1.2 * step), interval((0.71 if given else value) - 0.012 * i, 0.028)
        figures = {"accuracy": accuracy, "log_loss": interval(0.52 + 0.01 * i, 0.02), "auc": interval(0.79, 0.03)}
        against = {"value": level - value, "low": -2 * step, "high": 0.1, "p": 0.31 / (1 + i**3)}
        found.append(
            {
                "name": name,
                "text": text,
                "tied": i < 3,
                "figures": figures | {"gain": gain} if given else figures,
                "difference": None if i == 0 else against,
                "seconds": 0.02 * 3**i,
                "failure": None,
            }
        )
    hopeless = {"name": "hard_margin", "text": "Hard-margin machine", "tied": False, "figures": {}, "difference": None}
    return [*found, hopeless | {"seconds": 0.1, "failure": "No plane divides the classes, so it has no answer."}]


def weights(planes: list[Any], n_features: int = 16, seed: int = 3) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    features = []
    for j in range(n_features):
        column = COLUMNS[j % 10]
        value = rng.normal(size=len(planes)) / (1 + 0.2 * j)
        number = j % 10 < 5
        features.append(
            {
                "name": column if number and j < 10 else f"{column} = level {j}",
                "column": column,
                "kind": "number" if number else "category",
                "standardised": value.tolist(),
                "low": (value - 0.15).tolist(),
                "high": (value + 0.15).tolist(),
                "per_unit": (value / 12.1).tolist(),
                "unit_text": "a month" if number else "instead of none",
            }
        )
    return {"planes": planes, "features": features, "features_left_out": 0, "intervals": "bootstrap of 200"}


def examples(labels: list[Any], n: int = 8) -> dict[str, Any]:
    def row(i: int, score: float, right: bool) -> dict[str, Any]:
        true = labels[i % 2]
        cells = {name: str(10 * i + j) for j, name in enumerate(COLUMNS[:8])}
        assigned = true if right else labels[1 - i % 2]
        return {
            "row": 17 * i + 3,
            "true": true,
            "assigned": assigned,
            "score": score,
            "probability": float(1 / (1 + np.exp(-score))),
            "cells": cells,
        }

    return {
        "nearest": [row(i, 0.004 * (i - 4), i % 3 > 0) for i in range(n)],
        "worst": [row(i, (3 - 0.2 * i) * (1 if i % 2 else -1), False) for i in range(n)],
    }


def findings() -> list[dict[str, Any]]:
    return [
        {
            "kind": "SingularCovariance",
            "fact": "2 columns determine one another within the classes",
            "evidence": "amount = 12 × rate within 1e-12 of its spread",
            "remedy": "Leave one of them out, or shrink the covariance",
            "doubtful": False,
            "about": "lda",
        },
        {
            "kind": "NotConverged",
            "fact": "The fit stopped before its criterion settled",
            "evidence": "1000 passes; the criterion still fell by 0.3% a pass",
            "remedy": "Raise max_iter",
            "doubtful": True,
            "about": "perceptron",
        },
    ]


def with_reject(run: dict[str, Any]) -> dict[str, Any]:
    """The same run with a third answer: ask a person, for a small fee."""
    gain = run["gain"]
    gain["assigned"] = [*gain["classes"], "ask"]
    gain["matrix"] = [[*row, -0.4] for row in gain["matrix"]]
    counts = run["confusion"]["counts"]
    run["confusion"] = {"assigned": gain["assigned"], "counts": [[*row, 0] for row in counts]}
    return run


def with_more(run: dict[str, Any]) -> dict[str, Any]:
    """The same run with what a longer study adds: importance, trees, curves and rows kept apart."""
    value = run["expected"]["value"]
    costs = [0.21, 0.08, 0.015, -0.004]
    run["importance"] = {
        "text": "Measured by fitting again without the column on every fold.",
        "columns": [
            {"column": name, "cost": cost, "low": cost - 0.03, "high": cost + 0.03}
            for name, cost in zip(COLUMNS, costs, strict=False)
        ],
    }
    run["trees"] = {**interval(value + 0.1, 0.05), "difference": 0.1, "sentence": "Boosted trees would lose 0.1 less."}
    run["shapes"] = [
        {
            "column": "amount",
            "text": "amount enters by its logarithm",
            "points": [[250, -1], [4000, 0.3], [18000, 0.7]],
        },
        {"column": "age", "text": "age bends at 30", "points": [[19, 0.4], [30, -0.1], [75, -0.15]]},
    ]
    figures = {"gain": interval(value - 0.5, 0.1), "accuracy": interval(0.71, 0.02), "auc": interval(0.78, 0.03)}
    run["test"] = {"file": "kept-apart.csv", "rows": 1234, "figures": figures}
    run["two"]["bends"] = [[0.5, -0.4]]
    return run


def in_millions(run: dict[str, Any]) -> dict[str, Any]:
    """The same run with amounts of many digits."""
    gain = run["gain"]
    gain["matrix"] = [[1_234_567 * cell for cell in row] for row in gain["matrix"]]
    for figure in (run["expected"], run["baseline"]):
        figure |= {end: 1_234_567 * figure[end] for end in ("value", "low", "high") if end in figure}
    for entry in run["comparison"]:
        if "gain" in entry["figures"]:
            entry["figures"]["gain"] = {end: 1_234_567 * x for end, x in entry["figures"]["gain"].items()}
    return run


def bare() -> dict[str, Any]:
    """As little as a run can hold."""
    return {"format": "discriminant run", "version": 1}


def one_sided() -> dict[str, Any]:
    """Two classes of which one row each exists: two or three thresholds, all scores alike, nothing else known."""
    run = two_classes()
    run["two"] = {
        "thresholds": [0.5, -0.5],
        "positives": [0, 1],
        "negatives": [0, 1],
        "totals": [1, 1],
        "chosen": 0,
        "exact": True,
        "histogram": {"edges": [0.0, 0.0], "counts": [[1], [1]]},
        "slope": None,
        "offset": None,
    }
    run["rows"] = {"nearest": [], "worst": []}
    for part in ("calibration", "separation", "comparison", "findings", "expected", "baseline"):
        del run[part]
    for feature in run["weights"]["features"]:
        feature["low"] = feature["high"] = None
    return run


def largest() -> dict[str, Any]:
    """Fifty classes with labels of 300 characters, 2000 rows and features, and every list full to the brim."""
    run = several_classes(50, 2000)
    labels = [f"{k:02d} " + "长ab<&" * 60 for k in range(50)]
    run["gain"] |= {"classes": labels, "assigned": labels}
    run["data"]["classes"] = [{"label": label, "rows": 40, "share": 0.02} for label in labels]
    flat = np.random.default_rng(5).dirichlet(np.full(50, 5.0), 2000).round(5)
    run["many"]["posteriors"] = flat.tolist()
    run["weights"] = weights(labels, 2000)
    for feature in run["weights"]["features"]:
        feature["name"] += " " + "ä&" * 150
    run["columns"] = [column | {"name": column["name"] + "é<" * 140} for column in columns() * 182]
    run["rows"] = examples(labels, 10)
    for row in [*run["rows"]["nearest"], *run["rows"]["worst"]]:
        row["cells"] = {f"{j} " + "x<" * 150: "y&" * 150 for j in range(12)}
    run["findings"] = [finding | {"evidence": "z<" * 3000} for finding in findings() * 300]
    run["comparison"] = run["comparison"] * 100
    return run
