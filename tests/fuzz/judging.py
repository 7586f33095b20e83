"""What may come of a case: a lawful answer, or a refusal by ValueError or TypeError; all else is a failure."""

import re
import resource
import sys
import time
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tests.fuzz.cases import Case, Kept, Preparation

REFUSALS = (ValueError, TypeError)  # and so TableError, OptionError, ModelFileError, RunFileError, ExportError
MOST_GROWTH = 1 << 30  # bytes that a process may take beyond what it had before its first case
PACKAGE = "/src/discriminant/"


class Unlawful(AssertionError):
    """An answer that is none: not finite, not a probability, not a class; what is said of it, and of this very case."""

    def __init__(self, words: str, detail: object = "") -> None:
        super().__init__(words, detail)
        self.words = words


@dataclass(frozen=True)
class Outcome:
    """How a case ended. ``cause`` groups failures, ``detail`` is for the one who mends them."""

    refusal: str | None = None
    cause: str | None = None
    detail: str = ""
    seconds: float = 0.0
    last: bool = False  # the process is not fit for another case
    slow: bool = False

    @property
    def failed(self) -> bool:
        return self.cause is not None


def judged(case: Case | Kept | Preparation, folder: Path, most_memory: int) -> Outcome:
    """Run a case in this process."""
    start = time.perf_counter()
    refusal = cause = None
    detail = ""
    try:
        case.run(folder)
    except REFUSALS as error:
        refusal = f"{type(error).__name__} of {_origin(error)}"
    except (Exception, SystemExit) as error:
        cause, detail = _cause(error), "".join(traceback.format_exception(error)[-12:])
    seconds = time.perf_counter() - start
    grown = peak_memory() > most_memory
    if grown and cause is None:
        cause = f"memory beyond {MOST_GROWTH >> 20} MB"
    return Outcome(refusal, cause, detail, seconds, last=grown)


def peak_memory() -> int:
    """The most bytes this process ever held."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _origin(error: BaseException) -> str:
    """Whose words a refusal is made of."""
    file = traceback.extract_tb(error.__traceback__)[-1].filename
    found = re.search(r"site-packages/(\w+)", file)
    return "discriminant" if PACKAGE in file else found.group(1) if found else "Python"


def _cause(error: BaseException) -> str:
    """Alike for cases with the same defect: the kind of error, its words without numbers, and where it was raised."""
    if isinstance(error, Unlawful):
        return f"unlawful: {error.words}"
    words = re.sub(r"'[^']*'|-?\d[\d.e+-]*", "…", " ".join(str(error).split()))[:90]
    own = [frame for frame in traceback.extract_tb(error.__traceback__) if PACKAGE in frame.filename]
    where = f" at {own[-1].filename.split(PACKAGE)[1]}:{own[-1].lineno}" if own else ""
    return f"{type(error).__name__}: {words}{where}"


# --- laws of answers ------------------------------------------------------------------------------------


def require(lawful: Any, words: str, detail: object = "") -> None:
    """An answer that breaks a law is a failure of its own."""
    if not lawful:
        raise Unlawful(words, detail)


def require_finite(values: Any, what: str) -> None:
    require(np.isfinite(np.asarray(values, dtype=np.float64)).all(), f"{what} not finite")


def require_probabilities(values: Any, shape: tuple[int, int], what: str = "probabilities") -> None:
    P = np.asarray(values, dtype=np.float64)
    require(P.shape == shape, f"{what} of another shape")
    require_finite(P, what)
    require(((P >= 0) & (P <= 1)).all(), f"{what} beyond 0 and 1")
    require((np.abs(P.sum(axis=1) - 1) <= 1e-9).all(), f"{what} that do not sum to one")


def require_among(labels: Any, allowed: Any, what: str = "labels") -> None:
    known = {(type(label), label) for label in _listed(allowed)}
    require(all((type(label), label) in known for label in _listed(labels)), f"{what} that are no classes", labels)


def _listed(values: Any) -> list[Any]:
    return values.tolist() if isinstance(values, np.ndarray) else list(values)
