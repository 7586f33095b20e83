"""The page without a browser: what is in it, how large it is, and that nothing odd breaks it."""

import base64
import hashlib
import json
import re
from importlib.resources import files

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discriminant.report import render
from discriminant.report.limits import narrowing
from tests.report import runs
from tests.report.reading import Page

SECTIONS = ["verdict", "data", "separation", "projection", "operating", "assumptions", "weights", "rows", "comparison"]
SECTIONS += ["calibration", "findings", "reproduce"]
MADE = {
    "two": runs.two_classes,
    "accuracy": lambda: runs.two_classes(gain=False),
    "large": lambda: runs.two_classes(20_000),
    "reject": lambda: runs.with_reject(runs.two_classes()),
    "three": runs.several_classes,
    "fifty": lambda: runs.several_classes(50, 2000),
    "two hundred": lambda: runs.several_classes(200, 400),
    "one_sided": runs.one_sided,
    "bare": runs.bare,
}


@pytest.fixture(scope="module", params=MADE)
def run(request):
    return MADE[request.param]()


@pytest.fixture(scope="module")
def page(run):
    return Page(render(run))


def test_every_section_is_there_in_its_order():
    ids = Page(render(runs.two_classes())).ids()
    places = [ids.index(section) for section in SECTIONS]
    assert places == sorted(places)


def test_sections_stay_when_their_data_is_missing(page):
    ids = page.ids()
    assert set(SECTIONS) - {"operating"} <= set(ids)
    assert len(ids) == len(set(ids))


def test_links_within_the_page_lead_somewhere(page):
    targets = [a["href"][1:] for a in page.all("a")]
    assert targets
    assert set(targets) <= set(page.ids())


def test_the_same_run_gives_the_same_page(run):
    assert render(run) == render(json.loads(json.dumps(run)))


def test_the_page_is_small(run):
    assert len(render(run).encode()) < 700_000


def test_the_largest_run_stays_under_a_megabyte_and_alive():
    html = render(runs.largest())
    assert len(html.encode()) < 1_000_000
    assert Page(html).numbers["many"]["rows"] >= 100


def test_text_of_any_length_stays_under_a_megabyte():
    def swollen(value):
        if isinstance(value, dict):
            return {key: swollen(item) if key not in {"format", "criterion"} else item for key, item in value.items()}
        if isinstance(value, list):
            return [swollen(item) for item in value]
        return value + "&'\"" * 3_000 if isinstance(value, str) else value

    run = swollen(runs.several_classes(50, 300))
    run["findings"] *= 500
    assert len(render(run).encode()) < 1_000_000


def test_limits_end():
    assert len(list(narrowing())) < 12


def test_the_policy_names_the_script_and_the_style_and_allows_nothing_else(page):
    policy = next(a["content"] for a in page.all("meta") if a.get("http-equiv") == "Content-Security-Policy")
    assert "unsafe" not in policy
    assert policy.startswith("default-src 'none'; img-src data:;")
    style = next(text for tag, text in page.sources if tag == "style")
    script = [text for tag, text in page.sources if tag == "script"][-1]
    for directive, source in (("style-src", style), ("script-src", script)):
        digest = base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()
        assert f"{directive} 'sha256-{digest}'" in policy
    assert not [a for _, a in page.elements if "style" in a or any(name.startswith("on") for name in a)]


def test_the_page_names_no_other_place():
    html = render(runs.two_classes())
    assert set(re.findall(r"https?://[^\s\"']+", html)) == {"http://www.w3.org/2000/svg"}
    assert "@import" not in html
    assert not re.search(r"url\((?!#)", html.replace("url(#${side})", ""))


def test_every_file_of_the_page_is_put_into_it():
    html = render(runs.bare())
    sources = [file for file in (files("discriminant.report") / "page").iterdir() if file.name[-3:] in {".js", "css"}]
    assert len(sources) > 10
    assert all(file.read_text(encoding="utf-8") in html for file in sources)
    assert not [file.name for file in sources if re.search("</script|<!--|</style", file.read_text(encoding="utf-8"))]


def test_tables_have_captions_and_scopes_and_pictures_have_text(page):
    assert len(page.all("table")) == len(page.all("caption"))
    assert all(a.get("scope") in {"row", "col"} for a in page.all("th"))
    assert all(a.get("aria-label") for _, a in page.elements if a.get("role") in {"img", "region"})
    assert len(page.all("h1")) == len(page.all("main")) == len(page.all("header")) == 1


def test_amounts_have_their_unit_and_accuracy_is_a_percentage():
    gain, accuracy = Page(render(runs.two_classes())).text, Page(render(runs.two_classes(gain=False))).text
    assert re.search(
        r"Expected loss a row\s*0\.\d+\sEUR", gain
    )  # what is lost is told as a loss, not as a gain below 0
    assert re.search(r"Expected accuracy\s*\d\d\.\d%", accuracy)
    assert "EUR" not in accuracy


def test_what_is_only_a_sample_is_said():
    run = runs.several_classes(3, 300)
    run["many"]["sampled"] = True
    assert "300 rows, sampled from 300" in Page(render(run)).text
    assert "All 300 rows" in Page(render(runs.several_classes(3, 300))).text
    assert "points taken from all distinct scores" in Page(render(runs.two_classes(20_000))).text


def test_operating_points_are_embedded_as_they_are():
    run = runs.two_classes()
    numbers = Page(render(run)).numbers["two"]
    for key in ("positives", "negatives", "totals", "chosen"):
        assert numbers[key] == run["two"][key]


def test_posteriors_are_embedded_as_they_are():
    run = runs.several_classes()
    many = Page(render(run)).numbers["many"]
    assert [[p / 100_000 for p in row] for row in many["posteriors"]] == run["many"]["posteriors"]
    assert many["true"] == run["many"]["true"]


@pytest.mark.parametrize("part", [*runs.two_classes(), *(f"two.{key}" for key in runs.two_classes()["two"])])
@pytest.mark.parametrize("instead", ["nothing", None, {}, "text", -1, [None], [{}]])
def test_a_part_that_is_missing_or_wrong_breaks_nothing(part, instead):
    if part in {"format", "version"}:
        return
    run = runs.two_classes(60)
    *folders, name = part.split(".")
    place = run[folders[0]] if folders else run
    if instead == "nothing":
        del place[name]
    else:
        place[name] = instead
    page = Page(render(run))
    assert {"verdict", "projection", "reproduce"} <= set(page.ids())
    assert page.numbers["accuracy"] in (True, False)


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


@settings(max_examples=30)
@given(st.sampled_from(sorted(set(runs.several_classes(3, 30)) - {"format", "version"})), ANYTHING, ANYTHING)
def test_any_content_of_a_part_breaks_nothing(part, content, inner):
    run = runs.several_classes(3, 30)
    if isinstance(run[part], dict):
        run[part] |= dict.fromkeys(run[part], inner) if content is None else {next(iter(run[part])): content}
    else:
        run[part] = content
    assert Page(render(run)).numbers["classes"] is not None


@pytest.mark.parametrize("run", [{}, {"format": "other"}, [], None])
def test_what_is_no_run_is_refused(run):
    with pytest.raises(ValueError, match="this is no run"):
        render(run)


@pytest.mark.parametrize("version", [2, "1", None])
def test_a_version_from_the_future_is_refused(version):
    with pytest.raises(ValueError, match="versions up to 1"):
        render(runs.bare() | {"version": version})
