"""Where tables come from: sources made to be nasty, drawn from with a generator, and real tables that lie beside."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

SHARED = Path(__file__).parents[3] / "shared" / "data"
Maker = Callable[[np.random.Generator, int], pd.DataFrame]


def sigmoid(t):
    return 1 / (1 + np.exp(-np.clip(t, -500, 500)))


def drawn(rng, logit, no, yes):
    """Classes drawn with P(yes) = sigmoid(logit)."""
    labels = np.array([no, yes], dtype=object)
    return labels[(rng.random(len(logit)) < sigmoid(logit)).astype(int)]


def normal(no: Any, yes: Any, steep: float = 2.0, shift: float = 0.0) -> Maker:
    """Four normal columns, of which three matter."""

    def make(rng, n):
        x = rng.normal(size=(n, 4))
        y = drawn(rng, shift + steep * (x[:, 0] - 0.7 * x[:, 1] + 0.3 * x[:, 2]), no, yes)
        return pd.DataFrame(x, columns=["x1", "x2", "x3", "x4"]).assign(y=y)

    return make


def credit(rng, n):
    """Loans as they come: ratios without a bound, codes 96 and 98 in counts, blank incomes."""
    risk = rng.normal(size=n)
    utilisation = np.clip(0.3 + 0.25 * risk + 0.25 * rng.normal(size=n), 0, 1.3)
    wild = rng.random(n) < 0.015
    utilisation = np.where(wild, np.round(10 ** rng.uniform(1, 4.7, n)), utilisation.round(6))
    income = np.round(np.exp(rng.normal(8.6 - 0.15 * risk, 0.7)))
    income = np.where(rng.random(n) < 0.2, np.nan, income)
    debt = np.where(np.isnan(income), np.round(np.exp(rng.normal(7, 1))), np.exp(rng.normal(-1.2, 0.8)))
    late = rng.poisson(np.exp(-2.2 + 1.1 * risk))
    very_late = rng.poisson(np.exp(-3.2 + 1.2 * risk))
    code = rng.random(n) < 0.004
    late, very_late = np.where(code, 98, np.minimum(late, 12)), np.where(code, 98, np.minimum(very_late, 12))
    age = np.clip(np.round(rng.normal(52 - 3 * risk, 14)), 0, 105)
    return pd.DataFrame(
        {
            "utilisation": utilisation,
            "age": age.astype(int),
            "late_30_59": late,
            "debt_ratio": debt.round(6),
            "income": income,
            "open_lines": rng.poisson(8, n),
            "late_90": very_late,
            "y": drawn(rng, -3.3 + 1.5 * risk, "paid", "default"),
        }
    )


def lognormal(rng, n):
    z = rng.normal(size=(n, 3))
    columns = pd.DataFrame(np.exp(2.2 * z), columns=["sales", "debt", "stock"])
    return columns.assign(y=drawn(rng, 2.0 * z[:, 0] - 1.5 * z[:, 1], "no", "yes"))


def cauchy(rng, n):
    z = rng.uniform(-1, 1, size=(n, 3))
    columns = pd.DataFrame(np.tan(z * np.pi / 2 * 0.9999), columns=["a", "b", "c"])
    return columns.assign(y=drawn(rng, 3 * z[:, 0] + 2 * z[:, 1], "down", "up"))


def outliers(rng, n):
    """Clean columns but for one cell in a hundred that was typed with four zeros too many."""
    table = normal("keep", "leave")(rng, n)
    for column in ("x1", "x2"):
        wrong = rng.random(n) < 0.01
        table[column] = np.where(wrong, table[column].abs() * 1e4, table[column])
    return table


def rare_levels(rng, n):
    levels = np.array([f"town {k}" for k in range(40)])
    town = rng.choice(levels, n, p=(p := 1 / (1 + np.arange(40)) ** 1.3) / p.sum())
    effect = dict(zip(levels, np.random.default_rng(3).normal(0, 1.3, 40), strict=True))
    plan = rng.choice(["basic", "gold", "Gold plus", "staff"], n, p=[0.7, 0.2, 0.095, 0.005])
    logit = np.array([effect[t] for t in town]) + 1.5 * (plan == "gold") - 0.5
    return pd.DataFrame({"town": town, "plan": plan, "y": drawn(rng, logit, "stay", "move")})


def blanks(rng, n):
    """Blanks written in every usual way, and one column whose being blank says something."""
    x = rng.normal(size=(n, 4))
    text = pd.DataFrame(x.round(4), columns=["a", "b", "c", "d"]).astype(str)
    ways = np.array(["", "NA", "?", "null", "n/a", "-", "None", "NaN"])
    for column, share in zip("abc", (0.05, 0.3, 0.6), strict=True):
        gone = rng.random(n) < share
        text.loc[gone, column] = ways[rng.integers(len(ways), size=int(gone.sum()))]
    secret = rng.random(n) < 0.25
    text.loc[secret, "d"] = ""
    text["empty"] = ""
    text["word"] = np.where(rng.random(n) < 0.3, "", rng.choice(["red", "blue"], n))
    return text.assign(y=drawn(rng, 1.5 * x[:, 0] + x[:, 1] + 2.0 * secret - 0.5, "no", "yes"))


def constants(rng, n):
    return normal("a", "b")(rng, n).assign(one=1, word="same", zero=0.0, nearly=np.where(np.arange(n) == 5, 1, 0))


def collinear(rng, n):
    table = normal("a", "b")(rng, n)
    return table.assign(
        double=2 * table.x1, total=table.x1 + table.x2, metric=table.x3 * 1000 + 1, copy=table.x2, close=table.x1 + 1e-9
    )


def separable(rng, n):
    x = rng.normal(size=(n, 3))
    side = x[:, 0] + x[:, 1] > 0
    x[:, 0] += np.where(side, 0.3, -0.3)
    return pd.DataFrame(x, columns=["a", "b", "c"]).assign(y=np.where(side, "yes", "no"))


def quasi_separable(rng, n):
    """A level that only one class has; the rest overlaps."""
    table = normal("no", "yes", steep=1.0)(rng, n)
    return table.assign(kind=np.where((table.y == "yes") & (rng.random(n) < 0.4), "vip", "plain"))


def classes(k: int) -> Maker:
    def make(rng, n):
        centres = np.random.default_rng(k).normal(0, 1.6, size=(k, 5))
        place = rng.choice(k, n, p=(p := 1 / (2 + np.arange(k))) / p.sum())
        x = centres[place] + rng.normal(size=(n, 5))
        return pd.DataFrame(x, columns=list("abcde")).assign(y=[f"kind {p:02d}" for p in place])

    return make


def duplicated(rng, n):
    """Each row stands there four times, as after a join that went wrong."""
    few = normal("no", "yes", steep=0.8)(rng, -(-n // 4))
    return few.loc[few.index.repeat(4)].head(n).reset_index(drop=True)


def tiny(rng, n):
    return pd.DataFrame({"a": rng.normal(size=n), "y": np.where(np.arange(n) % 2, "no", "yes")})


def dates(rng, n):
    day = rng.integers(0, 3000, n)
    joined = pd.Timestamp("2015-03-01") + pd.to_timedelta(day, unit="D")
    seen = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 400, n), unit="D")
    return pd.DataFrame(
        {
            "joined": joined.strftime("%Y-%m-%d"),
            "seen": pd.Series(seen.strftime("%Y-%m-%d")).where(rng.random(n) > 0.1, ""),
            "y": drawn(rng, (day - 1500) / 500, "leaves", "stays"),
        }
    )


def flags(rng, n):
    x = rng.random((n, 4)) < [0.5, 0.3, 0.1, 0.7]
    return pd.DataFrame(
        {
            "smoker": np.where(x[:, 0], "yes", "no"),
            "urgent": np.where(x[:, 1], "Y", "N"),
            "member": x[:, 2],
            "bit": x[:, 3].astype(int),
            "y": drawn(rng, x @ np.array([1.5, -2.0, 2.0, 1.0]) - 1, "healthy", "ill"),
        }
    )


def weighted(rng, n):
    table = normal("no", "yes", steep=1.2)(rng, n)
    return table.assign(w=rng.choice([1, 2, 10], n, p=[0.5, 0.4, 0.1]))


def wide(rng, n):
    x = rng.normal(size=(n, 150))
    return pd.DataFrame(x, columns=[f"g{j}" for j in range(150)]).assign(y=drawn(rng, 4 * x[:, :3].sum(1), "a", "b"))


def giveaway(rng, n):
    table = normal("open", "closed", steep=0.7)(rng, n)
    return table.assign(reason=np.where(table.y == "closed", "paid back", "running"))


def noise(rng, n):
    x = rng.normal(size=(n, 6))
    return pd.DataFrame(x, columns=list("abcdef")).assign(y=drawn(rng, np.zeros(n), "heads", "tails"))


def u_shaped(rng, n):
    age = rng.uniform(18, 90, n)
    z = rng.normal(size=n)
    return pd.DataFrame(
        {"age": age.round(1), "z": z, "y": drawn(rng, ((age - 54) / 15) ** 2 - 2 + 0.8 * z, "well", "ill")}
    )


def mixed(rng, n):
    """What a business table looks like: all kinds of columns, blanks, a skewed amount, an id."""
    x = rng.normal(size=(n, 3))
    region = rng.choice(["north", "south", "east", "west"], n)
    amount = np.exp(6 + 1.2 * x[:, 0]).round(2)
    day = pd.Timestamp("2023-01-01") + pd.to_timedelta(rng.integers(0, 700, n), unit="D")
    logit = 1.4 * x[:, 0] - 1.0 * x[:, 1] + (region == "north") - 1.2
    return pd.DataFrame(
        {
            "id": [f"C{k:06d}" for k in rng.permutation(n)],
            "amount": amount,
            "score": pd.Series(x[:, 1].round(3)).where(rng.random(n) > 0.08),
            "region": pd.Series(region).where(rng.random(n) > 0.05, ""),
            "opened": day.strftime("%Y-%m-%d"),
            "online": np.where(x[:, 2] > 0, "yes", "no"),
            "y": drawn(rng, logit, "good", "bad"),
        }
    )


def counts(rng, n):
    risk = rng.normal(size=n)
    columns = {f"n{j}": rng.poisson(np.exp(-1 + j * 0.5 + 0.8 * risk)) for j in range(4)}
    return pd.DataFrame(columns).assign(y=drawn(rng, 1.5 * risk - 1, "no", "yes"))


def unequal_spread(rng, n):
    side = rng.random(n) < 0.3
    x = np.where(side[:, None], rng.normal(1.2, 2.5, (n, 3)), rng.normal(0, 0.7, (n, 3)))
    return pd.DataFrame(x, columns=list("abc")).assign(y=np.where(side, "wide", "narrow"))


def echoed(rng, n):
    """Twelve copies of one measurement with a little noise: naive Bayes counts them all."""
    z = rng.normal(size=n)
    x = z[:, None] + 0.3 * rng.normal(size=(n, 12))
    return pd.DataFrame(x, columns=[f"m{j}" for j in range(12)]).assign(y=drawn(rng, 1.2 * z, "no", "yes"))


def stored(path: str, seed: int = 0, drop: tuple[str, ...] = (), whole: tuple[str, ...] = ()) -> Maker:
    """Rows of a real table in an order of our own, so that the first ones are a fair part.

    Numbers of the ``whole`` columns are written without a fraction, as the command names such classes.
    """

    def make(_, n):
        table = pd.read_csv(SHARED / path, dtype=str, keep_default_na=False).drop(columns=list(drop))
        for name in whole:
            table[name] = table[name].str.removesuffix(".0")
        return table.sample(frac=1, random_state=seed).head(n)

    return make


def stored_pair(train: str, test: str) -> Maker:
    def make(_, __):
        return pd.concat([pd.read_csv(SHARED / name, dtype=str, keep_default_na=False) for name in (train, test)])

    return make
