"""Files as rows: Parquet, Arrow, CSV and svmlight, one or thousands, on this machine or elsewhere."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from discriminant.findings import shown
from discriminant.rows.file_tables import open_files, open_sparse_files
from discriminant.rows.locations import Path, find_files
from discriminant.rows.parts import Engine, Part, PartRows
from discriminant.rows.protocol import Schema
from discriminant.rows.table_blocks import choose_columns
from discriminant.rows.thread_engine import ThreadEngine
from discriminant.table.encoding import Encoding
from discriminant.table.errors import OptionError, TableError
from discriminant.table.reading.formats import format_of


class FileRows(PartRows):
    """Rows of files; ``encoding`` is how texts, dates and blanks became numbers, None where there were none."""

    def __init__(
        self,
        parts: Sequence[Part],
        schema: Schema,
        engine: Engine,
        name: str,
        spool: bool | str,
        encoding: Encoding | None = None,
    ) -> None:
        super().__init__(parts, schema, engine, name, spool)
        self.encoding = encoding


def open(
    paths: Path | Sequence[Path],
    *,
    target: str | None = None,
    columns: Sequence[str] | None = None,
    weight: str | None = None,
    id: str | None = None,
    encoding: Encoding | Literal["auto"] | None = None,
    spool: bool | str = "auto",
    engine: Engine | None = None,
    filesystem: Any = None,
    delimiter: str | None = None,
    format: str | None = None,
) -> FileRows:
    """Rows of files, which any learner can be fitted to without holding them in memory.

    Learners of sums read them in one or two passes; learners that go back to single rows get them from a spool, an
    array on disk that is written in one pass and removed after the fit.

    Parameters
    ----------
    paths : path or sequence of paths
        Files, folders, patterns such as ``"data/*.parquet"``, or URLs. All files must have the same columns, in any
        order; folders such as ``year=2024`` tell a column of the files in them.
    target : str
        The column of class labels; svmlight files have their own.
    columns : sequence of str or None
        The columns to learn from; None takes all others. Only what is needed is read of Parquet files.
    weight : str or None
        A column of weights, finite and not negative.
    id : str or None
        A column of integers or texts that samples and folds are drawn by, instead of the numbers of the rows.
    encoding : Encoding, "auto" or None
        How texts, dates and blank cells become numbers; "auto" learns it in a pass of its own, as the command does
        from the whole table. None takes numbers and flags as they are, and refuses other cells.
    spool : {"auto", True, False} or folder
        Where rows are written for learners that go back to them: "auto" and True choose a temporary folder with
        room, a path names one, False refuses such learners.
    engine : Engine or None
        Where files are read and summed; None takes threads of this process.
    filesystem : object or None
        A filesystem of pyarrow or fsspec that paths are on; None takes this machine, or the one that a URL names.
    delimiter : str or None
        Of text tables; None sees it in the file.
    format : {"parquet", "arrow", "csv", "svmlight"} or None
        What files hold; None sees it in the first of them.

    Returns
    -------
    FileRows
        Rows that can be read as often as a learner asks; ``fit`` takes them in place of X and y.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> from discriminant import LinearDiscriminantAnalysis, rows
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for day, cells in enumerate(["0.0,a\\n1.0,a\\n3.0,b", "0.5,a\\n4.0,b\\n4.5,b"]):
    ...     _ = (folder / f"day{day}.csv").write_text(f"x,y\\n{cells}\\n")
    >>> source = rows.open(folder / "*.csv", target="y")
    >>> model = LinearDiscriminantAnalysis().fit(source)
    >>> model.feature_names_in_.tolist(), model.classes_.tolist(), source.schema.n_rows
    (['x'], ['a', 'b'], 6)
    """
    files = [file for file in find_files(paths, filesystem) if file.n_bytes]
    if not files:
        raise TableError(f"{shown(str(paths))} is empty", "name a file with rows")
    name = files[0].name if len(files) == 1 else f"{files[0].name} and {len(files) - 1} more"
    kind = format_of(files[0].open(), format)
    engine = ThreadEngine() if engine is None else engine
    if kind == "svmlight":
        _refuse_columns(target=target, columns=columns, weight=weight, id=id, encoding=encoding)
        sparse = open_sparse_files(files, engine)
        return FileRows(sparse.parts, Schema(sparse.n_features, n_rows=sparse.n_rows), engine, name, spool)
    if target is None:
        raise OptionError("no target was named", "target= says which column holds the classes")
    table = open_files(files, kind, engine, delimiter, target, columns is None)
    chosen = choose_columns(table.names, table.file, target, columns, weight, id)
    chosen = replace(chosen, encoding=table.learn_encoding(chosen, engine) if encoding == "auto" else encoding)
    parts = [replace(part, columns=chosen) for part in table.parts]
    schema = Schema(len(chosen.names), chosen.names, n_rows=table.n_rows if weight is None else None)
    return FileRows(parts, schema, engine, name, spool, chosen.encoding)


def learn_encoding(paths: Path | Sequence[Path], *, target: str, **options: Any) -> Encoding:
    """How the columns of files become numbers: what `open` with ``encoding="auto"`` learns, in one pass.

    Parameters
    ----------
    paths : path or sequence of paths
        As in `open`.
    target : str
        The column of class labels, which is not encoded.
    **options
        Others of `open`.

    Returns
    -------
    Encoding
        To be given to `open`, for these files or for later ones with the same columns.

    Examples
    --------
    >>> import tempfile, pathlib
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "t.csv"
    >>> _ = path.write_text("size,colour,y\\n" + "1,red,a\\n2,blue,b\\n" * 10)
    >>> from discriminant import rows
    >>> rows.learn_encoding(path, target="y").feature_names
    ('size', 'colour = red')
    """
    learnt = open(paths, target=target, encoding="auto", **options).encoding
    assert isinstance(learnt, Encoding)
    return learnt


def _refuse_columns(**named: Any) -> None:
    """Sparse files have labels and indices, no columns."""
    for option, value in named.items():
        if value is not None:
            raise OptionError(f"svmlight files have no columns for {option}= to name", "leave it out")
