"""Threshold units and two-level networks, against plain Python, brute force and exact proofs."""

from dataclasses import FrozenInstanceError
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from discriminant import Hyperplane
from discriminant.networks import DelayNetwork, Learnt, ThresholdNetwork, ThresholdUnit, boolean_rows
from discriminant.separability import separating_plane
from tests.tables import seeds

AND, OR, XOR = [0, 0, 0, 1], [0, 1, 1, 1], [0, 1, 1, 0]


def fires(unit, row):
    """The definition, one input at a time."""
    if any(row[j] for j in unit.inhibitory):
        return 0
    return int(sum(w * x for w, x in zip(unit.weights, row, strict=True)) >= unit.threshold)


def network_fires(network, row):
    return fires(network.output, [fires(unit, row) for unit in network.hidden])


def table_of(function, k):
    return [function(row) for row in product((0, 1), repeat=k)]


def says(formula, names):
    """The value of a printed formula."""
    return int(bool(eval(formula.replace("∧", " and ").replace("∨", " or ").replace("¬", " not "), {}, names)))


@st.composite
def units(draw, whole=True):
    k = draw(st.integers(1, 5))
    number = st.integers(-3, 3) if whole else st.floats(-3, 3)
    held = draw(st.sets(st.integers(0, k - 1), max_size=2))
    weights = [0 if j in held else draw(number) for j in range(k)]
    return ThresholdUnit(weights, draw(st.integers(-8, 8)) / 4, sorted(held))


# --- one unit -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 2, 3, 5])
@pytest.mark.parametrize(
    ("gate", "means"),
    [
        ("AND", all),
        ("OR", any),
        ("NAND", lambda row: not all(row)),
        ("NOR", lambda row: not any(row)),
        ("MAJORITY", lambda row: sum(row) > len(row) / 2),
    ],
)
def test_every_gate_has_its_truth_table(gate, means, k):
    unit = getattr(ThresholdUnit, gate)(k)
    assert unit.n_inputs == k
    assert unit.truth_table().tolist() == table_of(means, k)
    assert unit.truth_table().dtype == np.int8


def test_gates_of_two_inputs_by_default_and_not_of_one():
    assert ThresholdUnit.AND().truth_table().tolist() == [0, 0, 0, 1]
    assert ThresholdUnit.OR().truth_table().tolist() == [0, 1, 1, 1]
    assert ThresholdUnit.NAND().truth_table().tolist() == [1, 1, 1, 0]
    assert ThresholdUnit.NOR().truth_table().tolist() == [1, 0, 0, 0]
    assert ThresholdUnit.NOT().truth_table().tolist() == [1, 0]


def test_rows_of_a_truth_table_are_in_the_usual_order():
    assert boolean_rows(2).tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert boolean_rows(4).tolist() == [list(row) for row in product((0, 1), repeat=4)]
    for k in (0, 21, -1):
        with pytest.raises(ValueError, match="1 to 20 inputs"):
            boolean_rows(k)


def test_inhibition_is_absolute():
    unit = ThresholdUnit([1e6, 1e6, 0], 1, inhibitory=[2])
    assert unit.truth_table().tolist() == [0, 0, 1, 0, 1, 0, 1, 0]
    always = ThresholdUnit([0, 0], -1e9, inhibitory=[0])
    assert always.truth_table().tolist() == [1, 1, 0, 0]
    two = ThresholdUnit([0.3, 0, 0], 0.3, inhibitory=(2, 1))
    assert two.inhibitory == (1, 2)
    assert two.truth_table().tolist() == [0, 0, 0, 0, 1, 0, 0, 0]


