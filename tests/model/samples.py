"""Models made up at random, of every kind that a file can hold, and tables for them."""

from itertools import pairwise
from typing import Any

import numpy as np
from hypothesis import strategies as st

from discriminant.gain import Gain
from discriminant.gain.reading import GainTable
from discriminant.model import DecisionModel, Posterior, Target
from discriminant.table.encoding import Column, Encoding, Feature, IndexedEncoding, piece_name

ODD_NAMES = [
    "age",
    "Größe",
    "a\nb",
    '"quoted"',
    "]}{[",
    "\\",
    "price, EUR",
    "日本",
    "😀",
    " x ",
    "=1+1",
    "\x00",
    "c" * 300,
]
LABELS: list[tuple[Any, ...]] = [
    ("no", "yes"),
    (0, 1),
    (False, True),
    (0.5, 2.0),
    ("a", 1),
    (-(2**62), 2**62),
    ("1", 1),
    (1, True),
    ("a", "b", "c"),
    (1, 2, 3),
    tuple(range(12)),
    ("", "x", "é"),
]
ODD_FLOATS = [0.0, -0.0, 5e-324, -5e-324, 1e-308, 1.7976931348623157e308, 0.1, 1 / 3, -1e300, 2.0**53 + 2, 1e22]


def numbers(rng: np.random.Generator, *shape: int) -> Any:
    """Ordinary numbers with odd ones among them."""
    values = rng.standard_normal(shape)
    odd = rng.random(shape) < 0.1
    values[odd] = rng.choice(ODD_FLOATS, int(odd.sum()))
    return values


def random_model(seed: int, *, odd: bool = True) -> DecisionModel:
    """A model of any kind; with ``odd``, its names and numbers are such as nobody would choose."""
    rng = np.random.default_rng(seed)
    kinds = LABELS if odd else [labels for labels in LABELS if len(set(map(str, labels))) == len(set(labels))]
    classes = kinds[int(rng.integers(len(kinds)))]
    K = len(classes)
    P = 1 if K == 2 else K
    encoding: Any = random_encoding(rng, odd=odd)
    if odd and rng.random() < 0.1:
        encoding = IndexedEncoding(int(rng.integers(0, 30)), int(rng.integers(2)))
    d = encoding.n_features
    posterior = None
    if rng.random() < 0.7:
        bends = random_bends(rng) if K == 2 and rng.random() < 0.4 else ()
        posterior = Posterior(float(rng.exponential()), tuple(rng.normal(size=K).tolist()), bends)
    reject = posterior is not None and rng.random() < 0.3
    rule: Any = "gain" if reject else rng.choice(["threshold" if K == 2 else "largest", "gain"])
    rule = str(rule) if posterior is not None else ("threshold" if K == 2 else "largest")
    matrix = np.eye(K) * rng.uniform(1, 5, K) if rng.random() < 0.5 else rng.normal(size=(K, K)) + 2 * np.eye(K)
    if reject:
        matrix = np.column_stack([matrix, np.full(K, 0.3)])
    weights = numbers(rng, P, d) if odd else rng.standard_normal((P, d))
    return DecisionModel(
        Target("class", classes),
        encoding,
        weights,
        numbers(rng, P) if odd else rng.standard_normal(P),
        rule=rule,
        gain=Gain(GainTable(matrix, None, "nobody knows"), None, str(rng.choice(["", "EUR"]))),
        posterior=posterior,
        priors=tuple((np.ones(K) / K).tolist()) if rng.random() < 0.5 else None,
        learner="lda",
        parameters={"shrinkage": "auto", "alpha": 0.1, "nested": {"list": [1, 2.5, None, True, "x"]}},
        findings=({"kind": "ConstantColumn", "fact": "f", "evidence": "e", "remedy": "r", "doubtful": False},),
        provenance={"rows": 1000, "sha256": "ab" * 32, "command": "discriminant fit 'a b.csv'"},
    )


def random_encoding(rng: np.random.Generator, *, odd: bool = True) -> Encoding:
    """Columns of all kinds."""
    names = ODD_NAMES if odd else ["age", "income", "member", "since", "town", "id", "height", "job"]
    picked = rng.permutation(names)[: int(rng.integers(1, len(names) + 1))].tolist()
    return Encoding(tuple(random_column(rng, name) for name in picked))


