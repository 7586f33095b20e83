"""Figures that a reader can move: what they show is computed here, by the library, as the pages are built.

Each is a block of HTML with its numbers as JSON and a table of some of them, which is all there is without a script;
docs/_static/explorables.js makes the rest. Nothing is fetched.
"""

import json
from html import escape

import numpy as np
from IPython.display import HTML
from matplotlib.figure import Figure
from scipy.stats import norm

from discriminant import (
    FisherDiscriminant,
    LeastSquaresClassifier,
    LinearDiscriminantAnalysis,
    LinearSVM,
    OperatingCurve,
    Perceptron,
    ThresholdNetwork,
    cover_probability,
    ripley_probability,
)
from discriminant.plots import SlopeDisplay

GAIN, PRIORS = [[2, -3], [-4, 4]], [0.6, 0.4]
MEANS, DEVIATION = (2.0, 0.0), 1.3  # of class 1, which is to be detected, and of class 2


def _block(kind, title, data, headings, rows):
    """The JSON, and a table for readers without a script."""
    cells = "".join(f"<th scope='col'>{escape(str(h))}</th>" for h in headings)
    body = "".join("<tr>" + "".join(f"<td>{escape(str(v))}</td>" for v in row) + "</tr>" for row in rows)
    numbers = json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")
    return HTML(
        f'<div class="explorable" data-kind="{kind}" role="group" aria-label="{escape(title)}">'
        f'<script type="application/json">{numbers}</script>'
        f'<div class="explorable-still"><table><caption>{escape(title)}</caption>'
        f"<thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table></div></div>"
    )


def gaussian_rates():
    """θ from high to low, with P_M and P_F of two Gaussian classes."""
    theta = np.round(np.linspace(6, -4, 101), 10)
    return theta, norm.cdf(theta, MEANS[0], DEVIATION), norm.sf(theta, MEANS[1], DEVIATION)


def gaussian_curve(priors=PRIORS):
    """The operating curve of those rates."""
    theta, misdetect, false_alarm = gaussian_rates()
    return OperatingCurve.of_rates(false_alarm, misdetect, priors, thresholds=theta)


def two_gaussians():
    """Drag θ over two Gaussian classes."""
    theta, p_m, p_f = gaussian_rates()
    data = {
        "theta": theta.tolist(),
        "misdetect": p_m.tolist(),
        "falseAlarm": p_f.tolist(),
        "means": MEANS,
        "deviation": DEVIATION,
        "gain": GAIN,
        "prior": PRIORS[0],
    }
    rows = [(f"{theta[i]:.1f}", f"{p_m[i]:.4f}", f"{p_f[i]:.4f}") for i in range(20, 90, 10)]
    return _block("threshold", "Threshold, misdetect and false-alarm rates", data, ("θ", "P_M", "P_F"), rows)


def perceptron_run():
    """A run of some length, and its rows."""
    rng = np.random.default_rng(4)
    X = np.vstack([rng.normal([0.7, 0.9], 0.8, (12, 2)), rng.normal([2.4, 2.2], 0.8, (12, 2))]).round(2)
    beyond = X @ [1.0, 0.8] - 2.8
    X, y = X[np.abs(beyond) > 0.3], np.where(beyond > 0, 1, -1)[np.abs(beyond) > 0.3]
    return Perceptron(shuffle=False, trace=True).fit(X, y), X, y


def perceptron_steps():
    """Step a perceptron forward and back."""
    model, X, y = perceptron_run()
    bound = model.novikoff(X, y)
    steps = [
        {"row": step.row, "w": step.w.tolist(), "theta": step.theta, "wrong": step.mistakes} for step in model.trace_
    ]
    data = {"rows": X.tolist(), "signs": y.tolist(), "steps": steps, "bound": bound.bound}
    rows = [
        (k, "start" if s["row"] < 0 else s["row"], np.round(s["w"], 2).tolist(), round(s["theta"], 2), s["wrong"])
        for k, s in enumerate(steps)
    ]
    title = f"A perceptron's updates; Novikoff allows at most {bound.bound:.1f}"
    return _block("perceptron", title, data, ("update", "row", "w", "θ", "rows wrong"), rows)


