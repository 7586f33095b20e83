"""Cells that a model and its exports read differently."""

from pathlib import Path

from tests.fuzz.kinds.export_cells import require_agreement


def numbers_that_are_none(folder: Path) -> None:
    for text in ("1-2", "2020-01-05", "5e", "1e", "1 2", "0x1F", "1_000", "--1", "1.5.2", "٣", "inf", "1e400"):
        require_agreement("two", {"age": text})


def spaces_around_levels(folder: Path) -> None:
    for space in ("\u00a0", "\u2003", "\u200b", "\ufeff", "\x85", "\x1f", "\t", " "):
        require_agreement("two", {"sex": space + "f"})
        require_agreement("two", {"sex": "f" + space})


def flags_that_are_none(folder: Path) -> None:
    for text in ("2", "-1", "0.5", "yes", "t", "TRUE", "1.0", "01"):
        require_agreement("two", {"member": text})


def dates_that_are_none(folder: Path) -> None:
    for text in ("19700102", "2020-W01-1", "2020-02-30", "05/01/2020", "2020-01-05T25:00", "2020", "2020-1-5", "1.5"):
        require_agreement("two", {"since": text})
