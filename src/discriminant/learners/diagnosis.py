"""Findings about rows, columns and conditioning, from what the fit has computed anyway."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.findings import (
    ConstantColumn,
    Finding,
    Float32Range,
    IllConditioned,
    MoreColumnsThanRows,
    OneRowClass,
    RedundantColumns,
    SeparatedInNullSpace,
    SingularCovariance,
    UnequalScales,
    column_names,
    listed,
)
from discriminant.linalg.discriminant_directions import ClassContrasts
from discriminant.linalg.metric import CholeskyMetric, Metric
from discriminant.rows import ArrayRows
from discriminant.statistics.moments import ClassMoments

Array = NDArray[np.float64]
Findings = tuple[Finding, ...]

_MOST_RELATIONS = 5


@dataclass(frozen=True)
class Shape:
    """What findings say of the table: names, rows, rows of each class, and whether it came as float32."""

    names: tuple[str, ...] | None
    n_rows: int
    class_rows: NDArray[np.int64]
    float32: bool

    @classmethod
    def of(cls, rows: ArrayRows, counts: Array) -> "Shape":
        """The shape of the rows of a fit, with the weights of its classes."""
        if rows.weight is None:
            class_rows = np.rint(counts).astype(np.int64)  # already counted
        else:
            class_rows = np.bincount(rows.codes, minlength=rows.classes.size)
        return cls(rows.names, rows.n_rows, class_rows, rows.matrix.dtype == np.float32)


def column_findings(m: ClassMoments, shape: Shape, noise: Array) -> Findings:
    """Constant columns, classes of one row, float32 trouble."""
    variances = np.diagonal(m.within)
    constant = _constant_columns(m, noise)
    findings: Findings = ()
    if constant.size:
        names = column_names(constant, shape.names)
        findings += (
            ConstantColumn(
                f"{_columns(names)} the same in every row",
                f"Value {m.means[0, constant[0]]:.6g} in {listed(names[:1])}",
                "Drop it: it cannot tell the classes apart",
                names,
            ),
        )
    if (shape.class_rows == 1).any():
        findings += class_findings(m.classes, shape)
    return findings + float32_findings(m, variances, shape) if shape.float32 else findings


def _constant_columns(m: ClassMoments, noise: Array) -> NDArray[np.intp]:
    """Columns with one value in every row."""
    still = np.diagonal(m.within) <= noise
    return np.flatnonzero(still & (np.ptp(m.means, axis=0) <= 1e-14 * np.abs(m.means).max(axis=0)))


def class_findings(classes: NDArray[Any], shape: Shape) -> Findings:
    """The findings of classes that have a single row."""
    alone = tuple(str(c) for c in classes[shape.class_rows == 1].tolist())
    if not alone:
        return ()
    return (
        OneRowClass(
            f"Class {listed(alone)} has a single row",
            "All that is known of it is that one row",
            "Collect more rows of it, or merge it with another class",
            classes=alone,
        ),
    )


def float32_findings(m: ClassMoments, variances: Array, shape: Shape) -> Findings:
    """Columns that came as float32 and are too large, or too far from zero, for it."""
    size = np.sqrt((m.means**2).max(axis=0) + variances / m.n)
    huge = np.flatnonzero(size > np.sqrt(float(np.finfo(np.float32).max)))
    offset = np.abs(m.means).max(axis=0)
    worn = np.flatnonzero((offset * float(np.finfo(np.float32).eps) * 100 > np.sqrt(variances / m.n)) & (variances > 0))
    findings: Findings = ()
    if huge.size:
        names = column_names(huge, shape.names)
        findings += (
            Float32Range(
                f"{_columns(names)} so large in float32 that squares overflow there",
                f"Root mean square {size[huge].max():.3g}; sums here are kept in float64 and are right",
                "Rescale it before handing it to anything that stays in float32",
                names,
            ),
        )
    if worn.size:
        names = column_names(worn, shape.names)
        findings += (
            Float32Range(
                f"{_columns(names)} far from zero beside its spread, so float32 has kept few digits of it",
                f"Mean {offset[worn[0]]:.6g}, deviation {np.sqrt(variances[worn[0]] / m.n):.3g}",
                "Subtract the offset in float64 before converting to float32",
                names,
            ),
        )
    return findings


def metric_findings(
    metric: Metric, found: ClassContrasts, m: ClassMoments, shape: Shape, noise: Array, *, shrunk: bool
) -> Findings:
    """Singular or nearly singular covariance, and classes separated in its null space."""
    d = noise.size
    findings: Findings = ()
    too_few = not shrunk and d > shape.n_rows - m.classes.size
    if too_few:
        findings += (_more_columns_than_rows(d, shape.n_rows, m.classes.size),)
    n_null = metric.null.shape[1]
    if n_null and n_null > _constant_columns(m, noise).size and not too_few:
        findings += (_singular_finding(metric, found, m, shape, noise),)
    if found.separated.any():
        columns = column_names(involved_columns(found.separating, column_scales(m)), shape.names)
        findings += null_space_findings(found, m.classes, columns)
    return findings + condition_findings(metric)


def _singular_finding(metric: Metric, found: ClassContrasts, m: ClassMoments, shape: Shape, noise: Array) -> Finding:
    """Columns that do not vary within the classes, and columns that do but determine one another there."""
    places = involved_columns(metric.null, column_scales(m))
    still = np.diagonal(m.within)[places] <= noise[places]
    if places.size == 1:  # no other can determine it
        still[:] = True
    facts, remedies = [], []
    if not places.size:
        facts.append("its columns are too far apart in size to tell which")
        remedies.append("Bring the columns to similar scales")
    if not still.all():
        facts.append(f"{_columns(column_names(places[~still], shape.names))} determined by one another")
        apart = np.intersect1d(places[~still], involved_columns(found.separating, column_scales(m)))
        remedies += _remedies(places[~still], apart, shape.names)
    if still.any():
        facts.append(f"{_columns(column_names(places[still], shape.names), 'does', 'do')} not vary within any class")
        remedies.append("Check that a column which varies only between classes does not give the class away")
    written = column_relations(metric.null, column_scales(m), shape.names)
    return SingularCovariance(
        f"The covariance within the classes is singular: {'; '.join(facts)}",
        f"Rank {metric.rank} of {m.n_columns}" + (f"; within each class {'; '.join(written)}" if written else ""),
        ". ".join(remedies),
        column_names(places, shape.names),
        relations=written,
    )


def _remedies(dependent: NDArray[np.intp], apart: NDArray[np.intp], names: tuple[str, ...] | None) -> list[str]:
    """What to do about columns that determine one another, ``apart`` by a relation that differs between the classes."""
    remedies = []
    if apart.size:
        remedies.append(
            f"Keep {listed(column_names(apart, names))} together: the constant of their dependency differs between the "
            "classes and tells them apart, which may be lost without one of them"
        )
    if dependent.size > apart.size:
        which = "each other dependency" if apart.size else "each dependency"
        remedies.append(f"Drop a column of {which}; the decisions do not depend on which")
    return remedies


def wide_rows_findings(
    metric: Metric, found: ClassContrasts, m: ClassMoments, shape: Shape, *, shrunk: bool
) -> Findings:
    """d > n: the covariance is singular whatever the data."""
    return _few_rows(m.classes, shape, len(found.solved[0]), shrunk) + null_space_findings(found, m.classes, ())


def few_rows_findings(rows: ArrayRows, counts: Array, *, shrunk: bool) -> Findings:
    """Classes of one row, and more columns than rows."""
    return _few_rows(rows.classes, Shape.of(rows, counts), rows.n_columns, shrunk)


def _few_rows(classes: NDArray[Any], shape: Shape, n_columns: int, shrunk: bool) -> Findings:
    findings = class_findings(classes, shape)
    if not shrunk and n_columns > shape.n_rows - classes.size:
        findings += (_more_columns_than_rows(n_columns, shape.n_rows, classes.size),)
    return findings


def null_space_findings(found: ClassContrasts, classes: NDArray[Any], columns: tuple[str, ...]) -> Findings:
    """Classes told apart without error by directions without spread."""
    if not found.separated.any():
        return ()
    apart = tuple(str(c) for c in classes[found.separated.any(axis=0)].tolist())
    where = f"a direction made of {listed(columns)}" if columns else f"{found.separating.shape[1]} direction(s)"
    return (
        SeparatedInNullSpace(
            f"Classes {listed(apart)} are separated without error along {where}",
            "There the rows of a class do not vary at all, and the class means differ",
            "Check for a column that gives the class away; shrinkage asks for more than exact coincidence",
            columns,
            apart,
        ),
    )


def regression_findings(metric: Metric, m: ClassMoments, shape: Shape, noise: Array) -> Findings:
    """Columns that are combinations of others over all rows."""
    findings: Findings = ()
    if metric.null.shape[1] > _constant_columns(m, noise).size:
        names = column_names(involved_columns(metric.null, column_scales(m)), shape.names)
        written = column_relations(metric.null, column_scales(m), shape.names)
        findings += redundant_columns_finding(names, written, metric.rank, m.n_columns)
    return findings + condition_findings(metric)


def redundant_columns_finding(names: tuple[str, ...], written: tuple[str, ...], rank: int, n_columns: int) -> Findings:
    """The finding that weights are not unique."""
    return (
        RedundantColumns(
            f"{_columns(names)} combinations of one another, so the weights are not unique",
            f"Rank {rank} of {n_columns}" + (f"; {'; '.join(written)}" if written else ""),
            "The shortest weights were taken; drop a column of each dependency to have them unique",
            names,
            relations=written,
        ),
    )


def condition_findings(metric: Metric) -> Findings:
    """Digits lost to nearly dependent columns: ε·cond of what the metric was computed from."""
    from_squares = isinstance(metric, CholeskyMetric) or metric.resolution > 1e-10
    lost = np.log10(metric.condition) * (2 if from_squares else 1)
    if lost < 10:
        return ()
    return (
        IllConditioned(
            "Some columns are so nearly dependent that digits are lost",
            f"The condition number of the standardised columns is {metric.condition:.1e}; "
            f"about {max(0, 15 - int(lost))} digits of the weights are right",
            "Drop or combine nearly equal columns, or shrink",
        ),
    )


def scale_findings(deviations: Array, names: tuple[str, ...] | None, penalty: str) -> Findings:
    """Columns of wildly different scale under a penalty that is not scale-free; ``deviations`` without rounding."""
    moving = np.flatnonzero(deviations > 0)
    if moving.size < 2:
        return ()
    small, large = moving[deviations[moving].argmin()], moving[deviations[moving].argmax()]
    ratio = deviations[large] / deviations[small]
    if ratio < 1e4:
        return ()
    pair = column_names([small, large], names)
    return (
        UnequalScales(
            f"Columns have wildly different scales, and {penalty} penalises them as if they had one",
            f"The deviation of {pair[1]!r} is {ratio:.1e} times that of {pair[0]!r}",
            "Standardise the columns first (StandardScaler in a Pipeline)",
            pair,
        ),
    )


def _more_columns_than_rows(d: int, n: int, n_classes: int) -> Finding:
    return MoreColumnsThanRows(
        "There are too few rows for this many columns without shrinkage",
        f"{d} columns, {n} rows, {n_classes} classes: some direction separates any labelling of the rows",
        "Set shrinkage='auto' (or a number), or select columns",
    )


def _columns(names: tuple[str, ...], one: str = "is", more: str = "are") -> str:
    if all(name.startswith("column ") for name in names):  # positions, of columns without names
        said = listed(names).replace("'column ", "").replace("'", "")
    else:
        said = listed(names)
    return f"Column {said} {one}" if len(names) == 1 else f"Columns {said} {more}"


def column_scales(m: ClassMoments) -> Array:
    """A size for each column, to judge coefficients by: its deviation, or its value if it has none."""
    deviations = np.sqrt((np.diagonal(m.total) if m.full else m.total) / m.n)
    return np.where(deviations > 0, deviations, np.maximum(np.abs(m.means).max(axis=0), 1.0))


def involved_columns(directions: Array, scale: Array) -> NDArray[np.intp]:
    """Columns with a noticeable part, each measured in its own deviations, in some direction."""
    if not directions.shape[1]:
        return np.empty(0, dtype=np.intp)
    parts = np.abs(directions) * scale[:, None]
    return np.flatnonzero((parts > 1e-7 * parts.max(axis=0)).any(axis=1))


def column_relations(null: Array, scale: Array, names: tuple[str, ...] | None) -> tuple[str, ...]:
    """The dependencies as text, each solved for its last column, by elimination from the right."""
    A = (null * scale[:, None]).T[:, ::-1].copy()
    m, d = A.shape
    if m > 50:
        return ()
    written, row = [], 0
    for j in range(d):
        if row == m:
            break
        pivot = row + int(np.abs(A[row:, j]).argmax())
        if abs(A[pivot, j]) < 1e-8:
            continue
        A[[row, pivot]] = A[[pivot, row]]
        A[row] /= A[row, j]
        others = np.arange(m) != row
        A[others] -= np.outer(A[others, j], A[row])
        written.append(row)
        row += 1
    coefficients = A[written][:, ::-1] / scale
    coefficients = coefficients[np.isfinite(coefficients).all(axis=1)]  # scales may be too far apart for floats
    return tuple(_relation(c, scale, names) for c in coefficients[::-1][:_MOST_RELATIONS])


def _relation(coefficients: Array, scale: Array, names: tuple[str, ...] | None) -> str:
    used = np.flatnonzero(np.abs(coefficients) * scale > 1e-7 * (np.abs(coefficients) * scale).max())
    last = used[-1]
    left = column_names([last], names)[0]
    terms = [f"{-coefficients[j] / coefficients[last]:+.4g}·({column_names([j], names)[0]})" for j in used[:-1]]
    return f"{left} = {' '.join(terms).removeprefix('+')} + constant" if terms else f"{left} = constant"
