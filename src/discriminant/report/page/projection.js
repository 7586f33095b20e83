// The projection: the share of each class at each score, one class above the axis and one below, and the gain of a
// threshold at each score. One line, which may be dragged, goes through both.

const MARGIN = { left: 60, right: 16 };
const HEIGHTS = { top: 34, bars: 260, gap: 40, curve: 130, foot: 42 };

function scoreRange(two) {
  const edges = two.histogram?.edges ?? two.thresholds;
  const [low, high] = [Math.min(edges[0], edges.at(-1)), Math.max(edges[0], edges.at(-1))];
  if (high > low) return [low, high];
  const middle = Number.isFinite(low) ? low : 0;
  return [middle - 1, middle + 1];
}

const scoreScale = (two, width) => scale(...scoreRange(two), MARGIN.left, width - MARGIN.right);

const inside = (x, width) => Math.min(width - MARGIN.right, Math.max(MARGIN.left, x));

// The stored point whose threshold is nearest to a score.
function nearestPoint(two, score) {
  const gaps = two.thresholds.map((t) => -Math.abs(t - score));
  return placeOfLargest(gaps);
}

// Height by class share for a bin of average width, so that bins of unequal width are drawn true.
function densities(two, k) {
  const { edges, counts } = two.histogram;
  const average = (edges.at(-1) - edges[0]) / counts[k].length || 1;
  return counts[k].map((n, b) => (n / two.totals[k]) * (average / (edges[b + 1] - edges[b] || average)));
}

function barsPath(two, x, k, middle, high) {
  const { edges } = two.histogram;
  const up = k === 1 ? -1 : 1;
  return densities(two, k)
    .map(
      (d, b) =>
        `M${x(edges[b]).toFixed(1)} ${middle}v${(up * d * high).toFixed(1)}H${(x(edges[b + 1]) - 1).toFixed(1)}V${middle}z`,
    )
    .join("");
}

function hatches() {
  const stripes = (id, style, d) =>
    svg(
      "pattern",
      { id, width: 6, height: 6, patternUnits: "userSpaceOnUse" },
      svg("rect", { width: 6, height: 6, class: `${style}-ground` }),
      svg("path", { d, class: `${style}-stripe` }),
    );
  return svg(
    "defs",
    {},
    stripes("hatch-0", "hatch-0", "M-1 1L1 -1M0 6L6 0M5 7L7 5"),
    stripes("hatch-1", "hatch-1", "M-1 5L1 7M0 0L6 6M5 -1L7 1"),
  );
}

function clip(id, x, width) {
  return svg("clipPath", { id }, svg("rect", { x, y: 0, width: Math.max(0, width), height: 2000 }));
}

function barsPanel(two, x, width, at) {
  const top = HEIGHTS.top;
  const middle = top + HEIGHTS.bars / 2;
  const tallest = Math.max(1e-9, ...densities(two, 0), ...densities(two, 1));
  const high = (HEIGHTS.bars / 2 - 8) / tallest;
  const [zero, one] = [barsPath(two, x, 0, middle, high), barsPath(two, x, 1, middle, high)];
  const wrongly = (d, k, side) =>
    svg("path", { d, fill: `url(#hatch-${k})`, class: `wrong-${k}`, "clip-path": `url(#${side})` });
  return [
    clip("assigned-0", 0, at),
    clip("assigned-1", at, width - at),
    svg("path", { d: one, class: "bars-1" }),
    svg("path", { d: zero, class: "bars-0" }),
    wrongly(one, 1, "assigned-0"),
    wrongly(zero, 0, "assigned-1"),
    line(MARGIN.left, middle, width - MARGIN.right, middle, "axis"),
    ...shareTicks(tallest, middle, high),
    ...sideNames(width, at, top, middle),
  ];
}

function shareTicks(tallest, middle, high) {
  return ticks(0, tallest, 2).flatMap((share) =>
    (share === 0 ? [1] : [1, -1]).map((side) =>
      svgText(MARGIN.left - 7, middle - side * share * high + 4, `${number(100 * share, 2)}%`, {
        "text-anchor": "end",
        class: "tick",
      }),
    ),
  );
}

