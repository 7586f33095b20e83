"""Findings about the table, the decision and its probabilities that a person can act on from the command line."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.comparison import Comparison
from discriminant.findings import Finding, MoreColumnsThanRows, Separable, UnequalScales, listed
from discriminant.study.duplicates import copies_of
from discriminant.study.leakage import telling_columns
from discriminant.study.probabilities import CalibrationError, calibration_error
from discriminant.study.question import Question
from discriminant.study.rule import FittedRule
from discriminant.table.encoding import Encoding
from discriminant.table.learning import AMBIGUOUS_DATES, DRESSED

Codes = NDArray[np.integer[Any]]

_LARGE_WEIGHT = 20  # rows that a row stands for on average
_FEW_ROWS = 10  # of a class: too few to say anything of it
_SELDOM = 0.1  # answers of a class for each of its rows
_SELDOM_OF_TWO = 0.5  # where no gain says that it has to be so
_MANY_COPIES = 0.1  # of the rows, before copies that come about by chance are worth a word
_EVEN = 0.25  # share of the rarer of two classes, above which a gain is no remedy for a single answer

REMEDIES = {  # in the words of the command line
    Separable: "Take --learner logistic-ridge for finite weights; look for a column that gives the class away",
    MoreColumnsThanRows: "Take --learner lda-shrinkage or logistic-ridge, or leave columns out with --ignore",
    UnequalScales: "Take --learner lda, which minds no scale, or leave the column that hardly varies out with --ignore",
}


class GivesClassAway(Finding):
    """A column that alone tells (nearly) every class: often one that is not known yet when a decision is due."""

    doubtful = True


class NeverAnswered(Finding):
    """Classes that the rule (nearly) never answers."""


class RareClass(Finding):
    """Classes with so few rows that figures about them mean little."""


class SimilarClasses(Finding):
    """Classes whose names differ in case or blanks only."""


class DressedNumbers(Finding):
    """Columns of numbers with signs among them, which were dropped."""


class AmbiguousDates(Finding):
    """Columns of dates whose days and months cannot be told apart, which were dropped."""

    doubtful = True


class DuplicatedRows(Finding):
    """Rows that are copies of others."""


class LargeWeights(Finding):
    """Weights that stand for many times the rows there are."""

    doubtful = True


class ProbabilitiesMended(Finding):
    """A straight line from scores to log-odds was off; pieces of lines are used."""


class ProbabilitiesOff(Finding):
    """Probabilities that rows the model had not seen do not bear out."""

    doubtful = True


def data_findings(question: Question, encoding: Any, X: Any, n_folds: int, straight: Any = None) -> Iterator[Finding]:
    """The findings of the table and the question; ``straight`` has numbers as they are, where X has not."""
    if isinstance(encoding, Encoding):
        yield from _giving_away(encoding, X, question)
        yield from _unread_columns(encoding)
    yield from _similar(question)
    yield from _rare(question, n_folds)
    yield from _heavy(question)
    yield from _duplicate_rows(question, X if straight is None else straight)


def _duplicate_rows(question: Question, X: Any) -> Iterator[Finding]:
    copies = copies_of(X, question.codes)
    if copies is None or (copies.by_chance and copies.extra < _MANY_COPIES * question.codes.size):
        return
    n = question.codes.size
    are, they_are, them = ("is a copy", "it is", "it") if copies.extra == 1 else ("are copies", "they are", "them")
    fact = f"{copies.extra:,} of {n:,} rows {are} of another"
    if copies.by_chance:
        yield DuplicatedRows(
            f"{fact}, which so few different values make inevitable",
            f"The columns have so few different values that there are only {n - copies.extra:,} different rows",
            f"Nothing needs to be done about {them}",
        )
    else:
        yield DuplicatedRows(
            fact,
            f"They agree in every used column and in {question.name}; one row occurs {copies.largest:,} times. Copies "
            "were kept together when learners were tried, so that none was tried on a row it had seen",
            f"If {they_are} in the table by mistake, remove {them} and fit again",
        )


def _giving_away(encoding: Encoding, X: Any, question: Question) -> Iterator[Finding]:
    found = dict(telling_columns(encoding, X, question.codes))
    if not found:
        return
    names, one = tuple(found), len(found) == 1
    wrong = f"{max(found.values()):,}" if any(found.values()) else "None"
    yield GivesClassAway(
        f"Column {names[0]!r} alone gives the class away"
        if one
        else f"Each of the columns {listed(names)} alone gives the class away",
        f"{wrong} of {question.codes.size:,} rows would be wrong by it, in the best case",
        f"If it is not known before {question.name}, leave it out: --ignore {_option(names)}",
        names,
    )


def _option(names: Sequence[str]) -> str:
    """The names as --ignore takes them."""
    quoted = [f'"{n}"' if "," in n else n for n in names[:6]]
    return "'" + ",".join(quoted) + "'" if any(" " in n or "," in n for n in names) else ",".join(quoted)


def is_covered(findings: Sequence[tuple[str, Finding]], other: Finding, encoding: Any) -> bool:
    """Whether a column that gives the class away is all that a learner's finding is about."""
    away = {name for _, f in findings if isinstance(f, GivesClassAway) for name in f.columns}
    if not (away and other.columns and isinstance(encoding, Encoding)):
        return False
    features = {f.name for column in encoding.used if column.name in away for f in column.features}
    return set(other.columns) <= features


