"""The page as a picture: nothing runs out of its box, no number is cut, far rows squeeze nothing, paper holds all."""

from itertools import pairwise

import numpy as np
import pytest

from tests.report import runs

# Boxes whose content is wider than they are (those that scroll on purpose apart), and words of pictures beyond them.
OVERFLOWING = """() => {
  const found = [];
  const wide = document.documentElement;
  if (wide.scrollWidth > wide.clientWidth) found.push(`page ${wide.scrollWidth}`);
  for (const box of document.querySelectorAll("body *")) {
    if (box.closest(".unseen, svg, .skip, .wide, pre, .title, .tag") || box.clientWidth === 0) continue;
    if (getComputedStyle(box).display !== "inline" && box.scrollWidth > box.clientWidth + 1)
      found.push(`${box.tagName}#${box.id}.${box.className} ${box.scrollWidth} > ${box.clientWidth}`);
  }
  for (const picture of document.querySelectorAll(".picture svg")) {
    const frame = picture.getBoundingClientRect();
    for (const words of picture.querySelectorAll("text")) {
      const own = words.getBoundingClientRect();
      if (own.left < frame.left - 1 || own.right > frame.right + 1 || own.bottom > frame.bottom + 1)
        found.push(`${picture.parentNode.id}: ${words.textContent}`);
    }
  }
  return found;
}"""
HIDDEN = "boxes => boxes.map(box => box.scrollWidth - box.clientWidth)"
LONG_LABELS = ["the customer stayed with the company for at least another year " + "x" * 20, "thecustomerleft" * 5]


def sized(width):
    return {"viewport": {"width": width, "height": 900}}


def relabelled(run, labels):
    """The same run with other classes."""
    old = run["gain"]["classes"]
    run["gain"] |= {"classes": labels, "assigned": labels}
    run["confusion"]["assigned"] = labels
    for entry, label in zip(run["data"]["classes"], labels, strict=True):
        entry["label"] = label
    for row in [*run["rows"]["nearest"], *run["rows"]["worst"]]:
        row["true"], row["assigned"] = labels[old.index(row["true"])], labels[old.index(row["assigned"])]
    return run


def long_names():
    run = relabelled(runs.two_classes(), LONG_LABELS)
    names = ["the total of all outstanding loans at the end of the previous quarter", "averyverylongcolumn" * 5]
    for i, column in enumerate(run["columns"]):
        column["name"] = f"{names[i % 2]} {i}"
    for i, feature in enumerate(run["weights"]["features"]):
        feature["name"] = f"{names[i % 2]} {i}"
    for row in [*run["rows"]["nearest"], *run["rows"]["worst"]]:
        row["cells"] = {f"{names[j % 2]} {j}": names[1 - j % 2] for j in range(8)}
    return runs.with_more(run)


MADE = {
    "two": lambda: runs.with_more(runs.two_classes()),
    "reject": lambda: runs.with_reject(runs.two_classes()),
    "long names": long_names,
    "large amounts": lambda: runs.in_millions(runs.two_classes()),
    **{f"{n} classes": lambda n=n: runs.several_classes(n, 900) for n in (3, 4, 8, 12, 54)},
}


@pytest.mark.parametrize("width", [390, 1280, 1920])
@pytest.mark.parametrize("made", MADE)
def test_nothing_runs_out_of_its_box(opened, made, width):
    page = opened(MADE[made](), **sized(width))
    assert page.page.evaluate(OVERFLOWING) == []
    page.check()


@pytest.mark.parametrize("n_classes", [2, 3, 4, 5, 8])
def test_every_column_of_the_gain_editor_is_seen_at_once(opened, n_classes):
    run = runs.two_classes() if n_classes == 2 else runs.several_classes(n_classes)
    page = opened(run, **sized(1280)).page
    assert max(page.eval_on_selector_all("#assumption-inputs .wide", HIDDEN)) <= 1
    last = page.locator(f"#gain-0-{n_classes - 1}").bounding_box()
    panel = page.locator("#assumptions").bounding_box()
    assert last["x"] + last["width"] < panel["x"] + panel["width"]


