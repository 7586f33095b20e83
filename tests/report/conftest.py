"""A browser to open pages in, where there is one."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from discriminant.report import render


class Opened:
    """A page in the browser, with all that went wrong in it and all that it asked of the network."""

    def __init__(self, page: Any, address: str) -> None:
        self.page, self.address = page, address
        self.troubles: list[str] = []
        self.requests: list[str] = []
        page.on("console", lambda message: self.troubles.append(message.text))
        page.on("pageerror", lambda error: self.troubles.append(str(error)))
        page.on("dialog", self._dismiss)
        page.on("request", lambda request: self.requests.append(request.url))
        page.goto(address)

    def _dismiss(self, dialog: Any) -> None:
        self.troubles.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def value(self, place: str) -> float:
        """The number an element shows, in full."""
        return float(self.page.get_attribute(place, "data-value"))

    def values(self, place: str) -> list[list[float]]:
        """The numbers of a table, sums included."""
        script = (
            "table => [...table.rows].slice(1).map(row => [...row.querySelectorAll('td')].map(c => +c.dataset.value))"
        )
        return self.page.eval_on_selector(place, script)

    def fill(self, place: str, value: float) -> None:
        self.page.fill(place, repr(value))

    def check(self) -> None:
        """Nothing went wrong and nothing was asked of any network."""
        assert self.troubles == []
        assert self.requests == [self.address]


@pytest.fixture
def opened(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Opened]]:
    """Render a run and open it."""
    contexts = []

    def open_run(run: dict[str, Any], **options: Any) -> Opened:
        file = tmp_path / f"report {len(contexts)}.html"
        file.write_text(render(run), encoding="utf-8")
        contexts.append(browser.new_context(**options))
        return Opened(contexts[-1].new_page(), file.as_uri())

    yield open_run
    for context in contexts:
        context.close()
