"""From the spans of traces to questions with their answers and passages.

Attribute names of three conventions are known. OpenInference (``input.value``, ``output.value``,
``openinference.span.kind``, ``retrieval.documents.0.document.content``): its specification,
semantic_conventions.md. OpenTelemetry GenAI (``gen_ai.input.messages``, ``gen_ai.output.messages``,
``gen_ai.operation.name = retrieval``, ``gen_ai.retrieval.documents``): its gen-ai-spans.md, 2026.
OpenLLMetry and GenAI before 1.37 (``gen_ai.prompt.0.content``, ``gen_ai.completion.0.content``,
``traceloop.entity.input``).
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ragate.outputs.exports.exchange import Exchange, Passage
from ragate.outputs.exports.texts import (
    ANSWER_NAMES,
    QUESTION_NAMES,
    passages_in,
    text_in,
    turns_before,
)

_INPUTS = ("input.value", "langfuse.trace.input", "gen_ai.input.messages", "traceloop.entity.input")
_OUTPUTS = (
    *("output.value", "langfuse.trace.output", "gen_ai.output.messages", "traceloop.entity.output"),
)
_RETRIEVED = ("retrieval.documents", "gen_ai.retrieval.documents")
_RERANKED = ("reranker.output_documents",)
_MODEL_KINDS = frozenset({"LLM", "GENERATION", "CHAT"})
_RETRIEVAL_KINDS = frozenset({"RETRIEVER", "RERANKER", "RETRIEVAL", "EMBEDDING", "EMBEDDINGS"})
_NUMBERED = re.compile(r"(gen_ai\.(?:prompt|completion))\.([0-9]{1,6})\.(role|content)")

_NUMBER = re.compile(r"[0-9]{1,6}")


@dataclass(frozen=True)
class Span:
    """One step of a trace.

    Attributes:
        kind: In capitals: ``RETRIEVER``, ``LLM``, ``CHAIN``, …; "" where nothing says.
        start, end: Seconds of one clock; None where not recorded.
        error: What its status says, "" where it did not fail.
    """

    place: str
    trace_id: str
    span_id: str
    parent_id: str = ""
    kind: str = ""
    attributes: Mapping[str, Any] = field(default_factory=dict)
    start: float | None = None
    end: float | None = None
    error: str = ""

    @property
    def query(self) -> str:
        """Return the question that it got, "" where it got none."""
        return _text(self.attributes, _INPUTS, "gen_ai.prompt", QUESTION_NAMES, "user")

    @property
    def turns(self) -> tuple[tuple[str, str], ...]:
        """Return what was said before the question. A model's prompt is no conversation."""
        if self.kind in _MODEL_KINDS:
            return ()
        chats = (turns_before(nested(self.attributes, name)) for name in _INPUTS)
        return next((turns for turns in chats if turns), ())

    @property
    def answer(self) -> str:
        """Return the text that it returned."""
        return _text(self.attributes, _OUTPUTS, "gen_ai.completion", ANSWER_NAMES, "assistant")

    def passages(self, names: tuple[str, ...]) -> tuple[Passage, ...] | None:
        """Return the documents under one of `names`, as one value or one attribute for each."""
        for name in names:
            found = passages_in(nested(self.attributes, name))
            if found is not None:
                return found
        return None


def exchanges(spans: Iterable[Span], *, source: str) -> Iterator[Exchange]:
    """Yield one exchange for each trace that holds a question, in the order of the first spans.

    Args:
        source: The tool, for the metadata.
    """
    traces: dict[str, list[Span]] = {}
    for span in spans:
        traces.setdefault(span.trace_id, []).append(span)
    for trace in traces.values():
        exchange = _exchange(sorted(trace, key=lambda span: span.start or 0.0), source)
        if exchange is not None:
            yield exchange


def _exchange(spans: list[Span], source: str) -> Exchange | None:
    """Return what one trace was about; None where no span holds a question."""
    known = {span.span_id for span in spans}
    roots = [span for span in spans if span.parent_id not in known]
    steps = [span for span in spans if span.kind not in _RETRIEVAL_KINDS]
    asked = next((span for span in (*roots, *steps, *spans) if span.query), None)
    if asked is None:
        return None
    models = [span for span in spans if span.kind in _MODEL_KINDS]
    answered = (asked, *roots, *reversed(models))
    answer = next((span.answer for span in answered if _answers(span) and span.answer), None)
    first = roots[0] if roots else spans[0]
    failed = asked.error or first.error
    took = None
    if first.start is not None and first.end is not None and first.end >= first.start:
        took = first.end - first.start
    return Exchange(
        place=asked.place,
        query=asked.query,
        answer=answer,
        passages=_retrieved(spans),
        error=failed if answer is None else "",
        latency_s=took,
        turns=asked.turns,
        metadata={"source": source, "trace": asked.trace_id},
    )


def _answers(span: Span) -> bool:
    return span.kind not in _RETRIEVAL_KINDS


def _retrieved(spans: list[Span]) -> tuple[Passage, ...] | None:
    """Return what reached the model: the last reranking, else all retrievals one after another."""
    reranked = [found for span in spans if (found := span.passages(_RERANKED)) is not None]
    if reranked:
        return reranked[-1]
    retrieved = [found for span in spans if (found := span.passages(_RETRIEVED)) is not None]
    if not retrieved:
        return None
    return tuple(dict.fromkeys(passage for found in retrieved for passage in found))


def _text(
    attributes: Mapping[str, Any],
    names: tuple[str, ...],
    numbered: str,
    inner: tuple[str, ...],
    role: str,
) -> str:
    for name in names:
        if text := text_in(nested(attributes, name), inner, role=role):
            return text
    return text_in(_messages(attributes, numbered), inner, role=role)


def _messages(attributes: Mapping[str, Any], prefix: str) -> list[dict[str, Any]]:
    """Return a chat of which each role and each content is an attribute of its own."""
    messages: dict[int, dict[str, Any]] = {}
    for name, value in attributes.items():
        match = _NUMBERED.fullmatch(name)
        if match and match[1] == prefix:
            messages.setdefault(int(match[2]), {"type": "message"})[match[3]] = value
    return [messages[number] for number in sorted(messages)]


def nested(attributes: Mapping[str, Any], name: str) -> Any:
    """Return an attribute that stands flat, in objects within one another, or numbered by item.

    ``retrieval.documents`` may be one value, or ``retrieval.documents.0.document.content`` and so
    on. None where it is absent.
    """
    if name in attributes:
        return attributes[name]
    value: Any = attributes
    for part in name.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    if value is not None:
        return value
    items: dict[int, dict[str, Any]] = {}
    for key, item in attributes.items():
        number, _, rest = key.removeprefix(f"{name}.").partition(".")
        if key.startswith(f"{name}.") and _NUMBER.fullmatch(number) and rest:
            items.setdefault(int(number), {})[rest] = item
    return [items[number] for number in sorted(items)] if items else None
