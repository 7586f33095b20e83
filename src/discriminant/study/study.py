"""From a table to a decision: encode, compare, choose, decide, and keep what a person wants to see of it."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sklearn.base import clone

from discriminant.comparison import Comparison
from discriminant.comparison.inference import Difference, mean_difference
from discriminant.findings import Finding, FindingWarning
from discriminant.gain.alignment import align_gain
from discriminant.gain.matrix import Gain
from discriminant.model.decision_model import DecisionModel, Target
from discriminant.model.training import with_training
from discriminant.rows import ArrayRows
from discriminant.rows.threads import single_threaded_blas
from discriminant.study.alternatives import costs_of_leaving_out, trees_of
from discriminant.study.claims import chosen_learner, earned_by_row
from discriminant.study.contenders import contenders, features_by_column, learners_of, weigh_mistakes
from discriminant.study.data_findings import REMEDIES, calibration_findings, data_findings, is_covered, never_answered
from discriminant.study.design import Design
from discriminant.study.gains import read_gain_option
from discriminant.study.judging import judge_learners, sample_of, with_shares
from discriminant.study.rule import FittedRule, fit_rule
from discriminant.study.separation import of_drawn_rows, separation_of
from discriminant.study.signs import keep_signed, signs_of
from discriminant.table.encoding import Encoding

Array = NDArray[np.float64]
Progress = Callable[[str, int, int], Any]


@dataclass(frozen=True, eq=False)
class Study:
    """Everything that came out; ``run`` in `discriminant.study.run` makes plain data of it."""

    design: Design
    gain: Gain
    gain_given: bool
    comparison: Comparison
    compared: NDArray[np.intp] | None  # the rows compared on, of those used; None for all
    left_out: Mapping[str, str]
    best: str
    learner: Any
    fitted: FittedRule
    separation: Mapping[str, Any]
    model: DecisionModel
    seed: int
    findings: tuple[tuple[str, Finding], ...] = field(default=())
    trees: Comparison | None = None  # boosted trees on the same folds
    importance: Mapping[str, Difference] = field(default_factory=dict)  # what leaving a column out costs a row

    @property
    def judged(self) -> NDArray[np.intp]:
        """The places of the judged rows among those used."""
        return _used_places(self.comparison, self.compared)

    def decisions_of(self, name: str) -> NDArray[np.integer[Any]]:
        """The answers to the compared rows by a learner's rules that had not seen them."""
        return self.fitted.decided if name == self.best else self.comparison.decisions[name]

    @property
    def delivered_answers(self) -> NDArray[np.integer[Any]]:
        """What held-out rows are assigned to by the rule that is delivered, each by its own gain where it has one."""
        return self.fitted.held_out_answers(self.comparison.gains or self.gain)

    @property
    def earned(self) -> Array:
        """What each compared row earns by the chosen rules."""
        return earned_by_row(self.comparison, self.fitted.decided)

    def more_earned(self, name: str) -> Difference:
        """What a row earns more by a learner's rules than by those of the chosen one."""
        theirs = earned_by_row(self.comparison, self.decisions_of(name))
        return mean_difference(theirs, self.earned, self.comparison.row_weights)

    @property
    def criterion(self) -> str:
        """What learners were ranked by."""
        return "gain" if self.gain_given else "accuracy"


def _used_places(comparison: Comparison, compared: NDArray[np.intp] | None) -> NDArray[np.intp]:
    numbers = comparison.row_numbers
    places = np.arange(comparison.codes.size) if numbers is None else numbers
    return places if compared is None else compared[places]


def study(
    design: Design,
    *,
    gain: str | Gain | None = None,
    learners: Sequence[str] = ("all",),
    cv: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    provenance: Mapping[str, Any] | None = None,
    increasing: Sequence[str] = (),
    decreasing: Sequence[str] = (),
    row_gains: Gain | None = None,
) -> Study:
    """Compare the learners, refit the best to all rows and find the rule that earns the most.

    With ``row_gains``, those of each used row, rows are decided by their own gain, and ``gain`` is its mean.

    The answer never turns from the positive class because a column of ``increasing`` grows, nor to it because one of
    ``decreasing`` does.
    """
    signs = signs_of(design, increasing, decreasing)
    with single_threaded_blas():  # matrices are small, and our own threads share rows among them
        return _study(design, gain, learners, cv, seed, progress, provenance or {}, signs, row_gains)


