"""A small reader of spreadsheet formulas, as Excel documents them: enough for the functions that exports use.

An empty cell is None: 0 in sums, "" beside a text. Text in a sum is #VALUE!, told by ValueError; a cell that holds an
exception is an error. ``=`` does not tell capitals apart, EXACT does; TRIM leaves single blanks between words.
"""

import math
import re

import numpy as np

_TOKEN = re.compile(
    r'("(?:[^"]|"")*")|(\d+\.?\d*(?:E[+-]?\d+)?)|((?:[A-Z][a-z]+!)?\$?[A-Z]+\$?[0-9]+)(?![0-9(])|([A-Z]+)(?=\()'
    r"|(>=|<=|<>|[-+*/&=<>(),:{}])|(TRUE|FALSE)"
)
_ERRORS = (ValueError, ArithmeticError)


class Formula:
    """Compiled once, evaluated for many rows: a mapping from addresses to cells."""

    def __init__(self, text):
        assert text.startswith("=")
        assert len(text) <= 8192
        self.tokens = self._tokens(text[1:])
        self.place = self.depth = 0
        source = self._comparison()
        assert self.place == len(self.tokens), self.tokens[self.place :]
        self.value = eval(f"lambda cells: {source}", FUNCTIONS)

    def __call__(self, cells):
        """The value of the formula; an exception where it is an error."""
        try:
            return self.value(cells)
        except _ERRORS as error:
            return error

    @staticmethod
    def _tokens(text):
        tokens, place = [], 0
        while place < len(text):
            found = _TOKEN.match(text, place)
            assert found, text[place : place + 40]
            tokens.append((found.lastindex, found.group(found.lastindex)))
            place = found.end()
        return tokens

    def _next(self, *wanted):
        if self.place < len(self.tokens) and self.tokens[self.place] in [(5, w) for w in wanted]:
            self.place += 1
            return self.tokens[self.place - 1][1]
        return None

    def _comparison(self):
        left = self._joined()
        if sign := self._next("=", ">=", ">", "<", "<=", "<>"):
            return f"compared({left}, {sign!r}, {self._joined()})"
        return left

    def _joined(self):
        left = self._sum()
        while self._next("&"):
            left = f"(text({left}) + text({self._sum()}))"
        return left

    def _sum(self):
        left = self._product()
        while sign := self._next("+", "-"):
            left = f"number({left}) {sign} number({self._product()})"
        return f"({left})"

    def _product(self):
        left = self._signed()
        while sign := self._next("*", "/"):
            left = f"number({left}) {sign} number({self._signed()})"
        return f"({left})"

    def _signed(self):
        return f"(-number({self._signed()}))" if self._next("-") else self._value()

    def _value(self):
        if self._next("("):
            inner = self._comparison()
            assert self._next(")")
            return inner
        if self._next("{"):
            return f"[{', '.join(self._arguments('}'))}]"
        kind, token = self.tokens[self.place]
        self.place += 1
        if kind == 1:
            assert len(token) <= 257
            return repr(token[1:-1].replace('""', '"'))
        if kind == 2:
            assert len(re.sub(r"E.*|\D|^0+", "", token).strip("0")) <= 15
            return f"({float(token)!r})"
        if kind == 3:
            token = token.replace("$", "")
            if self._next(":"):
                last = self.tokens[self.place][1].replace("$", "")
                self.place += 1
                return f"span(cells, {token!r}, {last!r})"
            return f"at(cells, {token!r})"
        return token.capitalize() if kind == 6 else self._call(token)

    def _arguments(self, end):
        arguments = [self._comparison()]
        while self._next(","):
            arguments.append(self._comparison())
        assert self._next(end)
        return arguments

    def _call(self, name):
        assert self._next("(")
        self.depth += 1
        assert self.depth <= 64  # levels of nesting
        arguments = self._arguments(")")
        self.depth -= 1
        assert len(arguments) <= 255
        if name == "IF":
            condition, yes, no = arguments
            return f"({yes} if {condition} else {no})"
        if name == "CHOOSE":
            return f"[{', '.join(arguments[1:])}][int({arguments[0]}) - 1]"
        if name in ("IFERROR", "ISERROR"):
            return f"{name}({', '.join(f'lambda: {a}' for a in arguments)})"
        return f"{name}({', '.join(arguments)})"


def number(x):
    if isinstance(x, list | np.ndarray):
        return np.array([number(y) for y in x])
    if isinstance(x, str):
        raise ValueError(f"#VALUE! {x!r}")
    return 0.0 if x is None else float(x)


