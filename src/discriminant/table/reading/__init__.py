"""Tables in: text with any delimiter, Parquet, Arrow, svmlight; from files, globs and standard input."""

from discriminant.table.reading.batch import Batch, SparseBatch
from discriminant.table.reading.source import TableSource, open_table

__all__ = ["Batch", "SparseBatch", "TableSource", "open_table"]
