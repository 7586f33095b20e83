"""Rows on a cluster of Spark: tasks open the files themselves, or sum the partitions of a data frame as Arrow batches.

Sums of neighbouring parts are added on the executors, group by group, in the tree of `add_neighbours`; the driver adds
up the last few, and sees statistics only. Executors need this package.
"""

import pickle
from collections.abc import Callable, Sequence
from typing import Any, TypeVar
from uuid import uuid4

from discriminant.rows.files import open as open_files
from discriminant.rows.parts import Part, PartRows
from discriminant.rows.protocol import add_neighbours
from discriminant.rows.threads import one_thread, single_threaded_blas
from discriminant.table.errors import OptionError, TableError

S = TypeVar("S")

_LOG_GROUP = 3  # 2³ sums are added by one task
_MOST_COLLECTED = 16  # sums that the driver adds up itself


class SparkEngine:
    """Reads and sums parts in the tasks of a Spark session: a task for each part.

    Parameters
    ----------
    spark : SparkSession
        A session with a SparkContext; those of Spark Connect have none.

    Examples
    --------
    >>> from discriminant import rows
    >>> source = rows.open("data/*.parquet", target="y", engine=SparkEngine(spark))  # doctest: +SKIP
    """

    def __init__(self, spark: Any) -> None:
        try:
            self.context = spark.sparkContext
        except Exception as error:  # another one in every version
            raise OptionError("a session of Spark Connect has no SparkContext", "use a classic session") from error

    def fold(self, parts: Sequence[Part], of_part: Callable[[Part], S], add: Callable[[S, S], S]) -> S:
        """``of_part(part)`` of every part, added up neighbours first on the executors."""
        from pyspark import cloudpickle

        shared = self.context.broadcast(cloudpickle.dumps(of_part))  # by itself it would refuse functions in functions
        numbered = self.context.parallelize(list(enumerate(parts)), len(parts))
        try:
            return self.add_up(
                numbered.mapValues(lambda part: sum_of_part(pickle.loads(shared.value), part)), len(parts), add
            )
        finally:
            shared.destroy()

    def add_up(self, numbered: Any, n: int, add: Callable[[S, S], S]) -> S:
        """The sum of n numbered values of an RDD; whatever ends the wait ends the tasks."""

        def plus(a: Any, b: Any) -> Any:
            """The first fault in the order of the rows stands for the sum."""
            return a if isinstance(a, Fault) else b if isinstance(b, Fault) else add(a, b)

        tag = f"discriminant-{uuid4().hex}"
        self.context.addJobTag(tag)
        try:
            while n > _MOST_COLLECTED:
                numbered, n = _added_groups(numbered, n, plus), -(-n >> _LOG_GROUP)
            found = sorted(numbered.collect(), key=_number)
        except BaseException:
            self.context.cancelJobsWithTag(tag)
            raise
        finally:
            self.context.removeJobTag(tag)
        total = add_neighbours((value for _, value in found), plus)
        if isinstance(total, Fault):
            raise total.error
        value: S = total
        return value


def _added_groups(numbered: Any, n: int, plus: Callable[[Any, Any], Any]) -> Any:
    """Sums of aligned groups of 2ᵏ neighbours: these are whole branches of the tree, so that it stays the same."""
    keyed = numbered.map(lambda pair: (pair[0] >> _LOG_GROUP, pair))
    grouped = keyed.groupByKey(-(-n >> _LOG_GROUP))
    return grouped.mapValues(lambda pairs: add_neighbours((value for _, value in sorted(pairs, key=_number)), plus))


def _number(pair: tuple[int, Any]) -> int:
    return pair[0]


class Fault:
    """What is wrong with the rows of a part, carried to the driver as it is; trying again would not help."""

    def __init__(self, error: Exception) -> None:
        try:
            self.error: Exception = pickle.loads(pickle.dumps(error))
        except Exception:  # an error that cannot travel travels as its text
            self.error = ValueError(str(error))


def sum_of_part(of_part: Callable[[Any], Any], part: Any) -> Any:
    """Sum a part in a task: BLAS has one thread, since executors have as many tasks as cores."""
    try:
        with single_threaded_blas(), one_thread():
            return of_part(part)
    except (ValueError, TypeError) as error:
        return Fault(error)


def from_spark(
    source: Any,
    *,
    target: str,
    spark: Any = None,
    columns: Sequence[str] | None = None,
    weight: str | None = None,
    id: str | None = None,
    encoding: Any = None,
    spool: bool | str = "auto",
    **options: Any,
) -> PartRows:
    """Rows that the tasks of Spark read and sum: a cluster gives what one machine gives.

    Parameters
    ----------
    source : paths or DataFrame
        Best are paths, as `open` takes them: tasks read the files themselves, without Spark's own readers, and
        executors must be able to see them. Any DataFrame is read as Arrow batches (``mapInArrow``); from the second
        pass on from copies of these that Spark keeps in the memory of the executors and on their disks, and makes again
        where an executor is lost.
    target : str
        The column of classes.
    spark : SparkSession or None
        For paths: the session; None takes the active one.
    columns, weight, id, encoding, spool
        As for `open`. A column of vectors (``VectorUDT``) or of arrays of numbers counts as one column for each entry.
        Of a DataFrame without ``id`` the rows of each partition are counted first, to number them.
    **options
        For paths: ``filesystem``, ``delimiter`` and ``format`` of `open`.

    Returns
    -------
    PartRows
        A source for ``fit``.

    Examples
    --------
    >>> from discriminant import LinearDiscriminantAnalysis, rows
    >>> source = rows.from_spark("hdfs://data/loans", target="paid")  # doctest: +SKIP
    >>> LinearDiscriminantAnalysis().fit(source)  # doctest: +SKIP
    """
    if hasattr(source, "mapInArrow"):
        from discriminant.rows.spark_frames import rows_of_frame

        if options:
            raise OptionError(f"{next(iter(options))}= is for files, and this is a DataFrame", "leave it out")
        return rows_of_frame(source, target, columns, weight, id, encoding, spool)
    return open_files(
        source, target=target, columns=columns, weight=weight, id=id, encoding=encoding, spool=spool,
        engine=SparkEngine(_session() if spark is None else spark), **options,
    )  # fmt: skip


def _session() -> Any:
    from discriminant.forks import importing

    try:
        with importing:
            from pyspark.sql import SparkSession
    except ImportError as error:
        raise TableError("pyspark is not installed", "pip install 'discriminant[spark]'") from error
    active = SparkSession.getActiveSession()
    if active is None:
        raise OptionError("there is no active Spark session", "make one, or pass spark=")
    return active
