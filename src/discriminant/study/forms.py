"""In which form each number enters: chosen by what rows that were not seen say.

Columns with heavy tails start clipped, the others straight. A logistic regression (of several classes a discriminant
analysis) gives every row its held-out scores η. For each column and each other form of it, with Z its features, one
Newton step from η,

    δ = (Z′WZ + I)⁻¹Z′(y − p)        p, W = p(1 − p) at η, from the rows of the other folds,

is tried on the rows of a fold: how much likelier does η + Zδ make their classes? The form that helps most is taken
where that is beyond chance (a standard error) and worth its features. Likelihood is what forms are chosen by, since
the gain of a rule jumps at its threshold and is too noisy to tell forms apart by.

In the end whole encodings are tried against each other, from the plainest on: as the table has it, with outliers
clipped, with the chosen forms, with every number bent, each with the likeliest of some ridges: under the same ridge as
plainer ones, richer encodings of few rows would seem worse than they are. A richer one is taken where it is better by
more than a standard error; it is not tried with fewer than three rows a feature.

A ridge pulls all log-odds towards even ones, and likelihood blames it for that. The model that is delivered has its
scores turned into probabilities afterwards, whatever their scale; so have those here, by Platt's line, before they are
judged. Else ridges would be too weak, and rich encodings seem worse than they are once more.
"""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy.special import logsumexp, softmax

from discriminant.cached import cached_property
from discriminant.findings import FindingWarning
from discriminant.learners.lda import LinearDiscriminantAnalysis
from discriminant.learners.logistic import LogisticRegression
from discriminant.rows import ArrayRows
from discriminant.study.duplicates import copies_of
from discriminant.study.holding_out import HoldingOut
from discriminant.study.probabilities import mean_and_error, straight_log_odds
from discriminant.study.question import Question
from discriminant.table.encoding import Column, Encoding
from discriminant.table.errors import TableError
from discriminant.table.forms import BENT, CLIPPED, LOGARITHM, STRAIGHT, heavy_tailed, in_form
from discriminant.table.learning import spread_of_values
from discriminant.table.spreads import Quantiles
from discriminant.table.summaries import ColumnSummary
from discriminant.validation.dealing import deal_folds
from discriminant.validation.folds import Folds
from discriminant.validation.out_of_fold import held_out_scores
from discriminant.validation.table import Table

Array = NDArray[np.float64]
Codes = NDArray[np.int32]

RIDGES = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
_FOLDS = 5
_FEWEST_ROWS = 20  # of a class, to choose forms by
_ROWS_A_FEATURE = 5
# With fewer nobody could read, or trust, what single pieces say; without a ridge of their own they fit chance sooner.
_ROWS_A_PIECE, _ROWS_A_PIECE_PLAINLY = 3, 15
_MOST_CELLS = 2_000_000  # of the rows that forms are chosen on, in all forms together
_LEAST_ROWS = 2_000
# Standard errors by which a form, or an encoding, is better than a plainer one; under the weakest ridge rich ones look
# worse than they are.
_BEYOND_CHANCE, _BEYOND_CHANCE_PLAINLY = 1.0, 0.5
_WORTH_ITS_FEATURES = 2e-4  # of the loss


@dataclass(frozen=True)
class ChosenForms:
    """The encoding with its forms, and the ridge of the logistic regression that judged it best."""

    encoding: Encoding
    ridge: float = 1.0


@dataclass(frozen=True)
class _Sample:
    """Rows to choose by, dealt to folds."""

    table: pa.Table
    codes: Codes
    weight: Array
    folds: Folds
    ridges: tuple[float, ...] = RIDGES
    beyond_chance: float = _BEYOND_CHANCE
    rows_a_piece: int = _ROWS_A_PIECE

    @property
    def n_classes(self) -> int:
        return int(self.codes.max()) + 1

    @cached_property
    def judged(self) -> "_Sample":
        """The rows that are judged: all of them, unless rows are held out in the order of time."""
        if (rows := self.folds.judged) is None:
            return self
        return replace(
            self,
            table=self.table.take(pa.array(rows)),
            codes=self.codes[rows],
            weight=self.weight[rows],
            folds=Folds(self.folds.of_judged),
        )


