"""An answer without a model: sentences of the chunks that cover most of the question."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ragate.core.text.sentences import split_sentences
from ragate.models import RetrievedChunk
from ragate.systems.pgvector.index.terms import Analyzer
from ragate.systems.pgvector.settings import AnswerSettings

RANK_DISCOUNT = 0.03  # what a sentence loses for each chunk that was ranked above its own
CONTEXT_SHARE = 0.5  # what a term counts that stands only in the headings above the sentence
ALSO_SHARE = 0.6  # a further sentence is quoted where it scores this share of the best
MIN_WORDS = 3
MAX_SENTENCE = 600  # characters; what is longer is a table or code
_HEADING = re.compile(r"#{1,6}[ \t]")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_RULE = re.compile(r"[|:\- \t]+")
_LINK = re.compile(r"!?\[([^\[\]\n]*)\]\([^()\s]*\)")
_LIST_SIGN = re.compile(r"^(?:[-*+>]|\d{1,3}[.)])[ \t]+")
_OWN_MARKER = re.compile(r"\[(\d{1,4}(?:\s?,\s?\d{1,4})*)\]")


@dataclass(frozen=True)
class Quote:
    """One sentence with its place: number of the chunk (1-based) and of the sentence in it."""

    score: float
    chunk: int
    place: int
    text: str


def extract(
    weights: Mapping[int, float],
    chunks: Sequence[RetrievedChunk],
    analyzer: Analyzer,
    settings: AnswerSettings,
) -> tuple[str, tuple[int, ...]]:
    """Return (answer, cited chunk numbers).

    A sentence scores the share of the question's idf that its terms cover, headings above it
    counting half. Where the best one stays below the threshold the answer is the refusal.

    Args:
        weights: The idf of each dimension of the question.
    """
    quotes = sorted(_quotes(weights, chunks, analyzer), key=lambda q: (-q.score, q.chunk, q.place))
    if not quotes or not quotes[0].score >= settings.threshold:
        return settings.refusal, ()
    taken: list[Quote] = []
    for quote in quotes:
        good = quote.score >= ALSO_SHARE * quotes[0].score
        if good and quote.text not in {other.text for other in taken}:
            taken.append(quote)
        if len(taken) == settings.sentences:
            break
    taken.sort(key=lambda quote: (quote.chunk, quote.place))
    text = " ".join(f"{quote.text} [{quote.chunk}]" for quote in taken)
    return text, tuple(dict.fromkeys(quote.chunk for quote in taken))


def _quotes(
    weights: Mapping[int, float], chunks: Sequence[RetrievedChunk], analyzer: Analyzer
) -> Iterator[Quote]:
    total = sum(weights.values())
    if not total:
        return
    for number, chunk in enumerate(chunks, start=1):
        above = f"{chunk.metadata.get('title', '')} {chunk.metadata.get('section', '')}"
        context = _covered(above, weights, analyzer)
        for number_in_chunk, sentence in enumerate(split_sentences(_prose(chunk.text))):
            if _HEADING.match(sentence):
                context = context | _covered(sentence, weights, analyzer)
                continue
            terms = _covered(sentence, weights, analyzer)
            if not terms or len(sentence) > MAX_SENTENCE or len(sentence.split()) < MIN_WORDS:
                continue
            share = sum(weights[term] for term in terms)
            share += CONTEXT_SHARE * sum(weights[term] for term in context - terms)
            score = share / total * (1 - RANK_DISCOUNT) ** (number - 1)
            yield Quote(round(score, 9), number, number_in_chunk, _clean(sentence))


def _covered(text: str, weights: Mapping[int, float], analyzer: Analyzer) -> frozenset[int]:
    return frozenset(weights.keys() & set(analyzer.dimensions(text)))


def _clean(sentence: str) -> str:
    """Return a quotable sentence: links lose their address and list items their sign.

    A number in brackets gets round ones, since it would read as a citation of ours.
    """
    return _OWN_MARKER.sub(r"(\1)", _LIST_SIGN.sub("", _LINK.sub(r"\1", sentence)))


def _prose(text: str) -> str:
    """Return the text without fenced code, and a table row as `cell: cell` on a line of its own.

    A fence that the chunk does not close runs to its end.
    """
    lines: list[str] = []
    fence = ""
    for line in text.split("\n"):
        fence_line = _FENCE.match(line)
        if fence_line and (not fence or fence_line[1].startswith(fence)):
            fence = "" if fence else fence_line[1]
            lines.append("")
        elif not fence:
            lines.append(_row(line) if line.startswith("|") else line)
    return "\n".join(lines)


def _row(line: str) -> str:
    if _RULE.fullmatch(line):
        return ""
    return "\n" + ": ".join(cell.strip() for cell in line.strip("| ").split("|")) + "\n"
