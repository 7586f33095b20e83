"""Texts that differ in case or in blanks only are one: Yes, yes and YES; "New  York" and "new york"."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

_MOST_TOLD = 6  # spellings, in a sentence


def folded(text: str) -> str:
    """The same for texts that are one."""
    return " ".join(text.split()).casefold()


def one_spelling(counts: Mapping[str, int]) -> tuple[dict[str, int], dict[str, list[str]]]:
    """(how often each text occurs in any spelling, named by the commonest; its other spellings, sorted)."""
    groups: dict[str, list[str]] = defaultdict(list)
    for text in counts:
        groups[folded(text)].append(text)
    together: dict[str, int] = {}
    others: dict[str, list[str]] = {}
    for texts in groups.values():
        name = min(texts, key=lambda text: (-counts[text], text))
        together[name] = sum(counts[text] for text in texts)
        if len(texts) > 1:
            others[name] = sorted(text for text in texts if text != name)
    return together, others


def alike(aliases: Sequence[tuple[str, str]]) -> str:
    """That spellings count as other texts, in words."""
    by_name: dict[str, list[str]] = defaultdict(list)
    for spelling, name in aliases[:_MOST_TOLD]:
        by_name[name].append(repr(spelling))
    told = [f"{', '.join(own)} count{'s' * (len(own) == 1)} as {name!r}" for name, own in by_name.items()]
    more = len(aliases) - _MOST_TOLD
    return ", ".join(told) + (f" and so do {more} more spellings" if more > 0 else "")