@given(st.one_of(units(), units(whole=False)))
def test_a_unit_fires_by_its_definition_one_row_or_many(unit):
    rows = boolean_rows(unit.n_inputs)
    expected = table_of(lambda row: fires(unit, row), unit.n_inputs)
    assert unit.fire(rows).tolist() == expected
    assert unit(rows.astype(bool)).tolist() == expected
    assert [int(unit(row)) for row in rows] == expected
    assert unit(rows[:1]).shape == (1,)
    assert unit(rows[0]).shape == ()
    assert unit(rows[:0]).shape == (0,)


def test_a_sum_on_the_threshold_does_not_depend_on_the_other_rows():
    weights = [0.1] * 10
    unit = ThresholdUnit(weights, sum(weights))
    rows = boolean_rows(10)
    assert unit(rows)[-1] == unit(rows[-1]) == unit(np.asfortranarray(rows))[-1] == 1


@given(st.one_of(units(), units(whole=False)))
def test_the_plane_of_a_unit_has_the_firing_inputs_on_its_positive_side(unit):
    sides = unit.hyperplane.side(boolean_rows(unit.n_inputs))
    assert sides.tolist() == [1 if z else -1 for z in unit.truth_table()]


def test_planes_of_the_gates_lie_midway():
    assert ThresholdUnit.AND(3).hyperplane == Hyperplane([1, 1, 1], 2.5)
    assert ThresholdUnit.OR().hyperplane == Hyperplane([1, 1], 0.5)
    assert ThresholdUnit.NAND().hyperplane == Hyperplane([-1, -1], -1.5)
    assert ThresholdUnit.NOR().hyperplane == Hyperplane([-1, -1], -0.5)
    assert ThresholdUnit.NOT().hyperplane == Hyperplane([-1], -0.5)
    assert ThresholdUnit([1, 0], 1, [1]).hyperplane == Hyperplane([1, -1], 0.5)
    assert ThresholdUnit.MAJORITY(101).hyperplane == Hyperplane(np.ones(101), 50.5)
    with pytest.raises(ValueError, match="different sums"):
        ThresholdUnit(np.random.default_rng(0).random(25), 5.0).hyperplane  # noqa: B018


@pytest.mark.parametrize(
    ("unit", "text", "formula"),
    [
        (ThresholdUnit([2, 1, 0], 1.5, [2]), "fires when 2·x1 + x2 ≥ 1.5 and not x3", "[2·x1 + x2 ≥ 1.5] ∧ ¬x3"),
        (ThresholdUnit([-1, 0, 0.25], -0.5), "fires when −x1 + 0.25·x3 ≥ -0.5", "[−x1 + 0.25·x3 ≥ -0.5]"),
        (ThresholdUnit([1, -2.5], 0.5), "fires when x1 − 2.5·x2 ≥ 0.5", "[x1 − 2.5·x2 ≥ 0.5]"),
        (ThresholdUnit.AND(), "fires when x1 + x2 ≥ 2", "x1 ∧ x2"),
        (ThresholdUnit.OR(3), "fires when x1 + x2 + x3 ≥ 1", "x1 ∨ x2 ∨ x3"),
        (ThresholdUnit.NAND(), "fires when −x1 − x2 ≥ -1", "¬x1 ∨ ¬x2"),
        (ThresholdUnit.NOR(), "fires when not x1 and not x2", "¬x1 ∧ ¬x2"),
        (ThresholdUnit.NOT(), "fires when not x1", "¬x1"),
        (ThresholdUnit.MAJORITY(3), "fires when x1 + x2 + x3 ≥ 2", "[x1 + x2 + x3 ≥ 2]"),
        (ThresholdUnit([0, 0], 0), "always fires", "1"),
        (ThresholdUnit([0, 0], 1, [0]), "never fires", "0"),
    ],
    ids=str,
)
def test_a_unit_in_words_and_as_a_formula(unit, text, formula):
    assert str(unit) == text
    assert unit.formula() == formula
    assert unit.formula("y") == formula.replace("x", "y")


