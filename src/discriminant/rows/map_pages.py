"""The map of a file under an array, and its pages."""

import mmap
from typing import Any

import numpy as np


def map_under(array: Any) -> mmap.mmap | None:
    """The map that an array lies on, if it lies on one."""
    while isinstance(array, np.ndarray):
        array = array.base
    return array if isinstance(array, mmap.mmap) else None


def give_pages_back(pages: mmap.mmap | None) -> None:
    """Let the system have the pages; whoever touches them again gets them from its cache of the file.

    Where a system has no such call, they stay until something else needs the memory.
    """
    if pages is not None and hasattr(mmap, "MADV_DONTNEED"):
        pages.madvise(mmap.MADV_DONTNEED)
