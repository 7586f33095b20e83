"""Of which rows Firth's penalty can be computed."""

from discriminant.learners.information import MOST_WEIGHTS
from discriminant.rows import ArrayRows

_MOST_SINGULAR = 1000  # columns whose singular curvature is factored in about a second


def refuse_rows_for_firth(rows: ArrayRows) -> None:
    """Refuse more than two classes, and more columns than a curvature is factored of."""
    if rows.classes.size > 2:
        raise ValueError(
            "Only binary classification is supported. The type of the target is multiclass: firth=True is for two "
            f"classes, and y has {rows.classes.size}; set alpha instead, or fit pairs of them with OneVsOne"
        )
    # more weights than rows make the curvature singular, and every step factors it by its eigenvectors
    most = _MOST_SINGULAR if rows.n_columns >= rows.n_rows else MOST_WEIGHTS - 1
    if rows.n_columns > most:
        raise ValueError(
            f"firth=True needs the curvature of all weights together, and {rows.n_columns} columns are too many "
            f"for {rows.n_rows} rows (at most {most}); set alpha instead, or select columns"
        )
