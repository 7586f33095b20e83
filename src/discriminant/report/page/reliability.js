// The reliability picture: the share observed against the probability given, larger marks for more rows.

// All probabilities, or, of a rare class, those up to a round number above the largest.
function lastShare(bins) {
  const most = Math.max(...bins.flatMap(({ mean, share, high }) => [mean, share, high ?? 0]));
  return [0.01, 0.02, 0.05, 0.1, 0.2, 0.5].find((round) => most <= round) ?? 1;
}

function drawReliability(width, bins) {
  const size = Math.min(width, 460);
  const [left, top, right, bottom] = [54, 10, size - 24, size - 60];
  const end = lastShare(bins);
  const [x, y] = [scale(0, end, left, right), scale(0, end, bottom, top)];
  const most = Math.max(1, ...bins.map(({ rows }) => rows ?? 0));
  const axis = ticks(0, end, 5);
  const write = (v) => `${tickNumber(100 * v)}%`;
  const points = bins.flatMap(({ mean, share, low, high, rows }) => [
    ...(low === null || high === null ? [] : [line(x(mean), y(low), x(mean), y(high), "whisker strong")]),
    mark(CIRCLE, x(mean), y(share), 3 + 3.5 * Math.sqrt((rows ?? most) / most), "mark-now"),
  ]);
  return drawing(
    size,
    size - 12,
    ...verticalAxis(y, axis, left, right, write),
    ...horizontalAxis(x, axis, bottom, write),
    line(x(0), y(0), x(end), y(end), "constant"),
    svg("rect", { x: left, y: top, width: right - left, height: bottom - top, class: "frame" }),
    ...points,
    svgText((left + right) / 2, bottom + 38, "probability given", { "text-anchor": "middle", class: "panel-name" }),
    svg(
      "text",
      { transform: `translate(13 ${(top + bottom) / 2}) rotate(-90)`, "text-anchor": "middle", class: "panel-name" },
      "share observed",
    ),
  );
}
