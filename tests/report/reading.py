"""A page as a parser sees it."""

import json
from html.parser import HTMLParser
from typing import Any


class Page(HTMLParser):
    """Elements with their attributes, the text of each script and style, and the text a reader sees."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.sources: list[tuple[str, str]] = []
        self.text = ""
        self._inside = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._inside = tag

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside in {"script", "style"}:
            self.sources.append((self._inside, data))
        else:
            self.text += data

    @property
    def skeleton(self) -> list[tuple[str, tuple[str, ...]]]:
        """Elements and the names of their attributes: what no text may change."""
        return [(tag, tuple(attributes)) for tag, attributes in self.elements]

    @property
    def numbers(self) -> Any:
        """The embedded JSON."""
        return json.loads(next(text for tag, text in self.sources if tag == "script"))

    def ids(self) -> list[str]:
        return [attributes["id"] or "" for _, attributes in self.elements if "id" in attributes]

    def all(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]
