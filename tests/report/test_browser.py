"""The page in a browser: its numbers are those of the run, and nothing in it reaches out or breaks."""

import itertools

import numpy as np
import pytest

from tests.report import runs
from tests.report.payloads import PAYLOADS, poisoned

CLOSE = {"rel": 1e-12, "abs": 1e-12}


def rates(two, i):
    return two["negatives"][i] / two["totals"][0], 1 - two["positives"][i] / two["totals"][1]


def gain_at(two, i, priors, g):
    """π₀[(1 − f) g₀₀ + f g₀₁] + π₁[m g₁₀ + (1 − m) g₁₁]."""
    f, m = rates(two, i)
    return priors[0] * ((1 - f) * g[0][0] + f * g[0][1]) + priors[1] * (m * g[1][0] + (1 - m) * g[1][1])


def move_to(page, run, i):
    page.page.eval_on_selector(
        "#threshold",
        "(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input', {bubbles: true})); }",
        len(run["two"]["thresholds"]) - 1 - i,
    )


def place(page, run):
    return len(run["two"]["thresholds"]) - 1 - int(page.page.input_value("#threshold"))


def assert_point(page, run, i, priors, g):
    """Every number that depends on the threshold."""
    two = run["two"]
    f, m = rates(two, i)
    assert page.value("#op-false-alarm") == pytest.approx(f, **CLOSE)
    assert page.value("#op-misdetect") == pytest.approx(m, **CLOSE)
    assert page.value("#op-gain") == pytest.approx(gain_at(two, i, priors, g), **CLOSE)
    assigned = priors[1] * (1 - m) + priors[0] * f
    if assigned > 0:
        assert page.value("#op-precision") == pytest.approx(priors[1] * (1 - m) / assigned, **CLOSE)
    else:
        assert page.page.inner_text("#op-precision") == "–"
    (n0, n1), fp, tp = two["totals"], two["negatives"][i], two["positives"][i]
    counts = np.array([[n0 - fp, fp], [n1 - tp, tp]])
    assert_matrix(page, "#confusion-counts", counts)
    assert_matrix(page, "#confusion-money", counts * np.array(g))
    shown = float(page.page.inner_text("#op-misdetect").rstrip("%"))
    assert shown == pytest.approx(100 * m, abs=0.0501)


