// Scales, ticks and axes.

function scale(fromLow, fromHigh, toLow, toHigh) {
  const slope = (toHigh - toLow) / (fromHigh - fromLow || 1);
  const place = (value) => toLow + (value - fromLow) * slope;
  place.back = (pixel) => fromLow + (pixel - toLow) / slope;
  return place;
}

// Round numbers between two ends, two at least.
function ticks(low, high, about) {
  const found = roundNumbers(low, high, about);
  return found.length < 2 && about < 12 && high > low ? ticks(low, high, 2 * about) : found;
}

function roundNumbers(low, high, about) {
  const rough = (high - low) / about;
  if (!(rough > 0) || !Number.isFinite(rough)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].find((factor) => factor * power >= rough) * power;
  const first = Math.ceil(low / step - 1e-9);
  const last = Math.floor(high / step + 1e-9);
  return Array.from({ length: Math.min(100, last - first + 1) }, (_, i) =>
    Number(((first + i) * step).toPrecision(12)),
  );
}

const svgText = (x, y, words, attributes = {}) => svg("text", { x, y, ...attributes }, words);

// What is squeezed into a picture narrower than this is written above or left out.
const NARROW = 500;

const line = (x1, y1, x2, y2, style) => svg("line", { x1, y1, x2, y2, class: style });

function horizontalAxis(x, values, y, write, attributes = {}) {
  return values.flatMap((value) => [
    line(x(value), y, x(value), y + 4, "axis"),
    svgText(x(value), y + 17, write(value), { "text-anchor": "middle", class: "tick", ...attributes }),
  ]);
}

function verticalAxis(y, values, left, right, write) {
  return values.flatMap((value) => [
    line(left, y(value), right, y(value), "grid"),
    svgText(left - 7, y(value) + 4, write(value), { "text-anchor": "end", class: "tick" }),
  ]);
}

const polyline = (points, style) =>
  svg("path", {
    d: points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join(""),
    class: style,
  });

const drawing = (width, height, ...children) =>
  svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true", focusable: "false" },
    ...children,
  );

// Marks that differ in shape as well as in colour.
const MARKS = [
  (x, y, r) => `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`,
  (x, y, r) => `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}z`,
  (x, y, r) => `M${x} ${y - 1.3 * r}l${1.2 * r} ${2.2 * r}h${-2.4 * r}z`,
  (x, y, r) => `M${x} ${y - 1.4 * r}l${1.2 * r} ${1.4 * r}l${-1.2 * r} ${1.4 * r}l${-1.2 * r} ${-1.4 * r}z`,
  (x, y, r) => `M${x} ${y + 1.3 * r}l${1.2 * r} ${-2.2 * r}h${-2.4 * r}z`,
  (x, y, r) => {
    const [arm, half] = [1.2 * r, 0.4 * r];
    return `M${x - half} ${y - arm}h${2 * half}v${arm - half}h${arm - half}v${2 * half}h${half - arm}v${arm - half}h${-2 * half}v${half - arm}h${half - arm}v${-2 * half}h${arm - half}z`;
  },
];
const CIRCLE = 0;
const SQUARE = 1;
const TRIANGLE = 2;
const DIAMOND = 3;

const mark = (kind, x, y, r, style) => svg("path", { d: MARKS[kind](x, y, r), class: style });