_PLAINLY = (
    "Write plain numbers such as 1234.5, without currency, per cent or thousands (in a spreadsheet, give the cells the "
    "format of a plain number and save the table again), and fit again"
)
_IN_WHICH_ORDER = "Fit again with --dates day-first or --dates month-first"


def _unread_columns(encoding: Encoding) -> Iterator[Finding]:
    """Columns that were dropped though they hold something."""
    for kind, what, reason, remedy in (
        (DressedNumbers, "numbers", DRESSED, _PLAINLY),
        (AmbiguousDates, "dates", AMBIGUOUS_DATES, _IN_WHICH_ORDER),
    ):
        dropped = [c for c in encoding.columns if c.kind == "dropped" and c.reason.startswith(reason)]
        if dropped:
            names = tuple(c.name for c in dropped)
            yield kind(
                f"Dropped, though {'it holds' if len(names) == 1 else 'they hold'} {what}: {listed(names)}",
                f"{'Its' if len(names) == 1 else 'Their'} cells are {dropped[0].reason}",
                remedy,
                names,
            )


def _similar(question: Question) -> Iterator[Finding]:
    alike = defaultdict(list)
    for label in question.classes:
        alike["".join(str(label).split()).casefold()].append(str(label))
    groups = [names for names in alike.values() if len(names) > 1]
    if groups:
        told = "; ".join(listed(names) for names in groups[:4])
        yield SimilarClasses(
            f"Classes differ in case or blanks only: {told}",
            "Each is taken for a class of its own",
            f"If they mean the same, write them alike in {question.name}",
            classes=tuple(name for names in groups for name in names),
        )


def _heavy(question: Question) -> Iterator[Finding]:
    """Survey weights say how many people a row stands for, not how often it was seen."""
    n, total = question.n_rows, float(question.mass.sum())
    if total > _LARGE_WEIGHT * n:
        yield LargeWeights(
            f"The weights stand for {total:,.0f} rows, and the table has {n:,}",
            "A weight is taken for the number of times its row was seen, so that intervals are those of so many rows",
            "If the weights are of a survey, divide them by their mean and fit again",
        )


def _rare(question: Question, n_folds: int) -> Iterator[Finding]:
    counts = question.counts
    rare = [k for k in np.argsort(counts, kind="stable").tolist() if counts[k] < _FEW_ROWS]
    if not rare:
        return
    told = [f"{question.classes[k]!r} ({counts[k]})" for k in rare]
    more = f" and {len(told) - 6} more" if len(told) > 6 else ""
    least = int(counts[rare[0]])
    folds = f"; so few that learners were tried in {n_folds} parts only" if n_folds == least < 5 else ""
    yield RareClass(
        f"Few rows of class{'es' * (len(rare) > 1)} {', '.join(told[:6])}{more}",
        f"What is said of a class rests on its rows{folds}",
        f"Collect more rows of {'them' if len(rare) > 1 else 'it'}, or merge with another class",
        classes=tuple(str(question.classes[k]) for k in rare),
    )


