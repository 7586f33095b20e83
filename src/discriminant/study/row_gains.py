"""A study under gains that differ by row: --gain "fn=-amount,fp=-4".

Learners are compared by the mean gain of each true class, one matrix for all rows. The model that is delivered decides
each row by its own gain and the probabilities of its classes, so its figures are those of such decisions, made for rows
that it had not seen.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from discriminant.comparison.inference import Estimate, mean_estimate
from discriminant.gain.columns import ColumnGain
from discriminant.gain.matrix import Gain
from discriminant.learners.registry import title_of
from discriminant.model.prediction import gains_of, lacking_text
from discriminant.study.design import Design
from discriminant.study.evidence import figure
from discriminant.study.study import Study
from discriminant.table.errors import TableError
from discriminant.validation.row_weights import RowWeights

Array = NDArray[np.float64]


def gains_of_design(design: Design, gains: ColumnGain) -> tuple[Gain, Gain]:
    """(the gains of the used rows, their mean by true class)."""
    if design.table is None:
        raise TableError("an svmlight file has no columns to take gains from", hint="give one --gain for all rows")
    own, lacking = gains_of(design.encoding, gains, design.table)
    if lacking.size:
        row = int(lacking[0])
        number = int(design.row_numbers[row]) + 1
        raise TableError(
            f"row {number} has {lacking_text(gains, design.table, row)}", hint="every row needs a number there"
        )
    codes, weight = design.question.codes, design.question.weight
    counts = np.ones(codes.size) if weight is None else weight
    mean = [np.average(own.matrix[codes == k, k], axis=0, weights=counts[codes == k]) for k in range(own.n_classes)]
    return own, Gain(Gain(np.array(mean)), list(design.question.classes), gains.unit)


def tell_row_gains(run: dict[str, Any], study: Study, gains: ColumnGain, own: Gain) -> None:
    """Put the figures of decisions by each row's own gain into the run, in the place of those by the mean gain."""
    comparison = study.comparison
    rows = own.take(study.judged)
    codes, weights = comparison.codes, comparison.row_weights
    decided = rows.decide(study.fitted.held_out_posteriors())
    earned = rows.realised(codes, decided)
    expected = mean_estimate(earned, weights)
    alike = mean_estimate(rows.realised(codes, study.fitted.held_out_answers(study.gain)), weights)
    constant, value, more = _best_constant(rows, codes, earned, weights)
    label = study.model.answers[constant]
    unit = f" {gains.unit}" if gains.unit else ""
    run["expected"] = figure(expected)
    run["baseline"] = {"label": label, "value": value, "clearly_less": bool(more.low > 0)}
    run["verdict"] = (
        f"{title_of(study.best)} earns {expected.value:.4g}{unit} a row (95%: {expected.low:.4g} to "
        f"{expected.high:.4g}) by each row's own gain, judged by rows it had not seen; always answering {label} "
        f"would give {value:.4g}{unit}."
    )
    note = (
        f"each row has its own gain ({gains.text(study.model.classes)}); learners were compared by the mean of each "
        f"class, and one answer rule for all amounts would earn {alike.value:.4g}{unit} a row"
    )
    run["data"]["notes"].append(note)
    run["row_gain"] = {
        "columns": list(gains.columns),
        "text": gains.text(study.model.classes),
        "expected": figure(expected),
        "one_matrix": figure(alike),
        "baseline": run["baseline"],
    }


def _best_constant(
    rows: Gain, codes: NDArray[np.int32], earned: Array, weights: RowWeights
) -> tuple[int, float, Estimate]:
    """The one answer that earns most, what it earns a row, and how much more the decisions do."""
    each = [rows.realised(codes, np.full(codes.size, a)) for a in range(rows.matrix.shape[-1])]
    means = [mean_estimate(values, weights).value for values in each]
    best = int(np.argmax(means))
    return best, means[best], mean_estimate(earned - each[best], weights)
