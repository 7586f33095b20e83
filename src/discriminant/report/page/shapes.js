// What each bent column adds to the score, as small curves.

function drawShape(width, points) {
  const height = 150;
  const [left, top, right, bottom] = [52, 8, width - 10, height - 26];
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const [low, high] = padded(Math.min(0, ...ys), Math.max(0, ...ys));
  const [x, y] = [scale(xs[0], xs.at(-1), left, right), scale(low, high, bottom, top)];
  return drawing(
    width,
    height,
    ...verticalAxis(y, ticks(low, high, 4), left, right, tickNumber),
    ...horizontalAxis(x, ticks(xs[0], xs.at(-1), 4), bottom, tickNumber),
    line(left, y(0), right, y(0), "axis"),
    polyline(
      points.map(([u, v]) => [x(u), y(v)]),
      "curve",
    ),
  );
}
