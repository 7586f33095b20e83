// Pictures of numbers with intervals: the verdict, the weights and the learners.

const ROW = 26;
const TALL_ROW = 44; // with its name above

// Names stand beside their bars, or above them where that leaves the bars no room.
function namesOf(width, share, most) {
  if (width < NARROW) return { names: 0, left: 4, row: TALL_ROW, letters: lettersIn(width) };
  const names = Math.min(most, Math.round(share * width));
  return { names, left: names + 10, row: ROW, letters: lettersIn(names) };
}

const rowMiddle = (place, row, top) => top + place * row + row - ROW / 2;

const rowName = (names, y, words, style = "") =>
  names > 0
    ? svgText(names, y + 4, words, { "text-anchor": "end", class: `row-name${style}` })
    : svgText(0, y - 15, words, { class: `row-name${style}` });

function span(entries, extra = []) {
  const values = [...entries.flatMap(({ value, low, high }) => [value, low, high]), ...extra].filter(
    (v) => v !== null && v !== undefined,
  );
  return [Math.min(...values), Math.max(...values)];
}

function whisker(x, low, high, y, style) {
  if (low === null || high === null) return [];
  return [
    line(x(low), y, x(high), y, style),
    line(x(low), y - 4, x(low), y + 4, style),
    line(x(high), y - 4, x(high), y + 4, style),
  ];
}

const writeWorth = (value) => (run.accuracy ? `${tickNumber(100 * value)}%` : tickNumber(value));

function drawVerdict(width) {
  const { value, low, high } = run.expected;
  const marks = [{ value, low, high }];
  const x = scale(...padded(...span(marks, [run.baseline])), 8, width - 8);
  const y = 26;
  const constant =
    run.baseline === null
      ? []
      : [
          line(x(run.baseline), y - 12, x(run.baseline), y + 12, "constant"),
          svgText(x(run.baseline), 11, "always the same answer", {
            "text-anchor": x(run.baseline) < width / 2 ? "start" : "end",
            class: "tick",
          }),
        ];
  const anchor = x(value) < 60 ? "start" : x(value) > width - 60 ? "end" : "middle";
  const rule = [
    ...whisker(x, low, high, y, "whisker strong"),
    mark(CIRCLE, x(value), y, 6, "mark-now"),
    svgText(x(value), y + 24, "this rule", { "text-anchor": anchor, class: "tick" }),
  ];
  return drawing(width, 56, line(8, y, width - 8, y, "grid"), ...constant, ...rule);
}

// The two ends of the axis of weights: the classes that they speak for.
function weightSides(plane) {
  const { sides, planes } = run.towards;
  if (sides) return sides.map((label) => `towards ${label}`);
  const label = planes[plane] ?? "";
  return label ? [`against ${label}`, `towards ${label}`] : null;
}

const WIDE_WHISKERS = 3;

// Values in full; whiskers that are much longer than all of them are cut.
function robustSpan(bars) {
  const [low, high] = span(
    bars.map(({ value }) => ({ value, low: value, high: value })),
    [0],
  );
  const [least, most] = span(bars, [0]);
  const room = (high - low) * WIDE_WHISKERS;
  return most - least > 2 * room ? [Math.max(least, low - room / 2), Math.min(most, high + room / 2)] : [least, most];
}

function drawWeights(width, bars, sides, write) {
  const { names, left, row, letters } = namesOf(width, 0.36, 260);
  const shown = bars.filter(({ value }) => value !== null);
  const [low, high] = robustSpan(shown);
  const x = scale(...padded(low, high), left, width - 14);
  const top = sides ? 22 : 0;
  const bottom = top + shown.length * row + 6;
  const brief = briefNames(
    shown.map(({ name }) => name),
    letters,
  );
  const rows = shown.flatMap((bar, i) => weightBar(bar, brief[i], x, rowMiddle(i, row, top) + 2, names, [low, high]));
  const axis = horizontalAxis(x, ticks(low, high, width < NARROW ? 3 : 7), bottom, write);
  const ends = sides ? sideWords(sides, x(0), left, width) : [];
  return drawing(width, bottom + 26, hatches(), ...ends, line(x(0), top, x(0), bottom, "axis"), ...rows, ...axis);
}

