// The decision in numbers. Gains g are true × assigned; priors π add to one; score > threshold assigns class 1.

// False alarm f = negatives/n₀ and misdetect m = 1 − positives/n₁ at a stored point.
const ratesAt = (two, i) => ({
  falseAlarm: two.negatives[i] / two.totals[0],
  misdetect: 1 - two.positives[i] / two.totals[1],
});

// π₀[(1 − f) g₀₀ + f g₀₁] + π₁[m g₁₀ + (1 − m) g₁₁]
const gainOfRates = ({ falseAlarm: f, misdetect: m }, priors, g) =>
  priors[0] * ((1 - f) * g[0][0] + f * g[0][1]) + priors[1] * (m * g[1][0] + (1 - m) * g[1][1]);

const gainsOfPoints = (two, priors, g) => two.thresholds.map((_, i) => gainOfRates(ratesAt(two, i), priors, g));

// The first of the largest.
const placeOfLargest = (values) => values.reduce((best, value, i) => (value > values[best] ? i : best), 0);

// Of the rows assigned class 1, the share that is of class 1, under the priors.
function precisionOf({ falseAlarm, misdetect }, priors) {
  const right = priors[1] * (1 - misdetect);
  const assigned = right + priors[0] * falseAlarm;
  return assigned > 0 ? right / assigned : null;
}

const confusionAt = (two, i) => [
  [two.totals[0] - two.negatives[i], two.negatives[i]],
  [two.totals[1] - two.positives[i], two.positives[i]],
];

const expectedOf = (posteriors, g, a) => posteriors.reduce((sum, p, k) => sum + p * g[k][a], 0);

// argmax_a Σ_k p_k g_ka, the first of equals.
function assignedClass(posteriors, g) {
  let best = 0;
  let most = -Infinity;
  for (let a = 0; a < g[0].length; a += 1) {
    const value = expectedOf(posteriors, g, a);
    if (value > most) [best, most] = [a, value];
  }
  return best;
}

// Posteriors under other priors: p_k ρ_k/π_k, made to add to one. They stay as they are where the priors are the same.
function underPriors(posteriors, from, to) {
  if (from.every((p, k) => p === to[k])) return posteriors;
  const moved = posteriors.map((p, k) => (from[k] > 0 ? (p * to[k]) / from[k] : 0));
  const sum = moved.reduce((a, b) => a + b, 0);
  return sum > 0 ? moved.map((p) => p / sum) : posteriors;
}

function confusionOf(trueCodes, assignedCodes, g) {
  const counts = g.map((row) => row.map(() => 0));
  trueCodes.forEach((k, i) => {
    counts[k][assignedCodes[i]] += 1;
  });
  return counts;
}

// Σ_k π_k Σ_a (share of class k assigned a) g_ka, over the classes that have rows.
function gainOfConfusion(counts, priors, g) {
  let [value, present] = [0, 0];
  counts.forEach((row, k) => {
    const total = row.reduce((a, b) => a + b, 0);
    if (total === 0) return;
    present += priors[k];
    value += (priors[k] * row.reduce((sum, n, a) => sum + n * g[k][a], 0)) / total;
  });
  return present > 0 ? value / present : null;
}

// Log-odds of class 1: offset + slope s + Σ change max(s − at, 0).
const logOdds = (two, s) =>
  two.bends.reduce((sum, [at, change]) => sum + change * Math.max(s - at, 0), two.offset + two.slope * s);

// Counts by true class and answer when a third answer is open: rows between stored points share a score.
function confusionWithReject(two, fromPriors, priors, g) {
  const counts = [g[0].map(() => 0), g[1].map(() => 0)];
  for (let i = 1; i < two.thresholds.length; i += 1) {
    const score = (two.thresholds[i] + two.thresholds[i - 1]) / 2;
    const p = 1 / (1 + Math.exp(-logOdds(two, score)));
    const answer = assignedClass(underPriors([1 - p, p], fromPriors, priors), g);
    counts[0][answer] += two.negatives[i] - two.negatives[i - 1];
    counts[1][answer] += two.positives[i] - two.positives[i - 1];
  }
  return counts;
}

const same = (a, b) => a.every((row, k) => row.every((value, j) => value === b[k][j]));
