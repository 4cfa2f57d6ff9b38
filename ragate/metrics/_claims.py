"""What the grounding and citation metrics have in common: an answer beside its contexts."""

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from ragate.core.judging.applicability import NO_TEXTS, lacks_texts
from ragate.core.text.citations import with_markers
from ragate.core.text.claims import ClaimedSentence, claims
from ragate.core.text.segmentation import units, words
from ragate.core.text.sentences import split_sentences
from ragate.core.text.words import markers, without_markers
from ragate.metrics._identity import Phrase
from ragate.metrics._sample_metric import SampleMetric, ValueOrReason, of_a_part, sample_metric
from ragate.models import Direction, Frozen, Sample, SystemOutput
from ragate.protocols import MetricRequest

T = TypeVar("T")
MOST_KEPT = 4_096  # outputs whose claims are kept: the metric, its reason and its count ask
MIN_WORDS = 3
_QUOTE = re.compile(r'"([^"\n]++)"|“([^“”\n]++)”|„([^„“”\n]++)[“”]|«([^«»\n]++)»')


def metric_of_claims(
    request: MetricRequest,
    claimed: Callable[[SystemOutput], Sequence[T]],
    held: Callable[[Sequence[T], Sample, SystemOutput], float],
    *,
    called: str,
    version: int,
    settings: Frozen,
    direction: Direction = Direction.HIGHER,
) -> SampleMetric:
    """Return a metric of what an answer claims, and the count of the answers that claim something.

    Args:
        claimed: What is checked in an answer; read once per output.
        held: From claims, at least one, to the metric's value.
        called: What a claim is, for the reason where there is none.
    """
    known: dict[tuple[object, ...], Sequence[T]] = {}

    def read(output: SystemOutput) -> Sequence[T]:
        key = (output.answer, output.citations, *(chunk.text for chunk in output.chunks))
        if key not in known:
            if len(known) >= MOST_KEPT:
                known.clear()
            known[key] = claimed(output)
        return known[key]

    def formula(sample: Sample, output: SystemOutput) -> ValueOrReason:
        return NO_TEXTS if lacks_texts(output) else held(read(output), sample, output)

    metric = sample_metric(
        request, formula, version=version, direction=direction, settings=settings
    )
    return of_a_part(metric, request, read, called=called)


class ClaimSettings(Frozen):
    """Keys of the metrics of claims.

    Attributes:
        more_courtesy: Phrases that assert nothing, besides what is told by form.
    """

    more_courtesy: tuple[Phrase, ...] = ()

    def claims(self, output: SystemOutput) -> tuple[ClaimedSentence, ...]:
        """Return what an answer claims, labels among it; each citation is a marker [1]."""
        return claims(output.answer or "", documents_of(output), self.more_courtesy)

    def sentences(self, output: SystemOutput) -> list[str]:
        """Return the sentences that an answer claims, each citation as a marker [1]."""
        return [claim.text for claim in self.claims(output) if not claim.is_label]

    def bare(self, output: SystemOutput) -> list[str]:
        """Return the sentences that an answer claims, without citations."""
        return list(map(without_markers, self.sentences(output)))


def documents_of(output: SystemOutput) -> tuple[str, ...]:
    """Return the names of the passages that an answer may cite, in order."""
    return tuple(chunk.doc_id for chunk in output.chunks)


def citations_of(output: SystemOutput) -> Sequence[int]:
    """Return the citations that a system reports, else those of its answer."""
    if output.citations is not None:
        return output.citations
    return markers(with_markers(output.answer or "", documents_of(output)))


def worded_sentences(answer: str) -> list[str]:
    """Return the sentences that hold a word or number besides citation markers."""
    return [s for s in split_sentences(answer) if words(without_markers(s))]


def quotes(text: str) -> list[list[str]]:
    """Return the spans of three words or more in quotation marks, as words."""
    spans = ("".join(groups) for groups in _QUOTE.findall(text))
    return [quote for span in spans if len(quote := units(span)) >= MIN_WORDS]


def phrases_held(phrases: Sequence[Sequence[str]], texts: Iterable[Sequence[str]]) -> list[bool]:
    """Return for each phrase whether its words stand in one text, in order and without a gap.

    One pass over phrases and texts, however many there are; an empty phrase stands everywhere.

    Source:
        Aho and Corasick, Efficient string matching, CACM 1975.
    """
    following, ends = _tree(phrases)
    fallback, order = _fallbacks(following)
    seen = [False] * len(following)
    seen[0] = True
    for text in texts:
        node = 0
        for word in text:
            node = _step(following, fallback, node, word)
            seen[node] = True
    for node in reversed(order):  # where a phrase stands, so does each that it ends with
        seen[fallback[node]] |= seen[node]
    return [seen[end] for end in ends]


def _tree(phrases: Sequence[Sequence[str]]) -> tuple[list[dict[str, int]], list[int]]:
    """Return by node which word leads to which node, and the node where each phrase ends."""
    following: list[dict[str, int]] = [{}]
    ends = []
    for phrase in phrases:
        node = 0
        for word in phrase:
            node = following[node].setdefault(word, len(following))
            if node == len(following):
                following.append({})
        ends.append(node)
    return following, ends


def _fallbacks(following: Sequence[dict[str, int]]) -> tuple[list[int], list[int]]:
    """Return by node that of its longest proper ending, and all nodes but the first by depth."""
    fallback = [0] * len(following)
    order = list(following[0].values())
    for node in order:  # it grows
        for word, child in following[node].items():
            fallback[child] = _step(following, fallback, fallback[node], word)
            order.append(child)
    return fallback, order


def _step(
    following: Sequence[dict[str, int]], fallback: Sequence[int], node: int, word: str
) -> int:
    while node and word not in following[node]:
        node = fallback[node]
    return following[node].get(word, 0)
