"""Where rows come from. Knows no statistics: it reads, checks, codes labels and deals out blocks."""

from discriminant.rows.source import ArrayRows, from_arrays, read_rows

__all__ = ["ArrayRows", "from_arrays", "read_rows"]
