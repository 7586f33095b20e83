// Pictures of numbers with intervals: the verdict, the weights and the learners.

const ROW = 26;

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

function drawWeights(width, bars) {
  const names = Math.min(260, Math.round(0.36 * width));
  const shown = bars.filter(({ value }) => value !== null);
  const [low, high] = span(shown, [0]);
  const x = scale(...padded(low, high), names + 10, width - 14);
  const bottom = shown.length * ROW + 6;
  const rows = shown.flatMap((bar, i) => {
    const y = i * ROW + ROW / 2 + 2;
    const [from, to] = [Math.min(x(0), x(bar.value)), Math.max(x(0), x(bar.value))];
    return [
      svgText(names, y + 4, shortened(bar.name, lettersIn(names)), { "text-anchor": "end", class: "row-name" }),
      svg("rect", {
        x: from,
        y: y - 8,
        width: Math.max(1, to - from),
        height: 16,
        class: bar.value > 0 ? "bar-up" : "bar-down",
      }),
      ...whisker(x, bar.low, bar.high, y, "whisker"),
    ];
  });
  const axis = horizontalAxis(x, ticks(low, high, width < 500 ? 3 : 7), bottom, tickNumber);
  return drawing(width, bottom + 26, hatches(), ...rows, line(x(0), 0, x(0), bottom, "axis"), ...axis);
}

function drawComparison(width, learners) {
  const names = Math.min(280, Math.round(0.4 * width));
  const shown = learners.filter(({ value }) => value !== null);
  const [low, high] = span(shown, [run.baseline]);
  const x = scale(...padded(low, high), names + 12, width - 16);
  const bottom = shown.length * ROW + 8;
  const rows = shown.flatMap((learner, i) => {
    const y = i * ROW + ROW / 2 + 4;
    const [kind, style] = learner.best
      ? [CIRCLE, "mark-now"]
      : learner.tied
        ? [DIAMOND, "mark-best"]
        : [SQUARE, "mark-other"];
    return [
      svgText(names, y + 4, shortened(learner.name, lettersIn(names)), {
        "text-anchor": "end",
        class: learner.best ? "row-name strong" : "row-name",
      }),
      line(names + 12, y, width - 16, y, "grid"),
      ...whisker(x, learner.low, learner.high, y, learner.best || learner.tied ? "whisker strong" : "whisker"),
      mark(kind, x(learner.value), y, 5, style),
    ];
  });
  const constant = run.baseline === null ? [] : [line(x(run.baseline), 0, x(run.baseline), bottom, "constant")];
  const axis = horizontalAxis(x, ticks(low, high, width < 500 ? 3 : 7), bottom, writeWorth);
  return drawing(
    width,
    bottom + 50,
    ...constant,
    ...rows,
    ...axis,
    ...learnerLegend(width < 500 ? 4 : names + 12, bottom + 40),
  );
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