@given(units())
def test_the_formula_of_a_gate_says_what_it_does(unit):
    formula = unit.formula().replace("·", "*").replace("−", "-").replace("≥", ">=").replace("[", "(").replace("]", ")")
    rows = boolean_rows(unit.n_inputs).tolist()
    said = [says(formula, {f"x{j + 1}": x for j, x in enumerate(row)}) for row in rows]
    assert said == unit.truth_table().tolist()


def test_units_are_values():
    assert ThresholdUnit([1, 1], 2) == ThresholdUnit.AND() == ThresholdUnit(np.ones(2, dtype=np.float32), np.int8(2))
    assert hash(ThresholdUnit((1, 1), 2)) == hash(ThresholdUnit.AND())
    assert ThresholdUnit.OR() != ThresholdUnit.AND()
    with pytest.raises(FrozenInstanceError):
        ThresholdUnit.AND().threshold = 1.0


# --- learning -------------------------------------------------------------------------------------------


def all_functions(k):
    return [np.array(bits) for bits in product((0, 1), repeat=1 << k)]


@pytest.mark.parametrize(
    "unit",
    [ThresholdUnit.AND(), ThresholdUnit.OR(), ThresholdUnit.NAND(), ThresholdUnit.NOR(), ThresholdUnit.NOT()]
    + [ThresholdUnit.MAJORITY(k) for k in (3, 5, 7)]
    + [ThresholdUnit.AND(6), ThresholdUnit([1, 0, 0], 1, [1])],
    ids=str,
)
@pytest.mark.parametrize("eta", [1.0, 0.1, 3e-5, 7e200])
def test_gates_are_learnt(unit, eta):
    rows, table = boolean_rows(unit.n_inputs), unit.truth_table()
    learnt = ThresholdUnit.learn(rows, table, eta=eta)
    assert learnt.converged
    assert learnt.proof is None
    assert learnt.mistakes[-1] == 0
    assert 0 not in learnt.mistakes[:-1]
    assert learnt.unit.inhibitory == ()
    assert learnt.unit.truth_table().tolist() == table.tolist()
    assert learnt.mistakes == ThresholdUnit.learn(rows.astype(bool), table.astype(bool)).mistakes


def test_and_is_learnt_as_by_hand():
    """(w1, w2, b): each mistake adds or takes away (x1, x2, 1), until an epoch has none."""
    w, mistakes = [0, 0, 0], []
    while not mistakes or mistakes[-1]:
        mistakes.append(0)
        for row, fire in zip(product((0, 1), repeat=2), AND, strict=True):
            x, c = (*row, 1), 2 * fire - 1
            if c * sum(a * b for a, b in zip(w, x, strict=True)) <= 0:
                w = [a + c * b for a, b in zip(w, x, strict=True)]
                mistakes[-1] += 1
    learnt = ThresholdUnit.learn(boolean_rows(2), AND)
    assert learnt.mistakes == tuple(mistakes)
    assert learnt.unit == ThresholdUnit(w[:2], -w[2] + 0.5)
    assert str(learnt) == f"learnt in {len(mistakes)} epochs: fires when 3·x1 + 2·x2 ≥ 4.5"


def test_xor_is_not_learnt_and_the_proof_is_exact():
    learnt = ThresholdUnit.learn(boolean_rows(2), XOR)
    assert not learnt.converged
    assert len(learnt.mistakes) == 1000
    proof = learnt.proof
    assert proof.rows == (0, 1, 2, 3)
    assert proof.weights == (Fraction(1, 2),) * 4
    for j in range(2):
        parts = [(w * int(boolean_rows(2)[i, j]), XOR[i]) for w, i in zip(proof.weights, proof.rows, strict=True)]
        assert [sum(part for part, output in parts if output == z) for z in (0, 1)] == [Fraction(1, 2)] * 2
    assert proof.verify(boolean_rows(2), XOR)
    assert str(learnt).startswith("not learnt in 1000 epochs: no plane separates 0 from 1")