function sideNames(width, at, top, middle) {
  const letters = lettersIn(width / 2 - MARGIN.left);
  const name = (k, y) =>
    svgText(MARGIN.left + 4, y, `${k === 1 ? "▲" : "▼"} ${shortened(run.classes[k], letters)}`, { class: `name-${k}` });
  const room = (pixels) => (pixels > 90 ? lettersIn(pixels - 40) : 0);
  const [left, right] = [room(at - MARGIN.left), room(width - MARGIN.right - at)];
  return [
    name(1, top + 12),
    name(0, middle + HEIGHTS.bars / 2 - 2),
    left ? svgText(at - 14, 15, `← ${shortened(run.classes[0], left)}`, { "text-anchor": "end", class: "side" }) : null,
    right ? svgText(at + 14, 15, `${shortened(run.classes[1], right)} →`, { class: "side" }) : null,
  ];
}

function curvePanel(two, x, width, state, y0) {
  const { gains, index, best, accuracy } = state;
  const [low, high] = padded(Math.min(...gains), Math.max(...gains));
  const y = scale(low, high, y0 + HEIGHTS.curve, y0);
  const points = two.thresholds.map((t, i) => [inside(x(t), width), y(gains[i])]);
  const [from, to] = scoreRange(two);
  const within = points.filter((_, i) => two.thresholds[i] >= from && two.thresholds[i] <= to);
  const constant = Math.max(gains[0], gains.at(-1));
  const write = (value) => (accuracy ? `${tickNumber(100 * value)}%` : tickNumber(value));
  return [
    ...verticalAxis(y, ticks(low, high, 4), MARGIN.left, width - MARGIN.right, write),
    svgText(
      MARGIN.left,
      y0 - 9,
      accuracy
        ? "Accuracy at each threshold"
        : `Expected gain a row at each threshold${run.unit ? `, in ${run.unit}` : ""}`,
      { class: "panel-name" },
    ),
    line(MARGIN.left, y(constant), width - MARGIN.right, y(constant), "constant"),
    polyline(within.length > 1 ? within : points, "curve"),
    mark(DIAMOND, ...points[best], 5, "mark-best"),
    mark(CIRCLE, ...points[index], 6, "mark-now"),
  ];
}

function padded(low, high) {
  const pad = 0.06 * (high - low) || 0.05 * Math.abs(high) || 1;
  return [low - pad, high + pad];
}

function handle(at, bottom) {
  return [
    line(at, 24, at, bottom, "threshold"),
    svg("path", { d: MARKS[CIRCLE](at, 24, 9), class: "grip" }),
    svg("path", { d: `M${at - 3} 20.5l-3 3.5l3 3.5M${at + 3} 20.5l3 3.5l-3 3.5`, class: "grip-mark" }),
  ];
}

function drawProjection(width, two, state) {
  const x = scoreScale(two, width);
  const at = inside(x(two.thresholds[state.index]), width);
  const curveTop = HEIGHTS.top + (two.histogram ? HEIGHTS.bars + HEIGHTS.gap : 20);
  const bottom = curveTop + HEIGHTS.curve;
  const axis = horizontalAxis(x, ticks(...scoreRange(two), width < 500 ? 4 : 8), bottom, tickNumber);
  const name = svgText(
    (MARGIN.left + width - MARGIN.right) / 2,
    bottom + 36,
    "score (the chosen threshold is 0)",
    { "text-anchor": "middle", class: "panel-name" },
  );
  const bars = two.histogram ? barsPanel(two, x, width, at) : [];
  return drawing(
    width,
    bottom + HEIGHTS.foot,
    hatches(),
    ...bars,
    ...curvePanel(two, x, width, state, curveTop),
    ...axis,
    name,
    ...handle(at, bottom),
  );
}

// Dragging anywhere on the picture moves the threshold to the nearest stored point.
function draggable(id, two, onPoint) {
  const box = byId(id);
  const follow = (event) => {
    const left = box.getBoundingClientRect().left;
    onPoint(nearestPoint(two, scoreScale(two, box.clientWidth).back(event.clientX - left)));
  };
  box.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    box.setPointerCapture(event.pointerId);
    follow(event);
  });
  box.addEventListener("pointermove", (event) => {
    if (box.hasPointerCapture(event.pointerId)) follow(event);
  });
}
