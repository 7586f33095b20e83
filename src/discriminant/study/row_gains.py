"""A study under gains that differ by row: --gain "fn=-amount,fp=-4".

The model that is delivered decides each row by its own gain and the probabilities of its classes, so all figures are
those of such decisions, made for rows that were not seen. What needs one matrix takes the mean gain of each true class.
"""

from typing import Any

import numpy as np

from discriminant.comparison.inference import mean_estimate
from discriminant.gain.columns import ColumnGain
from discriminant.gain.matrix import Gain
from discriminant.model.prediction import gains_of, lacking_text
from discriminant.study.claims import earned_by_row
from discriminant.study.design import Design
from discriminant.study.evidence import figure
from discriminant.study.study import Study
from discriminant.study.verdict import earnings_text
from discriminant.table.errors import TableError


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


def tell_row_gains(run: dict[str, Any], study: Study, gains: ColumnGain) -> None:
    """Say in the run that gains differ by row, and what one rule for all rows would earn."""
    comparison = study.comparison
    alike = mean_estimate(earned_by_row(comparison, study.fitted.held_out_answers(study.gain)), comparison.row_weights)
    text = gains.text(study.model.classes)
    other = earnings_text(alike.value, gains.unit, "would earn", "would lose")
    run["data"]["notes"].append(f"each row has its own gain ({text}); one rule for all rows {other}")
    run["row_gain"] = {
        "columns": list(gains.columns),
        "text": text,
        "expected": run["expected"],
        "one_matrix": figure(alike),
        "baseline": run["baseline"],
    }
