// What each bent column adds to the score, as small curves.

const FAR_END = 4; // times the length between the first bend and the last

// From one end to the other; an end far beyond the last bend is cut, for nothing bends on the way to it.
function bentRange(xs) {
  const [first, last] = [xs[1], xs.at(-2)];
  const bends = last - first;
  if (!(bends > 0) || xs.at(-1) - xs[0] <= FAR_END * bends) return [xs[0], xs.at(-1)];
  return [Math.max(xs[0], first - bends), Math.min(xs.at(-1), last + bends)];
}

function heightAt(points, at) {
  const i = Math.max(1, points.findIndex(([x]) => x >= at));
  const [[x1, y1], [x2, y2]] = [points[i - 1], points[i]];
  return y1 + ((y2 - y1) * (at - x1)) / (x2 - x1 || 1);
}

// The points within a range, and those where the curve enters and leaves it.
function pointsWithin(points, from, to) {
  const inside = points.filter(([x]) => x > from && x < to);
  return [[from, heightAt(points, from)], ...inside, [to, heightAt(points, to)]];
}

function drawShape(width, all) {
  const points = pointsWithin(all, ...bentRange(all.map(([x]) => x)));
  const height = 150;
  const [left, top, right, bottom] = [52, 8, width - 10, height - 26];
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => y)];
  const [low, high] = padded(Math.min(0, ...ys), Math.max(0, ...ys));
  const [x, y] = [scale(xs[0], xs.at(-1), left, right), scale(low, high, bottom, top)];
  return drawing(
    width,
    height,
    ...verticalAxis(y, ticks(low, high, 4), left, right, tickNumber),
    ...horizontalAxis(x, ticks(xs[0], xs.at(-1), width < 260 ? 2 : 4), bottom, tickNumber),
    line(left, y(0), right, y(0), "axis"),
    polyline(
      points.map(([u, v]) => [x(u), y(v)]),
      "curve",
    ),
  );
}
