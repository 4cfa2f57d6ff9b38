"""What an answer claims: its sentences as they are shown, without those that assert nothing."""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from ragate.core.text.discourse import asserts, is_label, without_lead
from ragate.core.text.markdown import TextBlock, blocks
from ragate.core.text.sentences import split_sentences


class ClaimedSentence(NamedTuple):
    """A sentence of an answer.

    Attributes:
        text: As it is shown, without a lead such as "Sure,"; each citation is a marker [1].
        whole: The same with its lead: behind it a capital tells a name.
        is_label: It names what follows: only a name or a number in it can be wrong.
        figures: The same with what its numbers stand under.
    """

    text: str
    whole: str
    is_label: bool
    figures: str


@lru_cache(maxsize=4_096)  # every metric of answers reads the same ones
def claims(
    answer: str, documents: tuple[str, ...] = (), talk: tuple[str, ...] = ()
) -> tuple[ClaimedSentence, ...]:
    """Return the sentences of an answer that can be wrong; all of one that says nothing else.

    Args:
        documents: The names of the passages that it may cite, in order.
        talk: Phrases that assert nothing, besides what is told by form.
    """
    shown = blocks(answer, documents)
    found = [claim for block in shown for claim in _of_block(block, talk)]
    if found and not all(claim.is_label for claim in found):
        return tuple(found)
    return tuple(
        ClaimedSentence(one, one, False, one)
        for block in shown
        for one in split_sentences(block.text)
    )


def _of_block(block: TextBlock, talk: Sequence[str]) -> list[ClaimedSentence]:
    sentences = split_sentences(block.text)
    if len(sentences) == 1 and block.figures:
        kept = [(sentences[0], block.figures)]
    else:
        kept = [(one, one) for one in sentences]
    found = []
    for text, figures in kept:
        if not asserts(text, talk):
            continue
        said, whole = without_lead(text, talk)
        shown = figures if said == text else said
        found.append(ClaimedSentence(said, whole, block.is_label or is_label(text), shown))
    return found
