"""Two texts in one, with the words that went and those that came."""

import difflib
import re
from collections import Counter
from collections.abc import Iterator
from typing import Literal, NamedTuple

MOST_WORDS = 3000  # comparing longer texts takes too long


class WordChange(NamedTuple):
    """Words in a row that stayed, went or came."""

    kind: Literal["same", "gone", "new"]
    words: str


def word_changes(before: str, after: str) -> list[WordChange]:
    """Return `after` with the words that went and those that came, in order.

    Empty where the two are equal or too long to compare quickly.
    """
    old, new = (re.findall(r"\S+", text) for text in (before, after))
    if old == new or max(len(old), len(new)) > MOST_WORDS:
        return []
    return list(_changes(old, new))


def _changes(old: list[str], new: list[str]) -> Iterator[WordChange]:
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            yield WordChange("same", " ".join(old[a:b]))
            continue
        if b > a:
            yield WordChange("gone", " ".join(old[a:b]))
        if d > c:
            yield WordChange("new", " ".join(new[c:d]))


def work_of_diff(before: str, after: str) -> int:
    """Return a bound on the steps that `word_changes` takes: words that repeat are slow."""
    old, new = (Counter(text.split()) for text in (before, after))
    pairs = sum(count * new[word] for word, count in old.items())
    return pairs * min(old.total(), new.total())


def word_diff(before: str, after: str) -> str:
    """Return `after` with the words that went as ``[-…-]`` and those that came as ``{+…+}``.

    Empty where the two are equal or too long to compare quickly.
    """
    marks = {"same": ("", ""), "gone": ("[-", "-]"), "new": ("{+", "+}")}
    changes = word_changes(before, after)
    return " ".join(f"{marks[kind][0]}{words}{marks[kind][1]}" for kind, words in changes)