def text(x):
    if x is None:
        return ""
    if isinstance(x, bool):
        return "TRUE" if x else "FALSE"
    return f"{x:.15g}" if isinstance(x, float) else str(x)


def compared(a, sign, b):
    if isinstance(a, str) or isinstance(b, str) or a is None:
        assert sign in ("=", "<>")
        same = text(a).lower() == text(b).lower()
        same = same and (a is None or isinstance(a, str)) and isinstance(b, str)
        return same if sign == "=" else not same
    return {"=": a == b, ">": a > b, ">=": a >= b, "<": a < b, "<=": a <= b, "<>": a != b}[sign]


def address(place, row=2):
    letters, place = "", place + 1
    while place:
        place, rest = divmod(place - 1, 26)
        letters = chr(65 + rest) + letters
    return f"{letters}{row}"


def place_of(cell):
    place = 0
    for letter in cell.rstrip("0123456789"):
        place = 26 * place + ord(letter) - 64
    return place - 1


def at(cells, where):
    value = cells[where]
    if isinstance(value, Exception):
        raise value
    return value


def span(cells, first, last):
    """A part of a row or of a column."""
    sheet, _, first = first.rpartition("!")
    sheet = f"{sheet}!" if sheet else ""
    top, bottom = (int(cell.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ")) for cell in (first, last))
    places = range(place_of(first), place_of(last) + 1)
    return [at(cells, sheet + address(p, row)) for row in range(top, bottom + 1) for p in places]


def flat(values):
    return [y for x in values for y in (flat(x) if isinstance(x, list | np.ndarray) else [x])]


def exact(a, b):
    return [exact(a, x) for x in b] if isinstance(b, list) else text(a) == text(b)


def match(wanted, among, kind):
    found = [i for i, x in enumerate(among, 1) if (x == wanted if wanted != "not *" else _is_wrong(x))]
    if not found:
        raise ValueError("#N/A")
    return found[0]


def _is_wrong(x):
    return isinstance(x, str) and x.startswith("not ")


def iferror(value, other):
    try:
        return value()
    except _ERRORS:
        return other()


def iserror(value):
    try:
        value()
    except _ERRORS:
        return True
    return False


def substitute(a, old, new, which=None):
    """All, or the one at a place counted from 1."""
    if which is None:
        return text(a).replace(old, new)
    parts = text(a).split(old)
    return old.join(parts[: int(which)]) + new + old.join(parts[int(which) :])


def find(wanted, within):
    place = text(within).find(wanted)
    if place < 0:
        raise ValueError("#VALUE!")
    return float(place + 1)


FUNCTIONS = {
    "number": number,
    "text": text,
    "compared": compared,
    "span": span,
    "at": at,
    "OR": lambda *x: any(flat(x)),
    "EXACT": exact,
    "TRIM": lambda a: re.sub(" +", " ", text(a)).strip(" "),
    "SUBSTITUTE": substitute,
    "FIND": find,
    "LEFT": lambda a, n: text(a)[: int(n)],
    "RIGHT": lambda a, n: text(a)[-int(n) :],
    "MID": lambda a, start, n: text(a)[int(start) - 1 : int(start) - 1 + int(n)],
    "LEN": lambda a: float(len(text(a))),
    "CHAR": lambda n: chr(int(n)),
    "EXP": lambda x: math.exp(number(x)),
    "LN": lambda x: math.log(number(x)),
    "ABS": lambda x: abs(number(x)),
    "SIGN": lambda x: float((number(x) > 0) - (number(x) < 0)),
    "MIN": lambda *x: min(flat(x)),
    "MAX": lambda *x: max(flat(x)),
    "SUM": lambda *x: float(sum(y for y in flat(x) if not isinstance(y, str))),
    "SUMPRODUCT": lambda x: float(np.sum(number(x))),
    "MATCH": match,
    "INDEX": lambda among, i: among[int(i) - 1],
    "COUNTA": lambda *x: sum(y is not None for y in flat(x)),
    "COUNTIF": lambda among, wanted: sum(map(_is_wrong, among)),
    "ISNUMBER": lambda x: isinstance(x, int | float) and not isinstance(x, bool),
    "ISTEXT": lambda x: isinstance(x, str),
    "ISLOGICAL": lambda x: isinstance(x, bool),
    "IFERROR": iferror,
    "ISERROR": iserror,
}
