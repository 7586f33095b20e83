// Rows along the two leading discriminant directions: one path a class, a ring around each row assigned wrongly.

const COLOURS = 8;

const styleOf = (k) => ({ shape: MARKS[k % MARKS.length], style: `class-${k % COLOURS}` });

const TAIL = 0.025; // share of a class that may lie beyond either end
const AIR = 0.35; // of the central range, added at either end
const ROOMY = 3; // the whole range is shown while it is at most so many times the central one
const FEW_ROWS = 20; // of a class: too few to say where it lies

function quantile(sorted, share) {
  return sorted[Math.min(sorted.length - 1, Math.max(0, Math.round(share * (sorted.length - 1))))];
}

// From the least 2.5% point of the classes to the largest 97.5% point.
function centralRange(values, codes) {
  const groups = [values];
  run.classes.forEach((_, k) => {
    const own = values.filter((_, i) => codes[i] === k);
    if (own.length >= FEW_ROWS) groups.push(own);
  });
  const sorted = groups.map((group) => [...group].sort((a, b) => a - b));
  return [
    Math.min(...sorted.map((group) => quantile(group, TAIL))),
    Math.max(...sorted.map((group) => quantile(group, 1 - TAIL))),
  ];
}

// An axis that a few far rows cannot squeeze.
function robustRange(values, codes) {
  const whole = [Math.min(...values), Math.max(...values)];
  const [low, high] = centralRange(values, codes);
  const air = AIR * (high - low);
  const squeezed = high > low && whole[1] - whole[0] > ROOMY * (high - low);
  return padded(...(squeezed ? [Math.max(whole[0], low - air), Math.min(whole[1], high + air)] : whole));
}

function scatterRanges(points, codes) {
  const [xs, ys] = [0, 1].map((axis) =>
    robustRange(
      points.map((point) => point[axis]),
      codes,
    ),
  );
  const shown = points.map(([u, v]) => u >= xs[0] && u <= xs[1] && v >= ys[0] && v <= ys[1]);
  return { xs, ys, shown };
}

function beyondInWords({ shown }) {
  const beyond = shown.filter((inside) => !inside).length;
  return beyond === 0 ? "" : `${count(beyond)} ${beyond === 1 ? "row lies" : "rows lie"} beyond the ends of this picture.`;
}

const MANY_RINGS = 250;

function drawScatter(width, many, wrong, chosen) {
  const height = Math.round(Math.max(300, Math.min(560, 0.62 * width)));
  const { xs, ys, shown } = scatterRanges(many.points, many.true);
  const [left, top, right, bottom] = [64, 10, width - 16, height - 42];
  const [x, y] = [scale(...xs, left, right), scale(...ys, bottom, top)];
  const paths = run.classes.map(() => "");
  const ringed = run.classes.length <= DIRECT_UP_TO;
  let [rings, ringCount] = ["", 0];
  many.points.forEach(([u, v], i) => {
    if (!shown[i]) return;
    const k = many.true[i];
    const [px, py] = [Math.round(10 * x(u)) / 10, Math.round(10 * y(v)) / 10];
    paths[k] += styleOf(k).shape(px, py, 3);
    if (wrong[i] && (chosen === null ? ringed : chosen === k)) {
      rings += MARKS[CIRCLE](px, py, 6.5);
      ringCount += 1;
    }
  });
  const order = run.classes.map((_, k) => k).sort((a, b) => (a === chosen) - (b === chosen));
  return drawing(
    width,
    height,
    ...verticalAxis(y, ticks(...ys, 6), left, right, tickNumber),
    ...horizontalAxis(x, ticks(...xs, width < 500 ? 4 : 8), bottom, tickNumber),
    ...order.map((k) =>
      svg("path", { d: paths[k], class: `point ${styleOf(k).style}${chosen !== null && chosen !== k ? " dim" : ""}` }),
    ),
    svg("path", { d: rings, class: ringCount > MANY_RINGS ? "ring thin" : "ring" }),
    svgText((left + right) / 2, bottom + 36, "first discriminant direction (up: the second)", {
      "text-anchor": "middle",
      class: "panel-name",
    }),
  );
}

// A button for each class, which brings its rows out.
function drawLegend(onChoice) {
  const buttons = run.classes.map((label, k) => {
    const { shape, style } = styleOf(k);
    const sign = svg(
      "svg",
      { viewBox: "-7 -7 14 14", width: 14, height: 14, "aria-hidden": "true" },
      svg("path", { d: shape(0, 0, 4.5), class: style }),
    );
    return html(
      "button",
      { type: "button", class: "key", "aria-pressed": "false" },
      sign,
      html("span", {}, shortened(label, 40)),
    );
  });
  buttons.forEach((button, k) => {
    button.addEventListener("click", () => {
      const on = button.getAttribute("aria-pressed") !== "true";
      buttons.forEach((other, j) => other.setAttribute("aria-pressed", String(on && j === k)));
      onChoice(on ? k : null);
    });
  });
  byId("legend").replaceChildren(...buttons);
}
