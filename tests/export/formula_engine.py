"""A small reader of spreadsheet formulas, as Excel documents them: enough for the functions that exports use.

An empty cell is None: 0 in sums, "" beside a text. Text in a sum is #VALUE!, told by ValueError. ``=`` does not tell
capitals apart, EXACT does; TRIM leaves single blanks between words.
"""

import math
import re

_TOKEN = re.compile(
    r'("(?:[^"]|"")*")|(\d+\.?\d*(?:E[+-]?\d+)?)|([A-Z]+2)(?![0-9(])|([A-Z]+)(?=\()|(>=|[-+*/&=>(),:])|(TRUE|FALSE)'
)


class Formula:
    """Compiled once, evaluated for many rows: a mapping from addresses to cells."""

    def __init__(self, text):
        assert text.startswith("=")
        assert len(text) <= 8192
        self.tokens = self._tokens(text[1:])
        self.place = 0
        source = self._comparison()
        assert self.place == len(self.tokens), self.tokens[self.place :]
        self.code = compile(source, "formula", "eval")

    def __call__(self, cells):
        return eval(self.code, FUNCTIONS, {"cells": cells})

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
        if sign := self._next("=", ">=", ">"):
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
        kind, token = self.tokens[self.place]
        self.place += 1
        if kind == 1:
            assert len(token) <= 257
            return repr(token[1:-1].replace('""', '"'))
        if kind == 2:
            assert len(re.sub(r"E.*|\D|^0+", "", token).strip("0")) <= 15
            return f"({float(token)!r})"
        if kind == 3:
            if self._next(":"):
                last = self.tokens[self.place][1]
                self.place += 1
                return f"span(cells, {token!r}, {last!r})"
            return f"cells[{token!r}]"
        return token.capitalize() if kind == 6 else self._call(token)

    def _call(self, name):
        assert self._next("(")
        arguments = [self._comparison()]
        while self._next(","):
            arguments.append(self._comparison())
        assert self._next(")")
        if name == "IF":
            condition, yes, no = arguments
            return f"({yes} if {condition} else {no})"
        if name == "CHOOSE":
            return f"[{', '.join(arguments[1:])}][int({arguments[0]}) - 1]"
        return f"{name}({', '.join(arguments)})"


def number(x):
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
        if not (a is None or isinstance(a, str)) or not isinstance(b, str):
            assert sign == "="
            return False
        return text(a).lower() == text(b).lower()
    return {"=": a == b, ">": a > b, ">=": a >= b}[sign]


def address(place):
    letters, place = "", place + 1
    while place:
        place, rest = divmod(place - 1, 26)
        letters = chr(65 + rest) + letters
    return letters + "2"


def place_of(cell):
    place = 0
    for letter in cell[:-1]:
        place = 26 * place + ord(letter) - 64
    return place - 1


def span(cells, first, last):
    return [cells[address(i)] for i in range(place_of(first), place_of(last) + 1)]


FUNCTIONS = {
    "number": number,
    "text": text,
    "compared": compared,
    "span": span,
    "OR": lambda *x: any(x),
    "EXACT": lambda a, b: text(a) == text(b),
    "TRIM": lambda a: re.sub(" +", " ", text(a)).strip(" "),
    "CHAR": lambda n: chr(int(n)),
    "EXP": lambda x: math.exp(number(x)),
    "LN": lambda x: math.log(number(x)),
    "ABS": lambda x: abs(number(x)),
    "SIGN": lambda x: float((number(x) > 0) - (number(x) < 0)),
    "MIN": min,
    "MAX": max,
    "SUM": sum,
    "MATCH": lambda x, among, kind: among.index(x) + 1,
}