def never_answered(question: Question, codes: Codes, assigned: Codes, gain_given: bool) -> Iterator[Finding]:
    """The findings of classes that no held-out row is assigned to."""
    K = len(question.classes)
    rows, given = np.bincount(codes, minlength=K), np.bincount(assigned, minlength=K)
    least = _SELDOM_OF_TWO if K == 2 and not gain_given else _SELDOM
    seldom = [k for k in range(K) if given[k] < least * rows[k]]
    if not seldom or (K == 2 and rows[seldom[0]] > _EVEN * codes.size):
        return
    names = tuple(str(question.classes[k]) for k in seldom)
    if K == 2:
        yield _of_two(question, seldom[0], rows, given, gain_given)
        return
    yield NeverAnswered(
        f"Hardly ever answered: {listed(names)}",
        f"Together they have {int(rows[seldom].sum()):,} of {codes.size:,} rows, "
        f"and {int(given[seldom].sum()):,} answers",
        "Say what mistakes cost with --gain, collect more rows of them, or merge them with others",
        classes=names,
    )


def _of_two(
    question: Question, k: int, rows: NDArray[np.intp], given: NDArray[np.intp], gain_given: bool
) -> NeverAnswered:
    rare, common = question.classes[k], question.classes[1 - k]
    n, times = int(rows.sum()), max(round(rows[1 - k] / max(rows[k], 1)), 2)
    some = f"Only {given[k]:,} of {n:,} rows are answered {rare}, though {rows[k]:,} are"
    fact = f"Every row is answered {common}" if given[k] == 0 else some
    missed, alarm = ("fn", "fp") if k == 1 else ("fp", "fn")
    if gain_given:
        why, remedy = "under this gain", f"See that the gain says what a {rare} that is found is worth"
    else:
        why = "where only right answers count"
        remedy = f"Say what a miss costs with --gain, e.g. --gain {alarm}=-1,{missed}=-{times}"
    evidence = f"{rows[k]:,} rows are {rare}, and {rare} is seldom the better answer {why}"
    return NeverAnswered(fact, evidence, remedy, classes=(str(rare),))


def calibration_findings(question: Question, comparison: Comparison, fitted: FittedRule) -> Iterator[Finding]:
    """The findings of probabilities of held-out rows."""
    left = held_out_error(comparison, fitted)
    before = fitted.straight_error
    if before is not None and before.beyond_chance and not left.beyond_chance:
        yield ProbabilitiesMended(
            f"Probabilities were adjusted to how often rows are {question.classes[1]}",
            f"Without that (log-odds straight in the score) they were off in {before.off} of {before.groups} groups "
            f"of rows, by up to {_points(before)}",
            "Nothing needs to be done",
        )
    if left.beyond_chance:
        yield ProbabilitiesOff(
            f"Probabilities are off in {left.off} of {left.groups} groups of rows, by up to {_points(left)}",
            f"Among rows that were not seen, {_points(left, mean=True)} on average lie between the probability of "
            f"{question.classes[1] if len(question.classes) == 2 else 'the likeliest class'} and its share",
            "Rely on the answers, and on probabilities only as far as the report's calibration curve bears them out",
        )


def held_out_error(comparison: Comparison, fitted: FittedRule) -> CalibrationError:
    """The error of probabilities from the other folds: of the second of two classes, or of the likeliest of more."""
    weight = comparison.weights
    p, codes = fitted.tested, comparison.codes
    if p.shape[1] == 2:
        return calibration_error(p[:, 1], codes == 1, weight)
    return calibration_error(p.max(axis=1), p.argmax(axis=1) == codes, weight)


def _points(error: CalibrationError, mean: bool = False) -> str:
    value = 100 * (error.mean if mean else error.largest)
    return f"{value:.0f} points" if value >= 1.5 else f"{value:.1f} points"
