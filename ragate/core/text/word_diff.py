"""Two texts in one, with the words that went and those that came."""

import difflib
import re

MOST_WORDS = 3000  # comparing longer texts takes too long


def word_diff(before: str, after: str) -> str:
    """Return `after` with the words that went as ``[-…-]`` and those that came as ``{+…+}``.

    Empty where the two are equal or too long to compare quickly.
    """
    old, new = (re.findall(r"\S+", text) for text in (before, after))
    if old == new or max(len(old), len(new)) > MOST_WORDS:
        return ""
    words: list[str] = []
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            words += old[a:b]
            continue
        words += [f"[-{' '.join(old[a:b])}-]"] if b > a else []
        words += [f"{{+{' '.join(new[c:d])}+}}"] if d > c else []
    return " ".join(words)
