"""Numbers and texts as source code. Numbers come back bit for bit; texts are harmless whatever they hold."""

import json


def number(x: float) -> str:
    """The shortest digits that give the same double again."""
    return repr(float(x))


def ascii_text(text: str) -> str:
    r"""A double-quoted JSON string of plain ASCII that closes no comment, script or string, and has no line end.

    >>> ascii_text('*/ </script>')
    '"\\u002a/ \\u003c/script\\u003e"'
    """
    quoted = json.dumps(text, ensure_ascii=True)
    for mark in "<>*&?":
        quoted = quoted.replace(mark, f"\\u{ord(mark):04x}")
    return quoted.replace("\x7f", "\\u007f")


def c_text(text: str) -> str:
    r"""A C string literal of the UTF-8 bytes: whatever is not a plain letter, digit or mark becomes an octal escape.

    >>> c_text('a"?')
    '"a\\042\\077"'
    """
    plain = set(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _-+=.,:;()[]{}<>!#$&'|~^@%")
    return '"' + "".join(chr(b) if b in plain else f"\\{b:03o}" for b in text.encode()) + '"'
