"""Changes of an answer's words that leave what it says as it is."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from ragate.core.text.sentences import split_sentences

_SPELLED = dict(
    zip(
        map(str, range(2, 13)),
        ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
         "twelve"),
        strict=True,
    )
)  # fmt: skip
# A figure that stands by itself: no part of a larger number, a date, a marker or a list.
_FIGURE = re.compile(r"(?<![\w.,:$#\[(/-])(?:[2-9]|1[0-2])(?![\w.,:%\])/-]|\s(?:million|billion))")
_QUOTED = re.compile(r"\"[^\"\n]+\"")
_ITEM = re.compile(r"\s*(?:\d{1,3}[.)]|[-*•])\s")
_FUNCTION_WORDS = (
    ("in order to", "to"),
    ("such as", "like"),
    ("however", "but"),
    ("for example", "for instance"),
    ("also", "as well"),
    ("because", "since"),
    ("therefore", "so"),
    ("must", "have to"),
    ("it is", "it's"),
)


def order(answer: str, rng: random.Random) -> str:
    """Put the sentences of each paragraph in another order; what it opens with stays, and lists."""
    return "\n".join(
        line if _ITEM.match(line) else _shuffled(line, rng) for line in answer.split("\n")
    )


def _shuffled(paragraph: str, rng: random.Random) -> str:
    first, *rest = split_sentences(paragraph) or [paragraph]
    rng.shuffle(rest)
    return " ".join([first, *rest])


def figures(answer: str, _rng: random.Random) -> str:
    """Spell small figures out: "8 times" becomes "eight times"."""
    return _outside_quotes(answer, lambda text: _FIGURE.sub(lambda m: _SPELLED[m[0]], text))


def function_words(answer: str, rng: random.Random) -> str:
    """Change words that carry no content, each with even chances."""
    chosen = [pair for pair in _FUNCTION_WORDS if rng.random() < 0.5]

    def changed(text: str) -> str:
        for word, other in chosen:
            text = re.sub(rf"\b{word}\b", other, text)
        return text

    return _outside_quotes(answer, changed)


def punctuation(answer: str, rng: random.Random) -> str:
    """Change marks: no comma before "and", a dash for one before "which", curly quotes."""
    dash = rng.random() < 0.5

    def changed(text: str) -> str:
        text = text.replace(", and ", " and ")
        return text.replace(", which", " – which") if dash else text

    return _QUOTED.sub(lambda match: f"“{match[0][1:-1]}”", _outside_quotes(answer, changed))


def _outside_quotes(answer: str, change: Callable[[str], str]) -> str:
    """Leave quotations as they are: with another word in it, one would be false."""
    parts = re.split(f"({_QUOTED.pattern})", answer)
    return "".join(part if _QUOTED.fullmatch(part) else change(part) for part in parts)


REWORDINGS = (order, figures, function_words, punctuation)


def reworded(answer: str, rng: random.Random) -> str:
    """Make all of these changes."""
    for change in REWORDINGS:
        answer = change(answer, rng)
    return answer
