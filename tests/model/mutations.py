"""Model files damaged at random: bytes, tokens, and values of the document."""

import json
import random
import re
from typing import Any

_TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*"|-?[0-9.eE+-]+|[\[\]{},:]|true|false|null')

ODD_TEXTS = [
    b"NaN",
    b"Infinity",
    b"-Infinity",
    b"1e999",
    b"-1e999",
    b"1" * 5000,
    b"1." + b"9" * 3000,
    b"[" * 3000,
    b'{"a":' * 300,
    b'"\\ud800"',
    b'"\\u0000"',
    b"\xff\xfe",
    b"\x00",
    b'"' + b"x" * 100_000 + b'"',
    b"",
    b"nul",
    b"-",
    b"01",
    b"0x10",
    b"'a'",
    b"1e-400",
    b"\\",
    b'"',
]
ODD_VALUES: list[Any] = [
    None,
    True,
    False,
    0,
    -1,
    1,
    2,
    3,
    10**18,
    2**63,
    -(2**70),
    10**400,
    0.5,
    -0.0,
    1e308,
    -1e308,
    5e-324,
    "",
    "x",
    "threshold",
    "gain",
    "largest",
    "svmlight",
    "table",
    "\x00",
    "\ud800",
    "a" * 10_000,
    "../../etc/passwd",
    [],
    {},
    [None],
    [[]],
    [1, 2],
    [0.5, 0.5],
    ["a", "a"],
    {"a": 1},
    {"array": "gain"},
    {"file": "model.0a1b2c3d.safetensors", "sha256": "0" * 64},
    list(range(1000)),
]


def mutated(rng: random.Random, data: bytes) -> bytes:
    """One or more damages, of any kind."""
    for _ in range(rng.choice([1, 1, 1, 2, 5])):
        data = rng.choice([_bytes_flipped, _cut, _spliced, _token_swapped, _value_changed, _value_changed])(rng, data)
    return data


def _bytes_flipped(rng: random.Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.choice([1, 1, 3, 20])):
        if changed:
            changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


def _cut(rng: random.Random, data: bytes) -> bytes:
    a, b = sorted(rng.randrange(len(data) + 1) for _ in range(2))
    return rng.choice([data[:a], data[a:], data[:a] + data[b:], data + data[a:b], data[:b] + data[a:]])


def _spliced(rng: random.Random, data: bytes) -> bytes:
    a = rng.randrange(len(data) + 1)
    return data[:a] + rng.choice(ODD_TEXTS) + data[a + rng.choice([0, 1, 5]) :]


def _token_swapped(rng: random.Random, data: bytes) -> bytes:
    tokens = list(_TOKENS.finditer(data))
    if len(tokens) < 2:
        return data
    first, second = sorted(rng.sample(tokens, 2), key=lambda token: token.start())
    new = rng.choice([second.group(), *ODD_TEXTS])
    return data[: first.start()] + new + data[first.end() : second.start()] + first.group() + data[second.end() :]


def _value_changed(rng: random.Random, data: bytes) -> bytes:
    """A value of the document replaced, taken out, moved or given twice; damaged JSON stays as it is."""
    try:
        document = json.loads(data)
    except (ValueError, RecursionError):
        return data
    places = list(_places(document))
    if not places:
        return data
    holder, key = rng.choice(places)
    other_holder, other_key = rng.choice(places)
    what = rng.randrange(6)
    if what <= 2:
        holder[key] = rng.choice(ODD_VALUES)
    elif what == 3:
        holder[key] = other_holder[other_key] if not isinstance(other_holder[other_key], dict | list) else {}
    elif what == 4:
        del holder[key]
    elif isinstance(holder, dict):
        holder[rng.choice(["x", key + "s", "\n", "k" * 500])] = holder.pop(key)
    else:
        holder.insert(key, holder[key])
    return json.dumps(document).encode()


def _places(value: Any) -> Any:
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield value, key
            yield from _places(value[key])
