"""The decision: what the page's script needs to move a threshold, the priors and the gains.

With π the priors, g the gains (true × assigned) and n_k rows of class k, at the stored point i of two classes

    false alarm f = negatives_i / n_0,   misdetect m = 1 − positives_i / n_1,
    expected gain = π_0 [(1 − f) g_00 + f g_01] + π_1 [m g_10 + (1 − m) g_11].

For more classes, posteriors p under the priors π become p_k ρ_k/π_k (made to add to one) under priors ρ, and a row is
assigned argmax_a Σ_k p_k g_ka. The same is done in page/arithmetic.js.
"""

from collections.abc import Mapping
from typing import Any

from discriminant.report.numerals import count, decimals, percent, round_digits
from discriminant.report.plain_values import as_list, figure, part, parts, real, reals, whole
from discriminant.report.sections.score_axis import robust_histogram
from discriminant.report.subject import Subject

_POSTERIOR_UNITS = 100_000  # posteriors are written as whole numbers of 1e-5
_MOST_BENDS = 200
_TABLE_UP_TO = 12  # classes of a confusion matrix that is shown whole


def decision(subject: Subject) -> dict[str, Any]:
    """What the templates need: which parts there are, and the confusion matrix as it was found."""
    two, many = two_classes(subject), many_classes(subject)
    return {
        "two": two,
        "many": many,
        "classes": subject.classes,
        "auc": _auc(part(subject.run, "two", "auc")),
        "why_not": _why_not(subject),
        "confusion": _confusion(subject),
        "gain_given": subject.gain_given,
        "row_gain": subject.sentence(part(subject.run, "row_gain").get("text")),
        "some_rows": count(many["rows"]) if many else "",
        "all_rows": count(_all_rows(subject)),
    }


def _auc(facts: Mapping[str, Any]) -> str:
    value, low, high = figure(facts)
    interval = "" if low is None or high is None else f" (95%: {decimals(low)} to {decimals(high)})"
    return "" if value is None else decimals(value) + interval


def _why_not(subject: Subject) -> str:
    if part(subject.run, "many") and len(subject.classes) > subject.limits.classes:
        return f"A page cannot hold the probabilities of {count(len(subject.classes))} classes"
    return "This run holds no out-of-fold scores to draw"


def two_classes(subject: Subject) -> dict[str, Any] | None:
    """The operating points, histogram and calibration of two classes; None where they are missing or do not fit."""
    facts = part(subject.run, "two")
    thresholds, totals = reals(facts.get("thresholds")), reals(facts.get("totals"))
    positives, negatives = reals(facts.get("positives")), reals(facts.get("negatives"))
    if thresholds is None or positives is None or negatives is None or totals is None or len(subject.classes) != 2:
        return None
    chosen = whole(facts.get("chosen"))
    n = len(thresholds)
    if not len(positives) == len(negatives) == n or len(totals) != 2 or min(totals) <= 0:
        return None
    chosen = chosen if chosen is not None and 0 <= chosen < n else _nearest_zero(thresholds)
    every = {"thresholds": thresholds, "positives": positives, "negatives": negatives, "totals": totals}
    histogram, beyond = robust_histogram(every | {"chosen": chosen}, _histogram(part(facts, "histogram")))
    kept = _spread_out(n, chosen, subject.limits.points)
    return {
        "thresholds": [round_digits(thresholds[i]) for i in kept],
        "positives": [_whole_if_so(positives[i]) for i in kept],
        "negatives": [_whole_if_so(negatives[i]) for i in kept],
        "totals": [_whole_if_so(total) for total in totals],
        "chosen": kept.index(chosen),
        "exact": bool(facts.get("exact", True)) and len(kept) == n,
        "histogram": _shorten_histogram(histogram),
        "beyond": beyond,
        "slope": real(facts.get("slope")),
        "offset": real(facts.get("offset")),
        "bends": _bends(facts.get("bends")),
    }


def _bends(value: Any) -> list[list[float]] | None:
    """Where the log-odds bend, as (at, change of the slope); None where that cannot be read.

    log-odds of class 1 = offset + slope s + Σ change max(s − at, 0)
    """
    if value is None:
        return []
    found = [reals(bend) for bend in as_list(value)]
    read = [bend for bend in found if bend is not None and len(bend) == 2]
    return read if isinstance(value, list | tuple) and len(read) == len(found) <= _MOST_BENDS else None