@pytest.mark.parametrize("k", [2, 3])
def test_every_function_is_learnt_or_proved_unlearnable(k):
    rows = boolean_rows(k)
    longest = max(float(row @ row) + 1 for row in rows.astype(float))
    n_learnt = 0
    for table in all_functions(k):
        learnt = ThresholdUnit.learn(rows, table, max_iter=60)
        n_learnt += learnt.converged
        assert learnt.converged == (learnt.unit.truth_table().tolist() == table.tolist() and learnt.proof is None)
        assert learnt.converged or learnt.proof.verify(rows, table)
        if learnt.converged and 0 < table.sum() < table.size:  # Novikoff: mistakes ≤ (R/γ)²
            plane = separating_plane(rows, table)
            gamma = plane.functional_margin(rows, 2 * table - 1).min() / np.linalg.norm(plane.augmented())
            assert sum(learnt.mistakes) <= longest / gamma**2 * (1 + 1e-9)
    assert n_learnt == {2: 14, 3: 104}[k]


@given(seeds)
def test_some_rows_of_a_unit_are_learnt_as_they_are(seed):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 9))
    rows = boolean_rows(k)[rng.integers(0, 1 << k, 12)]
    outputs = ThresholdUnit(rng.integers(-4, 5, k), rng.integers(-4, 5))(rows)
    learnt = ThresholdUnit.learn(rows, outputs)
    assert learnt.converged
    assert learnt.unit(rows).tolist() == outputs.tolist()


def test_too_few_epochs_are_no_proof():
    learnt = ThresholdUnit.learn(boolean_rows(2), AND, max_iter=2)
    assert not learnt.converged
    assert learnt.proof is None
    assert len(learnt.mistakes) == 2
    assert str(learnt) == "not learnt in 2 epochs: a unit exists; allow more epochs"
    constant = ThresholdUnit.learn(boolean_rows(2), [1, 1, 1, 1], max_iter=1)
    assert isinstance(constant, Learnt)
    assert not constant.converged
    assert constant.proof is None


def test_constants_are_learnt():
    for z in (0, 1):
        learnt = ThresholdUnit.learn(boolean_rows(2), [z] * 4)
        assert learnt.converged
        assert learnt.unit.truth_table().tolist() == [z] * 4


# --- two levels -----------------------------------------------------------------------------------------


def test_xor_takes_three_units():
    network = ThresholdNetwork.XOR()
    assert network.truth_table().tolist() == XOR
    assert network.n_units == 3
    assert network.n_inputs == 2
    assert ThresholdNetwork.from_truth_table(XOR) == network
    assert [unit.inhibitory for unit in network.hidden] == [(1,), (0,)]
    assert str(network) == "y1 = x1 ∧ ¬x2\ny2 = ¬x1 ∧ x2\nz = y1 ∨ y2"
    assert network([[0, 1], [1, 1]]).tolist() == [1, 0]
    assert int(network([True, False])) == 1


