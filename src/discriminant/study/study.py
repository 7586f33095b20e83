"""From a table to a decision: encode, compare, choose, decide, and keep what a person wants to see of it."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from discriminant.comparison import Comparison
from discriminant.comparison.inference import Difference, Estimate
from discriminant.findings import Finding, FindingWarning
from discriminant.gain.alignment import align_gain
from discriminant.gain.matrix import Gain
from discriminant.model.decision_model import DecisionModel, Target
from discriminant.model.encoding_document import refuse_wide
from discriminant.model.training import with_training
from discriminant.rows import ArrayRows
from discriminant.rows.threads import single_threaded_blas
from discriminant.study.alternatives import costs_of_leaving_out, trees_of
from discriminant.study.claims import chosen_learner
from discriminant.study.class_making import ClassesAsked
from discriminant.study.contenders import contenders, learners_of
from discriminant.study.data_findings import REMEDIES, calibration_findings, data_findings, is_covered, never_answered
from discriminant.study.forms import ChosenForms, choose_forms
from discriminant.study.gains import read_gain_option
from discriminant.study.holding_out import HoldingOut
from discriminant.study.judging import judged, sample_of
from discriminant.study.question import Question, ask, ask_labels
from discriminant.study.rule import FittedRule, fit_rule
from discriminant.study.separation import separation_of
from discriminant.table.encoding import Encoding, IndexedEncoding
from discriminant.table.errors import TableError
from discriminant.table.learning import learn
from discriminant.table.summaries import ColumnSummary

Array = NDArray[np.float64]
Progress = Callable[[str, int, int], Any]

_FEW_ROWS = 1000  # of a chunk
_MANY_FEATURES = 20_000  # of fewer a model can surely be saved
_AT_RANDOM = HoldingOut()


@dataclass(frozen=True, eq=False)
class Design:
    """A table as learners see it, and as a person does."""

    question: Question
    encoding: Encoding | IndexedEncoding
    X: Any
    table: pa.Table | None  # None for sparse files
    summaries: tuple[ColumnSummary, ...] = ()
    ridge: float = 1.0  # of logistic regression, where rows were asked for it
    straight: Encoding | None = None  # with every number as the table has it
    holding_out: HoldingOut = _AT_RANDOM

    @property
    def rows(self) -> ArrayRows:
        """Classes and features by name, so that findings can name them."""
        question = self.question
        names = None if self.encoding.layout == "svmlight" else self.encoding.feature_names
        classes = np.array([str(label) for label in question.classes])
        return ArrayRows(self.X, classes, question.codes, question.weight, names)

    def straight_matrix(self) -> Any:
        """With every number as the table has it: pieces of a column would separate more than the table says."""
        if (
            self.table is None
            or self.straight is None
            or self.straight.features == getattr(self.encoding, "features", None)
        ):
            return self.X
        return self.straight.encode(self.table).matrix

    @property
    def row_numbers(self) -> NDArray[np.intp]:
        """Of the used rows, in the table, from 0."""
        rows = self.question.rows
        return np.arange(self.question.codes.size) if rows is None else rows


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
    trees: tuple[Estimate, Difference] | None = None  # what boosted trees earn, and how much more than the best
    importance: Mapping[str, Difference] = field(default_factory=dict)  # what leaving a column out costs a row

    @property
    def judged(self) -> NDArray[np.intp]:
        """The places of the judged rows among those used."""
        numbers = self.comparison.row_numbers
        places = np.arange(self.comparison.codes.size) if numbers is None else numbers
        return places if self.compared is None else self.compared[places]

    def decided(self, name: str) -> NDArray[np.integer[Any]]:
        """The answers to the compared rows by a learner's rules that had not seen them."""
        return self.fitted.decided if name == self.best else self.comparison.decisions[name]

    @property
    def criterion(self) -> str:
        """What learners were ranked by."""
        return "gain" if self.gain_given else "accuracy"


def design_of_table(
    table: pa.Table,
    target: str,
    *,
    positive: Any = None,
    weight: str | None = None,
    ignore: Sequence[str] = (),
    least_rows: int = 1,
    asked: ClassesAsked | None = None,
    forms: str = "straight",
    day_first: bool | None = None,
    seed: int = 0,
    holding_out: HoldingOut = _AT_RANDOM,
) -> Design:
    """The encoding of a table, learnt from the rows that have a class, and its design matrix.

    ``forms`` is "straight" (numbers enter as they are) or "auto" (see `forms`); ``day_first`` says what 03/04/2020 is,
    where no cell of its column does.
    """
    question = ask(
        table, target, positive=positive, weight=weight, least_rows=least_rows, asked=asked or ClassesAsked()
    )
    for name in ignore:
        if name not in table.schema.names:
            raise TableError(f"--ignore {name!r}: there is no such column", hint="names are separated by commas")
    used = table if question.rows is None else table.take(pa.array(question.rows))
    if used.num_rows < _FEW_ROWS * used.column(target).num_chunks:
        used = used.combine_chunks()  # columns are summed up chunk by chunk, and chunks of wide tables hold few rows
    names = [name for name in used.schema.names if name not in (target, weight, *holding_out.columns)]
    summaries = tuple(ColumnSummary.of(name, used.column(name)) for name in names)
    encoding = learn(summaries, ignore, day_first)
    if encoding.n_features == 0:
        raise TableError("no column is left to learn from", hint=_why_dropped(encoding))
    if encoding.n_features > _MANY_FEATURES:
        refuse_wide(encoding)
    numbers = np.arange(question.codes.size) if question.rows is None else question.rows
    held = holding_out.read(used, numbers, day_first)
    chosen = ChosenForms(encoding)
    if forms == "auto":
        chosen = choose_forms(encoding, summaries, used, question, seed, held)
    encoded = chosen.encoding.encode(used)
    if encoded.bad:
        cell = encoded.bad[0]
        row = cell.row if question.rows is None else int(question.rows[cell.row])
        raise TableError(
            f"row {row + 1}, column {cell.column!r}: {cell.text!r} is not {cell.wanted}",
            hint=f"blank the cell, or leave the column out: --ignore {cell.column!r}",
        )
    return Design(question, chosen.encoding, encoded.matrix, used, summaries, chosen.ridge, encoding, held)


