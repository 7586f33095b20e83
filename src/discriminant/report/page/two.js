// Two classes: one threshold, and all that follows from it.

const QUIET_MILLISECONDS = 250;

class TwoClasses {
  constructor(two) {
    this.two = two;
    this.index = two.chosen;
    this.slider = byId("threshold");
    this.assumptions = new Assumptions(() => this.update());
    this.drawProjection = () => {};
    this.drawOperating = () => {};
    this.update();
    this.drawProjection = keptDrawn("projection-picture", (width) => drawProjection(width, two, this.state));
    this.drawOperating = keptDrawn("operating-picture", (width) => drawOperating(width, two, this.state));
    this.listen();
  }

  listen() {
    this.slider.addEventListener("input", () => this.moveTo(this.last - Number(this.slider.value)));
    draggable("projection-picture", this.two, (index) => this.moveTo(index));
    byId("best").addEventListener("click", () => this.moveTo(this.state.best));
    byId("reset").addEventListener("click", () => {
      this.assumptions.reset();
      this.moveTo(this.two.chosen);
    });
  }

  get last() {
    return this.two.thresholds.length - 1;
  }

  moveTo(index) {
    this.index = index;
    this.update();
  }

  update() {
    const { priors, gain, accuracy } = this.assumptions;
    const gains = gainsOfPoints(this.two, priors, gain);
    this.state = { index: this.index, priors, gain, accuracy, gains, best: placeOfLargest(gains) };
    this.showPoint();
    this.showConfusion();
    this.drawProjection();
    this.drawOperating();
  }

  showPoint() {
    const { gains, index, best, accuracy, priors } = this.state;
    const rates = ratesAt(this.two, index);
    const [zero, one] = run.classes.map((label) => shortened(label, 40));
    const precision = precisionOf(rates, priors);
    byId("operating-point").replaceChildren(
      figure(
        "op-gain",
        gainName(gains[index], accuracy),
        gains[index],
        worth(Math.abs(gains[index]), accuracy),
        `at best ${inWords(gains[best], accuracy)}`,
      ),
      figure("op-misdetect", "Missed", rates.misdetect, percent(rates.misdetect), `of ${one} called ${zero}`),
      figure("op-false-alarm", "False alarm", rates.falseAlarm, percent(rates.falseAlarm), `of ${zero} called ${one}`),
      figure("op-precision", "Precision", precision ?? "", percent(precision), `of those called ${one} really are`),
    );
    const threshold = this.two.thresholds[index];
    this.slider.value = String(this.last - index);
    byId("threshold-value").value = number(threshold);
    const words = this.inWords(rates, precision);
    this.slider.setAttribute("aria-valuetext", `${number(threshold)}: ${words}`);
    describe(
      "projection-picture",
      `Scores of each class, ${one} above the axis and ${zero} below, with the gain at each threshold beneath. ${words}`,
    );
    describe("operating-picture", `Misdetect rate against false alarm rate with lines of equal gain. ${words}`);
    this.saySoon(words);
    this.showAgainstChosen();
  }

  inWords(rates, precision) {
    const { gains, index, accuracy } = this.state;
    const earns = accuracy ? `${percent(gains[index])} of rows right` : `${inWords(gains[index], false)} a row expected`;
    return `At threshold ${number(this.two.thresholds[index])}: misdetect ${percent(rates.misdetect)}, false alarm ${percent(rates.falseAlarm)}, precision ${percent(precision)}, ${earns}.`;
  }

  // Screen readers hear the point once it rests.
  saySoon(words) {
    clearTimeout(this.pending);
    this.pending = setTimeout(() => {
      byId("operating-words").textContent = words;
    }, QUIET_MILLISECONDS);
  }

  showAgainstChosen() {
    const { gains, index, best, accuracy } = this.state;
    const chosen = gains[this.two.chosen];
    const entry = (id, name, value, i) =>
      html(
        "tr",
        {},
        html("th", { scope: "row" }, name),
        html("td", { class: "n" }, number(this.two.thresholds[i])),
        html("td", { class: "n", id, "data-value": value }, worth(value, accuracy)),
        html("td", { class: "n" }, value === chosen ? "" : difference(value - chosen, accuracy)),
      );
    const head = ["", "Threshold", accuracy ? "Accuracy" : "Gain a row", "Against chosen"].map((name, i) =>
      html("th", { scope: "col", class: i ? "n" : "" }, name),
    );
    const rows = [
      entry("gain-chosen", "Chosen", chosen, this.two.chosen),
      entry("gain-now", "Now", gains[index], index),
      entry("gain-best", "Best", gains[best], best),
    ];
    const caption = "Under these priors and gains";
    const table = html(
      "table",
      { class: "results" },
      captionOf(caption),
      html("thead", {}, html("tr", {}, ...head)),
      html("tbody", {}, ...rows),
    );
    byId("assumption-results").replaceChildren(tableBox(caption, table));
  }

  showConfusion() {
    const g = this.state.gain;
    byId("confusion").replaceChildren(...confusionTables(confusionAt(this.two, this.index), this.assumptions));
    const counted =
      "Counts and amounts are of these rows, each judged by a rule that had not seen it; the expected figures above " +
      "weigh the classes by the priors.";
    const agreed =
      " The chosen threshold is the one that does best over many random draws of these rows. The best threshold for " +
      "exactly these rows may differ: a few of them decide it, and new rows will not repeat them.";
    const careful =
      " The verdict is more careful than this figure: there each row was decided by a threshold that other rows chose.";
    byId("confusion-note").textContent = g[0].length > 2 ? counted : counted + agreed + (byId("row-gain") ? "" : careful);
    if (g[0].length > 2) this.showReject();
  }

  showReject() {
    const { priors, gain } = this.state;
    const untouched = same([priors, ...gain], [run.priors, ...run.gain]) && run.confusion;
    const known = this.two.slope !== null && this.two.offset !== null && this.two.bends !== null;
    if (!untouched && !known) return;
    const counts = untouched ? run.confusion : confusionWithReject(this.two, run.priors, priors, gain);
    const value = gainOfConfusion(counts, priors, gain);
    const name = shortened(run.assigned[2], 40);
    byId("reject").replaceChildren(
      html("h3", {}, "With the third answer ", html("b", { class: "label" }, name)),
      html(
        "p",
        { class: "measure" },
        "The threshold above gives one of two answers. The rule itself may also give the third, where the probabilities say that it earns more. Expected with it: ",
        html("span", { id: "reject-gain", "data-value": value }, inWords(value, false)),
        " a row.",
      ),
      html("div", { class: "matrices" }, ...confusionTables(counts, this.assumptions, "reject-")),
    );
  }
}

function figure(id, name, value, words, small) {
  const big = html("span", { class: "big", id, "data-value": value }, words);
  return html("div", {}, html("dt", {}, name), html("dd", {}, big, html("span", { class: "small" }, small)));
}
