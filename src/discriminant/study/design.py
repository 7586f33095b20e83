"""A table as learners see it, and as a person does: the question, the encoding and the encoded rows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from scipy import sparse

from discriminant.model.encoding_document import refuse_wide
from discriminant.rows import ArrayRows, Rows
from discriminant.study.class_making import ClassOptions
from discriminant.study.forms import ChosenForms, choose_forms
from discriminant.study.holding_out import HoldingOut
from discriminant.study.question import Question, ask, ask_labels
from discriminant.table.encoding import Encoding, IndexedEncoding
from discriminant.table.errors import TableError
from discriminant.table.learning import learn
from discriminant.table.summaries import ColumnSummary

_FEW_ROWS = 1000  # of a chunk
_MANY_FEATURES = 20_000  # of fewer a model can surely be saved
AT_RANDOM = HoldingOut()


@dataclass(frozen=True, eq=False)
class Design:
    """A table as learners see it, and as a person does.

    Of a table that is read in batches, ``X`` and ``table`` hold the rows drawn from it, and ``whole`` all used ones.
    """

    question: Question
    encoding: Encoding | IndexedEncoding
    X: Any
    table: pa.Table | None  # None for sparse files
    summaries: tuple[ColumnSummary, ...] = ()
    ridge: float = 1.0  # of logistic regression, where rows were asked for it
    straight: Encoding | None = None  # with every number as the table has it
    holding_out: HoldingOut = AT_RANDOM
    whole: Rows | None = None

    @property
    def rows(self) -> ArrayRows:
        """Classes and features by name, so that findings can name them."""
        question = self.question
        names = None if self.encoding.layout == "svmlight" else self.encoding.feature_names
        classes = np.array([str(label) for label in question.classes])
        return ArrayRows(self.X, classes, question.codes, question.weight, names)

    @property
    def drawn(self) -> bool:
        """Whether the rows here are some of those of a larger table."""
        return self.whole is not None and self.question.codes.size < self.question.n_rows

    @property
    def all_rows(self) -> Rows:
        """What the chosen learner is fitted to; no pass is needed where all used rows were drawn."""
        return self.whole if self.whole is not None and self.drawn else self.rows

    def straight_matrix(self) -> Any:
        """The matrix with every number as the table has it: pieces of columns would separate more."""
        if (
            self.table is None
            or self.straight is None
            or self.straight.features == getattr(self.encoding, "features", None)
        ):
            return self.X
        return self.straight.encode(self.table).matrix

    @property
    def row_numbers(self) -> NDArray[np.intp]:
        """The numbers of the used rows in the table, from 0."""
        rows = self.question.rows
        return np.arange(self.question.codes.size) if rows is None else rows


def design_of_table(
    table: pa.Table,
    target: str,
    *,
    positive: Any = None,
    weight: str | None = None,
    ignore: Sequence[str] = (),
    least_rows: int = 1,
    asked: ClassOptions | None = None,
    forms: str = "straight",
    day_first: bool | None = None,
    seed: int = 0,
    holding_out: HoldingOut = AT_RANDOM,
    penalised: bool = True,
) -> Design:
    """The encoding of a table, learnt from the rows that have a class, and its design matrix.

    ``forms`` is "straight" (numbers enter as they are) or "auto" (see `forms`); ``day_first`` says what 03/04/2020 is,
    where no cell of its column does; ``penalised`` whether some learner will have a ridge.
    """
    question = ask(
        table, target, positive=positive, weight=weight, least_rows=least_rows, asked=asked or ClassOptions()
    )
    check_ignored(ignore, table.schema.names)
    used = table if question.rows is None else table.take(pa.array(question.rows))
    if used.num_rows < _FEW_ROWS * used.column(target).num_chunks:
        used = used.combine_chunks()  # columns are summed up chunk by chunk, and chunks of wide tables hold few rows
    names = predictors(used.schema.names, target, weight, holding_out)
    summaries = tuple(ColumnSummary.of(name, used.column(name)) for name in names)
    return make_design(question, used, summaries, ignore, forms, day_first, seed, holding_out, penalised)


def check_ignored(ignore: Sequence[str], names: Sequence[str]) -> None:
    """Refuse to ignore what is not there."""
    for name in ignore:
        if name not in names:
            raise TableError(f"--ignore {name!r}: there is no such column", hint="names are separated by commas")


def predictors(names: Sequence[str], target: str, weight: str | None, holding_out: HoldingOut) -> list[str]:
    """The columns that may say something of the target."""
    return [name for name in names if name not in (target, weight, *holding_out.columns)]


def make_design(
    question: Question,
    used: pa.Table,
    summaries: Sequence[ColumnSummary],
    ignore: Sequence[str],
    forms: str,
    day_first: bool | None,
    seed: int,
    holding_out: HoldingOut,
    penalised: bool,
) -> Design:
    """The design of the used rows of a table, whose columns have these summaries."""
    encoding = learn(summaries, ignore, day_first)
    if encoding.n_features == 0:
        raise TableError("no column is left to learn from", hint=_why_dropped(encoding))
    if encoding.n_features > _MANY_FEATURES:
        refuse_wide(encoding)
    numbers = np.arange(question.codes.size) if question.rows is None else question.rows
    held = holding_out.read(used, numbers, day_first)
    chosen = ChosenForms(encoding)
    if forms == "auto":
        chosen = choose_forms(encoding, summaries, used, question, seed, held, penalised)
    encoded = chosen.encoding.encode(used)
    if encoded.bad:
        cell = encoded.bad[0]
        row = cell.row if question.rows is None else int(question.rows[cell.row])
        raise TableError(
            f"row {row + 1}, column {cell.column!r}: {cell.text!r} is not {cell.wanted}",
            hint=f"blank the cell, or leave the column out: --ignore {cell.column!r}",
        )
    return Design(question, chosen.encoding, encoded.matrix, used, tuple(summaries), chosen.ridge, encoding, held)


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
    asked: ClassOptions | None = None,
) -> Design:
    """Sparse rows are taken as they are."""
    question = ask_labels(labels, positive=positive, least_rows=least_rows, asked=asked or ClassOptions())
    encoding = IndexedEncoding(X.shape[1], 1 if first_index is None else first_index)
    return Design(question, encoding, X if question.rows is None else X[question.rows], None)
