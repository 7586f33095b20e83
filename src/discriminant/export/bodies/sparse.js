
/** One score for two classes (positive for the second), else one a class; indices as the training file has them. */
function scores(indices, values) {
  const totals = MODEL.thresholds.map((t) => -t);
  for (let i = 0; i < indices.length; i += 1) {
    const j = indices[i] - MODEL.firstIndex;
    if (j < 0) throw new RangeError("index " + indices[i] + " is less than " + MODEL.firstIndex + ", the first");
    if (j >= MODEL.weights.length) continue; // what the model has never seen counts for nothing
    for (let p = 0; p < totals.length; p += 1) totals[p] += MODEL.weights[j][p] * values[i];
  }
  return finite(totals);
}

/** P(class | row) in the order of `classes`; null if the model has none. */
function probabilities(indices, values) {
  return posteriorsOf(scores(indices, values));
}

/** The place of the answer among `answers`. */
function decide(indices, values) {
  return decided(scores(indices, values));
}

/** The answer. */
function label(indices, values) {
  return ANSWERS[decide(indices, values)];
}