@pytest.mark.parametrize("n_classes", [3, 4, 8, 12])
def test_no_count_of_a_confusion_matrix_is_cut(opened, n_classes):
    page = opened(runs.several_classes(n_classes, 20_000), **sized(1280)).page
    assert max(page.eval_on_selector_all("#confusion .wide", HIDDEN)) <= 1


def test_a_scrolled_table_keeps_its_first_column_and_fades_where_it_hides_more(opened):
    page = opened(runs.several_classes(4), **sized(390)).page
    box = page.locator("#comparison .wide")
    assert "more" in box.get_attribute("class").split()
    before = box.locator("tbody th").first.bounding_box()["x"]
    box.evaluate("box => { box.scrollLeft = box.scrollWidth; }")
    page.locator("#comparison .wide:not(.more)").wait_for()
    assert box.locator("tbody th").first.bounding_box()["x"] == pytest.approx(before, abs=1)


def far_scores():
    """Scores of two classes, twelve of them a thousand times further out."""
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1], [700, 300])
    scores = rng.normal(2.0 * codes - 1.0, 1.0)
    scores[:12] -= rng.uniform(2_000, 5_000, 12)
    run = runs.two_classes()
    edges = np.linspace(scores.min(), scores.max(), 61)
    counts = [np.histogram(scores[codes == k], edges)[0].tolist() for k in (0, 1)]
    run["two"] |= runs.operating_points(scores, codes) | {"histogram": {"edges": edges.tolist(), "counts": counts}}
    return run


def test_far_scores_squeeze_nothing_and_are_counted(opened):
    page = opened(far_scores())
    bars = page.page.evaluate("document.querySelector('.bars-0').getBoundingClientRect().width")
    assert bars > 300
    assert page.page.inner_text("#beyond") == "12 rows lie beyond the ends of this picture."
    page.check()


def test_far_points_squeeze_nothing_and_are_counted(opened):
    run = runs.several_classes()
    for i in (3, 400, 800):
        run["many"]["points"][i] = [5e4 + i, -3e3]
    page = opened(run)
    widths = page.page.eval_on_selector_all(".point", "all => all.map(path => path.getBoundingClientRect().width)")
    assert min(widths) > 200
    assert page.page.inner_text("#scatter-note") == "3 rows lie beyond the ends of this picture."
    page.check()


def test_rows_that_all_fit_are_not_counted_as_beyond(opened):
    assert opened(runs.two_classes()).page.locator("#beyond").count() == 0
    assert opened(runs.several_classes()).page.inner_text("#scatter-note") == ""


def test_a_hopeless_learner_does_not_squeeze_the_others(opened):
    run = runs.two_classes()
    run["comparison"][5]["figures"]["gain"] = runs.interval(-500.0, 40.0)
    page = opened(run).page
    marks = page.eval_on_selector_all(
        "#comparison-picture .mark-now, #comparison-picture .mark-best",
        "all => all.map(mark => mark.getBoundingClientRect().x)",
    )
    assert max(marks) - min(marks) > 25
    assert "◂ −500" in page.text_content("#comparison-picture")


def test_weights_say_which_class_they_speak_for(opened):
    drawn = opened(runs.two_classes()).page.text_content("#weights-picture")
    assert "← towards good" in drawn
    assert "towards bad →" in drawn
    page = opened(runs.several_classes()).page
    page.select_option("#plane", "2")
    assert "towards species 3 →" in page.text_content("#weights-picture")


def test_importance_and_shapes_are_drawn(opened):
    page = opened(runs.with_more(runs.two_classes()))
    assert page.page.locator("#importance-picture rect[class^=bar]").count() == 4
    assert page.page.locator("#shape-0 .curve").count() == 1
    assert "Boosted trees" in page.page.text_content("#comparison-picture")
    page.check()


