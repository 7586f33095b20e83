"""Text cells of every hostile kind, by seed: what each column may hold, then changed here and there."""

import numpy as np

from discriminant.export.text_vectors import hostile_texts, usual_text
from discriminant.table.number_format import NumberFormat
from discriminant.table.texts import SPACES
from tests.export import models

ODD = [
    *SPACES, "\u200b", "\u200d", "\ufeff", "\u00ad", "\u2060", "\u180e", "\0", "\x7f", "\x01",
    *"0123456789", *"٠٣٩०९０９", *"²½Ⅷ①", *"+-−–—‐－﹣", *".,·٫，．", *"'’`´\"", *"eEdDxXkKmMT",
    *"()[]{}", *"_:;/\\%$€£¥",
    *"ßİıſK", "e\u0301", "\u0301", "🙂", "&", "<", "*", "?", "~", "^", "|", "#", "=", "@",
]  # fmt: skip
WORDS = "inf NaN nan Infinity NULL NA true FALSE 1 0 2 0x1F 1e5 1e-5 1e400 T Z".split()  # noqa: SIM905


def written_columns():
    """Numbers as people write them, dates in other orders, texts that count as blank."""
    forms = {
        "dollars": NumberFormat(".", ",", ("$", "USD"), {"k": 3, "K": 3, "M": 6, "bn": 9}, True),
        "euros": NumberFormat(",", ".", ("€", "EUR", "Euro"), {"Mio.": 6, "Tsd": 3}),
        "spaced": NumberFormat(",", " ", ("kg",)),
        "swiss": NumberFormat(".", "'", ("Fr.", "SFr")),
        "share": NumberFormat(".", "", ("%",), {}, True),
        "comma": NumberFormat(",", ""),
    }
    value = {name: models.Feature(name, "value", 1000.0, 3000.0) for name in forms}
    numbers = [
        models.Column(n, "number", (value[n], *models._blank(n, 0.1)), number_format=f) for n, f in forms.items()
    ]
    orders = {"english": "%d/%m/%Y", "american": "%m-%d-%Y", "german": "%d.%m.%Y", "slashed": "%Y/%m/%d"}
    day = {name: models.Feature(name, "value", 18262.5, 400.0) for name in orders}
    dates = [models.Column(n, "date", (day[n],), date_format=f, also_blank=("n.d.",)) for n, f in orders.items()]
    odd = models.Column(
        "odd", "number", (models.Feature("odd", "value", 5.0, 9.0, low=-20.0, unit=2.0),), also_blank=("-1", "x")
    )
    return (
        *numbers,
        *dates,
        odd,
        models.flag("member"),
        models.category("town", "Bad Ems", ["Bad Orb", "b"], other=True),
    )


def mixed():
    """Without a column whose last digit counts: SQLite reads decimal numbers to a bit less than that."""
    columns = [column for column in models.mixed_columns() if column.name != "offset"]
    return models.model(columns, ("no", "yes"), rule="threshold", posterior=models.Posterior(1.3, (0.0, -0.2)))


def in_pieces():
    gain = models.Gain([[5.0, 0.0, -2.0], [-1.0, 3.0, 1.5], [-10.0, 0.5, 4.0]], classes=(1, 2, 3))
    columns = [column for column in models.in_pieces() if column.name != "offset"]
    return models.model(columns, (1, 2, 3), rule="gain", gain=gain, posterior=models.Posterior(0.5, (0.0, 0.4, -0.1)))


def written():
    gain = models.Gain([[1.0, -4.0], [-9.0, 3.0]], classes=("good", "bad"), reject=-0.25)
    return models.model(
        written_columns(), ("good", "bad"), rule="gain", gain=gain, posterior=models.Posterior(0.7, (0.1, -0.3))
    )


def texts(model, n, seed):
    """Cells by column, all texts or None: most rows have one hostile text beside usual ones, some have several."""
    random = np.random.default_rng(seed)
    columns = model.encoding.used
    pools = [list(hostile_texts(c)) for c in columns]
    rows = []
    for _ in range(n):
        row = [usual_text(c, models._cell(c, random)) if c.kind != "category" else c.reference for c in columns]
        several = int(random.choice([1, 1, 1, 1, 2, 2, 3, len(columns)]))
        for place in random.choice(len(columns), several, replace=False).tolist():
            row[place] = changed(_seed_text(columns[place], pools[place], row[place], random), random)
        rows.append(row)
    return {c.name: [row[i] for row in rows] for i, c in enumerate(columns)}


def _seed_text(column, pool, usual, random):
    kind = random.random()
    if kind < 0.5:
        return pool[int(random.integers(len(pool)))]
    if kind < 0.8:
        return usual or ""
    if kind < 0.95:
        return str(random.choice(WORDS))
    return "".join(random.choice(ODD, int(random.integers(1, 9))))


def changed(text, random):
    """With no, one or two changes: a character more, less or another, in another case, spaces around, repeated."""
    for _ in range(int(random.integers(3))):
        place, odd = int(random.integers(len(text) + 1)), str(random.choice(ODD))
        text = [
            lambda t, p, o: t[:p] + o + t[p:],
            lambda t, p, o: t[:p] + o + t[p + 1 :],
            lambda t, p, o: t[:p] + t[p + 1 :],
            lambda t, p, o: o + t + o,
            lambda t, p, o: t.swapcase(),
            lambda t, p, o: t[:p] + t[p : p + 1] * int(random.choice([2, 3, 50])) + t[p:],
            lambda t, p, o: str(random.choice(list(SPACES))) + t + str(random.choice(list(SPACES))),
        ][int(random.integers(7))](text, place, odd)
    return text
