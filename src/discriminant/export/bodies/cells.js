
/** One score for two classes (positive for the second), else one a class. `row` maps columns to cells. */
function scores(row) {
  const totals = MODEL.thresholds.map((t) => -t);
  for (const column of MODEL.columns) {
    const added = addedBy(column, cellOf(row, column.name));
    for (let p = 0; p < totals.length; p += 1) totals[p] += added[p];
  }
  return finite(totals);
}

/** P(class | row) in the order of `classes`; null if the model has none. */
function probabilities(row) {
  return posteriorsOf(scores(row));
}

/** The place of the answer among `answers`. */
function decide(row) {
  return decided(scores(row));
}

/** The answer. */
function label(row) {
  return ANSWERS[decide(row)];
}

// --- what a cell adds to the scores ---

for (const column of MODEL.columns) {
  column.blankTexts = new Set(column.blankTexts);
  if (column.kind === "category") column.byText = new Map(column.levels);
  if (column.written) column.written.powers = new Map(column.written.powers);
}
const SPACES = new Set(MODEL.spaces);
const ALIKE = new Map(MODEL.alike);

function cellOf(row, name) {
  if (row instanceof Map) return row.get(name);
  return Object.prototype.hasOwnProperty.call(row, name) ? row[name] : undefined;
}

function addedBy(column, cell) {
  if (column.kind === "category") {
    const text = isBlank(cell) ? "" : trimmed(String(cell));
    if (column.blankTexts.has(text)) return column.blank;
    return column.byText.has(text) ? column.byText.get(text) : column.unseen;
  }
  const raw = read(column, cell);
  if (raw === null) return column.blank;
  const added = column.filled.slice();
  for (const piece of column.pieces) {
    const encoded = (pieceValue(piece, raw) - piece.centre) / piece.scale;
    for (let p = 0; p < added.length; p += 1) added[p] += piece.weights[p] * encoded;
  }
  return added;
}

/** A value as a piece takes it: clipped, and by its logarithm where the piece has a unit. */
function pieceValue(piece, x) {
  let v = x;
  if (piece.low !== undefined && v < piece.low) v = piece.low;
  if (piece.high !== undefined && v > piece.high) v = piece.high;
  return piece.unit === undefined ? v : Math.sign(v) * Math.log1p(Math.abs(v) / piece.unit);
}

function isBlank(cell) {
  return cell === null || cell === undefined || (typeof cell === "number" && Number.isNaN(cell));
}

/** Without spaces around it; the language's own trim takes other characters for spaces. */
function trimmed(text) {
  let [a, b] = [0, text.length];
  while (a < b && SPACES.has(text[a])) a += 1;
  while (b > a && SPACES.has(text[b - 1])) b -= 1;
  return text.slice(a, b);
}

/** The number, flag or days of a cell; null where it is blank. */
function read(column, cell) {
  if (isBlank(cell)) return null;
  let value = cell;
  if (typeof cell === "string") {
    const text = trimmed(cell);
    if (column.blankTexts.has(text)) return null;
    value = OF_TEXT[column.kind](column, text);
  } else if (cell instanceof Date) {
    value = column.kind === "date" ? cell.getTime() / 86400000 : NaN;
  }
  const number = value === null ? NaN : Number(value);
  if (!Number.isFinite(number) || (column.kind === "flag" && number !== 0 && number !== 1)) {
    const told = JSON.stringify(String(cell)) + " in column " + JSON.stringify(column.name);
    throw new RangeError(told + " is no " + column.kind);
  }
  return number;
}

// --- what a text says, without spaces around it; null if it cannot be read ---

function numberOfText(column, text) {
  if (column.written) return writtenNumber(column.written, text);
  const plain = new RegExp(MODEL.groupedNumber, "u").test(text) ? text.replaceAll(",", "") : text;
  return new RegExp(MODEL.plainNumber, "u").test(plain) ? Number(plain) : null;
}

/** A number as people write it, such as $1,234.50, 1.2M or (17 %). */
function writtenNumber(form, text) {
  const found = new RegExp(form.pattern, "u").exec(Array.from(text, (c) => ALIKE.get(c) || c).join(""));
  if (found === null) return null;
  const [, opened, sign, , inner, digits, exponent, suffix, after, closed] = found;
  const power = form.powers.get(suffix) || 0;
  const signs = [opened, sign, inner, after].filter(Boolean);
  if (Boolean(opened) !== Boolean(closed) || signs.length > 1) return null;
  if ((opened && !form.parentheses) || (power && exponent)) return null;
  const ungrouped = form.grouping ? digits.replaceAll(form.grouping, "") : digits;
  const number = Number(ungrouped.replace(form.decimal, ".") + (exponent || "e" + power));
  return signs.length > 0 && signs[0] !== "+" ? -number : number;
}

const FLAGS = new Map([["true", 1], ["1", 1], ["false", 0], ["0", 0]]);

function flagOfText(column, text) {
  const flag = FLAGS.get(text.toLowerCase());
  return flag === undefined ? null : flag;
}

/** Days since 1970-01-01 (UTC). */
function daysOfText(column, text) {
  for (const [pattern, names] of column.dates) {
    const found = new RegExp(pattern, "u").exec(text);
    if (found !== null) return daysOfParts(names, found.slice(1));
  }
  return null;
}

function daysOfParts(names, parts) {
  const part = Object.fromEntries(names.map((name, i) => [name, Number(parts[i])]));
  const [hour, minute, second] = parts.slice(3, 6).map((digits) => Number(digits || 0));
  const [fraction, sign, east, past] = parts.slice(6);
  const date = new Date(0);
  date.setUTCFullYear(part.year, part.month - 1, part.day);
  if (part.year < 1 || date.getUTCMonth() !== part.month - 1 || date.getUTCDate() !== part.day) return null;
  if (hour > 23 || minute > 59 || second > 60) return null;
  const away = (Number(east || 0) * 3600 + Number(past || 0) * 60) * (sign === "-" ? -1 : 1);
  const seconds = hour * 3600 + minute * 60 + second - away;
  const microseconds = Number(((fraction || "") + "000000").slice(0, 6));
  return (date.getTime() * 1000 + seconds * 1e6 + microseconds) / 86400e6;
}

const OF_TEXT = { number: numberOfText, flag: flagOfText, date: daysOfText };
