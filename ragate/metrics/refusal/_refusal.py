"""Telling a refusal ("the documents do not say") from an answer, by phrases."""

import re
from collections import defaultdict

from pydantic import Field

from ragate.core.text.segmentation import units
from ragate.core.text.sentences import split_sentences
from ragate.core.text.unicode_forms import visible
from ragate.metrics._identity import Phrase
from ragate.metrics.refusal._phrases import DEFAULT_PHRASES
from ragate.models import Frozen

# "If the file does not specify a port, 5432 is used" refuses nothing.
_CONDITION = re.compile(
    r"^(?:if|when|whenever|where|unless|wenn|falls|sofern|si|cuando|se|quando|als|wanneer|если)\b"
    r"[^,:]*+[,:]",
    re.IGNORECASE,
)
_BLANKS = re.compile(r"\s{2,}+")
OPENING_WORDS = 4
MAX_OPENING = 500


class RefusalSettings(Frozen):
    """Keys of the refusal metrics.

    Attributes:
        phrases: What marks a refusal; replaces the built-in list of several languages.
        more_phrases: What marks one besides.
    """

    phrases: tuple[Phrase, ...] = Field(default=DEFAULT_PHRASES, min_length=1)
    more_phrases: tuple[Phrase, ...] = ()


class Refusals:
    """The phrases, prepared once."""

    def __init__(self, settings: RefusalSettings) -> None:
        # By first word: a phrase is looked for only where its first word stands.
        self._phrases = defaultdict[str, list[str]](list)
        for phrase in (*settings.phrases, *settings.more_phrases):
            self._phrases[units(phrase)[0]].append(whole_words(phrase))

    def __call__(self, answer: str) -> bool:
        """Tell whether the answer opens with a refusal.

        Only the opening counts, up to the first sentence of four words or more and at most 500
        characters: an answer that ends with what the documents leave out is an answer.
        """
        words = units(_opening(answer))
        opening = f" {' '.join(words)} "
        return any(
            phrase in opening
            for first in self._phrases.keys() & words
            for phrase in self._phrases[first]
        )


def _opening(answer: str) -> str:
    taken: list[str] = []
    shown = _BLANKS.sub(_narrowed, visible(answer).strip())
    for sentence in split_sentences(shown[:MAX_OPENING]):
        taken.append(_CONDITION.sub("", sentence))
        if len(units(sentence)) >= OPENING_WORDS:
            break
    return " ".join(taken)


def _narrowed(blanks: re.Match[str]) -> str:
    """Return white space that parts as much: what follows cannot be pushed out of the opening."""
    return ("\n" * min(2, blanks[0].count("\n"))) or " "


def whole_words(text: str) -> str:
    """Return the words with a space on either side of each, so that phrases match whole words."""
    return f" {' '.join(units(text))} "
