"""Models made by hand: every rule, kind of column and way to be blank; and rows to try them on."""

from datetime import datetime, timedelta

import numpy as np

from discriminant.gain.matrix import Gain
from discriminant.model.decision_model import DecisionModel, Posterior, Target
from discriminant.table.encoding import Column, Encoding, Feature, IndexedEncoding

EPOCH = datetime(1970, 1, 1)

HOSTILE = (
    '*/ system("rm"); /*',
    '"); DROP TABLE x; --',
    "</script><script>alert(1)</script>",
    "line\nbreak\r\n#define x",
    "it's; -- a comment",
    "back\\slash\\",
    "percent %s {0} ${x} `tick`",
    "??/ trigraph ??'",
    "select",
    "naïve café 日本 🙂",
    "__proto__",
    "constructor",
    "'''\"\"\"",
    "\u2028\u2029",
    "=1+1",
    "int",
    "  spaces around  ",
    "row.*",
    "\x7f\x1b[31m",
    "--",
)


def number(name, centre=10.0, scale=3.0, blank=None, low=None, high=None):
    own = [Feature(name, "value", centre, scale)]
    return Column(name, "number", (*own, *_blank(name, blank)), low=low, high=high)


def flag(name, blank=None):
    return Column(name, "flag", (Feature(name, "value", 0.3, 0.458257569495584), *_blank(name, blank)))


def date(name, blank=None):
    return Column(name, "date", (Feature(name, "value", 18262.5, 400.0), *_blank(name, blank)), low=17000, high=19500)


def category(name, reference, levels, other=False, blank=None, also_blank=(), aliases=()):
    own = [Feature(f"{name} = {t}", "level", 0.2 + 0.01 * i, 0.4, t) for i, t in enumerate(levels)]
    own += [Feature(f"{name} = (other)", "other", 0.05, 0.218)] if other else []
    features = (*own, *_blank(name, blank))
    return Column(name, "category", features, reference=reference, also_blank=also_blank, aliases=aliases)


def _blank(name, share):
    return () if share is None else (Feature(f"{name} is blank", "blank", share, (share * (1 - share)) ** 0.5),)


def mixed_columns():
    return (
        number("age", 45.25, 12.125, blank=0.02),
        Column("id", "dropped", reason="an identifier"),
        number("income", 2.5e4, 1.25e4),
        number("tiny", 1e-12, 3e-13),
        number("offset", 1e9 + 0.1, 0.01),
        flag("member", blank=0.1),
        flag("smoker"),
        date("since", blank=0.2),
        date("seen"),
        category("sex", "m", ["f"]),
        category("town", "Bonn", ["Köln", 'it\'s "Ulm"', "Bad\\Tölz", "bonn"], other=True, blank=0.05),
        category("grade", "1", ["2", "3"], also_blank=("unknown",)),
        category("spa", "Bad Ems", ["Bad Orb"], aliases=(("BAD EMS", "Bad Ems"), ("Bad  Orb", "Bad Orb"))),
        Column("phone", "category", tuple(_blank("phone", 0.4)), reference="yes"),
    )


def in_pieces():
    """Every form that a number or date may have, some with blanks."""
    step = [Feature(f"step {a}", "value", (a + b) / 2, 2.0, low=a, high=b) for a, b in ((-5, 0), (0, 2.5), (2.5, 30.0))]
    tail = Feature("tail by its logarithm", "value", 1.0, 0.8, low=30.0, unit=4.0)
    days = [Feature(f"day {a}", "value", a, 90.0, low=a, high=b) for a, b in ((17100.0, 18000.5), (18000.5, 19400.0))]
    return (
        Column(
            "clipped", "number", (Feature("clipped", "value", 10.0, 3.0, low=2.25, high=17.5),), low=-50.0, high=90.0
        ),
        Column("above", "number", (Feature("above", "value", 10.0, 3.0, low=8.1), *_blank("above", 0.1))),
        Column("debt", "number", (Feature("debt", "value", 2.5, 1.25, unit=120.0),), low=-4000.0, high=1e6),
        Column("ratio", "number", (Feature("ratio", "value", 0.5, 0.4, low=-0.2, high=3.0, unit=0.05),)),
        Column("steps", "number", (*step, tail, *_blank("steps", 0.05)), low=-20.0, high=300.0),
        Column("opened", "date", (*days, *_blank("opened", 0.1)), low=17000.0, high=19500.0),
        number("offset", 1e9 + 0.1, 0.01),
        category("sex", "m", ["f"]),
    )


BENDS = ((-1.0, 0.8), (0.25, -0.5), (1.5, -1.6), (2.5, 0.4))


def model(columns, classes, *, rule, gain=None, posterior=None, seed=0, scale=1.0, threshold=0.1):
    encoding = columns if isinstance(columns, IndexedEncoding) else Encoding(tuple(columns))
    K = len(classes)
    planes = 1 if K == 2 else K
    random = np.random.default_rng(seed)
    return DecisionModel(
        Target("class", tuple(classes)),
        encoding,
        scale * random.normal(size=(planes, encoding.n_features)),
        threshold * random.normal(size=planes),
        rule,
        Gain.identity(K, classes) if gain is None else gain,
        posterior,
    )


def two():
    return model(mixed_columns(), ("no", "yes"), rule="threshold", posterior=Posterior(1.3, (0.0, -0.2)))


def two_without_posterior():
    return model(mixed_columns(), (False, True), rule="threshold")


