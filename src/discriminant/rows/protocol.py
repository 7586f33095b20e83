"""Rows as a protocol: what a learner may ask of rows wherever they are.

A learner that is a function of sums over rows asks for `Rows.fold` alone, and runs on any source. A method that goes
back to single rows asks for `in_memory`, which a source elsewhere refuses with the way out.
"""

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from discriminant.rows.memory import ArrayRows

S = TypeVar("S")


@dataclass(frozen=True)
class Schema:
    """What is known of rows before they are read.

    Parameters
    ----------
    n_columns, names : of the table; names where it has them.
    classes, n_rows : the labels in their order, and the number of rows; None where that takes a pass.

    Examples
    --------
    >>> Schema(2, ("age", "income")).n_rows is None
    True
    """

    n_columns: int
    names: tuple[str, ...] | None = None
    classes: NDArray[Any] | None = None
    n_rows: int | None = None


@dataclass(frozen=True)
class ClassProducts:
    """Sums by class about an origin, z = x − o, as a source gives them that can add up its rows where they are.

    ``counts`` Σω, ``sums`` Σω z, ``squares`` Σω zz′ (K×d×d, or K×d of the diagonal alone), and with the full squares
    ``cubic`` Σω‖z‖² z and ``quartic`` Σω‖z‖⁴. Plain sums: what they mean is for statistics to say.
    """

    classes: NDArray[Any]
    n_rows: int
    origin: NDArray[np.float64]
    counts: NDArray[np.float64]
    sums: NDArray[np.float64]
    squares: NDArray[np.float64]
    cubic: NDArray[np.float64] | None = None
    quartic: NDArray[np.float64] | None = None


class Rows(ABC):
    """Rows with a class and a weight each, in a stated order, read one block after another.

    A block is an `ArrayRows`: a checked matrix, codes of the block's own classes, weights, and the numbers of its rows.
    A source says its schema and its blocks; one that can sum where its rows are overrides `fold`. ``spool`` says where
    its rows are written for a method that goes back to single ones: "auto" and True choose a temporary folder, a text
    names one, False refuses such methods.

    Examples
    --------
    >>> from discriminant.rows import from_arrays
    >>> rows = from_arrays([[0.0], [1.0], [4.0]], ["low", "low", "high"])
    >>> rows.schema.n_columns, rows.fold(lambda block: float(block.matrix.sum()))
    (1, 5.0)
    """

    spool: bool | str = "auto"

    @property
    @abstractmethod
    def schema(self) -> Schema:
        """Columns and, where they are known, classes and the number of rows."""

    @property
    def spools(self) -> bool:
        """Whether a learner of many passes should copy these rows to a memory map first, not read them pass by pass.

        A source says so where reading is dear, there is room on a disk, and the rows come to this machine anyway.
        """
        return False

    @abstractmethod
    def batches(self) -> Iterator["ArrayRows"]:
        """The blocks in the order of the rows: one pass."""

    def fold(self, of: Callable[["ArrayRows"], S], add: Callable[[S, S], S] = operator.add) -> S:
        """``of(block)`` of every block, added up neighbours first: one pass."""
        with ended(self.batches()) as blocks:
            return add_neighbours(map(of, blocks), add)

    def class_products(self, full: bool, by_class: bool = False) -> ClassProducts | None:
        """Sums of products by class where the source itself adds up its rows (a database): one pass.

        ``full=False`` asks for squares of single columns alone, ``by_class`` for the class means as origins. None: read
        the rows.
        """
        return None

    def sample(self, n: int, random_state: int = 0) -> "ArrayRows":
        """n rows at random, or all if they are fewer; which ones does not depend on the blocks: one pass."""
        drawn = RowSample(n, random_state)
        return self.fold(drawn.of, drawn.add)

    def assign(
        self,
        part_of: Callable[["ArrayRows"], NDArray[np.intp]],
        of: Callable[["ArrayRows"], S],
        add: Callable[[S, S], S] = operator.add,
    ) -> dict[int, S]:
        """The sums of each part of the rows, ``part_of(block)`` naming the part of every row of it: one pass."""
        return self.fold(_SumParts(part_of, of), _AddParts(add))

    def collect(self) -> "ArrayRows":
        """All rows in memory: one pass."""
        return self.fold(_whole_block, _join_blocks)


# What the methods above give to `fold` can be pickled, since engines send it to where the rows are.


def _whole_block(block: "ArrayRows") -> "ArrayRows":
    return block


def _join_blocks(a: "ArrayRows", b: "ArrayRows") -> "ArrayRows":
    return a.join(b)