def random_column(rng: np.random.Generator, name: str) -> Column:
    """One column of any kind."""
    kind = str(rng.choice(["number", "flag", "date", "category", "dropped"], p=[0.4, 0.15, 0.15, 0.2, 0.1]))
    if kind == "dropped":
        return Column(name, "dropped", reason="every value is different: an identifier", blanks=3)
    blank = (Feature(f"{name} is blank", "blank", 0.1, 0.3),) if rng.random() < 0.4 else ()
    if kind == "category":
        levels = tuple(Feature(f"{name} = {t}", "level", 0.2, 0.4, t) for t in ("b", "c")[: int(rng.integers(1, 3))])
        other = (Feature(f"{name} = (other)", "other", 0.05, 0.2),) if rng.random() < 0.5 else ()
        return Column(name, "category", (*levels, *other, *blank), reference="a", blanks=2, also_blank=("none",))
    middle = {"number": 40.0, "flag": 0.5, "date": 18000.0}[kind]
    spread = {"number": 12.5, "flag": 0.5, "date": 400.0}[kind]
    centre = middle + float(rng.normal())
    values = (Feature(name, "value", centre, spread),)
    forms: dict[str, Any] = {}
    if kind != "flag" and rng.random() < 0.5:
        values = random_form(rng, name, centre, spread)
        forms = {"deviation": spread * float(rng.uniform(0.5, 1.0)), "step": rng.choice([None, 1.0, 0.25])}
    return Column(name, kind, (*values, *blank), low=middle - 3 * spread, high=middle + 3 * spread, **forms)  # type: ignore[arg-type]


def random_form(rng: np.random.Generator, name: str, centre: float, spread: float) -> tuple[Feature, ...]:
    """A number clipped, by its logarithm, in pieces, or several of these."""
    unit = float(rng.exponential(spread))
    by_log = {"centre": 0.5, "scale": 1.5, "unit": unit}
    low, high = centre - spread * float(rng.uniform(0, 2)), centre + spread * float(rng.uniform(0, 2))
    form = int(rng.integers(6))
    if form == 0:
        return (Feature(name, "value", centre, spread, low=low, high=high),)
    if form == 1:
        return (Feature(name, "value", **by_log),)
    if form == 2:
        return (Feature(name, "value", **by_log, low=low, high=high),)
    if form == 3:
        return (Feature(name, "value", centre, spread, high=high),)
    cuts = sorted({low, high, *rng.uniform(low, high, int(rng.integers(1, 4))).tolist()})
    pieces = tuple(
        Feature(piece_name(name, a, b), "value", (a + b) / 2, spread / 3, low=a, high=b) for a, b in pairwise(cuts)
    )
    return pieces if form == 4 else (*pieces, Feature(f"{name} by its logarithm", "value", **by_log, low=high))


def random_bends(rng: np.random.Generator) -> tuple[tuple[float, float], ...]:
    """Log-odds that become steeper, and flatter again, but never fall."""
    steeper = [
        (float(at), float(change)) for at, change in zip(rng.normal(size=2), rng.exponential(size=2), strict=True)
    ]
    flatter = [(at + float(rng.exponential()), -change * float(rng.choice([0.5, 1.0]))) for at, change in steeper]
    return (*steeper, *flatter)


def random_table(rng: np.random.Generator, encoding: Encoding, n: int, *, blanks: float = 0.1) -> dict[str, list[Any]]:
    """Cells that the columns of an encoding can hold, blank ones and texts never seen among them."""
    table: dict[str, list[Any]] = {}
    for column in encoding.used:
        if column.kind == "category":
            cells: list[Any] = rng.choice(["a", "b", "c", "never seen"], n, p=[0.4, 0.3, 0.2, 0.1]).tolist()
        elif column.kind == "flag":
            cells = (rng.random(n) < 0.5).tolist()
        else:
            assert column.low is not None
            assert column.high is not None
            middle, spread = (column.low + column.high) / 2, (column.high - column.low) / 6
            cells = (middle + spread * rng.standard_normal(n)).tolist()
            ends = [end for f in column.values for end in (f.low, f.high) if end is not None]
            if ends:  # some cells at the ends of pieces, and beyond all of them
                odd = [*ends, 0.0, -spread, 10 * column.high, -10 * column.high]
                cells = [float(rng.choice(odd)) if rng.random() < 0.2 else cell for cell in cells]
        gone = rng.random(n) < blanks
        table[column.name] = [None if g else cell for cell, g in zip(cells, gone, strict=True)]
    return table


models = st.integers(0, 2**32 - 1).map(random_model)
plain_models = st.integers(0, 2**32 - 1).map(lambda seed: random_model(seed, odd=False))


def same_bits(a: Any, b: Any) -> bool:
    """Whether arrays of floats are equal to the last bit, signs of zeros too."""
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    return a.shape == b.shape and a.tobytes() == b.tobytes()