// Where there is little room the arrow alone says "towards".
function sideWords([left, right], zero, from, width) {
  const [before, after] = [lettersIn(zero - from - 30), lettersIn(width - zero - 30)];
  const brief = (words, most) => (words.length > most ? shortened(words.replace(/^towards /, ""), most) : words);
  return [
    zero - from > 60 ? svgText(zero - 8, 13, `← ${brief(left, before)}`, { "text-anchor": "end", class: "tick" }) : null,
    width - zero > 60 ? svgText(zero + 8, 13, `${brief(right, after)} →`, { class: "tick" }) : null,
  ];
}

function weightBar(bar, name, x, y, names, [low, high]) {
  const [from, to] = [Math.min(x(0), x(bar.value)), Math.max(x(0), x(bar.value))];
  const cut = (value) => (value === null ? null : Math.min(high, Math.max(low, value)));
  return [
    rowName(names, y, name),
    svg("rect", {
      x: from,
      y: y - 8,
      width: Math.max(1, to - from),
      height: 16,
      class: bar.value > 0 ? "bar-up" : "bar-down",
    }),
    ...whisker(x, cut(bar.low), cut(bar.high), y, "whisker"),
  ];
}

const FAR_BELOW = 2;

// From the worst of the chosen, its ties and the constant answer; learners far below do not squeeze the others.
function learnerSpan(learners) {
  const [least, most] = span(learners, [run.baseline]);
  const [low, high] = span(
    learners.filter(({ best, tied }) => best || tied),
    [run.baseline],
  );
  return high > low ? [Math.max(least, low - FAR_BELOW * (high - low)), most] : [least, most];
}

function drawComparison(width, learners) {
  const place = namesOf(width, 0.4, 280);
  const tried = run.trees === null ? [] : [{ ...run.trees, best: false, tied: false, trees: true }];
  const shown = [...learners, ...tried].filter(({ value }) => value !== null);
  const [low, high] = learnerSpan(shown);
  const x = scale(...padded(low, high), place.left + 2, width - 16);
  const bottom = shown.length * place.row + 8;
  const rows = shown.flatMap((learner, i) => learnerRow(learner, x, rowMiddle(i, place.row, 4), place, width, low));
  const constant = run.baseline === null ? [] : [line(x(run.baseline), 0, x(run.baseline), bottom, "constant")];
  const axis = horizontalAxis(x, ticks(low, high, width < NARROW ? 3 : 7), bottom, writeWorth);
  return drawing(
    width,
    bottom + 50,
    ...constant,
    ...rows,
    ...axis,
    ...learnerLegend(place.left, bottom + 40),
  );
}

function learnerRow(learner, x, y, { names, left, letters }, width, low) {
  const [kind, style] = learner.best
    ? [CIRCLE, "mark-now"]
    : learner.tied
      ? [DIAMOND, "mark-best"]
      : learner.trees
        ? [TRIANGLE, "mark-other"]
        : [SQUARE, "mark-other"];
  const weight = `${learner.best ? " strong" : ""}${learner.trees ? " tick" : ""}`;
  const name = rowName(names, y, shortened(learner.name, letters), weight);
  const ground = line(left, y, width - 16, y, "grid");
  if (learner.value < low) {
    const words = `◂ ${writeWorth(learner.value)}`;
    return [name, ground, svgText(x(low), y + 4, words, { class: "tick" })];
  }
  const reach = learner.low === null ? null : Math.max(low, learner.low);
  return [
    name,
    ground,
    ...whisker(x, reach, learner.high, y, learner.best || learner.tied ? "whisker strong" : "whisker"),
    mark(kind, x(learner.value), y, 5, style),
  ];
}

function learnerLegend(left, y) {
  const entries = [
    [CIRCLE, "mark-now", "chosen", 76],
    [DIAMOND, "mark-best", "tie", 50],
    [SQUARE, "mark-other", "other", 62],
  ];
  let x = left + 6;
  const keys = entries.flatMap(([kind, style, words, room]) => {
    const key = [mark(kind, x, y, 5, style), svgText(x + 11, y + 4, words, { class: "tick" })];
    x += room;
    return key;
  });
  return run.baseline === null
    ? keys
    : [...keys, line(x, y - 7, x, y + 7, "constant"), svgText(x + 8, y + 4, "same answer", { class: "tick" })];
}
