"""list_structure: is a question for a list answered with one?"""

import re

from pydantic import Field

from ragate.core.judging.applicability import unanswerable
from ragate.core.text.unicode_forms import visible
from ragate.metrics._identity import own_settings
from ragate.metrics.checks._check import Check, check_metric
from ragate.metrics.refusal._refusal import Phrase, whole_words
from ragate.models import Frozen, Sample, SystemOutput
from ragate.protocols import MetricRequest

TAG = "list"
_NUMBERS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_COUNTS = (*_NUMBERS, *map(str, range(2, 11)), "all", "some")
DEFAULT_PHRASES = (
    *(f"{verb} {count}" for verb in ("list", "name", "give", "give me") for count in _COUNTS),
    *(f"{verb} a list" for verb in ("as", "give", "give me", "make", "write", "provide")),
    *("list the", "bullet points", "bulleted", "enumerate", "step by step"),
    *(f"{word} steps" for word in ("what", "which", "what are the", "list the", "the following")),
    *(f"what {kind} of" for kind in ("types", "kinds", "sorts")),
    *(f"what are the {kind}" for kind in ("types", "kinds", "options", "reasons", "requirements")),
    *(f"what are the {kind}" for kind in ("advantages", "disadvantages", "benefits", "ways")),
    *("als liste", "zähle auf", "nenne alle", "nenne drei", "welche schritte", "stichpunkte"),
    *("sous forme de liste", "énumère", "quelles étapes", "quelles sont les étapes"),
    *("en forma de lista", "enumera", "qué pasos", "cuáles son los pasos"),
)
_ITEM = re.compile(
    r"^[ \t]{0,20}(?:[-*+•◦▪–]|\(?\d{1,3}[.):]|\(?[a-zA-Z][.)])[ \t]+\S", re.MULTILINE
)
_ROW = re.compile(r"^[ \t]{0,20}\|(?=[^\n]*[^\s|:-])[^\n]*\|[ \t]*$", re.MULTILINE)
_INLINE = re.compile(r"(?:^|\s)\(?(\d{1,2})[.)]\s+\S")


class Settings(Frozen):
    """Keys of list_structure.

    Attributes:
        phrases: What in a question asks for a list; replaces the built-in list.
        more_phrases: What does so besides.
        items: Items that a list has at least.
    """

    phrases: tuple[Phrase, ...] = Field(default=DEFAULT_PHRASES, min_length=1)
    more_phrases: tuple[Phrase, ...] = ()
    items: int = Field(default=2, ge=1, le=100)


def create(request: MetricRequest) -> Check:
    """Return list_structure: 1 where a question for a list is answered with one, else 0.

    Formula: 1[the answer has `items` list items or more]: lines that begin with a bullet, a number
    or a letter, rows of a table after its head, or numbers in the text that count up from 1. A
    question asks for a list where it holds a phrase of the list, or has the tag "list". Range
    [0, 1], a fraction, higher is better. Version 1.
    Edge cases: a question that asks for no list, or unanswerable: not applicable.
    Source: this project.
    """
    settings = own_settings(request, Settings)
    phrases = [whole_words(each) for each in (*settings.phrases, *settings.more_phrases)]

    def asks_for_none(sample: Sample) -> str:
        query = whole_words(sample.query)
        asked = TAG in sample.tags or any(phrase in query for phrase in phrases)
        return unanswerable(sample) or ("" if asked else "the question asks for no list")

    def too_few(_sample: Sample, output: SystemOutput) -> str:
        count = items_of(output.answer or "")
        if count >= settings.items:
            return ""
        return f"{count} list items, and the question asks for a list"

    return check_metric(request, too_few, settings=settings, exclude=asks_for_none)


def items_of(answer: str) -> int:
    """Return how many items the longest list of an answer has."""
    shown = visible(answer)
    counted = 0
    for number in map(int, _INLINE.findall(shown)):
        counted += number == counted + 1
    rows = len(_ROW.findall(shown)) - 1
    return max(len(_ITEM.findall(shown)), rows, counted, 0)