def many_classes(subject: Subject) -> dict[str, Any] | None:
    """True classes, posteriors and points of the rows of several classes, thinned to fit the page."""
    facts, n_classes = part(subject.run, "many"), len(subject.classes)
    if not facts:
        return None
    true = [whole(code) for code in as_list(facts.get("true"))]
    posteriors = [reals(row) for row in as_list(facts.get("posteriors"))]
    points = [reals(point) for point in as_list(facts.get("points"))]
    fits = len(true) == len(posteriors) > 0 and 2 <= n_classes <= subject.limits.classes
    if not fits or any(code is None or not 0 <= code < n_classes for code in true):
        return None
    if any(row is None or len(row) != n_classes or min(row) < 0 or max(row) > 1 for row in posteriors):
        return None
    m = len(true)
    kept = _spread_out(m, 0, max(50, subject.limits.posteriors // n_classes))
    drawn = len(points) == m and all(point is not None and len(point) == 2 for point in points)
    return {
        "rows": len(kept),
        "sampled": bool(facts.get("sampled")) or len(kept) < m,
        "true": [true[i] for i in kept],
        "posteriors": [[round(p * _POSTERIOR_UNITS) for p in posteriors[i] or []] for i in kept],
        "points": [[round_digits(x, 4) for x in points[i] or []] for i in kept] if drawn else [],
    }


def _spread_out(n: int, needed: int, most: int) -> list[int]:
    """All places below n, or ``most`` of them evenly spread with the first, the last and the one that is needed."""
    if n <= most:
        return list(range(n))
    return sorted({round(i * (n - 1) / (most - 2)) for i in range(most - 1)} | {needed})


def _nearest_zero(thresholds: list[float]) -> int:
    return min(range(len(thresholds)), key=lambda i: abs(thresholds[i]))


def _whole_if_so(value: float) -> float:
    return int(value) if value == int(value) else value


def _histogram(facts: Mapping[str, Any]) -> dict[str, Any] | None:
    edges = reals(facts.get("edges"))
    counts = [reals(row) for row in as_list(facts.get("counts"))]
    if edges is None or len(counts) != 2 or any(row is None or len(row) != len(edges) - 1 for row in counts):
        return None
    return {"edges": edges, "counts": counts}


def _shorten_histogram(histogram: dict[str, Any] | None) -> dict[str, Any] | None:
    if histogram is None:
        return None
    counts = [[round_digits(n, 6) for n in row] for row in histogram["counts"]]
    return {"edges": [round_digits(edge) for edge in histogram["edges"]], "counts": counts}


def _confusion(subject: Subject) -> dict[str, Any] | None:
    facts = part(subject.run, "confusion")
    counts = [reals(row) for row in as_list(facts.get("counts"))]
    assigned = [subject.label(label) for label in as_list(facts.get("assigned"))]
    rows = [row for row in counts if row is not None and len(row) == len(assigned)]
    if not rows or len(rows) != len(subject.classes) or len(rows) > _TABLE_UP_TO:
        return None
    shown = [
        {"label": label, "cells": [count(n) for n in row]} for label, row in zip(subject.classes, rows, strict=True)
    ]
    return {"assigned": assigned, "rows": shown, "counts": rows}


def _all_rows(subject: Subject) -> float | None:
    facts = part(subject.run, "data")
    used = real(facts.get("used_rows"))
    return real(facts.get("rows")) if used is None else used


def calibration(subject: Subject) -> dict[str, Any]:
    """The bins, as numbers for the picture and as text for the table."""
    two = len(subject.classes) == 2
    bins = []
    for entry in parts(subject.run.get("calibration"))[: min(20, subject.limits.table_rows)]:
        mean, share, low, high = figure(entry, "mean", "share", "low", "high")
        if mean is not None and share is not None:
            bins.append({"mean": mean, "share": share, "low": low, "high": high, "rows": real(entry.get("rows"))})
    return {
        "bins": bins,
        "of": subject.classes[1] if two else "",
        "rows": [
            {
                "mean": percent(entry["mean"]),
                "share": percent(entry["share"]),
                "interval": f"{percent(entry['low'])} to {percent(entry['high'])}",
                "rows": count(entry["rows"]),
                "inside": None
                if entry["low"] is None or entry["high"] is None or entry["mean"] is None
                else entry["low"] <= entry["mean"] <= entry["high"],
            }
            for entry in bins
        ],
    }
