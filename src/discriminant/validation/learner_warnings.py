"""Warnings of learners, heard instead of printed: each by the thread, and so by the fit, that gave it."""

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

from discriminant.findings import Finding, FindingWarning


@dataclass(frozen=True)
class LearnerWarned(Finding):
    """A warning of a learner that keeps no findings."""

    doubtful = True


class WarningLog:
    """While it is open, no warning is shown; `collect` gives those of the calling thread."""

    def __init__(self) -> None:
        self._own = threading.local()
        self._filters = warnings.catch_warnings()

    def __enter__(self) -> Self:
        self._filters.__enter__()
        warnings.simplefilter("always")
        warnings.showwarning = self._hear
        return self

    def __exit__(self, *error: Any) -> None:
        self._filters.__exit__(*error)

    def _hear(self, message: Any, category: type[Warning], *place: Any, **more: Any) -> None:
        heard = getattr(self._own, "heard", None)
        if heard is not None and not issubclass(category, FindingWarning):  # findings are kept by the learner
            text = " ".join(str(message).split()).removesuffix(".")
            heard.setdefault(category, LearnerWarned(category.__name__, text, "See the documentation of the learner"))

    @contextmanager
    def collect(self) -> Iterator[Any]:
        """Warnings of this thread, one of each kind, while the context lasts."""
        self._own.heard = {}
        try:
            yield self._own.heard.values()
        finally:
            self._own.heard = None
