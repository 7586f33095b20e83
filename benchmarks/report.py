"""Results as a table to read and as JSON to keep."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.contest import OURS, Result, Verdict

_NOISY = 1.5  # repeats that differ by more than this say as much of the machine as of the code


def header(facts: Mapping[str, str], how: str) -> str:
    """The machine, and how times were taken."""
    return "\n".join([how, *(f"{name:>22}  {value}" for name, value in facts.items())])


def block(result: Result) -> str:
    """One line for each contender: its score, the ratio to ours, and the bars it decides."""
    threads = f"{result.threads} thread" + ("s" if result.threads > 1 else "")
    lines = [f"\n{result.title} · {result.stage} · {result.shape} · {threads}"]
    best = result.best
    for name in [*best, *(n for n in result.notes if n not in best)]:
        score = f"{_number(best[name], result.unit):>12}" if name in best else f"{'–':>12}"
        compared = name in best and OURS in best and name != OURS
        ratio = f"×{best[name] / best[OURS]:<8.3g}" if compared else " " * 9
        remarks = [_verdict(v) for v in result.verdicts if v.peer == name]
        if name in best and median(result.scores[name]) > _NOISY * best[name]:
            remarks.append(f"(noisy: median ×{median(result.scores[name]) / best[name]:.2g} of the least)")
        if name in result.notes:
            remarks.append(f"({result.notes[name]})")
        lines.append(f"  {name:<26}{score}   {ratio} {'; '.join(remarks)}".rstrip())
    return "\n".join(lines)


def summary(results: Sequence[Result]) -> str:
    """How many bars were met, and every one that was not."""
    verdicts = [(result, v) for result in results for v in result.verdicts if v.met is not None]
    if not verdicts:
        return "\nNo bar was judged."
    missed = [
        f"  {r.title} · {r.stage} · {r.shape} · threads {r.threads}: {v.measured:.3g}, bar: {v.bar} ({v.peer})"
        for r, v in verdicts
        if not v.met
    ]
    return "\n".join([f"\n{len(verdicts) - len(missed)} of {len(verdicts)} bars met; missed:", *(missed or ["  none"])])


def save(path: Path, facts: Mapping[str, str], how: str, results: Sequence[Result]) -> None:
    """Everything measured, every repeat included."""
    document = {"how": how, "machine": dict(facts), "results": [_as_json(result) for result in results]}
    path.write_text(json.dumps(document, indent=1, ensure_ascii=False) + "\n")


def _as_json(result: Result) -> dict[str, Any]:
    medians = {name: median(repeats) for name, repeats in result.scores.items()}
    return {**asdict(result), "best": result.best, "median": medians}


def _verdict(verdict: Verdict) -> str:
    word = {True: "met", False: "MISSED", None: "not judged"}[verdict.met]
    return f"{verdict.bar}: {verdict.measured:.3g}, {word}"


def _number(value: float, unit: str) -> str:
    return f"{1000 * value:.2f} ms" if unit == "s" else f"{value:.1f} {unit}"