@given(st.integers(1, 8), st.floats(0, 1), seeds)
def test_any_function_comes_back_from_its_truth_table(k, density, seed):
    table = (np.random.default_rng(seed).random(1 << k) < density).astype(np.int8)
    network = ThresholdNetwork.from_truth_table(table)
    assert network.truth_table().tolist() == table.tolist()
    rows = boolean_rows(k)[:: max(1, 2**k // 16)]
    assert [network_fires(network, row) for row in rows] == network(rows).tolist()


def parity(k):
    return boolean_rows(k).sum(axis=1) % 2


def weight_between(k, low, high):
    weight = boolean_rows(k).sum(axis=1)
    return (weight >= low) & (weight <= high)


@pytest.mark.parametrize(
    ("table", "n_units"),
    [
        (parity(12), 2**11 + 1),
        (parity(16), 2**15 + 1),
        (weight_between(14, 1, 13), 3),
        (weight_between(13, 7, 13), 1717),
        (np.arange(2**14) % 128 > np.arange(2**14) // 128, 128),
    ],
    ids=["parity of 12", "parity of 16", "neither all nor none of 14", "majority of 13", "a < b of 7 bits"],
)
def test_large_functions_whose_size_is_known(table, n_units):
    network = ThresholdNetwork.from_truth_table(table)
    assert network.n_units == n_units
    some = slice(None, None, 1 + table.size // 20_000)
    assert (network(boolean_rows(network.n_inputs)[some]) == table[some]).all()


@pytest.mark.parametrize(
    ("k", "density", "share"), [(12, 0.5, 0.32), (13, 0.9, 0.68), (15, 0.2, 0.46), (16, 0.5, 0.27), (16, 0.99, 1.0)]
)
def test_large_random_functions(k, density, share):
    """The number of units beside that of rows: what a good cover has been seen to reach, with a little room."""
    table = np.random.default_rng(k).random(1 << k) < density
    network = ThresholdNetwork.from_truth_table(table)
    assert (network.truth_table() == table).all()
    assert network.n_units <= share * min(table.sum(), (~table).sum())


def fewest_products(k):
    """For every function, by its number, the least number of products whose sum it is: breadth first from none."""
    rows = list(product((0, 1), repeat=k))
    cubes = {
        sum(1 << i for i, row in enumerate(rows) if all(d in (x, 2) for d, x in zip(cube, row, strict=True)))
        for cube in product((0, 1, 2), repeat=k)
    }
    distance, edge = {0: 0}, [0]
    while edge:
        found = {f | cube: distance[f] + 1 for f in edge for cube in cubes if f | cube not in distance}
        distance |= found
        edge = list(found)
    return distance


@pytest.mark.parametrize("k", [1, 2, 3])
def test_every_small_function_comes_back_and_no_sum_of_products_is_smaller(k):
    fewest = fewest_products(k)
    assert len(fewest) == 1 << (1 << k)
    for table in all_functions(k):
        number = sum(1 << i for i, z in enumerate(table.tolist()) if z)
        least = 1 + min(fewest[f] for f in (number, number ^ ((1 << (1 << k)) - 1)) if f)
        network = ThresholdNetwork.from_truth_table(table)
        assert network.n_units <= least
        assert network.truth_table().tolist() == table.tolist()
        assert table_of(lambda row, n=network: network_fires(n, row), k) == table.tolist()


def test_no_two_level_sum_of_products_of_four_inputs_is_smaller():
    fewest = fewest_products(4)
    for number in np.random.default_rng(0).integers(1, 2**16 - 1, 150).tolist():
        table = [number >> i & 1 for i in range(16)]
        least = 1 + min(fewest[number], fewest[number ^ (2**16 - 1)])
        assert ThresholdNetwork.from_truth_table(table).n_units <= least


@pytest.mark.parametrize("table", [weight_between(9, 3, 6), np.random.default_rng(9).random(1 << 11) < 0.8])
def test_no_hidden_unit_can_be_left_out(table):
    network = ThresholdNetwork.from_truth_table(table)
    rows = boolean_rows(network.n_inputs)
    fired = np.array([unit(rows) for unit in network.hidden])
    alone = fired[:, fired.sum(axis=0) == 1]
    assert alone.any(axis=1).all()


@given(st.integers(1, 4), seeds)
def test_a_printed_network_is_its_function(k, seed):
    table = np.random.default_rng(seed).integers(0, 2, 1 << k)
    lines = dict(line.split(" = ") for line in str(ThresholdNetwork.from_truth_table(table)).splitlines())
    for row, z in zip(product((0, 1), repeat=k), table, strict=True):
        names = {f"x{j + 1}": x for j, x in enumerate(row)}
        names |= {y: says(formula, names) for y, formula in lines.items() if y != "z"}
        assert says(lines["z"], names) == z


@pytest.mark.parametrize(
    ("table", "text"),
    [
        ([0, 0], "y1 = 1\nz = ¬y1"),
        ([1, 1, 1, 1], "y1 = 1\nz = y1"),
        ([0, 1], "y1 = x1\nz = y1"),
        ([1, 0], "y1 = ¬x1\nz = y1"),
        (AND, "y1 = x1 ∧ x2\nz = y1"),
        (OR, "y1 = x1 ∨ x2\nz = y1"),
        ([1, 1, 0, 1], "y1 = ¬x1 ∨ x2\nz = y1"),
        ([1, 0, 0, 1], "y1 = x1 ∧ x2\ny2 = ¬x1 ∧ ¬x2\nz = y1 ∨ y2"),
        ([0, 0, 0, 1, 1, 1, 1, 1], "y1 = x1\ny2 = x2 ∧ x3\nz = y1 ∨ y2"),
        ([0, 1, 1, 1, 1, 1, 1, 0], "y1 = x1 ∧ x2 ∧ x3\ny2 = ¬x1 ∧ ¬x2 ∧ ¬x3\nz = ¬y1 ∧ ¬y2"),
    ],
)
def test_small_networks_read_as_one_would_write_them(table, text):
    network = ThresholdNetwork.from_truth_table(table)
    assert str(network) == text
    assert network.truth_table().tolist() == table


def test_a_large_network_prints_short():
    lines = str(ThresholdNetwork.from_truth_table(parity(8))).splitlines()
    assert len(lines) == 66
    assert lines[-2:] == ["… and 64 more hidden units", "z = one unit on y1 … y128"]


def test_a_table_may_be_a_mapping():
    by_row = {row: row[0] ^ row[1] ^ row[2] for row in product((0, 1), repeat=3)}
    shuffled = dict(reversed(by_row.items()))
    assert ThresholdNetwork.from_truth_table(shuffled).truth_table().tolist() == parity(3).tolist()
    assert ThresholdNetwork.from_truth_table({(False,): True, (True,): False}).truth_table().tolist() == [1, 0]


def test_the_same_table_gives_the_same_network():
    table = np.random.default_rng(1).integers(0, 2, 1 << 10)
    assert ThresholdNetwork.from_truth_table(table) == ThresholdNetwork.from_truth_table(table.astype(bool).tolist())


@given(st.lists(units(whole=False), min_size=1, max_size=4), seeds)
def test_a_network_of_any_units_fires_by_its_definition(hidden, seed):
    hidden = [unit for unit in hidden if unit.n_inputs == hidden[0].n_inputs]
    rng = np.random.default_rng(seed)
    network = ThresholdNetwork(hidden, ThresholdUnit(rng.standard_normal(len(hidden)), rng.standard_normal()))
    expected = table_of(lambda row: network_fires(network, row), network.n_inputs)
    assert network.truth_table().tolist() == expected
    assert network.n_units == len(hidden) + 1


# --- refusals -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([1, np.nan], 1), r"weights\[1\] is nan"),
        (([np.inf, 1], 1), r"weights\[0\] is inf"),
        (([], 1), "non-empty"),
        (([[1, 1]], 1), r"one-dimensional.*shape \(1, 2\)"),
        ((["a", "b"], 1), "weights must be real numbers"),
        (([1e308, 1e308], 1), "overflows"),
        (([1, 1], np.nan), "threshold must be one finite real number"),
        (([1, 1], [1]), "threshold must be one finite real number"),
        (([1, 1], None), "threshold"),
        (([1, 0], 1, [2]), "input 2, but the inputs are 0 to 1"),
        (([1, 0], 1, [-1]), "input -1, but the inputs are 0 to 1"),
        (([1, 0], 1, [0.5]), "inhibitory must be a sequence of input numbers"),
        (([1, 0], 1, 1), "inhibitory must be a sequence of input numbers"),
        (([1, 2], 1, [1]), r"weights\[1\] is 2, but input 1 is inhibitory"),
    ],
    ids=repr,
)
def test_bad_units_are_refused(arguments, message):
    with pytest.raises((ValueError, TypeError), match=message):
        ThresholdUnit(*arguments)


@pytest.mark.parametrize("machine", [ThresholdUnit.AND(), ThresholdNetwork.XOR()], ids=["unit", "network"])
@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([[0, 1], [1, 2]], "x2 is 2 in row 1; inputs are 0 or 1"),
        ([[0, 1], [np.nan, 1]], "x1 is nan in row 1"),
        ([0.5, 1], "x1 is 0.5; inputs are 0 or 1"),
        ([[0, 1, 1]], r"2 columns, x1 to x2; got an array of shape \(1, 3\)"),
        ([0], r"2 columns.*\(1,\)"),
        (1, r"2 columns.*\(\)"),
        (np.zeros((1, 1, 2)), r"2 columns.*\(1, 1, 2\)"),
        (["0", "1"], "inputs must be real numbers"),
        ([[0, 1], [0]], "inputs must be a regular array"),
    ],
    ids=lambda value: repr(value)[:24],
)
def test_bad_inputs_are_refused(machine, X, message):
    with pytest.raises((ValueError, TypeError), match=message):
        machine.fire(X)