def choose_forms(
    encoding: Encoding,
    summaries: Sequence[ColumnSummary],
    table: pa.Table,
    question: Question,
    seed: int,
    holding_out: HoldingOut,
    penalised: bool = True,
) -> ChosenForms:
    """The form of every number and date of a table whose columns enter straight so far.

    ``penalised`` says whether some learner will have the ridge that suits the rows; where none has, only forms that do
    without a strong one are of use.
    """
    known = {summary.name: summary for summary in summaries}
    columns = [column for column in encoding.used if column.kind in ("number", "date")]
    quantiles = {c.name: spread_of_values(known[c.name], c).quantiles for c in columns}
    alternatives = {c.name: dict(_forms(c, quantiles[c.name])) for c in columns}
    alternatives = {name: forms for name, forms in alternatives.items() if len(forms) > 1}
    if question.counts.min() < _FEWEST_ROWS:
        return ChosenForms(encoding)
    sample = _draw_sample(encoding, table, question, sum(_width(f) for f in alternatives.values()), seed, holding_out)
    if sample is None:
        robust = _replace_columns(encoding, _robust(alternatives, quantiles))
        return ChosenForms(_with_reasons(robust, encoding, alternatives, quantiles))
    if not penalised:
        sample = replace(
            sample, ridges=RIDGES[:1], beyond_chance=_BEYOND_CHANCE_PLAINLY, rows_a_piece=_ROWS_A_PIECE_PLAINLY
        )
    return _by_likelihood(encoding, alternatives, quantiles, sample)


def _forms(column: Column, quantiles: Quantiles) -> Iterator[tuple[str, Column]]:
    if not column.values or quantiles.values.size < 3:
        return
    for form in (STRAIGHT, CLIPPED, LOGARITHM, BENT):
        if (made := in_form(column, form, quantiles)) is not None:
            yield form, made


def _width(forms: Mapping[str, Column]) -> int:
    return sum(len(column.values) for column in forms.values())


def _robust(alternatives: Mapping[str, Mapping[str, Column]], quantiles: Mapping[str, Quantiles]) -> dict[str, Column]:
    """Clipped, of columns with heavy tails."""
    return {
        name: forms[CLIPPED]
        for name, forms in alternatives.items()
        if CLIPPED in forms and heavy_tailed(quantiles[name])
    }


def _replace_columns(encoding: Encoding, columns: Mapping[str, Column]) -> Encoding:
    return Encoding(tuple(columns.get(c.name, c) for c in encoding.columns))


def _draw_sample(
    encoding: Encoding, table: pa.Table, question: Question, width: int, seed: int, holding_out: HoldingOut
) -> _Sample | None:
    """Some rows, copies as one where rows are held out at random.

    None where there are too few, or so many columns that it would take too long.
    """
    wanted = _MOST_CELLS // max((encoding.n_features + width) * max(len(question.classes) // 2, 1), 1)
    n = question.codes.size
    if wanted < min(_LEAST_ROWS, n):
        return None
    rows = np.arange(n)
    if n > wanted:
        rows = np.sort(np.random.default_rng(seed).permutation(n)[:wanted])
    codes = question.codes[rows]
    weight = np.ones(rows.size) if question.weight is None else question.weight[rows]
    taken = table if rows.size == n else table.take(pa.array(rows))
    X = encoding.encode(taken).matrix
    copies = copies_of(X, codes)
    different = np.arange(rows.size) if copies is None else np.unique(copies.groups, return_index=True)[1]
    counts = np.bincount(codes, minlength=len(question.classes))
    if np.bincount(codes[different], minlength=counts.size).min() < _FEWEST_ROWS:
        return None
    if different.size < _ROWS_A_FEATURE * encoding.n_features:
        return None  # so many columns beside so few rows fit any form to chance
    if holding_out.columns:
        return _held_out_alike(_Sample(taken, codes, weight, Folds(codes)), X, holding_out.take(rows), seed)
    if copies is not None and not copies.by_chance:  # one row of each, which counts as often as there are copies
        weight = np.bincount(copies.groups, weights=weight).astype(np.float64)
        taken, codes = taken.take(pa.array(different)), codes[different]
    return _Sample(taken, codes, weight, Folds(deal_folds(codes, _FOLDS, np.random.default_rng(seed))))