@dataclass(frozen=True)
class _SumParts(Generic[S]):
    part_of: Callable[["ArrayRows"], NDArray[np.intp]]
    of: Callable[["ArrayRows"], S]

    def __call__(self, block: "ArrayRows") -> dict[int, S]:
        parts = self.part_of(block)
        return {int(part): self.of(block.take(np.flatnonzero(parts == part))) for part in np.unique(parts)}


@dataclass(frozen=True)
class _AddParts(Generic[S]):
    add: Callable[[S, S], S]

    def __call__(self, a: dict[int, S], b: dict[int, S]) -> dict[int, S]:
        common = {part: self.add(a[part], b[part]) for part in a.keys() & b.keys()}
        return dict(sorted({**a, **b, **common}.items()))


@dataclass(frozen=True)
class RowSample:
    """The rows of the n smallest numbers drawn; ``of_classes`` adds up to n/(2K) rows of each of the K classes.

    Which rows they are depends on their numbers and the seed alone: a row that is left out of a part is not among the
    smallest of the whole either, nor, since further classes can only lower n/(2K), among those of its class.
    """

    n: int
    random_state: int = 0
    of_classes: bool = False

    def of(self, block: "ArrayRows") -> "ArrayRows":
        """The sample of a block."""
        if block.n_rows <= self.n:
            return block
        drawn = draw_numbers(block.ids, self.random_state)
        kept = np.zeros(block.n_rows, dtype=bool)
        kept[_smallest(drawn, self.n)] = True
        if self.of_classes:
            for k in range(block.classes.size):
                own = np.flatnonzero(block.codes == k)
                kept[own[_smallest(drawn[own], self.n // (2 * block.classes.size))]] = True
        return block.take(np.flatnonzero(kept))

    def add(self, a: "ArrayRows", b: "ArrayRows") -> "ArrayRows":
        """The sample of both."""
        return self.of(a.join(b))


def _smallest(drawn: NDArray[np.uint64], n: int) -> NDArray[np.intp]:
    """Where the n smallest numbers are; of equal ones those that come first."""
    if drawn.size <= n:
        return np.arange(drawn.size)
    bound = np.partition(drawn, n - 1)[n - 1] if n else drawn.min()
    below = np.flatnonzero(drawn < bound)
    return np.concatenate([below, np.flatnonzero(drawn == bound)[: n - below.size]])


class NeedsRowsInMemory(TypeError):
    """A method that visits rows in any order was given rows that are read one block after another.

    >>> str(NeedsRowsInMemory("the pocket")).startswith("the pocket")
    True
    """

    def __init__(self, method: str) -> None:
        super().__init__(
            f"{method} goes back to single rows and needs them in memory; pass rows.collect(), or arrays, allow a "
            "spool (spool=True), or take a learner that reads rows once: LinearDiscriminantAnalysis, "
            "LeastSquaresClassifier, NaiveBayes"
        )


class SourceChanged(ValueError):
    """A source gave other rows in a later pass than in the first; the text names it and says what changed.

    >>> print(SourceChanged("sales.csv is no longer there"))
    sales.csv is no longer there
    """


@contextmanager
def ended(items: Iterable[S]) -> Iterator[Iterator[S]]:
    """The items. A generator of them ends here, with its files and threads: a fault that is kept would hold it open."""
    found = iter(items)
    try:
        yield found
    finally:
        close = getattr(found, "close", None)
        if close is not None:
            close()


def add_neighbours(parts: Iterable[S], add: Callable[[S, S], S]) -> S:
    """The sum of one or more parts, two neighbours at a time: rounding grows with the logarithm of their number.

    >>> add_neighbours("abcde", lambda a, b: f"({a}{b})")
    '(((ab)(cd))e)'
    """
    sums: list[tuple[int, S]] = []  # of 2^k parts each, k falling
    for part in parts:
        k, total = 0, part
        while sums and sums[-1][0] == k:
            k, total = k + 1, add(sums.pop()[1], total)
        sums.append((k, total))
    if not sums:
        raise ValueError("Found array with 0 sample(s): the source of rows gave no block")
    total = sums.pop()[1]
    while sums:
        total = add(sums.pop()[1], total)
    return total


def draw_numbers(row_numbers: NDArray[np.intp], random_state: int) -> NDArray[np.uint64]:
    """A pseudo-random number for each row, by its number and the seed alone (splitmix64)."""
    golden = np.uint64(0x9E3779B97F4A7C15)
    with np.errstate(over="ignore"):
        z = (row_numbers.astype(np.uint64) + np.uint64(1) + np.uint64(random_state) * golden) * golden
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(z ^ (z >> np.uint64(31)))
