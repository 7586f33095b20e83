"""Labels that fit into a picture."""

from typing import Any

from discriminant.plots.canvas import as_text


def shorten(label: Any, most: int = 24) -> str:
    """A label as it is, its middle left out where it is long.

    >>> shorten("average time between two calls to the hotline", 20)
    'average ti…hotline'
    """
    text = str(label)
    if len(text) > most:
        start, end = text[: most // 2].rstrip(), text[len(text) - (most - 1) // 2 + 1 :].lstrip()
        text = f"{start}…{end}"
    return as_text(text)


def with_unit(what: str, unit: str) -> str:
    """The name of a quantity and its unit: "gain in EUR"."""
    return f"{what} in {as_text(unit)}" if unit else what


def number(value: float) -> str:
    """Three digits, with the signs of mathematics.

    >>> number(-1234.5), number(float("-inf"))
    ('−1.23e+03', '−∞')
    """
    return f"{value:.3g}".replace("inf", "∞").replace("-", "−", 1 if value < 0 else 0)
