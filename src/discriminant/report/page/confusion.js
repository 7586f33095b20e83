// Confusion matrices in counts and in money, and, of many classes, a picture and the dearest confusions.

const WHOLE_UP_TO = 12;
const LISTED = 15;

const sum = (values) => values.reduce((a, b) => a + b, 0);

const moneyOf = (counts, gain) => counts.map((row, k) => row.map((n, a) => n * gain[k][a]));

function matrixTable(id, caption, assigned, values, write) {
  const head = [
    ...assigned.map((name) => html("th", { scope: "col", class: "n" }, labelElement(name, 40))),
    html("th", { scope: "col", class: "n" }, "Sum"),
  ];
  const cell = (value, style) => html("td", { class: `n ${style}`, "data-value": value }, write(value));
  const rows = values.map((row, k) =>
    html(
      "tr",
      {},
      html("th", { scope: "row" }, labelElement(run.classes[k])),
      ...row.map((v, a) => cell(v, a === k ? "right" : v === 0 ? "zero" : a < run.classes.length ? "wrong-cell" : "")),
      cell(sum(row), "sum"),
    ),
  );
  const sums = assigned.map((_, a) => cell(sum(values.map((row) => row[a])), "sum"));
  const total = cell(sum(values.map(sum)), "sum total");
  const last = html("tr", {}, html("th", { scope: "row" }, "Sum"), ...sums, total);
  const thead = html("thead", {}, html("tr", {}, html("th", { scope: "col" }, "True ↓ assigned →"), ...head));
  const table = html(
    "table",
    { class: assigned.length > 5 ? "matrix close" : "matrix", id },
    captionOf(caption),
    thead,
    html("tbody", {}, ...rows),
    html("tfoot", {}, last),
  );
  return tableBox(caption, table);
}

// Two tables: rows, and what they earn (or, where gain is accuracy, their share).
function confusionTables(counts, assumptions, prefix = "") {
  if (run.classes.length > WHOLE_UP_TO) return [heatMap(counts), dearest(counts, assumptions)];
  const assigned = run.assigned.slice(0, counts[0].length);
  const tables = [matrixTable(`${prefix}confusion-counts`, "Rows", assigned, counts, count)];
  if (assumptions.accuracy) {
    const all = sum(counts.map(sum)) || 1;
    const shares = counts.map((row) => row.map((n) => n / all));
    return [...tables, matrixTable(`${prefix}confusion-shares`, "Share of all rows", assigned, shares, percent)];
  }
  const caption = run.unit ? `Gain in ${run.unit}` : "Gain";
  return [
    ...tables,
    matrixTable(`${prefix}confusion-money`, caption, assigned, moneyOf(counts, assumptions.gain), number),
  ];
}

// Shades of the share of each true class, in six steps: one path for each.
function heatMap(counts) {
  const size = 420;
  const [h, w] = [size / counts.length, size / counts[0].length];
  const steps = Array.from({ length: 6 }, () => "");
  counts.forEach((row, k) => {
    const total = sum(row) || 1;
    row.forEach((n, a) => {
      if (n > 0)
        steps[Math.min(5, Math.floor((6 * n) / total))] +=
          `M${(a * w).toFixed(1)} ${(k * h).toFixed(1)}h${w.toFixed(2)}v${h.toFixed(2)}h${-w.toFixed(2)}z`;
    });
  });
  const paths = steps.map((d, i) => svg("path", { d, class: `heat heat-${i}` }));
  const frame = svg("rect", { x: 0, y: 0, width: size, height: size, class: "frame" });
  const words = "True classes down, assigned classes across; darker is a larger share of the true class.";
  const picture = html(
    "div",
    { role: "img", "aria-label": `Confusion matrix. ${words} The table lists the largest errors.` },
    svg("svg", { viewBox: `-1 -1 ${size + 2} ${size + 2}`, class: "heat-map", "aria-hidden": "true" }, ...paths, frame),
  );
  return html("figure", {}, picture, html("figcaption", { class: "note" }, words));
}

function dearest(counts, assumptions) {
  const money = moneyOf(counts, assumptions.gain);
  const errors = counts
    .flatMap((row, k) => row.map((n, a) => ({ k, a, n, money: money[k][a] })))
    .filter(({ k, a, n }) => k !== a && n > 0);
  errors.sort(assumptions.accuracy ? (x, y) => y.n - x.n : (x, y) => x.money - y.money || y.n - x.n);
  const rows = errors
    .slice(0, LISTED)
    .map(({ k, a, n, money: earned }) =>
      html(
        "tr",
        {},
        html("th", { scope: "row" }, labelElement(run.classes[k])),
        html("td", {}, labelElement(run.assigned[a])),
        html("td", { class: "n", "data-value": n }, count(n)),
        assumptions.accuracy ? null : html("td", { class: "n", "data-value": earned }, inUnit(earned)),
      ),
    );
  const head = ["True class", "Assigned"].map((name) => html("th", { scope: "col" }, name));
  const numbers = ["Rows", ...(assumptions.accuracy ? [] : ["Gain"])].map((name) =>
    html("th", { scope: "col", class: "n" }, name),
  );
  const caption = assumptions.accuracy ? "The commonest errors" : "The dearest errors";
  const total = assumptions.accuracy
    ? null
    : html(
        "p",
        { class: "note" },
        "All rows together: ",
        html("span", { id: "confusion-total", "data-value": sum(money.map(sum)) }, inUnit(sum(money.map(sum)))),
      );
  return html(
    "div",
    {},
    tableBox(
      caption,
      html(
        "table",
        {},
        captionOf(caption),
        html("thead", {}, html("tr", {}, ...head, ...numbers)),
        html("tbody", {}, ...rows),
      ),
    ),
    total,
  );
}