def descents():
    """Fifteen steps of many sizes on Σ(1 − wx)² of x = 1, 2."""
    return [
        SlopeDisplay.from_data([1.0, 2.0], [1, 1], start=-0.5, eta=eta, steps=15, ax=Figure().subplots())
        for eta in np.round(np.arange(0.01, 0.2301, 0.01), 4)
    ]


def step_sizes():
    """Choose η and see fifteen steps."""
    paths = descents()
    data = {
        "etas": [d.eta for d in paths],
        "paths": [d.path.tolist() for d in paths],
        "risks": [d.risk.tolist() for d in paths],
        "largestStable": 0.2,
    }
    chosen = [d for d in paths if d.eta in (0.01, 0.05, 0.1, 0.15, 0.2, 0.22)]
    rows = [(d.eta, f"{d.path[-1]:.4f}", f"{d.risk[-1]:.4g}") for d in chosen]
    return _block("steps", "After fifteen steps of size η", data, ("η", "w", "E(w)"), rows)


def xor_network():
    """Switch two inputs of the network for XOR."""
    network = ThresholdNetwork.from_truth_table([0, 1, 1, 0])
    table = [
        {"x": [a, b], "y": [int(unit.fire([a, b])) for unit in network.hidden], "z": int(network.fire([a, b]))}
        for a in (0, 1)
        for b in (0, 1)
    ]
    data = {
        "table": table,
        "formulas": [unit.formula("x") for unit in network.hidden],
        "sums": [str(unit) for unit in network.hidden],
        "output": network.output.formula("y"),
    }
    rows = [(*r["x"], *r["y"], r["z"]) for r in table]
    return _block("xor", "XOR by two levels of units", data, ("x1", "x2", "y1", "y2", "z"), rows)


FIXED = np.array([[0.0, 0.0], [1.0, 1.0], [0.5, 2.0], [3.5, 2.5], [4.5, 1.5], [4.0, 4.0]])
SIGNS = np.array([-1, -1, -1, 1, 1, 1, -1])  # the last row is the one that moves
PLACES = np.linspace(-1.0, 5.0, 9)
RULES = {
    "Fisher": lambda: FisherDiscriminant(),
    "LDA": lambda: LinearDiscriminantAnalysis(),
    "least squares": lambda: LeastSquaresClassifier(),
    "largest margin": lambda: LinearSVM(C=float("inf")),
}


def planes_for(point):
    """(w, θ) of each rule with the movable row there; None where no plane separates."""
    X, found = np.vstack([FIXED, point]), {}
    for name, make in RULES.items():
        try:
            model = make().fit(X, SIGNS)
            found[name] = [*model.coef_[0].tolist(), float(-model.intercept_[0])]
        except ValueError:
            found[name] = None
    return found


def moving_point():
    """Move one row and watch four lines."""
    grid = [[planes_for([x, y]) for y in PLACES] for x in PLACES]
    data = {"rows": FIXED.tolist(), "signs": SIGNS.tolist(), "places": PLACES.tolist(), "planes": grid}
    rows = []
    for place in ((0.5, -0.25), (2.0, 2.0), (5.0, 0.5)):
        for name, plane in planes_for(place).items():
            rows.append((place, name, "no plane separates" if plane is None else np.round(plane, 3).tolist()))
    return _block(
        "moving", "Four lines for three places of the row that moves", data, ("row", "rule", "w₁, w₂, θ"), rows
    )


COLUMNS, MOST_ROWS = (1, 2, 5, 10, 20, 50), 160


def cover_curve():
    """Choose n and d."""
    n = list(range(1, MOST_ROWS + 1))
    data = {
        "columns": COLUMNS,
        "cover": [[cover_probability(k, d) for k in n] for d in COLUMNS],
        "ripley": [[ripley_probability(k, d) for k in n] for d in COLUMNS],
    }
    rows = [(d, *(f"{cover_probability(k, d):.4f}" for k in (10, 20, 40, 80))) for d in COLUMNS]
    headings = ("columns", "n = 10", "n = 20", "n = 40", "n = 80")
    return _block("cover", "Probability that random labels of n rows are separable", data, headings, rows)
