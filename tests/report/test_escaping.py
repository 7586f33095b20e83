"""Whatever a run says, it stays text: no payload becomes an element, an attribute or a script."""

import pytest

from discriminant.report import render
from tests.report import runs
from tests.report.payloads import PAYLOADS, poisoned
from tests.report.reading import Page

MADE = {
    "two": lambda: runs.two_classes(60),
    "reject": lambda: runs.with_reject(runs.two_classes(60)),
    "three": lambda: runs.several_classes(3, 60),
    "nine": lambda: runs.several_classes(9, 60),
}


@pytest.fixture(scope="module", params=MADE)
def run(request):
    return MADE[request.param]()


@pytest.fixture(scope="module")
def harmless(run):
    return Page(render(poisoned(run, lambda: "harmless")))


def test_there_are_forty():
    assert len(set(PAYLOADS)) == 40


@pytest.mark.parametrize("payload", PAYLOADS)
def test_a_payload_changes_no_element_and_no_script(run, harmless, payload):
    page = Page(render(poisoned(run, lambda: payload)))
    assert page.skeleton == harmless.skeleton
    scripts = [[text for tag, text in each.sources if tag == "script"] for each in (page, harmless)]
    assert len(scripts[0]) == len(scripts[1]) == 2
    assert scripts[0][1] == scripts[1][1]
    assert not set("<>&\u2028\u2029") & set(scripts[0][0])


@pytest.mark.parametrize("payload", PAYLOADS)
def test_a_payload_reaches_the_reader_as_it_was_written(payload):
    page = Page(render(runs.bare() | {"verdict": payload, "title": payload}))
    seen = payload.replace("\x00", "\ufffd").replace("\ud800", "\ufffd")
    assert page.text.count(seen) >= 3


def test_no_address_in_the_page_comes_from_the_run(run):
    page = Page(render(poisoned(run, lambda: "https://example.org/")))
    addresses = [a[k] for _, a in page.elements for k in ("href", "src", "action", "data", "srcdoc") if k in a]
    assert addresses
    assert all(address == "data:," or address.startswith("#") for address in addresses)


def test_marks_that_turn_the_writing_are_made_visible():
    page = Page(render(runs.bare() | {"verdict": "pay \u202e001\u202c now"}))
    assert "pay \ufffd001\ufffd now" in page.text
