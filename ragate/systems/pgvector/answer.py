"""From passages to an answer, by a model or by quoting."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragate.clients.memoised import request_key
from ragate.clients.thoughts import without_thoughts
from ragate.core.text.sentences import split_sentences
from ragate.core.text.words import markers
from ragate.errors import ProviderError
from ragate.files.prompt_file import PromptFile, load_prompt_file
from ragate.models import Failure, RetrievedChunk, SystemOutput, Turn, Usage
from ragate.protocols import ChatClient, ChatRequest
from ragate.systems.pgvector.settings import AnswerSettings
from ragate.systems.pgvector.terms import Analyzer

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


def reads_date(prompt: PromptFile) -> bool:
    """Return True where a placeholder of the prompt names the date on which it is asked."""
    return re.search(r"\{[{%][^{}]*\btoday\b", prompt.text) is not None


def message_of(
    prompt: PromptFile,
    question: str,
    chunks: Sequence[RetrievedChunk],
    refusal: str,
    *,
    today: str = "",
) -> str:
    """Return the message for one question, asked on the date `today`.

    Raises:
        ConfigError: the template uses a name that is not given, or something forbidden.
    """
    contexts = [
        {
            "number": number,
            "doc_id": chunk.doc_id,
            "title": chunk.metadata.get("title", ""),
            "section": chunk.metadata.get("section", ""),
            "text": chunk.text,
        }
        for number, chunk in enumerate(chunks, start=1)
    ]
    return prompt.render(question=question, contexts=contexts, refusal=refusal, today=today)


_KNOWN = (
    "a prompt knows question, contexts (number, doc_id, title, section, text), refusal and today"
)


def load_prompt(root: Path, settings: AnswerSettings) -> PromptFile:
    """Return the prompt, tried on an empty and on a filled list of contexts.

    Raises:
        ConfigError: it is absent, outside the project, or no template that can be rendered.
    """
    built_in = Path(__file__).with_name("answer.md")
    prompt = load_prompt_file(
        root, settings.prompt, built_in, key="[system.answer] prompt", remedy=_KNOWN
    )
    for chunks in ((), (RetrievedChunk(doc_id="a.md", text="text"),)):
        message_of(prompt, "question", chunks, settings.refusal)
    return prompt


def request_for(
    message: str, settings: AnswerSettings, *, turns: Sequence[Turn] = ()
) -> ChatRequest:
    """Return the request, `turns` of the conversation first; keys that are not set are not sent."""
    parameters = dict(settings.parameters)
    if settings.temperature is not None:
        parameters["temperature"] = settings.temperature
    if settings.max_tokens is not None:
        parameters["max_tokens"] = settings.max_tokens
    messages = (*((turn.role, turn.content) for turn in turns), ("user", message))
    return ChatRequest(settings.model, messages, parameters)


def cited(answer: str, chunks: int) -> tuple[int, ...]:
    """Return the chunk numbers that the answer cites, each once; 0 for one that leads nowhere."""
    numbers = (number if 1 <= number <= chunks else 0 for number in markers(answer))
    return tuple(dict.fromkeys(numbers))


async def written(
    clients: Callable[[str], ChatClient],
    message: str,
    chunks: tuple[RetrievedChunk, ...],
    settings: AnswerSettings,
    *,
    turns: Sequence[Turn],
    usage: Usage,
    draw: int,
) -> SystemOutput:
    """Return the output with the model's answer; a provider that fails is reported as such.

    Args:
        turns: The conversation before the question.
        usage: What was spent before on this sample.
    """
    request = request_for(message, settings, turns=turns)
    hashed = request_key(request, provider=settings.provider)
    try:
        reply = await clients(settings.provider)(request, draw=draw)
    except ProviderError as error:
        failure = Failure(kind="provider", message=error.message)
        return SystemOutput(chunks=chunks, error=failure, usage=usage, request_hash=hashed)
    text = without_thoughts(reply.text).strip()
    empty = f"empty answer (finish reason {reply.finish_reason or 'unknown'})"
    return SystemOutput(
        chunks=chunks,
        answer=text,
        citations=cited(text, len(chunks)),
        finish_reason=reply.finish_reason,
        usage=Usage(
            calls=usage.calls + (not reply.reused),
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
            cost_usd=reply.cost_usd,
        ),
        error=None if text else Failure(kind="system", message=empty),
        request_hash=hashed,
    )


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
