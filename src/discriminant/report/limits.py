"""How much of a run goes into the page, so that the file stays under a megabyte whatever the data."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

LARGEST_PAGE = 1_000_000  # bytes


@dataclass(frozen=True)
class Limits:
    """The most that is shown of each thing."""

    label: int = 300  # characters of a class label
    name: int = 120  # characters of a column or feature
    sentence: int = 2_000  # characters of a sentence
    table_rows: int = 200
    weights: int = 1_000  # over all planes
    posteriors: int = 70_000  # numbers
    points: int = 1_500  # of the operating curve
    classes: int = 100
    cells: int = 12  # columns shown of a row

    def halve(self) -> "Limits":
        """Half of everything, down to what always fits."""
        return replace(self, **{name: max(vars(_LEAST)[name], value // 2) for name, value in vars(self).items()})


_LEAST = Limits(
    label=40, name=40, sentence=100, table_rows=10, weights=100, posteriors=10_000, points=300, classes=60, cells=4
)


def narrowing() -> Iterator[Limits]:
    """Limits, each half of the one before: the first page that is small enough is taken."""
    limits = Limits()
    while True:
        yield limits
        if limits == (limits := limits.halve()):
            return