def _held_out_alike(sample: _Sample, X: Array, holding_out: HoldingOut, seed: int) -> _Sample | None:
    """Rows held out by groups or in the order of time, as for learners; None where too few rows are judged so."""
    rows = ArrayRows(X, np.arange(sample.n_classes), sample.codes)
    try:
        folds = holding_out.folds(rows, _FOLDS, seed)
    except TableError:
        return None  # which is said when learners are compared
    sample = replace(sample, folds=folds)
    return sample if np.bincount(sample.judged.codes).min() >= _FEWEST_ROWS else None


def _by_likelihood(
    encoding: Encoding,
    alternatives: Mapping[str, Mapping[str, Column]],
    quantiles: Mapping[str, Quantiles],
    sample: _Sample,
) -> ChosenForms:
    robust = _robust(alternatives, quantiles)
    tried = [_try(encoding, sample)]
    if robust:
        tried.append(_try(_replace_columns(encoding, robust), sample, tried[-1].ridge))
    base = tried[-1].encoding
    helping = dict(_helpful_forms(base, tried[-1].eta, alternatives, sample.judged))
    bent = {name: forms[BENT] for name, forms in alternatives.items() if BENT in forms}
    for columns in (helping, bent) if helping.keys() != bent.keys() else (helping,):
        richer = _replace_columns(base, columns)
        if columns and len(sample.codes) >= sample.rows_a_piece * richer.n_features:
            tried.append(_try(richer, sample, tried[-1].ridge))
    best = _plainest(tried, sample, no_worse=bool(robust))
    return ChosenForms(_with_reasons(best.encoding, encoding, alternatives, quantiles), best.ridge)


@dataclass(frozen=True)
class _Tried:
    """An encoding, the ridge that suits it, and held-out log-odds of the rows with both, as probabilities have them."""

    encoding: Encoding
    ridge: float
    eta: Array


def _try(encoding: Encoding, sample: _Sample, plainer: float = RIDGES[0]) -> _Tried:
    """From a step below the ridge of the plainer encoding on, until a stronger one makes the rows no likelier."""
    judged, least = sample.judged, np.inf
    found: list[_Tried] = []
    ridges = sample.ridges if sample.n_classes == 2 else RIDGES[:1]
    for ridge in ridges[max(ridges.index(plainer) - 1, 0) :]:
        eta = _held_out(encoding, sample, ridge)
        if sample.n_classes == 2:
            eta = straight_log_odds(eta[:, 0], judged.codes, judged.weight)[:, None]
        loss = float(judged.weight @ _losses(eta, judged))
        if found and loss >= least:
            break
        found.append(_Tried(encoding, ridge, eta))
        least = loss
    return found[-1]


def _plainest(tried: Sequence[_Tried], sample: _Sample, no_worse: bool) -> _Tried:
    """The first that none after it clearly beats; to clip outliers need not be better, only not worse."""
    best, judged = tried[0], sample.judged
    for place, other in enumerate(tried[1:], 1):
        less = _losses(best.eta, judged) - _losses(other.eta, judged)
        mean, error = mean_and_error(less, judged.weight)
        if mean > (-error if no_worse and place == 1 else sample.beyond_chance * error):
            best = other
    return best


# --- held-out scores ------------------------------------------------------------------------------------


def _held_out(encoding: Encoding, sample: _Sample, ridge: float) -> Array:
    """n×1 of two classes, n×K of more: log-odds of rows by a model of the other folds.

    Of two classes a ridge; of more a discriminant analysis, which takes one pass where a ridge takes minutes.
    """
    X = encoding.encode(sample.table).matrix
    learner: Any = LogisticRegression(alpha=ridge) if sample.n_classes == 2 else LinearDiscriminantAnalysis()
    table = Table.read(X, sample.codes, sample.weight, "the choice of forms")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FindingWarning)  # of rows to choose by; the model tells its own
        model = table.refit(learner)
    return held_out_scores(learner, model, table, sample.folds)


def _losses(eta: Array, sample: _Sample) -> Array:
    """−log P(class) of each row."""
    if eta.shape[1] == 1:
        return np.asarray(np.logaddexp(0.0, np.where(sample.codes == 1, -eta[:, 0], eta[:, 0])))
    return np.asarray(logsumexp(eta, axis=1) - eta[np.arange(eta.shape[0]), sample.codes])


