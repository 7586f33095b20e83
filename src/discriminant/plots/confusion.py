"""True against assigned classes: how many rows, and what they earned together."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from discriminant.gain.alignment import align_gain
from discriminant.gain.matrix import Gain, read_gain
from discriminant.plots.canvas import INK, Display
from discriminant.plots.names import shorten, with_unit
from discriminant.plots.scores import checked_classifier
from discriminant.rows.labels import code_labels
from discriminant.rows.memory import read_weights

Array = NDArray[np.float64]

_MOST_WRITTEN = 15  # classes; with more, numbers would not fit into their cells


@dataclass(kw_only=True, eq=False)
class ConfusionDisplay(Display):
    """The confusion matrix in counts and, where gains are given, in what each cell earned.

    Make it with `from_estimator` or `from_predictions`. After `plot`, ``axes_`` holds the panels, ``ax_`` the first and
    ``figure_`` the figure.

    Parameters
    ----------
    counts : Σω of true × assigned.
    earned : the sum of gains of true × assigned, or None.
    labels, assigned : the names of rows and columns.
    unit : of the gains.
    """

    counts: Array
    earned: Array | None
    labels: tuple[Any, ...]
    assigned: tuple[Any, ...]
    unit: str = ""

    @classmethod
    def from_estimator(
        cls, model: Any, X: Any, y: Any, *, gain: Any = None, sample_weight: Any = None, ax: Any = None
    ) -> Self:
        """Draw what a fitted classifier does with rows it has not seen; options as in `from_predictions`."""
        classes = checked_classifier(model)
        decided = model.predict(X)
        value = gain.for_table(X) if hasattr(gain, "for_table") else gain
        options = {"classes": classes, "reject": _beyond(decided, classes), "sample_weight": sample_weight, "ax": ax}
        return cls.from_predictions(y, decided, gain=value, **options)

    @classmethod
    def from_predictions(
        cls,
        y: Any,
        assigned: Any,
        *,
        gain: Any = None,
        classes: Any = None,
        reject: Any = None,
        sample_weight: Any = None,
        ax: Any = None,
    ) -> Self:
        """Draw true against assigned labels.

        Parameters
        ----------
        gain : a `Gain` or matrix of true × assigned, also by row: draws a second panel.
        classes : in the order to draw; by default those of the gain, or all labels in order.
        reject : the label of rows that were assigned to no class; by default that of the gain.
        ax : one axes for counts, two where there is a gain; None makes a figure.

        >>> from matplotlib.figure import Figure
        >>> y, assigned, axes = [0, 0, 1, 1], [0, 1, 1, 1], Figure().subplots(1, 2)
        >>> made = ConfusionDisplay.from_predictions(y, assigned, gain=[[1, -5], [-2, 3]], ax=axes)
        >>> made.counts.tolist(), made.earned.tolist()
        ([[1.0, 1.0], [0.0, 2.0]], [[1.0, -5.0], [0.0, 6.0]])
        """
        value = None if gain is None else read_gain(gain)
        labels = _labels(y, assigned, value, classes, reject)
        value = None if value is None else align_gain(value, labels)
        columns = _columns(labels, value, reject)
        true, given = _places(y, labels, "y"), _places(assigned, columns, "assigned")
        if true.size != given.size:
            raise ValueError(f"y has {true.size} labels but assigned has {given.size}")
        weight = read_weights(sample_weight, true.size)
        weight = np.ones(true.size) if weight is None else weight
        shape = len(labels), len(columns)
        return cls(
            counts=_cell_sums(weight, true, given, shape),
            earned=None if value is None else _cell_sums(weight * _of_rows(value, true, given), true, given, shape),
            labels=tuple(labels),
            assigned=tuple(columns),
            unit="" if value is None else value.unit,
        ).plot(ax=ax)

    def plot(self, ax: Any = None) -> Self:
        """Draw on axes given, two where there are gains, or on new ones."""
        width = 2.4 + 0.62 * max(len(self.assigned), 3)
        n = 1 if self.earned is None else 2
        self._take_axes(ax, (1, n), (n * width, 0.9 * width))
        self._draw(self.ax_, self.counts, "Greys", self._counts_title(), 0.0, float(self.counts.max()))
        if self.earned is not None:
            mean = self.earned.sum() / self.counts.sum()
            most = float(np.abs(self.earned).max())
            title = f"{with_unit('gain', self.unit)}, {_short(mean)} a row"
            self._draw(self.axes_[0, 1], self.earned, "PuOr", title, -most, most)
        return self

    def _counts_title(self) -> str:
        K, total = len(self.labels), self.counts.sum()
        rejected = f", {self.counts[:, K:].sum() / total:.1%} rejected" if len(self.assigned) > K else ""
        return f"rows, {np.trace(self.counts) / total:.1%} right{rejected}"

    def _draw(self, ax: Any, values: Array, colours: str, title: str, least: float, most: float) -> None:
        """Shades never darker than half, so that the numbers in them can be read."""
        spread = max(most - least, 1e-300)
        ends = (least, most + spread) if least == 0 else (least - 0.5 * spread, most + 0.5 * spread)
        ax.imshow(values, cmap=colours, vmin=ends[0], vmax=ends[1], aspect="equal")
        written = max(values.shape) <= _MOST_WRITTEN
        for (k, a), value in np.ndenumerate(values) if written else ():
            weight = "bold" if self.labels[k] == self.assigned[a] else "normal"
            ax.text(a, k, _short(value), ha="center", va="center", color=INK, fontsize="small", weight=weight)
        turned = {"rotation": 45, "ha": "right"} if len(self.assigned) > 3 else {}
        ax.set_xticks(range(len(self.assigned)), [shorten(a, 14) for a in self.assigned], **turned)
        ax.set_yticks(range(len(self.labels)), [shorten(k, 14) for k in self.labels])
        ax.set(title=title, xlabel="assigned", ylabel="true")


def _short(value: float) -> str:
    """Whole numbers as they are while they fit, else three digits; a true minus."""
    text = f"{value:.0f}" if value == round(value) and abs(value) < 1e6 else f"{value:.3g}"
    return text.replace("-", "−", 1) if value < 0 else text


# --- reading --------------------------------------------------------------------------------------------


def _labels(y: Any, assigned: Any, gain: Gain | None, classes: Any, reject: Any) -> list[Any]:
    if classes is not None:
        return list(np.asarray(classes, dtype=object).tolist())
    if gain is not None and gain.classes is not None:
        return list(gain.classes)
    if gain is not None and gain.has_reject and reject is None:
        raise ValueError("a gain with a reject column must name its classes: Gain(matrix, classes=…)")
    both = [*code_labels(y)[0].tolist(), *(a for a in code_labels(assigned)[0].tolist() if a != reject)]
    return list(code_labels(np.array(both, dtype=object))[0].tolist())


def _columns(labels: list[Any], gain: Gain | None, reject: Any) -> list[Any]:
    """The classes, and the label of rejecting where there is one."""
    if reject is None:
        return list(labels) if gain is None else list(gain.assigned_labels)
    if reject in labels:
        raise ValueError(f"reject={reject!r} is one of the classes {labels}")
    if gain is not None and not gain.has_reject:
        raise ValueError(
            f"rows are assigned {reject!r}, but the gain has no column for rejecting; see Gain(…, reject=)"
        )
    return [*labels, reject]


def _beyond(decided: Any, classes: list[Any]) -> Any:
    """The label a model gives to rows of no class, if it does."""
    others = [label for label in code_labels(decided)[0].tolist() if label not in classes]
    if len(others) > 1:
        raise ValueError(f"the model assigns {others[:6]}, of which none is among its classes {classes}")
    return others[0] if others else None


def _places(y: Any, labels: list[Any], what: str) -> NDArray[np.intp]:
    seen, codes = code_labels(y)
    unknown = [label for label in seen.tolist() if label not in labels]
    if unknown:
        raise ValueError(f"{what} holds {unknown[0]!r}, which is not among {labels}")
    return np.array([labels.index(label) for label in seen.tolist()], dtype=np.intp)[codes]


def _of_rows(gain: Gain, true: NDArray[np.intp], given: NDArray[np.intp]) -> Array:
    if gain.per_row and len(gain.matrix) != true.size:
        raise ValueError(f"there are gains for {len(gain.matrix)} rows but y has {true.size}")
    picked = gain.matrix[np.arange(true.size), true, given] if gain.per_row else gain.matrix[true, given]
    return np.asarray(picked, dtype=np.float64)


def _cell_sums(values: Array, true: NDArray[np.intp], given: NDArray[np.intp], shape: tuple[int, int]) -> Array:
    table = np.zeros(shape)
    np.add.at(table, (true, given), values)
    return table
