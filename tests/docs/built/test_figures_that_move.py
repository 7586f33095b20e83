"""The figures on the built pages, driven as a reader would: by dragging, by buttons, by keys; their numbers are the
library's. The tests are those of the figures alone, on the pages that have them."""

import json
from urllib.parse import urlsplit

import pytest

from discriminant import expected_gain
from tests.docs.pages import BUILT
from tests.docs.test_explorables import (  # noqa: F401  (what is imported is collected here)
    CLOSE,
    figures,
    test_a_perceptron_steps_forward_and_back,
    test_a_row_is_pulled_in_the_picture,
    test_a_slider_moves_by_the_arrow_keys,
    test_a_threshold_has_the_rates_and_the_gain_of_the_curve,
    test_covers_curve,
    test_lines_follow_the_row_that_moves,
    test_steps_too_large_climb,
    test_the_best_threshold_follows_the_gain_and_the_priors,
    test_the_threshold_is_pulled_in_the_picture,
    test_xor_fires_as_the_network_does,
    value,
)

pytestmark = pytest.mark.skipif(not (BUILT / "index.html").exists(), reason="the handbook is not built: make docs")

PAGES = {
    "threshold": "gain",
    "perceptron": "perceptron",
    "steps": "least-squares",
    "xor": "threshold-logic",
    "moving": "margin",
    "cover": "capacity",
}
KINDS = {
    "test_a_perceptron_steps_forward_and_back": "perceptron",
    "test_a_row_is_pulled_in_the_picture": "moving",
    "test_covers_curve": "cover",
    "test_lines_follow_the_row_that_moves": "moving",
    "test_steps_too_large_climb": "steps",
    "test_xor_fires_as_the_network_does": "xor",
}


def opened(browser, kind, **options):
    """The page with a figure; what is asked of a network, and what goes wrong, is noted."""
    context = browser.new_context(offline=True, reduced_motion="reduce", **options)
    shown, troubles = context.new_page(), []
    shown.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
    shown.on("pageerror", lambda error: troubles.append(str(error)))
    shown.on("request", lambda request: None if urlsplit(request.url).scheme in ("file", "data") else
             troubles.append(request.url))  # fmt: skip
    shown.goto((BUILT / "theory" / f"{PAGES[kind]}.html").as_uri())
    return context, shown, troubles


@pytest.fixture
def page(browser, request):
    context, shown, troubles = opened(browser, KINDS.get(request.function.__name__, "threshold"))
    yield shown
    assert troubles == []
    context.close()


def drag(page, kind, share):
    """Take the slider by its thumb and move it to a share of its length."""
    slider = page.locator(f'[data-kind="{kind}"] input[type="range"]').first
    slider.scroll_into_view_if_needed()
    box = slider.bounding_box()
    least, most, now = (float(slider.evaluate(f"s => s.{name}")) for name in ("min", "max", "value"))
    height, thumb = box["y"] + box["height"] / 2, 16.0
    places = [box["x"] + thumb / 2 + part * (box["width"] - thumb) for part in ((now - least) / (most - least), share)]
    page.mouse.move(places[0], height)
    page.mouse.down()
    page.mouse.move(sum(places) / 2, height)
    page.mouse.move(places[1], height)
    page.mouse.up()
    return int(float(slider.input_value()))


@pytest.mark.parametrize("share", [0.1, 0.5, 0.85])
def test_a_threshold_is_dragged(page, figures, share):  # noqa: F811
    place = drag(page, "threshold", share)
    assert abs(place - 100 * share) <= 3
    curve = figures.gaussian_curve()
    assert value(page, "threshold", "misdetect") == pytest.approx(curve.misdetect[100 - place], **CLOSE)
    assert value(page, "threshold", "gain") == pytest.approx(expected_gain(curve, figures.GAIN)[100 - place], **CLOSE)


def test_a_figure_is_dragged_by_a_finger_on_a_telephone(browser, figures):  # noqa: F811
    context, page, troubles = opened(browser, "threshold", viewport={"width": 390, "height": 844}, has_touch=True)
    place = drag(page, "threshold", 0.7)
    assert value(page, "threshold", "false-alarm") == pytest.approx(
        figures.gaussian_curve().false_alarm[100 - place], **CLOSE
    )
    assert troubles == []
    context.close()


@pytest.mark.parametrize("kind", PAGES)
def test_a_figure_is_read_without_a_script(browser, kind):
    context, page, _ = opened(browser, kind, java_script_enabled=False)
    still = page.locator(f'[data-kind="{kind}"] .explorable-still')
    assert still.is_visible()
    assert still.locator("tr").count() > 3
    context.close()


@pytest.mark.parametrize("kind", PAGES)
def test_every_control_has_a_name_and_takes_the_focus(browser, kind):
    context, page, troubles = opened(browser, kind)
    controls = page.locator(f'[data-kind="{kind}"]').locator("input, button")
    assert controls.count() >= 1
    for k in range(controls.count()):
        one = controls.nth(k)
        named = one.evaluate("c => (c.labels && c.labels.length && c.labels[0].textContent.trim()) "
                             "|| c.getAttribute('aria-label') || c.textContent.trim()")  # fmt: skip
        assert named, one.evaluate("c => c.outerHTML")
        if one.is_enabled():
            one.focus()
            assert one.evaluate("c => document.activeElement === c")
    assert troubles == []
    context.close()


def test_numbers_on_a_built_page_are_those_of_the_build(browser, figures):  # noqa: F811
    context, page, _ = opened(browser, "perceptron")
    model, X, y = figures.perceptron_run()
    data = json.loads(page.locator('[data-kind="perceptron"] script').first.text_content())
    assert len(data["steps"]) == len(model.trace_)
    assert data["bound"] == pytest.approx(model.novikoff(X, y).bound)
    context.close()