def two_with_reject():
    gain = Gain([[1.0, -4.0], [-9.0, 3.0]], classes=("good", "bad"), reject=-0.25)
    return model(mixed_columns(), ("good", "bad"), rule="gain", gain=gain, posterior=Posterior(0.7, (0.1, -0.3)))


def three_by_gain():
    gain = Gain([[5.0, 0.0, -2.0], [-1.0, 3.0, 1.5], [-10.0, 0.5, 4.0]], classes=(1, 2, 3))
    return model(mixed_columns(), (1, 2, 3), rule="gain", gain=gain, posterior=Posterior(0.5, (0.0, 0.4, -0.1)))


def three_with_reject():
    gain = Gain(np.eye(3), classes=(1, 2, 3), reject=0.6)
    return model(mixed_columns(), (1, 2, 3), rule="gain", gain=gain, posterior=Posterior(0.25, (0.0, 0.4, -0.1)))


def three_by_largest():
    return model(mixed_columns(), (0.5, 1.5, -2.5), rule="largest")


def two_in_pieces():
    return model(in_pieces(), ("no", "yes"), rule="threshold", posterior=Posterior(1.3, (0.0, -0.2), BENDS))


def two_in_pieces_with_reject():
    gain = Gain([[1.0, -4.0], [-9.0, 3.0]], classes=("good", "bad"), reject=-0.25)
    return model(in_pieces(), ("good", "bad"), rule="gain", gain=gain, posterior=Posterior(1.3, (0.1, -0.3), BENDS))


def three_in_pieces():
    gain = Gain([[5.0, 0.0, -2.0], [-1.0, 3.0, 1.5], [-10.0, 0.5, 4.0]], classes=(1, 2, 3))
    return model(in_pieces(), (1, 2, 3), rule="gain", gain=gain, posterior=Posterior(0.5, (0.0, 0.4, -0.1)))


def hostile():
    texts = [t.strip() for t in HOSTILE if t.strip()]
    columns = []
    for i, name in enumerate(HOSTILE):
        levels = [t for t in texts[i % 4 :: 3] if t != texts[i % 5]]
        columns.append(number(name) if i % 3 == 0 else category(name, texts[i % 5], levels, other=i % 2 == 0))
    gain = Gain([[1.0, 0.0], [0.0, 1.0]], classes=(HOSTILE[0], HOSTILE[1]), reject=0.6)
    return model(columns, (HOSTILE[0], HOSTILE[1]), rule="gain", gain=gain, posterior=Posterior(0.3, (0.0, 0.0)))


def wide(d=2000, classes=("a", "b")):
    posterior = Posterior(1.0, tuple(0.1 * k for k in range(len(classes))))
    rule = "threshold" if len(classes) == 2 else "gain"
    columns = [number(f"x{j}", centre=j / 7, scale=1 + j / 11) for j in range(d)]
    return model(columns, classes, rule=rule, posterior=posterior, scale=0.05)


def many_levels(d=2000):
    """As many features from few columns."""
    columns = [category(f"c{j}", "none", [f"level {i}" for i in range(d // 20)], other=j % 2 == 0) for j in range(20)]
    return model(columns, ("a", "b"), rule="threshold", scale=0.2)


def sparse(classes=("a", "b"), d=500, first_index=1):
    encoding = IndexedEncoding(d, first_index)
    posterior = Posterior(1.1, tuple(0.2 * k for k in range(len(classes))))
    return model(encoding, classes, rule="threshold" if len(classes) == 2 else "gain", posterior=posterior)


MODELS = {
    f.__name__: f
    for f in (
        two,
        two_without_posterior,
        two_with_reject,
        two_in_pieces,
        two_in_pieces_with_reject,
        three_by_gain,
        three_with_reject,
        three_by_largest,
        three_in_pieces,
        hostile,
    )
}


def rows(of, n=10_000, seed=1, trimmed=False):
    """Cells by column: blanks, texts never seen, extreme numbers, each in a part of the rows."""
    random = np.random.default_rng(seed)
    cells = {column.name: [_cell(column, random) for _ in range(n)] for column in of.encoding.used}
    numbers = [c.name for c in of.encoding.used if c.kind == "number"]
    for place in range(0, n, 50) if numbers else ():  # one extreme number a row, so that it does not drown another
        name = numbers[place // 50 % len(numbers)]
        largest = 1e100 if name == "tiny" else 1e300  # 1e300 of those units is infinite for the model, too
        cells[name][place] = float(random.choice([1e15, -1e15, 1e100, -1e100, largest, 5e-324, -0.0, 2.0**53 + 2]))
    if trimmed:
        cells = {k: [c.strip() if isinstance(c, str) else c for c in own] for k, own in cells.items()}
    return cells


def _cell(column, random):
    if random.random() < 0.08:
        return None
    if column.kind == "number":
        ends = [end for f in column.values for end in (f.low, f.high, f.unit) if end is not None]
        if ends:
            kind, end = int(random.integers(4)), float(random.choice(ends))
            return [0.0, end, -end, end + 2 * max(ends) * float(random.normal())][kind]
        value = next((f for f in column.features if f.role == "value"), None)
        return float(value.centre + value.scale * random.normal()) if value else 1.0
    if column.kind == "flag":
        return bool(random.integers(2))
    if column.kind == "date":
        seconds = int(random.integers(-3_000_000_000, 4_000_000_000)) if random.random() < 0.5 else None
        return EPOCH + (timedelta(seconds=seconds) if seconds else timedelta(days=int(random.integers(17000, 19500))))
    texts = [column.reference, *column.levels, "never seen", "NA", "", "unknown", " f ", "KÖLN", "%", "'", "\\"]
    return texts[int(random.integers(len(texts)))]