@pytest.mark.parametrize("gate", ["AND", "OR", "NAND", "NOR", "MAJORITY"])
def test_a_gate_without_inputs_is_refused(gate):
    with pytest.raises(ValueError, match="at least one input"):
        getattr(ThresholdUnit, gate)(0)


@pytest.mark.parametrize(
    ("X", "y", "options", "message"),
    [
        ([[0, 1], [1, 1]], [0, 2], {}, "y is 2 in row 1; outputs are 0 or 1"),
        ([[0, 1], [1, 1]], [0, np.nan], {}, "y is nan in row 1"),
        ([[0, 1], [1, 1]], [0, 1, 1], {}, r"one output for each of the 2 rows, got shape \(3,\)"),
        ([[0, 1], [1, 3]], [0, 1], {}, "x2 is 3 in row 1"),
        ([0, 1], [0, 1], {}, r"table of rows and columns, got an array of shape \(2,\)"),
        (np.empty((0, 2)), [], {}, "table of rows and columns"),
        ([[0], [1]], [0, 1], {"eta": 0}, "eta must be a positive finite number"),
        ([[0], [1]], [0, 1], {"eta": np.inf}, "eta must be a positive finite number"),
        ([[0], [1]], [0, 1], {"max_iter": 0}, "max_iter must be at least 1"),
        ([[0], [1]], [0, 1], {"max_iter": 2.5}, "integer"),
    ],
    ids=lambda value: repr(value)[:24],
)
def test_bad_examples_are_refused(X, y, options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        ThresholdUnit.learn(X, y, **options)


@pytest.mark.parametrize(
    ("hidden", "output", "message"),
    [
        ([], ThresholdUnit.OR(), "at least one hidden unit"),
        ([ThresholdUnit.OR()], ThresholdUnit.OR(), "output has 2 inputs, but there are 1 hidden units"),
        ([ThresholdUnit.OR(), ThresholdUnit.NOT()], ThresholdUnit.OR(), r"hidden\[1\] has 1 inputs.*hidden\[0\] has 2"),
        ([ThresholdUnit.OR(), 3], ThresholdUnit.OR(), r"hidden\[1\] must be a ThresholdUnit, got int"),
        ([ThresholdUnit.OR()], "or", "output must be a ThresholdUnit, got str"),
    ],
)
def test_bad_networks_are_refused(hidden, output, message):
    with pytest.raises((ValueError, TypeError), match=message):
        ThresholdNetwork(hidden, output)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([0, 1, 1], "3 is not a power of two"),
        ([1], "1 is not a power of two above 1"),
        ([], "0 is not a power of two"),
        ([0, 1, 2, 0], "holds 2 at place 2; outputs are 0 or 1"),
        ([0, np.nan], "holds nan at place 1"),
        ([[0, 1], [1, 0]], r"one list of 2\^k outputs, got an array of shape \(2, 2\)"),
        (["0", "1"], "real numbers"),
        (np.zeros(1 << 17), "17 inputs; at most 16"),
        ({(0, 0): 1, (0, 1): 1, (1, 0): 0}, r"2 inputs has 2\^2 rows, but 3 are given"),
        ({(0, 0): 1, (0, 1): 1, (1, 0): 0, (1, 2): 0}, r"no output for the inputs \(1, 1\)"),
        ({(0,): 1, (1, 1): 1}, r"no output for the inputs \(1,\)"),
        ({0: 1, 1: 0}, "tuples of inputs for keys"),
        ({}, "0 are given"),
    ],
    ids=lambda value: repr(value)[:24],
)
def test_bad_tables_are_refused(table, message):
    with pytest.raises((ValueError, TypeError), match=message):
        ThresholdNetwork.from_truth_table(table)


