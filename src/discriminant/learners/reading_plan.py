"""What a learner asks of rows that are elsewhere: how often it reads them, and what it holds of them meanwhile."""

from dataclasses import dataclass


@dataclass(frozen=True)
class ReadingPlan:
    """About how many passes a usual fit makes over a source, and what it holds; ``all_rows`` where that is every row.

    All rows are held in memory or, of a source that can be spooled, on a memory map that the first pass writes.
    """

    passes: int
    holds: str
    all_rows: bool = False

    def __str__(self) -> str:
        return f"{self.passes} pass{'es' * (self.passes != 1)} over the rows; holds {self.holds}"


ALL_ROWS = ReadingPlan(1, "all rows, in memory or on a memory map", all_rows=True)
BY_PASSES = ReadingPlan(6, "a sample of 10,000 rows, and as many sums as the square of the number of weights")
SUMS = ReadingPlan(1, "sums over the rows, as many numbers as d×d for each class")
