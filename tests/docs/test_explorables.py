"""Figures that move, in a browser: driven as a reader would, their numbers are the library's; nothing is fetched."""

import json
import re

import numpy as np
import pytest

from discriminant import ThresholdNetwork, best_threshold, cover_probability, expected_gain
from tests.docs.pages import DOCS

pytest.importorskip("matplotlib")
pytest.importorskip("IPython", reason="the figures are HTML of IPython; install the extra docs")
KINDS = {
    "threshold": "two_gaussians",
    "perceptron": "perceptron_steps",
    "steps": "step_sizes",
    "xor": "xor_network",
    "moving": "moving_point",
    "cover": "cover_curve",
}
CLOSE = {"rel": 1e-9, "abs": 1e-12}


@pytest.fixture(scope="module")
def figures():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(DOCS / "_code"))
        import explorables

        yield explorables


@pytest.fixture(scope="module")
def blocks(figures):
    return [getattr(figures, maker)().data for maker in KINDS.values()]


@pytest.fixture(scope="module")
def address(blocks, tmp_path_factory):
    """A page with all of them, and with the script and the style of the handbook."""
    body = "".join(blocks)
    script, style = ((DOCS / "_static" / name).read_text() for name in ("explorables.js", "handbook.css"))
    page = tmp_path_factory.mktemp("explorables") / "page.html"
    head = f"<meta charset='utf-8'><style>{style}</style>"
    page.write_text(
        f"<!doctype html><html lang='en'><head>{head}</head><body>{body}<script>{script}</script></body></html>"
    )
    return page.as_uri()


@pytest.fixture
def page(browser, address):
    context = browser.new_context(reduced_motion="reduce")
    shown, troubles, requests = context.new_page(), [], []
    shown.on("console", lambda message: troubles.append(message.text))
    shown.on("pageerror", lambda error: troubles.append(str(error)))
    shown.on("request", lambda request: requests.append(request.url))
    shown.goto(address)
    yield shown
    assert troubles == []
    assert requests == [address]
    context.close()


def value(page, kind, name):
    return float(page.get_attribute(f'[data-kind="{kind}"] [data-name="{name}"]', "data-value"))


def slide(page, kind, place, number=0):
    slider = page.locator(f'[data-kind="{kind}"] input[type="range"]').nth(number)
    slider.evaluate("(s, v) => { s.value = v; s.dispatchEvent(new Event('input', {bubbles: true})); }", str(place))


@pytest.mark.parametrize("place", [0, 37, 64, 100])
def test_a_threshold_has_the_rates_and_the_gain_of_the_curve(page, figures, place):
    slide(page, "threshold", place)
    i, curve = 100 - place, figures.gaussian_curve()
    assert value(page, "threshold", "misdetect") == pytest.approx(curve.misdetect[i], **CLOSE)
    assert value(page, "threshold", "false-alarm") == pytest.approx(curve.false_alarm[i], **CLOSE)
    assert value(page, "threshold", "gain") == pytest.approx(expected_gain(curve, figures.GAIN)[i], **CLOSE)
    joint = [float(cell) for cell in page.eval_on_selector_all(
        '[data-kind="threshold"] tbody tr td[data-value]', "cells => cells.map(c => c.dataset.value)")]  # fmt: skip
    np.testing.assert_allclose(joint, curve.joint(curve.thresholds[i]).ravel(), atol=1e-12)


def test_the_best_threshold_follows_the_gain_and_the_priors(page, figures):
    page.get_by_label("gain of answering 2 where 1 is true").fill("-20")
    page.get_by_label("probability of class 1").fill("0.2")
    page.get_by_role("button", name="Go to the best θ").click()
    curve = figures.gaussian_curve([0.2, 0.8])
    best = best_threshold(curve, gain=[[2, -20], [-4, 4]])
    assert value(page, "threshold", "gain") == pytest.approx(best.expected_gain, **CLOSE)
    assert value(page, "threshold", "misdetect") == pytest.approx(best.misdetect, **CLOSE)


def test_a_slider_moves_by_the_arrow_keys(page, figures):
    slider = page.locator('[data-kind="threshold"] input[type="range"]').first
    slider.focus()
    before = float(slider.input_value())
    page.keyboard.press("ArrowRight")
    assert float(slider.input_value()) == before + 1
    i = 100 - int(before + 1)
    assert value(page, "threshold", "misdetect") == pytest.approx(figures.gaussian_curve().misdetect[i], **CLOSE)