def test_truth_tables_too_long_to_list_are_refused():
    with pytest.raises(ValueError, match="1 to 20 inputs, not for 21"):
        ThresholdUnit.OR(21).truth_table()


# --- nets in time ---------------------------------------------------------------------------------------


def test_every_unit_delays_by_one_step():
    gate = ThresholdNetwork.from_truth_table(XOR)
    net = DelayNetwork(
        {
            "y1": (gate.hidden[0], ["a", "b"]),
            "y2": (gate.hidden[1], ["a", "b"]),
            "z": (gate.output, ["y1", "y2"]),
        }
    )
    a, b = np.random.default_rng(0).integers(0, 2, (2, 20))
    assert net.inputs == ("a", "b")
    z = net.run({"a": a, "b": b})["z"]
    assert z[:2].tolist() == [0, 0]  # nothing has come through yet
    np.testing.assert_array_equal(z[2:], (a ^ b)[:-1])


def test_a_circle_remembers():
    net = DelayNetwork({"memory": (ThresholdUnit([1, 1, 0], 1, inhibitory=[2]), ["set", "memory", "reset"])})
    said = net.run({"set": [0, 1, 0, 0, 0, 0], "reset": [0, 0, 0, 0, 1, 0]})["memory"]
    assert said.tolist() == [0, 0, 1, 1, 1, 0, 0]
    kept = net.run({"set": [0, 0], "reset": [0, 0]}, start={"memory": 1})["memory"]
    assert kept.tolist() == [1, 1, 1]
    assert str(net) == "memory(t+1) fires when set(t) + memory(t) ≥ 1 and not reset(t)"


@pytest.mark.parametrize(
    ("units", "inputs", "start", "said"),
    [
        ({}, {}, None, "at least one"),
        ({"u": (ThresholdUnit.AND(), ["a"])}, {}, None, "2 inputs"),
        ({"u": (ThresholdUnit.AND(), "ab")}, {}, None, "2 inputs"),
        ({"u": (ThresholdUnit.AND(), ["a", "b"])}, {"a": [1]}, None, "missing"),
        ({"u": (ThresholdUnit.NOT(), ["a"])}, {"a": [1], "c": [1]}, None, "no inputs"),
        ({"u": (ThresholdUnit.AND(), ["a", "b"])}, {"a": [1], "b": [1, 0]}, None, "as many steps"),
        ({"u": (ThresholdUnit.NOT(), ["a"])}, {"a": [2]}, None, "0 or 1"),
        ({"u": (ThresholdUnit.NOT(), ["a"])}, {"a": [1]}, {"v": 1}, "no unit"),
    ],
)
def test_nets_that_make_no_sense(units, inputs, start, said):
    with pytest.raises(ValueError, match=said):
        DelayNetwork(units).run(inputs, start)