def _study(
    design: Design,
    gain: str | Gain | None,
    learners: Sequence[str],
    cv: int | None,
    seed: int,
    progress: Progress | None,
    provenance: Mapping[str, Any],
    signs: Mapping[int, int],
    row_gains: Gain | None,
) -> Study:
    question, tell = design.question, progress or (lambda step, done, total: None)
    classes, codes = question.classes, question.codes
    gains = _gain(gain, classes)
    tell("separability", 0, 1)
    straight = design.straight_matrix()
    separation = separation_of(straight, codes, classes, design.row_numbers, seed)
    separation = of_drawn_rows(separation, codes.size, question.n_rows)
    names, left_out = contenders(learners, design.X, separation["kind"] == "complete")
    if signs:
        names, left_out = keep_signed(names, left_out, learners)
    compared = sample_of(design.X, codes, seed)
    asked = learners_of(names, seed, design.ridge, signs, features_by_column(design.encoding))
    weigh_mistakes(asked, [str(label) for label in classes], gains)
    comparison = _compare_learners(design, gains, asked, compared, cv, seed, tell)
    by_mean = comparison
    if row_gains is not None:
        comparison = replace(comparison, gains=row_gains.take(_used_places(comparison, compared)))
    best = chosen_learner(comparison)
    tell(f"fit {best}", 0, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FindingWarning)  # told as findings
        learner = clone(comparison.learners[best]).fit(design.all_rows)
    fitted = fit_rule(by_mean, best, learner, design.X, gains, question.weight)
    if comparison.gains is not None and row_gains is not None:
        decided = comparison.gains.decide(fitted.tested)
        fitted = replace(
            fitted, decided=decided, constant=fitted.constant if (decided == fitted.constant).all() else None
        )
    findings = _findings(design, straight, gains, gain is not None, comparison, fitted)
    findings += tuple(
        (best, f) for f in getattr(learner, "findings_", ()) if not is_covered(findings, f, design.encoding)
    )
    model = _model(design, gains, best, learner, fitted, findings, provenance)
    tell("what columns are worth", 0, 1)
    importance = _importance(design, comparison, compared, gains, best, fitted)
    tell("boosted trees, to compare with", 0, 1)
    trees = _trees(design, comparison, compared, gains, seed)
    levels = {summary.name: summary.levels for summary in design.summaries} if design.whole is not None else {}
    model = with_training(model, design.table, design.X, fitted.held_scores, levels)
    tell("done", 1, 1)
    return Study(
        design, gains, gain is not None, comparison, compared, left_out, best, learner, fitted, separation, model, seed,
        findings, trees, importance,
    )  # fmt: skip


def _importance(
    design: Design, comparison: Comparison, compared: Any, gain: Gain, best: str, fitted: FittedRule
) -> Mapping[str, Difference]:
    if not isinstance(design.encoding, Encoding) or not fitted.ranks:
        return {}
    rows = _compared_rows(design, compared)
    return costs_of_leaving_out(design.encoding, rows, fitted.weights, comparison, gain, best)


def _trees(design: Design, comparison: Comparison, compared: Any, gain: Gain, seed: int) -> Comparison | None:
    if design.table is None or design.straight is None:
        return None
    table = design.table if compared is None else design.table.take(pa.array(compared))
    return trees_of(design.straight.encode(table).matrix, comparison, gain, seed)


def _gain(gain: str | Gain | None, classes: Sequence[Any]) -> Gain:
    return read_gain_option(gain, classes) if isinstance(gain, str) else align_gain(gain, classes)


def _findings(
    design: Design, straight: Any, gain: Gain, given: bool, comparison: Comparison, fitted: FittedRule
) -> tuple[tuple[str, Finding], ...]:
    """About the table, the gain and the decision."""
    question = design.question
    found = [
        *data_findings(question, design.encoding, design.X, comparison.cv.n_folds, straight),
        *never_answered(question, comparison.codes, fitted.held_out_answers(comparison.gains or gain), given),
        *calibration_findings(question, comparison, fitted),
        *(gain.findings() if given else ()),
    ]
    return tuple(("data", finding) for finding in found)


def _compared_rows(design: Design, compared: NDArray[np.intp] | None) -> ArrayRows:
    return design.rows if compared is None else with_shares(design.rows.take(compared), design.question.shares)


def _compare_learners(
    design: Design, gain: Gain, learners: Mapping[str, Any], rows: Any, cv: int | None, seed: int, tell: Progress
) -> Comparison:
    source = _compared_rows(design, rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FindingWarning)  # told as findings
        return judge_learners(
            source, design.question.classes, gain, learners,
            holding_out=design.holding_out.take(rows), cv=cv, seed=seed,
            progress=lambda done, total, name: tell(name, done, total),
        )  # fmt: skip


def _model(
    design: Design,
    gain: Gain,
    name: str,
    learner: Any,
    fitted: FittedRule,
    findings: Sequence[tuple[str, Finding]],
    provenance: Mapping[str, Any],
) -> DecisionModel:
    question = design.question
    return DecisionModel(
        Target(question.name, question.classes, question.cut, question.number_format),
        design.encoding,
        fitted.weights,
        fitted.thresholds,
        fitted.rule,
        gain,
        fitted.posterior,
        tuple(question.shares.tolist()),
        name,
        _parameters(learner),
        tuple(finding_record(about, finding) for about, finding in findings),
        dict(provenance),
    )


def _parameters(learner: Any) -> dict[str, Any]:
    """The parameters that are plain data, mappings as texts; files know no infinity."""
    told = {k: str(v) if isinstance(v, dict) else v for k, v in learner.get_params().items()}
    plain = {k: v for k, v in told.items() if isinstance(v, str | int | float | bool | None)}
    return {k: str(v) if isinstance(v, float) and not np.isfinite(v) else v for k, v in plain.items()}


def finding_record(about: str, finding: Finding) -> dict[str, Any]:
    """A finding as plain data."""
    return {
        "kind": type(finding).__name__,
        "about": about,
        "fact": finding.fact,
        "evidence": finding.evidence,
        "remedy": REMEDIES.get(type(finding), finding.remedy),
        "doubtful": bool(finding.doubtful),
    }