def test_bent_log_odds_decide_where_the_third_answer_is_given(opened):
    run = runs.with_reject(runs.two_classes())
    run["two"]["bends"] = [[0.2, -1.1], [1.0, 0.4]]
    page = opened(run)
    page.fill("#gain-0-2", -0.3)
    two, g = run["two"], np.array([[0.0, -1.0, -0.3], [-5.0, 0.0, -0.4]])
    cuts = np.array(two["thresholds"])
    s = (cuts[1:] + cuts[:-1]) / 2
    bent = sum(change * np.maximum(s - at, 0.0) for at, change in two["bends"])
    p = 1 / (1 + np.exp(-(two["slope"] * s + two["offset"] + bent)))
    answers = (np.column_stack([1 - p, p]) @ g).argmax(axis=1)
    counts = np.zeros((2, 3))
    for k, side in enumerate(("negatives", "positives")):
        np.add.at(counts[k], answers, np.diff(two[side]))
    np.testing.assert_allclose(np.array(page.values("#reject-confusion-counts"))[:2, :3], counts, atol=1e-9)
    page.check()


@pytest.mark.parametrize("made", ["two", "long names", "4 classes", "12 classes"])
def test_paper_cuts_no_table_and_breaks_no_short_word(opened, made):
    page = opened(MADE[made](), viewport={"width": 688, "height": 970}).page  # A4 within its margins
    page.emulate_media(media="print")
    tables = "all => all.filter(table => table.clientWidth > 0).map(table => table.getBoundingClientRect().right)"
    edge = page.evaluate("document.getElementById('main').getBoundingClientRect().right")
    assert max(page.eval_on_selector_all("table", tables)) <= edge + 1
    kinds = "cells => cells.map(cell => cell.getBoundingClientRect().height)"
    heights = page.eval_on_selector_all(".columns td:nth-child(2) .name", kinds)
    assert max(heights) < 20


def test_columns_whose_names_begin_and_end_alike_can_be_told_apart(opened):
    run = runs.with_more(runs.two_classes(60))
    for k, column in enumerate(run["importance"]["columns"]):
        column["column"] = f"measurement number {k} of the long-named instrument (in millimetres)"
    names = opened(run).page.locator("#importance-picture text.row-name").all_text_contents()
    assert len(set(names)) == len(names) == len(run["importance"]["columns"])
    assert any(name.startswith("…1 of") for name in names)


def test_on_a_phone_learners_and_columns_are_named_in_full(opened):
    """Above their bars, where beside them there is no room."""
    run = runs.with_more(runs.two_classes())
    page = opened(run, **sized(390)).page
    drawn = page.text_content("#comparison-picture")
    assert all(entry["text"] in drawn for entry in run["comparison"] if entry["failure"] is None)
    assert all(entry["column"] in page.text_content("#importance-picture") for entry in run["importance"]["columns"])
    assert page.locator("#comparison-picture text[text-anchor=middle]").count() >= 2  # numbers along the axis
    weights = page.text_content("#weights-picture")
    assert "good" in weights
    assert "bad →" in weights


def test_on_a_phone_the_facts_of_a_run_are_broken_not_hidden(opened):
    page = opened(runs.two_classes(), **sized(390)).page
    assert page.locator(".wide:has(> .facts)").evaluate("box => box.scrollWidth - box.clientWidth") <= 1


def test_a_far_value_does_not_squeeze_a_curve(opened):
    run = runs.with_more(runs.two_classes())
    run["shapes"] = [
        {"column": "income", "kind": "number", "text": "",
         "points": [[2.0, -1.0], [4.5, -0.8], [8.4, -0.4], [26.0, 0.6], [44.0, 0.8], [97.0, 1.0], [1e13, 1.0]]}
    ]  # fmt: skip
    page = opened(run).page
    words = page.eval_on_selector_all("#shape-0 text[text-anchor=middle]", "all => all.map(text => text.textContent)")
    assert len(words) >= 2
    assert max(float(word) for word in words) < 1000
    assert "1 value" not in page.text_content("#shape-0")
    run["shapes"][0]["points"] = [[-1e12, -1.0], [0.0, 0.0], [1e12, 1.0]]
    page = opened(run).page
    boxes = page.eval_on_selector_all(
        "#shape-0 text[text-anchor=middle]",
        "all => all.map(text => text.getBoundingClientRect()).map(box => [box.left, box.right])",
    )
    assert all(left > right for (_, right), (left, _) in pairwise(boxes))
    assert "1tn" in page.text_content("#shape-0")


