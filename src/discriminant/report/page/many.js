// More than two classes: posteriors under the reader's priors, and the class that earns most for each row.

const POSTERIOR_UNITS = 100000;

class ManyClasses {
  constructor(many) {
    this.many = many;
    this.posteriors = many.posteriors.map((row) => row.map((p) => p / POSTERIOR_UNITS));
    this.broughtOut = null;
    this.draw = () => {};
    this.assumptions = new Assumptions(() => this.update());
    this.update();
    if (many.points.length > 0) {
      drawLegend((k) => {
        this.broughtOut = k;
        this.draw();
      });
      byId("scatter-note").textContent = beyondInWords(scatterRanges(many.points, many.true));
      this.draw = keptDrawn("scatter-picture", (width) => drawScatter(width, many, this.wrong, this.broughtOut));
    }
    byId("reset").addEventListener("click", () => {
      this.assumptions.reset();
      this.update();
    });
  }

  update() {
    const { priors, gain, accuracy } = this.assumptions;
    const assigned = this.posteriors.map((row) => assignedClass(underPriors(row, run.priors, priors), gain));
    this.wrong = assigned.map((a, i) => a !== this.many.true[i]);
    const counts = confusionOf(this.many.true, assigned, gain);
    this.show(counts, gainOfConfusion(counts, priors, gain), priors, accuracy);
    byId("confusion").replaceChildren(...confusionTables(counts, this.assumptions));
    this.draw();
  }

  show(counts, value, priors, accuracy) {
    const right = gainOfConfusion(
      counts,
      priors,
      counts.map((row, k) => row.map((_, a) => Number(a === k))),
    );
    const wrong = this.wrong.filter(Boolean).length;
    const figures = [
      figure("op-accuracy", "Accuracy", right, percent(right), "classes weighed by the priors"),
      figure("op-errors", "Rows assigned wrongly", wrong, count(wrong), `of ${count(this.many.rows)}`),
    ];
    if (!accuracy)
      figures.unshift(figure("op-gain", gainName(value, false), value, inUnit(Math.abs(value)), "classes weighed by the priors"));
    byId("operating-point").replaceChildren(...figures);
    const words = `${accuracy ? "" : `${inWords(value, false)} a row expected; `}accuracy ${percent(right)}; ${count(wrong)} of ${count(this.many.rows)} rows assigned wrongly.`;
    byId("operating-words").textContent = words;
    describe(
      "scatter-picture",
      `Rows of ${run.classes.length} classes along the two leading discriminant directions. ${words}`,
    );
    const sample = this.many.sampled ? `a sample of ${count(this.many.rows)} rows` : "these rows";
    byId("confusion-note").textContent =
      `Counts and amounts are of ${sample}, each judged by a rule that had not seen it; the expected figures above ` +
      "weigh the classes by the priors.";
  }
}
