// Rows along the two leading discriminant directions: one path a class, a ring around each row assigned wrongly.

const COLOURS = 8;

const styleOf = (k) => ({ shape: MARKS[k % MARKS.length], style: `class-${k % COLOURS}` });

function scatterRange(points, axis) {
  const values = points.map((point) => point[axis]);
  return padded(Math.min(...values), Math.max(...values));
}

function drawScatter(width, many, wrong, chosen) {
  const height = Math.round(Math.max(300, Math.min(560, 0.62 * width)));
  const [left, top, right, bottom] = [44, 10, width - 12, height - 42];
  const [xs, ys] = [scatterRange(many.points, 0), scatterRange(many.points, 1)];
  const [x, y] = [scale(...xs, left, right), scale(...ys, bottom, top)];
  const paths = run.classes.map(() => "");
  const ringed = run.classes.length <= DIRECT_UP_TO;
  let rings = "";
  many.points.forEach(([u, v], i) => {
    const k = many.true[i];
    const [px, py] = [Math.round(10 * x(u)) / 10, Math.round(10 * y(v)) / 10];
    paths[k] += styleOf(k).shape(px, py, 3);
    if (wrong[i] && (chosen === null ? ringed : chosen === k)) rings += MARKS[CIRCLE](px, py, 6.5);
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
    svg("path", { d: rings, class: "ring" }),
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