# Whether no line has its amount, or one of them lies below the axis or over a mark.
COVERED = """() => {
  const all = (kind) => [...document.querySelectorAll(`#operating-picture ${kind}`)];
  const boxes = (kind) => all(kind).map((part) => part.getBoundingClientRect());
  const apart = (a, b) => a.right < b.left || b.right < a.left || a.bottom < b.top || b.bottom < a.top;
  const frame = boxes(".frame")[0];
  const marks = [".mark-now", ".mark-best", ".mark-chosen"].map((kind) => boxes(`svg > ${kind}`)[0]);
  const covered = (a) => a.bottom > frame.bottom + 2 || marks.some((mark) => !apart(a, mark));
  return all(".iso-name").length === 0 || boxes(".iso-name").some(covered);
}"""


def test_no_amount_is_written_below_a_mark(opened):
    """The amounts of lines of equal gain keep clear of where the rule stands."""
    run = runs.two_classes()
    for chosen in (0, 200, 400, len(run["two"]["thresholds"]) - 1):
        run["two"]["chosen"] = chosen
        page = opened(run).page
        assert not page.evaluate(COVERED), chosen


def test_small_probabilities_fill_the_picture(opened):
    """Of a rare class all probabilities are small: the axes end where they do."""
    run = runs.two_classes()
    run["calibration"] = [
        {"mean": m, "share": m, "low": m / 2, "high": 1.5 * m, "rows": 100} for m in (0.002, 0.01, 0.03, 0.05)
    ]
    page = opened(run).page
    where = "all => all.map(path => path.getBoundingClientRect().x)"
    places = page.eval_on_selector_all("#calibration-picture .mark-now", where)
    assert max(places) - min(places) > 150
    assert "100%" not in page.text_content("#calibration-picture")
    assert "100%" in opened(runs.two_classes()).page.text_content("#calibration-picture")


def test_numbers_of_rows_line_up_and_no_score_is_minus_nothing(opened):
    run = runs.two_classes()
    for row in run["rows"]["nearest"]:
        row["cells"] = {"age": "41", "town": "B", "debt": "-1.5"}
        row["score"] = -0.00031
    page = opened(run).page
    cells = page.locator("#rows table").first.locator("tbody tr").first.locator("td")
    aligned = cells.evaluate_all("all => all.map(cell => getComputedStyle(cell).textAlign)")
    assert aligned[-3:] == ["right", "left", "right"]
    assert "−0.000\t" not in page.inner_text("#rows")
    assert "−0.00031" in page.inner_text("#rows")


def test_a_mean_gain_is_shown_in_brief_and_reckoned_with_in_full(opened):
    run = runs.two_classes()
    run["gain"]["matrix"] = [[0.0, -81.43685123], [-1256.3171, 123456.75]]
    page = opened(run)
    shown = [page.page.input_value(f"#gain-{k}-{a}") for k, a in ((0, 1), (1, 0), (1, 1))]
    assert shown == ["-81.437", "-1256.3", "123457"]
    counts, money = (np.array(page.values(f"#confusion-{kind}"))[:2, :2] for kind in ("counts", "money"))
    np.testing.assert_allclose(money, counts * run["gain"]["matrix"], rtol=1e-12)


def test_short_classes_stay_whole_in_tables_of_rows(opened):
    """Also on a phone, with a mark beside them."""
    page = opened(runs.two_classes(labels=("stays", "leaves")), **sized(390)).page
    heights = page.eval_on_selector_all("#rows td .label", "all => all.map(box => box.getBoundingClientRect().height)")
    assert max(heights) < 30


def test_two_figures_of_one_name_are_told_apart(opened):
    """The verdict's gain and that at the threshold differ, and the page says why."""
    assert "there each row was decided by a threshold that other rows chose" in opened(
        runs.two_classes()
    ).page.inner_text("#confusion-note")