def _why_dropped(encoding: Encoding) -> str:
    told = [f"{column.name!r}: {column.reason}" for column in encoding.columns[:3]]
    more = len(encoding.columns) - 3
    return "; ".join(told) + (f"; and {more} more" if more > 0 else "") or "there is none but the target"


def design_of_sparse(
    X: sparse.csr_array,
    labels: NDArray[Any],
    *,
    positive: Any = None,
    first_index: int | None = 1,
    least_rows: int = 1,
    asked: ClassesAsked | None = None,
) -> Design:
    """Sparse rows are taken as they are."""
    question = ask_labels(labels, positive=positive, least_rows=least_rows, asked=asked or ClassesAsked())
    encoding = IndexedEncoding(X.shape[1], 1 if first_index is None else first_index)
    return Design(question, encoding, X if question.rows is None else X[question.rows], None)


def study(
    design: Design,
    *,
    gain: str | Gain | None = None,
    learners: Sequence[str] = ("all",),
    cv: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
    provenance: Mapping[str, Any] | None = None,
) -> Study:
    """Compare the learners, refit the best to all rows and find the rule that earns the most."""
    with single_threaded_blas():  # matrices are small, and our own threads share rows among them
        return _study(design, gain, learners, cv, seed, progress, provenance or {})


def _study(
    design: Design,
    gain: str | Gain | None,
    learners: Sequence[str],
    cv: int | None,
    seed: int,
    progress: Progress | None,
    provenance: Mapping[str, Any],
) -> Study:
    question, tell = design.question, progress or (lambda step, done, total: None)
    classes, codes = question.classes, question.codes
    gains = _gain(gain, classes)
    tell("separability", 0, 1)
    separation = separation_of(design.straight_matrix(), codes, classes, design.row_numbers, seed)
    names, left_out = contenders(learners, design.X, separation["kind"] == "complete")
    compared = sample_of(design.X, codes, seed)
    comparison = _compare_learners(design, gains, learners_of(names, seed, design.ridge), compared, cv, seed, tell)
    best = chosen_learner(comparison)
    tell(f"fit {best}", 0, 1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FindingWarning)  # told as findings
        learner = clone(comparison.learners[best]).fit(design.rows)
    fitted = fit_rule(comparison, best, learner, design.X, gains, question.weight)
    findings = _findings(design, gains, gain is not None, comparison, fitted)
    findings += tuple(
        (best, f) for f in getattr(learner, "findings_", ()) if not is_covered(findings, f, design.encoding)
    )
    model = _model(design, gains, best, learner, fitted, findings, provenance)
    tell("what columns are worth", 0, 1)
    importance = _importance(design, comparison, compared, gains, best, fitted)
    tell("boosted trees, to compare with", 0, 1)
    trees = _trees(design, comparison, compared, gains, best, seed)
    model = with_training(model, design.table, design.X, fitted.held_scores)
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
    rows = design.rows if compared is None else design.rows.taken(compared)
    return costs_of_leaving_out(design.encoding, rows, fitted.weights, comparison, gain, best)


def _trees(
    design: Design, comparison: Comparison, compared: Any, gain: Gain, best: str, seed: int
) -> tuple[Estimate, Difference] | None:
    if design.table is None or design.straight is None:
        return None
    table = design.table if compared is None else design.table.take(pa.array(compared))
    return trees_of(design.straight.encode(table).matrix, comparison, gain, best, seed)


def _gain(gain: str | Gain | None, classes: Sequence[Any]) -> Gain:
    return read_gain_option(gain, classes) if isinstance(gain, str) else align_gain(gain, classes)


def _findings(
    design: Design, gain: Gain, given: bool, comparison: Comparison, fitted: FittedRule
) -> tuple[tuple[str, Finding], ...]:
    """About the table, the gain and the decision."""
    question = design.question
    found = [
        *data_findings(question, design.encoding, design.X, comparison.cv.n_folds),
        *never_answered(question, comparison.codes, fitted.held_answers(gain), given),
        *calibration_findings(question, comparison, fitted),
        *(gain.findings() if given else ()),
    ]
    return tuple(("data", finding) for finding in found)


def _compare_learners(
    design: Design, gain: Gain, learners: Mapping[str, Any], rows: Any, cv: int | None, seed: int, tell: Progress
) -> Comparison:
    source = design.rows if rows is None else design.rows.taken(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FindingWarning)  # told as findings
        return judged(
            source, design.question.classes, gain, learners,
            holding_out=design.holding_out.taken(rows), cv=cv, seed=seed,
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
    """Those that are plain data; files know no infinity."""
    plain = {k: v for k, v in learner.get_params().items() if isinstance(v, str | int | float | bool | None)}
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
