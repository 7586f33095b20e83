"""The handbook as it was built, where it was (`make docs`): links and anchors lead somewhere, pictures have words."""

from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import pytest

from tests.docs.pages import BUILT, ROOT, built_pages

PAGES = built_pages()
pytestmark = pytest.mark.skipif(not PAGES, reason="the handbook is not built: make docs")


class Reader(HTMLParser):
    """What a page links to, what can be linked to, and its pictures."""

    def __init__(self, text):
        super().__init__()
        self.links, self.ids, self.wordless, self.loaded = [], set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if "id" in given:
            self.ids.add(given["id"])
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        if tag == "img" and not given.get("alt"):
            self.wordless.append(given.get("src"))
        if tag in ("script", "img") and given.get("src"):
            self.loaded.append(given["src"])
        if tag == "link" and given.get("rel") in ("stylesheet", "preload"):
            self.loaded.append(given["href"])


@pytest.fixture(scope="module")
def readers():
    return {page: Reader(page.read_text()) for page in PAGES}


def test_links_and_anchors_lead_somewhere(readers):
    broken = []
    for page, reader in readers.items():
        for link in reader.links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc or link in ("#", "#!"):
                continue
            target = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            if not target.exists() or (
                parts.fragment and target in readers and unquote(parts.fragment) not in readers[target].ids
            ):
                broken.append((page.name, link))
    assert broken == []


def test_no_page_tells_where_it_was_built():
    """A path of the machine stands in warnings that an example should not have given."""
    assert [page.name for page in PAGES if str(ROOT) in page.read_text()] == []


def test_pictures_have_words(readers):
    assert [(page.name, src) for page, reader in readers.items() for src in reader.wordless] == []


def test_everything_loaded_is_beside_the_pages(readers):
    missing = []
    for page, reader in readers.items():
        for address in reader.loaded:
            parts = urlsplit(address)
            assert not parts.netloc, (page.name, address)
            if not (page.parent / unquote(parts.path)).exists():
                missing.append((page.name, address))
    assert missing == []


def test_the_parts_a_reader_needs_are_there():
    for name in ("index.html", "search.html", "searchindex.js", "_static/mathjax/tex-chtml.js"):
        assert (BUILT / name).exists()


def test_examples_are_code_and_no_names_of_parameters():
    """A docstring's example after its parameters is an example; nor does a page tell where it was run."""
    texts = {page: page.read_text() for page in PAGES}
    assert [str(page.relative_to(BUILT)) for page, text in texts.items() if "<strong>&gt;&gt;&gt;" in text] == []
    assert [str(page.relative_to(BUILT)) for page, text in texts.items() if "/tmp/ipykernel" in text] == []
