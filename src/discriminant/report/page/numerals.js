// How numbers are written: three digits that count, a true minus sign, thousands apart, units with every amount.

const MISSING = "–";

const signed = (written) => written.replace(/-/g, "−");

const inThousands = (written) => written.replace(/^(-?\d+)/, (digits) => digits.replace(/\B(?=(\d{3})+(?!\d))/g, ","));

function number(value, digits = 3) {
  if (value === null || !Number.isFinite(value)) return MISSING;
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e15 || size < 1e-4)) return signed(value.toExponential(digits - 1));
  if (Number.isInteger(value)) return signed(inThousands(value.toFixed(0)));
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  return signed(inThousands(value.toFixed(decimals)));
}

const withoutZeros = (written) => written.replace(/(\.\d*?)0+(?=e|$)/, "$1").replace(/\.(?=e|$)/, "");

// Three digits that count, without zeros at the end.
const plainNumber = (value) => withoutZeros(number(value));

const LARGE = [
  [1e12, "tn"],
  [1e9, "bn"],
  [1e6, "M"],
  [1e3, "k"],
];

// Marks along an axis are short whatever their size: 250k, 1.2M.
function tickNumber(value) {
  const size = Math.abs(value);
  const [step, name] = (size >= 1e4 && size < 1e15 && LARGE.find(([least]) => size >= least)) || [1, ""];
  return plainNumber(Number((value / step).toPrecision(4))) + name;
}

const count = (value) => signed(inThousands(value.toFixed(1).replace(/\.0$/, "")));

const percent = (share) =>
  share === null || !Number.isFinite(share) ? MISSING : signed((100 * share).toFixed(1) + "%");

// An amount and its unit stay on one line.
const withUnit = (written) => (run.unit ? `${written}\u00a0${run.unit}` : written);

const inUnit = (value) => withUnit(number(value));

// What a row is expected to earn: a percentage as long as gain means accuracy, else an amount.
const worth = (value, accuracy) => (accuracy ? percent(value) : inUnit(value));

// An amount as a person says it: its size, with a word that says whether it is earned or lost.
const inWords = (value, accuracy) =>
  accuracy ? percent(value) : value < 0 ? `a loss of ${worth(-value, false)}` : worth(value, false);

const gainName = (value, accuracy) =>
  accuracy ? "Accuracy" : value < 0 ? "Expected loss a row" : "Expected gain a row";

function difference(value, accuracy) {
  const sign = value > 0 ? "+" : "";
  return sign + (accuracy ? signed((100 * value).toFixed(1)) + " points" : inUnit(value));
}
