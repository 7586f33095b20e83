// Figures that a reader can move. Every number comes with the page, computed by the library as it was built.
"use strict";

(() => {
  const SPACE = "http://www.w3.org/2000/svg";
  const WIDTH = 560, HEIGHT = 300;
  let made = 0;

  // --- elements -----------------------------------------------------------------------------------------

  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...children);
    return made;
  }

  function shape(name, attributes = {}) {
    const made = document.createElementNS(SPACE, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  }

  function picture(title) {
    const svg = shape("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", class: "explorable-picture" });
    const name = shape("title");
    name.textContent = title;
    svg.append(name);
    return svg;
  }

  // A label and a slider; `changed` gets the number of the place.
  function slider(label, most, start, changed) {
    const id = `explorable-slider-${++made}`;
    const input = element("input", { type: "range", min: 0, max: most, step: 1, value: start, id });
    const told = element("output", { for: id });
    input.addEventListener("input", () => changed(Number(input.value)));
    return { input, told, row: element("div", { class: "explorable-row" }, element("label", { for: id }, label), input, told) };
  }

  function button(label, pressed) {
    const made = element("button", { type: "button" }, label);
    made.addEventListener("click", pressed);
    return made;
  }

  function show(place, value, digits = 4) {
    place.dataset.value = String(value);
    place.textContent = Number.isFinite(value) ? value.toFixed(digits).replace("-", "−") : String(value);
  }

  function scale(from, to, least, most) {
    return (value) => from + (to - from) * (value - least) / (most - least);
  }

  function path(points) {
    return points.map(([x, y], k) => `${k ? "L" : "M"}${x.toFixed(2)} ${y.toFixed(2)}`).join("");
  }

  function text(x, y, said, attributes = {}) {
    const made = shape("text", { x, y, ...attributes });
    made.textContent = said;
    return made;
  }

  // A part of a picture that is taken and pulled; `moved` gets the place in the units of the picture.
  function pulled(svg, part, moved) {
    part.classList.add("held");
    part.addEventListener("pointerdown", (event) => { part.setPointerCapture(event.pointerId); event.preventDefault(); });
    part.addEventListener("pointermove", (event) => {
      if (!part.hasPointerCapture(event.pointerId)) return;
      const { x, y } = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      moved(x, y);
    });
  }

  // The place of the nearest number of a list.
  function nearest(numbers, value) {
    return numbers.reduce((best, one, k) => Math.abs(one - value) < Math.abs(numbers[best] - value) ? k : best, 0);
  }

  // P with M or F below it.
  function rate(letter) {
    return element("span", {}, "P", element("sub", {}, letter));
  }

  // Two points of the line w·x = θ, far outside any picture.
  function ends([w1, w2, theta], far = 100) {
    const length = Math.hypot(w1, w2), foot = [w1 * theta / length ** 2, w2 * theta / length ** 2];
    return [[foot[0] - far * w2 / length, foot[1] + far * w1 / length], [foot[0] + far * w2 / length, foot[1] - far * w1 / length]];
  }

  // --- a threshold over two Gaussians -------------------------------------------------------------------

  function threshold(root, data) {
    const n = data.theta.length, figures = {}, svg = picture("Two densities, and the threshold between them");
    const x = scale(20, WIDTH - 20, data.theta[n - 1], data.theta[0]), y = scale(HEIGHT - 30, 20, 0, 0.33);
    const density = (v, mean) => Math.exp(-0.5 * ((v - mean) / data.deviation) ** 2) / data.deviation / Math.sqrt(2 * Math.PI);
    const curve = (mean, within) => data.theta.filter(within).map((v) => [x(v), y(density(v, mean))]);
    const tails = data.means.map((mean, k) => shape("path", { class: `tail c${k + 1}` }));
    svg.append(...tails);
    data.means.forEach((mean, k) => svg.append(shape("path", { d: path(curve(mean, () => true)), class: `line c${k + 1}` })));
    svg.append(text(x(data.means[0]), y(0.32), "class 1", { class: "c1", "text-anchor": "middle" }));
    svg.append(text(x(data.means[1]), y(0.32), "class 2", { class: "c2", "text-anchor": "middle" }));
    const cut = shape("line", { class: "cut", y1: 10, y2: HEIGHT - 30 }), handle = shape("line", { class: "cut", y1: 10, y2: HEIGHT - 30 });
    svg.append(shape("line", { class: "axis", x1: 20, x2: WIDTH - 20, y1: y(0), y2: y(0) }), cut, handle);
    pulled(svg, handle, (across) => { control.input.value = n - 1 - nearest(data.theta.map(x), across); draw(); });
    const said = text(0, HEIGHT - 10, "", { "text-anchor": "middle" });
    svg.append(said);

    const control = slider("Threshold θ", n - 1, Math.floor(n / 2), draw);
    const prior = element("input", { type: "number", min: 0.01, max: 0.99, step: 0.05, value: data.prior, "aria-label": "probability of class 1" });
    const gains = data.gain.map((row, i) => row.map((value, j) =>
      element("input", { type: "number", step: 1, value, "aria-label": `gain of answering ${j + 1} where ${i + 1} is true` })));
    const best = button("Go to the best θ", () => { control.input.value = n - 1 - bestPlace(); draw(); });
    for (const one of [prior, ...gains.flat()]) one.addEventListener("input", draw);
    const joint = [0, 1].map(() => [0, 1].map(() => element("td")));
    for (const name of ["misdetect", "false-alarm", "gain"]) figures[name] = element("strong", { "data-name": name });
    const table = element("table", {},
      element("thead", {}, element("tr", {}, ...["true", "answered 1", "answered 2", "gain of 1", "gain of 2"].map((h) => element("th", { scope: "col" }, h)))),
      element("tbody", {}, ...[0, 1].map((i) => element("tr", {}, element("th", { scope: "row" }, `class ${i + 1}`), ...joint[i],
        ...gains[i].map((input) => element("td", {}, input))))));
    root.append(svg, control.row, table, element("p", { class: "explorable-row", "aria-live": "polite" },
      "P(class 1) ", prior, rate("M"), figures.misdetect, rate("F"), figures["false-alarm"], element("span", {}, "E"), figures.gain, " ", best));

    function gainAt(i) {
      const P1 = Number(prior.value), P2 = 1 - P1, [[a, b], [c, d]] = gains.map((row) => row.map((input) => Number(input.value)));
      return -data.misdetect[i] * P1 * (a - b) - data.falseAlarm[i] * P2 * (d - c) + a * P1 + d * P2;
    }
    function bestPlace() {
      let place = 0;
      for (let i = 1; i < n; i++) if (gainAt(i) > gainAt(place)) place = i;
      return place;
    }
    function draw() {
      const i = n - 1 - Number(control.input.value), at = data.theta[i], P1 = Number(prior.value), P2 = 1 - P1;
      const [m, f] = [data.misdetect[i], data.falseAlarm[i]];
      const below = curve(data.means[0], (v) => v <= at), above = curve(data.means[1], (v) => v >= at);
      tails[0].setAttribute("d", path([[x(at), y(0)], ...below, [x(data.theta[n - 1]), y(0)]]) + "Z");
      tails[1].setAttribute("d", path([[x(data.theta[0]), y(0)], ...above, [x(at), y(0)]]) + "Z");
      for (const one of [cut, handle]) { one.setAttribute("x1", x(at)); one.setAttribute("x2", x(at)); }
      said.setAttribute("x", x(at)); said.textContent = `θ = ${at.toFixed(1).replace("-", "−")}`;
      show(control.told, at, 1);
      show(figures.misdetect, m); show(figures["false-alarm"], f); show(figures.gain, gainAt(i));
      [[P1 * (1 - m), P1 * m], [P2 * f, P2 * (1 - f)]].forEach((row, k) => row.forEach((value, j) => show(joint[k][j], value)));
    }
    draw();
  }

  // --- a perceptron, update by update -------------------------------------------------------------------

  function scatter(svg, data, window) {
    const x = scale(20, WIDTH - 20, window[0], window[1]), y = scale(HEIGHT - 15, 15, window[2], window[3]);
    return { x, y, marks: data.rows.map(([a, b], i) => mark(x(a), y(b), data.signs[i])) };
  }

  function mark(x, y, sign) {
    return sign > 0 ? shape("circle", { cx: x, cy: y, r: 5, class: "row c1" })
      : shape("path", { d: `M${x} ${y - 6}l6 10h-12z`, class: "row c2" });
  }

  function perceptron(root, data) {
    const svg = picture("Rows of two classes and the line of the perceptron");
    const [across, up] = [0, 1].map((k) => data.rows.map((row) => row[k]));
    const middle = [across, up].map((values) => (Math.min(...values) + Math.max(...values)) / 2);
    const reach = 0.58 * Math.max(Math.max(...up) - Math.min(...up), (Math.max(...across) - Math.min(...across)) * HEIGHT / WIDTH);
    const wide = reach * (WIDTH - 40) / (HEIGHT - 30);  // so that right angles look right
    const { x, y, marks } = scatter(svg, data, [middle[0] - wide, middle[0] + wide, middle[1] - reach, middle[1] + reach]);
    const before = shape("line", { class: "before" }), line = shape("line", { class: "plane" }), ring = shape("circle", { r: 11, class: "ring" });
    svg.append(before, line, ...marks, ring);
    const last = data.steps.length - 1, control = slider("Update", last, 0, draw);
    const back = button("◀ back", () => go(-1)), forward = button("forward ▶", () => go(1));
    const told = element("p", { "aria-live": "polite" });
    const wrong = element("strong", { "data-name": "wrong" }), bound = element("strong", { "data-name": "bound" });
    show(bound, data.bound, 1);
    root.append(svg, control.row, element("div", { class: "explorable-row" }, back, forward),
      element("p", { class: "explorable-row" }, "Rows wrong: ", wrong, " Novikoff's bound on updates: ", bound), told);

    function go(by) {
      control.input.value = Math.min(last, Math.max(0, Number(control.input.value) + by));
      draw();
    }
    function place(one, step) {
      const flatPlane = !step || (step.w[0] === 0 && step.w[1] === 0);
      one.style.display = flatPlane ? "none" : "";
      if (flatPlane) return;
      const [a, b] = ends([...step.w, step.theta]);
      for (const [key, value] of Object.entries({ x1: x(a[0]), y1: y(a[1]), x2: x(b[0]), y2: y(b[1]) })) one.setAttribute(key, value);
    }
    function draw() {
      const k = Number(control.input.value), step = data.steps[k];
      place(line, step); place(before, data.steps[k - 1]);
      ring.style.display = step.row < 0 ? "none" : "";
      if (step.row >= 0) { ring.setAttribute("cx", x(data.rows[step.row][0])); ring.setAttribute("cy", y(data.rows[step.row][1])); }
      show(control.told, k, 0); show(wrong, step.wrong, 0);
      root.dataset.w = JSON.stringify(step.w); root.dataset.theta = step.theta;
      const weights = `w = (${step.w.map((v) => v.toFixed(2).replace("-", "−")).join(", ")}), θ = ${step.theta.toFixed(2).replace("-", "−")}`;
      told.textContent = step.row < 0 ? `The start: ${weights}. Every row counts as wrong on w = 0.`
        : `Row ${step.row} was wrong (ringed); the line moved from dashed to solid: ${weights}.`;
      back.disabled = k === 0; forward.disabled = k === last;
    }
    draw();
  }

  // --- step sizes ---------------------------------------------------------------------------------------

  function steps(root, data) {
    const svg = picture("E(w) and fifteen steps of descent on it");
    const x = scale(30, WIDTH - 20, -1.2, 2.6), y = scale(HEIGHT - 20, 15, 0, 14);
    const E = (w) => (1 - w) ** 2 + (1 - 2 * w) ** 2;
    const bowl = Array.from({ length: 120 }, (_, k) => -1.2 + 3.8 * k / 119).map((w) => [x(w), y(E(w))]);
    const walk = shape("path", { class: "walk" }), dots = data.paths[0].map(() => shape("circle", { r: 4, class: "row c1" }));
    svg.append(shape("path", { d: path(bowl), class: "line c2" }), walk, ...dots, text(x(0.6), HEIGHT - 4, "w = 0.6", { "text-anchor": "middle" }));
    const control = slider("Step η", data.etas.length - 1, 2, draw);
    const risk = element("strong", { "data-name": "risk" }), verdict = element("span", { "aria-live": "polite" });
    root.append(svg, control.row, element("p", { class: "explorable-row" }, "E after fifteen steps: ", risk, " ", verdict));
    function draw() {
      const k = Number(control.input.value), points = data.paths[k].map((w, t) => [x(w), y(data.risks[k][t])]);
      walk.setAttribute("d", path(points));
      points.forEach(([a, b], t) => { dots[t].setAttribute("cx", a); dots[t].setAttribute("cy", b); });
      show(control.told, data.etas[k], 3); show(risk, data.risks[k].at(-1), 4);
      const eta = data.etas[k];
      verdict.textContent = eta < 0.03 ? "Too small: it crawls." : eta > data.largestStable + 1e-9 ? "Too large: it climbs."
        : Math.abs(eta - data.largestStable) < 1e-9 ? "At 2/E″ it jumps to and fro for ever." : eta > 0.1 ? "It overshoots, and still arrives." : "It arrives.";
    }
    draw();
  }

  // --- XOR ----------------------------------------------------------------------------------------------

  function xor(root, data) {
    const svg = picture("Two inputs, two hidden units and one output unit");
    const spots = { x1: [80, 80], x2: [80, 220], y1: [280, 80], y2: [280, 220], z: [480, 150] };
    const wires = [["x1", "y1", 1], ["x2", "y1", 0], ["x1", "y2", 0], ["x2", "y2", 1], ["y1", "z", 1], ["y2", "z", 1]];
    const lines = wires.map(([a, b, excites]) => shape("line", { x1: spots[a][0], y1: spots[a][1], x2: spots[b][0], y2: spots[b][1],
      class: excites ? "wire" : "wire inhibits" }));
    svg.append(...lines);
    const discs = {};
    for (const [name, [cx, cy]] of Object.entries(spots)) {
      discs[name] = shape("circle", { cx, cy, r: 30 });
      svg.append(discs[name], text(cx, cy + 5, name, { "text-anchor": "middle", class: "unit-name" }));
    }
    svg.append(text(280, 35, data.formulas[0], { "text-anchor": "middle" }), text(280, 280, data.formulas[1], { "text-anchor": "middle" }),
      text(480, 205, data.output, { "text-anchor": "middle" }));
    const boxes = ["x1", "x2"].map((name) => {
      const id = `explorable-slider-${++made}`, input = element("input", { type: "checkbox", id });
      input.addEventListener("change", draw);
      return { input, label: element("label", { for: id }, input, ` ${name} is active`) };
    });
    const told = element("p", { "aria-live": "polite" });
    root.append(svg, element("div", { class: "explorable-row" }, ...boxes.map((one) => one.label)), told,
      element("p", {}, "Solid lines excite, dashed ones inhibit absolutely."));
    function draw() {
      const bits = boxes.map((one) => Number(one.input.checked));
      const row = data.table.find((one) => one.x[0] === bits[0] && one.x[1] === bits[1]);
      const active = { x1: bits[0], x2: bits[1], y1: row.y[0], y2: row.y[1], z: row.z };
      for (const [name, on] of Object.entries(active)) discs[name].setAttribute("class", on ? "unit on" : "unit");
      lines.forEach((one, k) => one.classList.toggle("on", Boolean(active[wires[k][0]])));
      root.dataset.fired = JSON.stringify(active);
      told.textContent = `y1 ${row.y[0] ? "fires" : "is silent"}, y2 ${row.y[1] ? "fires" : "is silent"}, z ${row.z ? "fires" : "is silent"}: ${bits[0]} XOR ${bits[1]} = ${row.z}.`;
    }
    draw();
  }

  // --- a row that moves ---------------------------------------------------------------------------------

  function moving(root, data) {
    const svg = picture("Seven rows, one of which moves, and four lines");
    const { x, y, marks } = scatter(svg, data, [-3.5, 8.5, -1.6, 5]);
    const names = Object.keys(data.planes[0][0]), most = data.places.length - 1;
    const lines = names.map((_, k) => shape("line", { class: `plane p${k}` }));
    const moved = shape("circle", { r: 8, class: "moved" });
    svg.append(...lines, ...marks, moved);
    const across = slider("Move across", most, 2, draw), up = slider("Move up", most, 1, draw);
    pulled(svg, moved, (right, down) => {
      across.input.value = nearest(data.places.map(x), right);
      up.input.value = nearest(data.places.map(y), down);
      draw();
    });
    const list = element("ul", { "aria-live": "polite" }), items = names.map((name, k) => element("li", { class: `p${k}` }));
    list.append(...items);
    root.append(svg, across.row, up.row, list);
    function draw() {
      const i = Number(across.input.value), j = Number(up.input.value), planes = data.planes[i][j];
      moved.setAttribute("cx", x(data.places[i])); moved.setAttribute("cy", y(data.places[j]));
      show(across.told, data.places[i], 1); show(up.told, data.places[j], 1);
      root.dataset.planes = JSON.stringify(planes);
      names.forEach((name, k) => {
        const plane = planes[name];
        lines[k].style.display = plane ? "" : "none";
        items[k].textContent = plane ? `${name}: ${(plane[0]).toFixed(3)} x₁ + ${(plane[1]).toFixed(3)} x₂ = ${(plane[2]).toFixed(3)}`.replaceAll("-", "−").replace("+ −", "− ")
          : `${name}: no plane separates the classes`;
        if (!plane) return;
        const [a, b] = ends(plane);
        for (const [key, value] of Object.entries({ x1: x(a[0]), y1: y(a[1]), x2: x(b[0]), y2: y(b[1]) })) lines[k].setAttribute(key, value);
      });
    }
    draw();
  }

  // --- Cover's curve ------------------------------------------------------------------------------------

  function cover(root, data) {
    const most = data.cover[0].length, svg = picture("Probability that random labels are separable, against the number of rows");
    const y = scale(HEIGHT - 30, 15, 0, 1), half = shape("line", { class: "before", y1: y(0), y2: y(0.5) });
    const exact = shape("path", { class: "line c1" }), near = shape("path", { class: "line c2 dashed" }), dot = shape("circle", { r: 6, class: "row c1" });
    const [twice, end] = ["middle", "end"].map((anchor) => text(WIDTH - 15, HEIGHT - 10, "", { "text-anchor": anchor }));
    svg.append(shape("line", { class: "axis", x1: 35, x2: WIDTH - 15, y1: y(0), y2: y(0) }), shape("line", { class: "before", x1: 35, x2: WIDTH - 15, y1: y(0.5), y2: y(0.5) }),
      text(30, y(0.5) + 4, "½", { "text-anchor": "end" }), text(30, y(1) + 4, "1", { "text-anchor": "end" }), half, twice, end, exact, near, dot);
    const columns = slider("Columns d", data.columns.length - 1, 1, draw), rows = slider("Rows n", most - 1, 9, draw);
    const told = element("strong", { "data-name": "cover" }), approximate = element("strong", { "data-name": "ripley" });
    root.append(svg, columns.row, rows.row, element("p", { class: "explorable-row", "aria-live": "polite" }, "Cover: ", told, " Ripley: ", approximate));
    function draw() {
      const k = Number(columns.input.value), n = Number(rows.input.value), middle = 2 * (data.columns[k] + 1);
      const shown = Math.min(most, Math.max(3 * middle, n + 1)), x = scale(35, WIDTH - 15, 1, shown);
      exact.setAttribute("d", path(data.cover[k].slice(0, shown).map((p, i) => [x(i + 1), y(p)])));
      near.setAttribute("d", path(data.ripley[k].slice(0, shown).map((p, i) => [x(i + 1), y(p)])));
      dot.setAttribute("cx", x(n + 1)); dot.setAttribute("cy", y(data.cover[k][n]));
      for (const end of ["x1", "x2"]) half.setAttribute(end, x(middle));
      twice.setAttribute("x", x(middle)); twice.textContent = `2N = ${middle}`;
      end.textContent = middle / shown > 0.8 ? "" : `n = ${shown}`;
      show(columns.told, data.columns[k], 0); show(rows.told, n + 1, 0);
      show(told, data.cover[k][n]); show(approximate, data.ripley[k][n]);
    }
    draw();
  }

  const KINDS = { threshold, perceptron, steps, xor, moving, cover };
  for (const block of document.querySelectorAll(".explorable")) {
    const data = JSON.parse(block.querySelector("script").textContent), still = block.querySelector(".explorable-still");
    KINDS[block.dataset.kind](block, data);
    const more = element("details", {}, element("summary", {}, "Some of these numbers as a table"), still);
    block.append(more);
  }
})();

// A formula within a sentence that is wider than its paragraph stands on a line of its own, and is pulled to be read.
function fitFormulas() {
  for (const one of document.querySelectorAll("span.math")) {
    const formula = one.querySelector("mjx-container"), around = one.parentElement;
    if (formula && !one.closest("table") && formula.offsetWidth > around.clientWidth && around.clientWidth) one.classList.add("wide");
  }
}

// Pictures of several panels keep a width on a telephone at which their words can be read, and are pulled like wide formulas.
function keepPanelsReadable() {
  for (const one of document.querySelectorAll("div.cell_output img, img.sphx-glr-single-img")) {
    const panels = one.naturalWidth > 940 && one.naturalWidth > 1.5 * one.naturalHeight;
    if (panels) one.parentElement.classList.add("panels");
  }
}
window.addEventListener("load", keepPanelsReadable);

// Formulas are set after the page has gone to its anchor, and move it away: go there again.
window.addEventListener("load", async () => {
  if (!window.MathJax?.startup?.promise) return;
  await window.MathJax.startup.promise;
  fitFormulas();
  document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
});
window.addEventListener("toggle", fitFormulas, true);  // what was folded away had no width