# --- one column at a time -------------------------------------------------------------------------------


def _helpful_forms(
    base: Encoding, eta: Array, alternatives: Mapping[str, Mapping[str, Column]], sample: _Sample
) -> Iterator[tuple[str, Column]]:
    """Columns that another form makes better, each given all the others."""
    present = {column.name: column for column in base.used}
    before = _losses(eta, sample)
    least = _WORTH_ITS_FEATURES * float(sample.weight @ before) / float(sample.weight.sum())
    slopes = _Slopes.at(eta, sample)
    for name, forms in alternatives.items():
        best, most = None, 0.0
        for form in forms.values():  # from the plainest on
            if form == present[name]:
                continue
            Z = Encoding((form,)).encode(sample.table.select([name])).matrix
            mean, error = mean_and_error(before - _losses(slopes.step(Z, sample), sample), sample.weight)
            if mean > max(sample.beyond_chance * error, least) and mean > most + (error if best else 0.0):
                best, most = form, mean
        if best is not None:
            yield name, best


@dataclass(frozen=True)
class _Slopes:
    """The likelihood's slope and curvature in each row's scores."""

    eta: Array
    residual: Array  # n×P, ω(y − p)
    curvature: Array  # n×P, ωp(1 − p)

    @classmethod
    def at(cls, eta: Array, sample: _Sample) -> "_Slopes":
        if eta.shape[1] == 1:
            p, y = 1.0 / (1.0 + np.exp(-np.clip(eta, -500, 500))), (sample.codes == 1)[:, None]
        else:
            p, y = softmax(eta, axis=1), sample.codes[:, None] == np.arange(eta.shape[1])
        weight = sample.weight[:, None]
        return cls(eta, weight * (y - p), weight * p * (1.0 - p))

    def step(self, Z: Array, sample: _Sample) -> Array:
        """η + Zδ, the step δ of each fold's rows from the rows of the others."""
        Z = np.column_stack([np.ones(len(Z)), Z])
        inside = [sample.folds.tested(f) for f in range(sample.folds.n_folds)]
        found = self.eta.copy()
        for plane in range(self.eta.shape[1]):
            weighted = Z * self.curvature[:, [plane]]
            hessians = np.stack([Z[own].T @ weighted[own] for own in inside])
            slopes = np.stack([Z[own].T @ self.residual[own, plane] for own in inside])
            hessians, slopes = hessians.sum(axis=0) - hessians, slopes.sum(axis=0) - slopes
            for own, hessian, slope in zip(inside, hessians, slopes, strict=True):
                found[own, plane] += Z[own] @ np.linalg.solve(hessian + np.eye(Z.shape[1]), slope)
        return found


# --- in words -------------------------------------------------------------------------------------------


def _with_reasons(
    chosen: Encoding,
    straight: Encoding,
    alternatives: Mapping[str, Mapping[str, Column]],
    quantiles: Mapping[str, Quantiles],
) -> Encoding:
    """Columns that do not enter straight say how, and why."""
    columns = []
    for column, plain in zip(chosen.columns, straight.columns, strict=True):
        if column is not plain:
            form = next(f for f, made in alternatives[column.name].items() if made.features == column.features)
            reason = "; ".join(text for text in (column.reason, _reason(form, quantiles[column.name])) if text)
            column = column if form == STRAIGHT else replace(column, reason=reason)
        columns.append(column)
    return Encoding(tuple(columns))


def _reason(form: str, quantiles: Quantiles) -> str:
    """Why it does not enter straight, where that can be seen; how it does can be seen from its features."""
    if form == BENT or not heavy_tailed(quantiles):
        return ""
    return f"{in_words(quantiles.share_of_half_the_spread)} half of its spread"


def in_words(share: float) -> str:
    """A small share of rows, with its verb.

    >>> in_words(0.031), in_words(0.0001)
    ('3 rows in 100 hold', '1 row in 10,000 holds')
    """
    of = 100
    while share * of < 0.95 and of < 1_000_000:
        of *= 10
    count = max(round(share * of), 1)
    return f"{count} rows in {of:,} hold" if count > 1 else f"1 row in {of:,} holds"
