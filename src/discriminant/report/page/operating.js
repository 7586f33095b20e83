// The operating curve: misdetect against false alarm, with lines along which the expected gain is the same.

// gain = A + B f + C m over false alarm f and misdetect m.
function gainPlane(priors, g) {
  return {
    a: priors[0] * g[0][0] + priors[1] * g[1][1],
    b: priors[0] * (g[0][1] - g[0][0]),
    c: priors[1] * (g[1][0] - g[1][1]),
  };
}

// Where the line a + b f + c m = level crosses the unit square: two ends, or none.
function isoGainEnds({ a, b, c }, level) {
  const rest = level - a;
  const ends = [];
  const take = (f, m) => {
    const within = f >= -1e-9 && f <= 1 + 1e-9 && m >= -1e-9 && m <= 1 + 1e-9;
    if (within && !ends.some(([u, v]) => Math.hypot(u - f, v - m) < 1e-9)) ends.push([f, m]);
  };
  if (c !== 0) [0, 1].forEach((f) => take(f, (rest - b * f) / c));
  if (b !== 0) [0, 1].forEach((m) => take((rest - c * m) / b, m));
  return ends.length === 2 ? ends.sort((u, v) => u[0] - v[0] || v[1] - u[1]) : null;
}

const LETTER = 6.5; // pixels of a letter of an amount
const PLACES = [0.7, 0.5, 0.3, 0.85]; // along a line, where its amount may stand

// The first place along the line where its amount covers no mark and stays above the axis.
function amountPlace([[f1, m1], [f2, m2]], x, y, words, marks) {
  const half = (LETTER * words.length) / 2;
  return PLACES.map((t) => [x(f1 + t * (f2 - f1)), y(m1 + t * (m2 - m1))]).find(
    ([u, v]) =>
      v + 6 < y(0) && v - 8 > y(1) && marks.every(([p, q]) => Math.abs(p - u) > half + 13 || Math.abs(q - v) > 20),
  );
}

function isoGainLines(plane, x, y, state, about, marks) {
  const corners = [plane.a, plane.a + plane.b, plane.a + plane.c, plane.a + plane.b + plane.c];
  const levels = ticks(Math.min(...corners), Math.max(...corners), about);
  return levels.flatMap((level) => {
    const ends = isoGainEnds(plane, level);
    if (!ends) return [];
    const [[f1, m1], [f2, m2]] = ends;
    const words = state.accuracy ? `${tickNumber(100 * level)}%` : withUnit(tickNumber(level));
    const drawn = line(x(f1), y(m1), x(f2), y(m2), "iso");
    const free = Math.hypot(f2 - f1, m2 - m1) < 0.25 ? null : amountPlace(ends, x, y, words, marks);
    if (!free) return [drawn];
    return [drawn, svgText(free[0], free[1] + 4, words, { "text-anchor": "middle", class: "iso-name" })];
  });
}

function throughPoint(plane, x, y, value) {
  const ends = isoGainEnds(plane, value);
  return ends ? [line(x(ends[0][0]), y(ends[0][1]), x(ends[1][0]), y(ends[1][1]), "iso-now")] : [];
}

function drawOperating(width, two, state) {
  const size = Math.min(width, 560);
  const [left, top, right, bottom] = [60, 12, size - 22, size - 84];
  const [x, y] = [scale(0, 1, left, right), scale(0, 1, bottom, top)];
  const place = (i) => {
    const { falseAlarm, misdetect } = ratesAt(two, i);
    return [x(falseAlarm), y(misdetect)];
  };
  const plane = gainPlane(state.priors, state.gain);
  const middle = (left + right) / 2;
  const marks = [two.chosen, state.best, state.index].map(place);
  return drawing(
    size,
    size - 8,
    ...verticalAxis(y, [0, 0.2, 0.4, 0.6, 0.8, 1], left, right, (v) => `${Math.round(100 * v)}%`),
    ...horizontalAxis(x, [0, 0.2, 0.4, 0.6, 0.8, 1], bottom, (v) => `${Math.round(100 * v)}%`),
    ...isoGainLines(plane, x, y, state, size / 45, marks),
    ...throughPoint(plane, x, y, state.gains[state.index]),
    svg("rect", { x: left, y: top, width: right - left, height: bottom - top, class: "frame" }),
    polyline(
      two.thresholds.map((_, i) => place(i)),
      "curve",
    ),
    mark(SQUARE, ...marks[0], 8, "mark-chosen"),
    mark(DIAMOND, ...marks[1], 5, "mark-best"),
    mark(CIRCLE, ...marks[2], 6, "mark-now"),
    svgText(middle, bottom + 36, "false alarms (false alarm rate)", { "text-anchor": "middle", class: "panel-name" }),
    svg(
      "text",
      { transform: `translate(16 ${(top + bottom) / 2}) rotate(-90)`, "text-anchor": "middle", class: "panel-name" },
      "missed (misdetect rate)",
    ),
    ...pointLegend(left, bottom + 60),
  );
}

function pointLegend(left, y) {
  const entries = [
    [CIRCLE, "mark-now", "now"],
    [SQUARE, "mark-chosen", "chosen"],
    [DIAMOND, "mark-best", "best"],
  ];
  return entries.flatMap(([kind, style, words], i) => [
    mark(kind, left + 8 + 84 * i, y, 5, style),
    svgText(left + 19 + 84 * i, y + 4, words, { class: "tick" }),
  ]);
}
