"""The compared rows with what was decided about them by rules that had not seen them, so that figures can be checked.

Accuracy, gain and confusion of the chosen learner are those of these answers, and calibration that of these
probabilities.
"""

import csv
import io

from discriminant.study.study import Study


def held_out_csv(study: Study) -> str:
    """One line a row: its number in the table from 1, fold, class, answer, score (or scores) and probabilities.

    Rows that are weighed have their weight at the end.
    """
    comparison, model = study.comparison, study.model
    numbers = study.design.row_numbers[study.judged] + 1
    decided = study.decisions_of(study.best)
    scores = study.fitted.held_scores
    score_names = ["score"] if scores.shape[1] == 1 else [f"score({c})" for c in model.classes]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    weight = comparison.weight
    last = [] if weight is None else ["weight"]
    writer.writerow(["row", "fold", "true", "label", *score_names, *(f"P({c})" for c in model.classes), *last])
    for i, number in enumerate(numbers.tolist()):
        true, answer = model.classes[int(comparison.codes[i])], model.answers[int(decided[i])]
        fold = int(comparison.fold_of_row[i]) + 1
        own = [] if weight is None else [float(weight[i])]
        writer.writerow([number, fold, true, answer, *scores[i].tolist(), *study.fitted.tested[i].tolist(), *own])
    return text.getvalue()
