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

// Marks along an axis need no zeros at their ends.
const tickNumber = (value) =>
  number(value)
    .replace(/(\.\d*?)0+$/, "$1")
    .replace(/\.$/, "");

const count = (value) => signed(inThousands(value.toFixed(1).replace(/\.0$/, "")));

const percent = (share) =>
  share === null || !Number.isFinite(share) ? MISSING : signed((100 * share).toFixed(1) + "%");

// An amount and its unit stay on one line.
const withUnit = (written) => (run.unit ? `${written}\u00a0${run.unit}` : written);

const inUnit = (value) => withUnit(number(value));

// What a row is expected to earn: a percentage as long as gain means accuracy, else an amount.
const worth = (value, accuracy) => (accuracy ? percent(value) : withUnit(tickNumber(value)));

function difference(value, accuracy) {
  const sign = value > 0 ? "+" : "";
  return sign + (accuracy ? signed((100 * value).toFixed(1)) + " points" : withUnit(tickNumber(value)));
}
