
/** One score for two classes (positive for the second), else one a class. `row` maps columns to cells. */
function scores(row) {
  const totals = MODEL.thresholds.map((t) => -t);
  for (const column of MODEL.columns) {
    const added = addedBy(column, cellOf(row, column.name));
    for (let p = 0; p < totals.length; p += 1) totals[p] += added[p];
  }
  return totals;
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
  if (column.kind === "category") {
    column.byText = new Map(column.levels);
    column.blankTexts = new Set(column.blankTexts);
  }
}
const BLANK_TOKENS = new Set(MODEL.blankTokens);

function cellOf(row, name) {
  if (row instanceof Map) return row.get(name);
  return Object.prototype.hasOwnProperty.call(row, name) ? row[name] : undefined;
}

function addedBy(column, cell) {
  if (column.kind === "category") {
    const text = isBlank(cell) ? "" : String(cell).trim();
    if (column.blankTexts.has(text)) return column.blank;
    return column.byText.has(text) ? column.byText.get(text) : column.unseen;
  }
  const raw = READ[column.kind](cell, column.name);
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

function refused(cell, name, what) {
  return new RangeError(JSON.stringify(String(cell)) + " in column " + JSON.stringify(name) + " is " + what);
}

function numberOf(cell, name) {
  if (isBlank(cell)) return null;
  if (typeof cell === "string") {
    const text = cell.trim();
    if (BLANK_TOKENS.has(text)) return null;
    if (!/^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$/.test(text)) throw refused(cell, name, "no number");
    cell = text;
  }
  const number = Number(cell);
  if (!Number.isFinite(number)) throw refused(cell, name, "no finite number");
  return number;
}

function flagOf(cell, name) {
  if (typeof cell === "string") {
    const word = cell.trim().toLowerCase();
    if (word === "true" || word === "false") return word === "true" ? 1 : 0;
  }
  return numberOf(cell, name);
}

const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s?(?:Z|([+-])(\d\d):?(\d\d)?)?)?$/;

/** Days since 1970-01-01 (UTC) of a Date, an ISO text, or of a number that counts them. */
function daysOf(cell, name) {
  if (cell instanceof Date) {
    if (Number.isNaN(cell.getTime())) throw refused(cell, name, "no date");
    return cell.getTime() / 86400000;
  }
  if (typeof cell !== "string" || BLANK_TOKENS.has(cell.trim())) return numberOf(cell, name);
  const found = ISO.exec(cell.trim());
  if (found === null) throw refused(cell, name, "no ISO date");
  const [year, month, day, hour, minute, second] = found.slice(1, 7).map((digits) => Number(digits || 0));
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day || hour > 23 || minute > 59 || second > 59) {
    throw refused(cell, name, "not in the calendar");
  }
  const east = (found[8] === "-" ? -1 : 1) * (Number(found[9] || 0) * 60 + Number(found[10] || 0));
  const seconds = hour * 3600 + (minute - east) * 60 + second;
  const microseconds = Number(((found[7] || "") + "000000").slice(0, 6));
  return (date.getTime() * 1000 + seconds * 1e6 + microseconds) / 86400e6;
}

const READ = { number: numberOf, flag: flagOf, date: daysOf };