def assert_matrix(page, name, expected):
    shown = np.array(page.values(name))
    np.testing.assert_allclose(shown[:-1, :-1], expected, rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(shown[:-1, -1], expected.sum(axis=1), rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(shown[-1], [*expected.sum(axis=0), expected.sum()], rtol=1e-12, atol=1e-9)


def test_the_threshold_moves_every_number(opened):
    run = runs.two_classes()
    page = opened(run)
    last = len(run["two"]["thresholds"]) - 1
    priors, g = run["priors"]["used"], run["gain"]["matrix"]
    assert place(page, run) == run["two"]["chosen"]
    for i in (run["two"]["chosen"], 0, 1, 137, last // 2, last - 1, last):
        move_to(page, run, i)
        assert_point(page, run, i, priors, g)
    assert "EUR" in page.page.inner_text("#op-gain")
    page.check()


def test_arrow_keys_move_one_point(opened):
    run = runs.two_classes()
    page = opened(run)
    before = place(page, run)
    page.page.focus("#threshold")
    page.page.keyboard.press("ArrowRight")
    assert place(page, run) == before - 1
    page.page.keyboard.press("ArrowLeft")
    page.page.keyboard.press("ArrowLeft")
    assert place(page, run) == before + 1
    assert_point(page, run, before + 1, run["priors"]["used"], run["gain"]["matrix"])
    assert "misdetect" in page.page.get_attribute("#threshold", "aria-valuetext")
    page.page.locator("#operating-words", has_text="misdetect").wait_for(state="attached")


@pytest.mark.parametrize("width", [1280, 390])
def test_dragging_the_line_moves_the_threshold(opened, width):
    run = runs.two_classes()
    page = opened(run, viewport={"width": width, "height": 900})
    page.page.locator("#projection-picture").scroll_into_view_if_needed()
    box = page.page.locator("#projection-picture").bounding_box()
    edges = run["two"]["histogram"]["edges"]
    page.page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 100)
    page.page.mouse.down()
    for share in (0.3, 0.75):
        x = box["x"] + 60 + share * (box["width"] - 76)  # the margins of the picture
        page.page.mouse.move(x, box["y"] + 110, steps=4)
        score = edges[0] + share * (edges[-1] - edges[0])
        nearest = np.abs(np.array(run["two"]["thresholds"]) - score).min()
        i = place(page, run)
        assert abs(run["two"]["thresholds"][i] - score) == pytest.approx(nearest, abs=0.02)
        assert_point(page, run, i, run["priors"]["used"], run["gain"]["matrix"])
    page.page.mouse.up()
    page.page.mouse.move(box["x"] + 100, box["y"] + 110)
    assert place(page, run) == i
    page.check()


def test_priors_and_gains_move_every_number_and_the_best_threshold(opened):
    run = runs.two_classes()
    page = opened(run)
    two = run["two"]
    for prior, g in [(0.5, [[0, -1], [-5, 0]]), (0.04, [[2.5, -3], [-40, 4.125]]), (0.9, [[1, 0], [0, 1e-3]])]:
        page.fill("#prior-1", prior)
        for k in (0, 1):
            for a in (0, 1):
                page.fill(f"#gain-{k}-{a}", g[k][a])
        priors = [1 - prior, prior]
        assert float(page.page.input_value("#prior-0")) == pytest.approx(priors[0])
        page.page.click("#best")
        gains = [gain_at(two, i, priors, g) for i in range(len(two["thresholds"]))]
        best = place(page, run)
        assert gains[best] == pytest.approx(max(gains), **CLOSE)
        assert page.value("#gain-best") == pytest.approx(max(gains), **CLOSE)
        assert page.value("#gain-chosen") == pytest.approx(gains[two["chosen"]], **CLOSE)
        assert_point(page, run, best, priors, g)
    page.page.click("#reset")
    assert place(page, run) == two["chosen"]
    assert_point(page, run, two["chosen"], run["priors"]["used"], run["gain"]["matrix"])
    page.check()


@pytest.mark.parametrize("wrong", ["", "-0.5", "7"])
def test_a_prior_that_is_none_is_refused_and_said(opened, wrong):
    run = runs.two_classes()
    page = opened(run)
    page.page.fill("#prior-0", wrong)
    assert "number" in page.page.inner_text("#assumption-problem")
    assert page.page.get_attribute("#prior-0", "aria-invalid") == "true"
    assert_point(page, run, run["two"]["chosen"], run["priors"]["used"], run["gain"]["matrix"])
    page.page.click("#reset")
    assert page.page.inner_text("#assumption-problem") == ""


def test_without_a_gain_accuracy_is_shown_until_a_gain_is_entered(opened):
    run = runs.two_classes(gain=False)
    page = opened(run)
    assert page.page.inner_text("#op-gain").endswith("%")
    assert page.page.locator("#confusion-shares").count() == 1
    page.fill("#gain-1-0", -5.0)
    assert not page.page.inner_text("#op-gain").endswith("%")
    assert_point(page, run, run["two"]["chosen"], run["priors"]["used"], [[1.0, 0.0], [-5.0, 1.0]])


def test_a_third_answer_is_given_where_it_earns_more(opened):
    run = runs.with_reject(runs.two_classes())
    page = opened(run)
    np.testing.assert_array_equal(np.array(page.values("#reject-confusion-counts"))[:2, :3], run["confusion"]["counts"])
    page.fill("#gain-0-2", -0.3)
    two, g = run["two"], np.array([[0.0, -1.0, -0.3], [-5.0, 0.0, -0.4]])
    cuts = np.array(two["thresholds"])
    p = 1 / (1 + np.exp(-(two["slope"] * (cuts[1:] + cuts[:-1]) / 2 + two["offset"])))
    answers = (np.column_stack([1 - p, p]) @ g).argmax(axis=1)
    counts = np.zeros((2, 3))
    for k, side in enumerate(("negatives", "positives")):
        np.add.at(counts[k], answers, np.diff(two[side]))
    assert counts[:, 2].min() > 0
    assert_matrix(page, "#reject-confusion-counts", counts)
    assert_matrix(page, "#reject-confusion-money", counts * g)
    page.check()


def decided(run, priors, g):
    """Counts of argmax_a Σ_k p_k g_ka after the shift of the priors, and their gain under the priors."""
    many, old = run["many"], np.array(run["priors"]["used"])
    p = np.array(many["posteriors"])
    if not np.array_equal(priors, old):
        p = p * (priors / old)
        p /= p.sum(axis=1, keepdims=True)
    counts = np.zeros(g.shape)
    np.add.at(counts, (many["true"], (p @ g).argmax(axis=1)), 1)
    shares = counts / counts.sum(axis=1, keepdims=True)
    return counts, float(priors @ (shares * g).sum(axis=1))


def test_several_classes_are_decided_again_under_other_priors_and_gains(opened):
    run = runs.several_classes()
    page = opened(run)
    priors, g = np.array(run["priors"]["used"]), np.array(run["gain"]["matrix"])
    counts, value = decided(run, priors, g)
    assert_matrix(page, "#confusion-counts", counts)
    for k, prior in enumerate((1.0, 3.0, 2.5)):
        page.fill(f"#prior-{k}", prior)
    page.fill("#gain-2-0", -12.5)
    g[2, 0] = -12.5
    counts, value = decided(run, np.array([1.0, 3.0, 2.5]) / 6.5, g)
    assert_matrix(page, "#confusion-counts", counts)
    assert_matrix(page, "#confusion-money", counts * g)
    assert page.value("#op-gain") == pytest.approx(value, rel=1e-9)
    assert page.page.inner_text("#op-gain").endswith("\u00a0USD")
    page.page.click("#reset")
    counts, value = decided(run, priors, np.array(run["gain"]["matrix"]))
    assert page.value("#op-gain") == pytest.approx(value, rel=1e-9)
    page.check()


def test_fifty_classes_are_decided_again_too(opened):
    run = runs.several_classes(50, 1000)
    page = opened(run)
    priors, g = np.array(run["priors"]["used"]), np.array(run["gain"]["matrix"])
    page.page.select_option("#gain-true", "7")
    page.page.select_option("#gain-assigned", "8")
    page.fill("#gain", -500.0)
    g[7, 8] = -500.0
    counts, value = decided(run, priors, g)
    assert page.value("#op-gain") == pytest.approx(value, rel=1e-9)
    assert page.value("#confusion-total") == pytest.approx((counts * g).sum(), rel=1e-9)
    page.page.locator(".key").nth(3).click()
    assert page.page.locator(".point.dim").count() == 49
    page.page.select_option("#plane", "4")
    assert page.page.locator(".plane:visible").count() == 1
    page.check()


@pytest.mark.parametrize("made", ["bare", "one_sided", "largest", "two_classes"])
def test_odd_runs_open_without_trouble_and_fit_a_phone(opened, made):
    page = opened(getattr(runs, made)(), viewport={"width": 360, "height": 740})
    assert page.page.evaluate("document.documentElement.scrollWidth") <= 360
    page.check()


def test_the_theme_follows_the_system_until_the_button_is_pressed(opened):
    page = opened(runs.bare(), color_scheme="dark").page
    background = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(background)
    page.click("#theme")
    assert page.evaluate(background) == "rgb(255, 255, 255)"
    page.click("#theme")
    assert page.evaluate(background) == dark != "rgb(255, 255, 255)"


def test_paper_is_white_and_has_no_controls(opened):
    page = opened(runs.two_classes(), color_scheme="dark").page
    page.emulate_media(media="print")
    for theme in (None, "dark", "light"):
        page.evaluate("theme => theme && (document.documentElement.dataset.theme = theme)", theme)
        colours = page.evaluate("[getComputedStyle(document.body)].map(own => [own.backgroundColor, own.color])[0]")
        assert colours == ["rgb(255, 255, 255)", "rgb(0, 0, 0)"]
    assert page.locator("button:visible, input[type=range]:visible, nav:visible").count() == 0
    assert page.pdf(format="A4").startswith(b"%PDF")


def test_no_picture_is_empty(opened):
    for run in (runs.two_classes(), runs.several_classes()):
        page = opened(run).page
        count = "boxes => boxes.map(box => box.querySelectorAll('path, line').length)"
        drawn = page.eval_on_selector_all(".picture", count)
        assert len(drawn) >= 5
        assert min(drawn) >= 3
        assert "NaN" not in "".join(page.eval_on_selector_all(".picture", "boxes => boxes.map(box => box.innerHTML)"))


def forty_of_everything():
    """A run with forty classes, columns, files, notes, findings and commands: a payload for each."""
    run = runs.several_classes(40, 200)
    run["columns"] = (run["columns"] * 4)[:40]
    run["data"] |= {"files": ["x"] * 40, "notes": ["x"] * 40}
    run["findings"] *= 20
    run["reproduce"]["commands"] = ["x"] * 40
    return run


@pytest.mark.parametrize("shift", [0, 17])
@pytest.mark.parametrize("make", [forty_of_everything, runs.two_classes, lambda: runs.with_reject(runs.two_classes())])
def test_forty_payloads_pop_nothing(opened, make, shift):
    payloads = itertools.cycle(PAYLOADS[shift:] + PAYLOADS[:shift])
    page = opened(poisoned(make(), lambda: next(payloads)))
    page.page.hover("#weights")
    page.page.click("#reset")
    assert page.page.evaluate("window.__xss") is None
    assert page.page.locator("iframe, object, embed, img, video, a[href^=j]").count() == 0
    page.check()
