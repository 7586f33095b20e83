// The priors and gains the reader may change. Beyond a few classes one entry at a time is picked and changed.

const DIRECT_UP_TO = 8;

function numberInput(name, value, onNumber) {
  const input = html("input", { type: "number", step: "any", "aria-label": name, value: String(value) });
  input.addEventListener("input", () => {
    const given = input.value.trim() === "" ? NaN : Number(input.value);
    input.setAttribute("aria-invalid", String(!onNumber(given)));
  });
  return input;
}

const rounded = (value) => Number(value.toPrecision(10));

// A prior or a gain as it is first shown; what is reckoned with is exact until it is changed.
const brief = (prior) => Number(prior.toPrecision(4));
const briefGain = (gain) =>
  Number.isInteger(gain) ? gain : Number(gain.toPrecision(Math.max(5, Math.trunc(Math.abs(gain)).toString().length)));

class Assumptions {
  constructor(onChange) {
    this.onChange = onChange;
    this.problem = byId("assumption-problem");
    this.reset();
  }

  reset() {
    this.priors = [...run.priors];
    this.entered = [...run.priors];
    this.gain = run.gain.map((row) => [...row]);
    this.say("");
    this.priorInputs = [];
    const build =
      run.classes.length <= DIRECT_UP_TO
        ? [this.priorTable(), this.gainTable()]
        : [this.priorPicker(), this.gainPicker()];
    byId("assumption-inputs").replaceChildren(...build);
  }

  // Gain means accuracy while nobody has given or changed it.
  get accuracy() {
    return run.accuracy && same(this.gain, run.gain);
  }

  say(problem) {
    this.problem.textContent = problem;
  }

  setPrior(k, value) {
    const two = run.classes.length === 2;
    if (!(value >= 0) || !Number.isFinite(value) || (two && value > 1)) {
      this.say(two ? "A prior is a number from 0 to 1." : "A prior is a number that is not negative.");
      return false;
    }
    const entered = this.entered.map((p, j) => (j === k ? value : two ? rounded(1 - value) : p));
    const sum = entered.reduce((a, b) => a + b, 0);
    if (!(sum > 0)) {
      this.say("Some class must have a prior above 0.");
      return false;
    }
    this.entered = entered;
    this.priors = entered.map((p) => p / sum);
    if (two && this.priorInputs.length === 2) {
      this.priorInputs[1 - k].value = String(entered[1 - k]);
      this.priorInputs[1 - k].setAttribute("aria-invalid", "false");
    }
    return this.accept();
  }

  setGain(k, a, value) {
    if (!Number.isFinite(value)) {
      this.say("A gain is a number; losses are negative.");
      return false;
    }
    this.gain[k][a] = value;
    return this.accept();
  }

  accept() {
    this.say("");
    this.onChange();
    return true;
  }

  priorTable() {
    this.priorInputs = run.classes.map((label, k) =>
      numberInput(`Prior of ${label}`, brief(this.entered[k]), (value) => this.setPrior(k, value)),
    );
    this.priorInputs.forEach((input, k) => input.setAttribute("id", `prior-${k}`));
    const rows = run.classes.map((label, k) =>
      html(
        "tr",
        {},
        html("th", { scope: "row" }, labelElement(label)),
        html("td", { class: "n" }, this.priorInputs[k]),
      ),
    );
    const words =
      run.classes.length === 2
        ? "Priors: how common each class will be"
        : "Priors: how common each class will be";
    return tableBox("Priors", html("table", { class: "inputs" }, captionOf(words), html("tbody", {}, ...rows)));
  }

  gainTable() {
    const head = run.assigned.map((label) => html("th", { scope: "col", class: "n" }, labelElement(label, 40)));
    const rows = run.classes.map((label, k) =>
      html(
        "tr",
        {},
        html("th", { scope: "row" }, labelElement(label)),
        ...run.assigned.map((other, a) => this.gainCell(k, a, label, other)),
      ),
    );
    const unit = run.unit ? ` in ${run.unit}` : "";
    const caption = captionOf(`What a row earns${unit}: true class down, assigned class across; a loss is negative`);
    const thead = html("thead", {}, html("tr", {}, html("th", { scope: "col" }, "True class"), ...head));
    const many = run.assigned.length > 4;
    return tableBox("Gains", html("table", { class: many ? "inputs close" : "inputs" }, caption, thead, html("tbody", {}, ...rows)));
  }

  gainCell(k, a, label, other) {
    const name = `Gain${run.unit ? ` in ${run.unit}` : ""} when ${label} is assigned ${other}`;
    const input = numberInput(name, briefGain(this.gain[k][a]), (value) => this.setGain(k, a, value));
    input.setAttribute("id", `gain-${k}-${a}`);
    return html("td", { class: "n" }, input);
  }

  priorPicker() {
    const which = picker("prior-of", run.classes);
    const input = numberInput("Prior", brief(this.entered[0]), (value) => this.setPrior(which.selectedIndex, value));
    input.setAttribute("id", "prior");
    which.addEventListener("change", () => {
      input.value = String(brief(this.entered[which.selectedIndex]));
    });
    return html(
      "p",
      { class: "picker" },
      html("label", { for: "prior-of" }, "Prior of"),
      which,
      "is",
      input,
      html("small", {}, "all are made to add to one"),
    );
  }

  gainPicker() {
    const [truth, answer] = [picker("gain-true", run.classes), picker("gain-assigned", run.assigned)];
    const input = numberInput("Gain", briefGain(this.gain[0][0]), (value) =>
      this.setGain(truth.selectedIndex, answer.selectedIndex, value),
    );
    input.setAttribute("id", "gain");
    const show = () => {
      input.value = String(briefGain(this.gain[truth.selectedIndex][answer.selectedIndex]));
    };
    truth.addEventListener("change", show);
    answer.addEventListener("change", show);
    const words = [
      html("label", { for: "gain-true" }, "A row of"),
      truth,
      html("label", { for: "gain-assigned" }, "assigned"),
      answer,
      "earns",
      input,
    ];
    return html("p", { class: "picker" }, ...words, run.unit);
  }
}

function picker(id, labels) {
  return html("select", { id }, ...labels.map((label, i) => html("option", { value: i }, shortened(label, 60))));
}