def pull(page, kind, right, down=0.0):
    """Take the part of a picture that can be taken, and move it by so many pixels."""
    part = page.locator(f'[data-kind="{kind}"] .held')
    part.scroll_into_view_if_needed()
    box = part.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + right / 2, y + down / 2)
    page.mouse.move(x + right, y + down)
    page.mouse.up()


def sliders(page, kind):
    found = page.locator(f'[data-kind="{kind}"] input[type="range"]')
    return [int(found.nth(k).input_value()) for k in range(found.count())]


def test_the_threshold_is_pulled_in_the_picture(page, figures):
    (before,) = sliders(page, "threshold")
    pull(page, "threshold", 120)
    (after,) = sliders(page, "threshold")
    assert after > before + 5
    assert value(page, "threshold", "misdetect") == pytest.approx(
        figures.gaussian_curve().misdetect[100 - after], **CLOSE
    )


def test_a_row_is_pulled_in_the_picture(page, figures):
    before = sliders(page, "moving")
    pull(page, "moving", 130, -110)
    i, j = sliders(page, "moving")
    assert i > before[0]
    assert j > before[1]
    shown = json.loads(page.locator('[data-kind="moving"]').get_attribute("data-planes"))
    assert shown["LDA"] == pytest.approx(figures.planes_for([figures.PLACES[i], figures.PLACES[j]])["LDA"])


def test_a_perceptron_steps_forward_and_back(page, figures):
    model, X, y = figures.perceptron_run()
    assert value(page, "perceptron", "bound") == pytest.approx(model.novikoff(X, y).bound, **CLOSE)
    forward = page.get_by_role("button", name="forward ▶")
    for k in range(1, len(model.trace_)):
        forward.focus()
        page.keyboard.press("Enter")
        row, w, theta, _, _ = model.trace_[k]
        shown = page.locator('[data-kind="perceptron"]')
        assert json.loads(shown.get_attribute("data-w")) == pytest.approx(w.tolist())
        assert float(shown.get_attribute("data-theta")) == pytest.approx(theta)
        assert value(page, "perceptron", "wrong") == (y * (X @ w - theta) <= 0).sum()
        assert f"Row {row} was wrong" in shown.inner_text()
    assert forward.is_disabled()
    assert value(page, "perceptron", "wrong") == 0
    page.get_by_role("button", name="◀ back").click()
    assert value(page, "perceptron", "wrong") > 0


def test_steps_too_large_climb(page, figures):
    paths = figures.descents()
    for k, said in ((0, "crawls"), (9, "arrives"), (len(paths) - 1, "climbs")):
        slide(page, "steps", k)
        assert value(page, "steps", "risk") == pytest.approx(paths[k].risk[-1], **CLOSE)
        assert said in page.locator('[data-kind="steps"]').inner_text()


def test_xor_fires_as_the_network_does(page):
    network = ThresholdNetwork.from_truth_table([0, 1, 1, 0])
    boxes = page.locator('[data-kind="xor"] input[type="checkbox"]')
    for bits in ([0, 0], [0, 1], [1, 1], [1, 0]):
        for box, bit in zip((boxes.nth(0), boxes.nth(1)), bits, strict=True):
            if box.is_checked() != bool(bit):
                box.focus()
                page.keyboard.press("Space")
        fired = json.loads(page.locator('[data-kind="xor"]').get_attribute("data-fired"))
        assert fired["z"] == int(network.fire(bits))
        assert [fired["y1"], fired["y2"]] == [int(unit.fire(bits)) for unit in network.hidden]


def test_lines_follow_the_row_that_moves(page, figures):
    for i, j in ((0, 0), (4, 3), (8, 2)):
        slide(page, "moving", i, 0)
        slide(page, "moving", j, 1)
        shown = json.loads(page.locator('[data-kind="moving"]').get_attribute("data-planes"))
        expected = figures.planes_for([figures.PLACES[i], figures.PLACES[j]])
        assert shown.keys() == expected.keys()
        for name, plane in expected.items():
            assert shown[name] == (None if plane is None else pytest.approx(plane))


def test_covers_curve(page, figures):
    slide(page, "cover", 2, 0)
    slide(page, "cover", 11, 1)
    assert value(page, "cover", "cover") == pytest.approx(cover_probability(12, figures.COLUMNS[2]), **CLOSE) == 0.5
    box, dot = (page.locator(f'[data-kind="cover"] {part}').bounding_box() for part in ("svg", "circle"))
    assert 0.25 < (dot["x"] + dot["width"] / 2 - box["x"]) / box["width"] < 0.45  # in sight, at a third of the curve


def test_figures_can_be_read_without_a_script(blocks):
    for html in blocks:
        assert len(re.findall("<tr>", html)) > 3
        assert "<caption>" in html
