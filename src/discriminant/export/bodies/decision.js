
// --- from scores to an answer ---

function finite(s) {
  if (!s.every(Number.isFinite)) throw new RangeError("the row has numbers so large that its score is not finite");
  return s;
}

function posteriorsOf(s) {
  if (MODEL.offsets === null) return null;
  const logs = MODEL.segments.length > 0 ? [0, logOdds(s[0])] : straightLogs(s.length === 1 ? [0, s[0]] : s);
  const top = logs.reduce((a, b) => Math.max(a, b));
  const total = Math.log(logs.reduce((sum, x) => sum + Math.exp(x - top), 0));
  return logs.map((x) => Math.exp(x - top - total));
}

function straightLogs(s) {
  return s.map((x, k) => MODEL.slope * x + MODEL.offsets[k]);
}

/** Log-odds of two classes that bend: the last segment that starts at or below the score. */
function logOdds(s) {
  let found = MODEL.segments[0];
  for (const segment of MODEL.segments) if (s >= segment[0]) found = segment;
  const [, base, slope, height] = found;
  return height + slope * (s - base);
}

function largest(values) {
  let best = 0;
  for (let i = 1; i < values.length; i += 1) if (values[i] > values[best]) best = i;
  return best;
}

function decided(s) {
  if (MODEL.rule === "threshold") return s[0] > 0 ? 1 : 0;
  if (MODEL.rule === "largest") return largest(s);
  const p = posteriorsOf(s);
  return largest(ANSWERS.map((_, a) => p.reduce((sum, x, k) => sum + x * MODEL.advantage[k][a], 0)));
}
