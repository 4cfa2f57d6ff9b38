"""Telling a refusal ("the documents do not say") from an answer, by phrases."""

from typing import Annotated

from pydantic import AfterValidator, Field

from ragate.core.text.sentences import split_sentences
from ragate.core.text.words import tokens
from ragate.models import Frozen

_NOT = ("do not", "don't", "does not", "doesn't", "did not", "didn't")
_UNABLE = ("cannot", "can't", "can not", "could not", "couldn't")
_SOURCES = ("context", "contexts", "documentation", "documents", "docs", "passages", "sources")

# Kept narrow: an answer such as "the gate cannot find the server" is no refusal.
DEFAULT_PHRASES = (
    *(f"i {no} know" for no in _NOT[:2]),
    *(f"i {no} {verb}" for no in _UNABLE for verb in ("answer", "find", "determine", "say")),
    *(f"i {no} find" for no in _NOT[4:]),
    *(f"{no} {what}" for no in _NOT for what in ("mention", "answer this", "answer the question")),
    *(
        f"{no} {verb} {what}"
        for no in _NOT
        for verb in ("have", "contain", "provide", "include", "offer")
        for what in ("information", "any information", "enough information", "the answer")
    ),
    *(f"{source} {no} say" for source in _SOURCES for no in _NOT[:4]),
    *(f"{no} be {done}" for no in _UNABLE for done in ("answered", "determined from")),
    "i am not sure",
    "i'm not sure",
    "i am unable to",
    "i'm unable to",
    "unable to answer",
    "not enough information",
    "insufficient information",
    "no information about",
    "no information on",
    "no relevant information",
    "not mentioned in the",
    "not covered in the",
    "not covered by the",
)

OPENING_WORDS = 4
MAX_OPENING = 500


def _with_words(phrase: str) -> str:
    if not tokens(phrase):
        raise ValueError(f"the phrase {phrase!r} has no word to look for")
    return phrase


Phrase = Annotated[str, AfterValidator(_with_words)]


class RefusalSettings(Frozen):
    """Keys of the refusal metrics.

    Attributes:
        phrases: What marks a refusal; replaces the built-in English list.
    """

    phrases: tuple[Phrase, ...] = Field(default=DEFAULT_PHRASES, min_length=1)


class Refusals:
    """The phrases, prepared once."""

    def __init__(self, settings: RefusalSettings) -> None:
        self._phrases = [_words(phrase) for phrase in settings.phrases]

    def __call__(self, answer: str) -> bool:
        """Tell whether the answer opens with a refusal.

        Only the opening counts, up to the first sentence of four words or more and at most 500
        characters: an answer that ends with what the documents leave out is an answer.
        """
        opening = _words(_opening(answer))
        return any(phrase in opening for phrase in self._phrases)


def _opening(answer: str) -> str:
    taken: list[str] = []
    for sentence in split_sentences(answer[:MAX_OPENING]):
        taken.append(sentence)
        if len(tokens(sentence)) >= OPENING_WORDS:
            break
    return " ".join(taken)


def _words(text: str) -> str:
    """Return the words with a space on either side of each, so that phrases match whole words."""
    return f" {' '.join(tokens(text))} "
