"""The outcome in a sentence, what the best answer without any learner earns, and what boosted trees would."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.comparison.inference import Estimate, mean_difference
from discriminant.learners.registry import title_of
from discriminant.study.alternatives import TREES
from discriminant.study.claims import beats_one_answer, best_single_answer, earned_by_row
from discriminant.study.rule import even_odds
from discriminant.study.study import Study

Array = NDArray[np.float64]

_USEFUL_AUC = (
    0.75  # where the interval reaches so far, nothing was found because rows are few, not since there is nothing
)


def baseline_of(study: Study, codes: NDArray[np.integer[Any]], weight: Array) -> dict[str, Any]:
    """The one answer to all rows that earns most, what it earns a row, and whether the learner, paired, earns more."""
    best = best_single_answer(study.comparison)
    earned = float(np.average(earned_by_row(study.comparison, np.full(codes.size, best)), weights=weight))
    more = beats_one_answer(study.comparison, study.decisions_of(study.best))
    return {"label": study.model.answers[best], "value": earned, "clearly_less": more}


def verdict_of(study: Study, expected: Estimate, baseline: dict[str, Any]) -> str:
    """Who is best, what it earns, and whether that is more than an answer without looking."""
    if study.fitted.constant is not None:
        return _of_one_answer(study)
    name, always = title_of(study.best), f"always answering {baseline['label']}"
    if study.gain_given:
        unit = study.gain.unit
        own = " by each row's own gain" if study.comparison.gains is not None and study.comparison.gains.per_row else ""
        fact = f"{name} {earnings_text(expected.value, unit)} (95%: {span_of(expected)}){own}"
        fact += ", judged on rows it had not seen"
        other = earnings_text(baseline["value"], unit, "would earn", "would lose").removesuffix(" a row")
    else:
        fact = f"{name} is right in {expected.value:.1%} of rows (95%: {expected.low:.1%} to {expected.high:.1%})"
        fact += ", judged on rows it had not seen"
        other = f"is right in {baseline['value']:.1%}"
    if baseline["clearly_less"]:
        return f"{fact}; {always} {other}."
    if expected.value > baseline["value"]:
        return f"{fact}. Whether that is better than {always}, which {other}, these rows cannot tell. {_ranking(study)}"
    return f"{fact}. That is no better than {always}, which {other}. {_ranking(study)}"


def _of_one_answer(study: Study) -> str:
    always = study.model.classes[study.fitted.constant or 0]
    if not study.fitted.ranks:
        auc = study.comparison.auc.get(study.best)
        if auc is not None and auc.high > _USEFUL_AUC:
            return (
                f"These rows cannot tell whether the columns tell the classes of {study.design.question.name} apart; "
                f"until then the best answer is always {always}. {_ranking(study)}"
            )
        return (
            f"Nothing in these columns tells the classes of {study.design.question.name} apart: the best answer is "
            f"always {always}. "
            f"{_ranking(study)}"
        )
    under = "under this gain" if study.gain_given else "where all mistakes cost the same"
    return (
        f"The best answer is {always} for every row {under}: no threshold earns more. {_ranking(study)} "
        f"{_what_would_change_it(study)}"
    )


def _ranking(study: Study) -> str:
    """Whether scores put rows in a useful order all the same."""
    auc = study.comparison.auc.get(study.best)
    if auc is None:
        return ""
    span = f"AUC {auc.value:.3f}, 95%: {auc.low:.3f} to {auc.high:.3f}; 0.5 is chance"
    if auc.low > 0.5:
        return f"{title_of(study.best)} ranks rows better than chance ({span})."
    if auc.high > _USEFUL_AUC:
        return f"Nor can they tell whether it ranks rows better than chance ({span})."
    return f"No ranking is better than chance either ({span})."


def _what_would_change_it(study: Study) -> str:
    """The ratio of costs from which on the other answer would pay for a fiftieth of the rows that look most like it."""
    constant = study.fitted.constant or 0
    other, always = study.model.classes[1 - constant], study.model.classes[constant]
    p = study.fitted.tested[:, 1 - constant]
    rows = float(np.quantile(p, 0.98))
    if not 0 < rows < 1:
        return ""
    times = (1 - rows) / rows
    if study.gain_given and np.isfinite(even := even_odds(study.gain)):
        now = float(np.exp(-even if constant == 0 else even))
        return (
            f"Answering {other} would pay at times if a row of {_named(other)} answered {always} cost "
            f"{_as_much(times)} as a row of {_named(always)} answered {other} (now {_as_much(now)})."
        )
    missed, alarm = ("fn", "fp") if constant == 0 else ("fp", "fn")
    shown = f"{times:.0f}" if times >= 3 else f"{times:.2g}"
    return (
        f"If a missed {other} costs more than about {shown} times a {always} taken for one, that changes: "
        f"--gain {missed}=-{shown},{alarm}=-1."
    )


def _named(label: Any) -> str:
    """A label as it goes into a sentence: a bare number is named a class."""
    return str(label) if any(map(str.isalpha, str(label))) else f"class {label}"


def _as_much(times: float) -> str:
    """A number of times, or a part: "about 8 times as much", "about 1/8 as much"."""
    of = times if times >= 1 else 1 / times
    shown = f"{of:.0f}" if of >= 3 else f"{of:.2g}"
    if shown == "1":
        return "about as much"
    return f"about {shown} times as much" if times >= 1 else f"about 1/{shown} as much"


def trees_record(study: Study) -> dict[str, Any] | None:
    """What boosted trees earn on the same folds, beside what a plane gives in exchange."""
    if study.trees is None:
        return None
    theirs = study.trees.gain[TREES]
    decided = study.trees.decisions[TREES]
    more = mean_difference(earned_by_row(study.trees, decided), study.earned, study.comparison.row_weights)
    value, gap = (amount_in(abs(theirs.value), study.gain.unit), amount(abs(more.value)))
    verb = "would earn" if theirs.value >= 0 else "would lose"
    if not study.gain_given:
        value, gap, verb = f"{theirs.value:.1%} of rows", f"{100 * abs(more.value):.1f} points", "would be right in"
    if more.low > 0:
        told = f"Boosted trees {verb} {value}, {gap} better than this rule"
        told += "; the rule has weights one can read, a reason for every answer, and runs in SQL or a spreadsheet."
    elif more.high < 0:
        told = f"Boosted trees {verb} {value}, {gap} worse than this rule."
    else:
        told = f"Boosted trees {verb} {value}: no better than this rule, as far as these rows can tell."
    return {
        "value": theirs.value,
        "low": theirs.low,
        "high": theirs.high,
        "difference": more.value,
        "sentence": told,
    }


def earnings_text(value: float, unit: str, gains: str = "earns", loses: str = "loses") -> str:
    """What a row earns or loses, in words."""
    return f"{gains if value >= 0 else loses} {amount_in(abs(value), unit)} a row"


def span_of(estimate: Estimate) -> str:
    """Its interval; of a loss, as losses."""
    if estimate.value < 0 and estimate.high <= 0:
        return f"{amount(-estimate.high)} to {amount(-estimate.low)}"
    return f"{amount(estimate.low)} to {amount(estimate.high)}"


def amount_in(value: float, unit: str) -> str:
    """Write an amount with its unit."""
    return f"{amount(value)} {unit}" if unit else amount(value)


def amount(value: float) -> str:
    """Three digits that count, zeros at the end too, so that amounts side by side compare; whole ones stay whole."""
    size = abs(value)
    if size >= 999.5 or value == np.round(value):
        return f"{value:,.0f}"
    return f"{value:#.3g}".removesuffix(".")
