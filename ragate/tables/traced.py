"""Questions, answers and passages in the JSON that people trace, and spans put together to them.

Tracing keeps what a function got and returned, so that the same question may stand as a text, under
a name, as a chat, or as any of these written as JSON into a text.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from ragate.files.strict_json import canonical
from ragate.tables.cells import parsed_cell, text_of

QUESTION_NAMES = (
    *("question", "query", "user_input", "user_query", "input", "prompt", "user_message"),
    *("message", "query_str", "text", "content", "inputs", "kwargs", "args", "value"),
)
ANSWER_NAMES = (
    *("answer", "final_answer", "reply", "replies", "response", "generation", "generated_text"),
    *("generated_answer", "llm_output", "prediction", "completion", "output_text", "output"),
    *("result", "message", "text", "content", "outputs", "choices", "value"),
)
REFERENCE_NAMES = (
    *("expected_answer", "expected_output", "expectedOutput", "reference_answer", "reference"),
    *("ground_truth", "expected", "answer", "output", "response", "label", "text", "content"),
)
TEXT_NAMES = (
    *("text", "content", "page_content", "pageContent", "document.content", "passage", "body"),
    *("document", "chunk", "snippet", "node"),
)
# What names a document, before what names a file in its metadata, before what may name a chunk.
ID_NAMES = ("doc_id", "document_id")
SOURCE_NAMES = ("source", "file_path", "file", "path", "url", "uri", "file_name", "filename")
CHUNK_NAMES = ("document.id", "source_id", "id", "id_", "chunk_id", "title")
SCORE_NAMES = ("score", "document.score", "similarity", "relevance_score")
_LISTS = (
    *("documents", "docs", "contexts", "context", "retrieved_documents", "sources"),
    *("nodes", "results", "chunks", "matches"),
)
_METADATA = ("metadata", "document.metadata", "meta", "payload")
_SPEAKERS = frozenset({"user", "assistant", "system"})
_ROLES = {
    "human": "user",
    "ai": "assistant",
    "bot": "assistant",
    "model": "assistant",
    "developer": "system",
}
_DEEPEST = 8
_LONGEST = 1e15  # seconds
_NUMBER = re.compile(r"[0-9]{1,6}")
MODEL_KINDS = frozenset({"LLM", "GENERATION", "CHAT"})
RETRIEVERS = frozenset({"RETRIEVER", "RETRIEVAL"})
_RERANKER = "RERANKER"
_NO_ANSWER = RETRIEVERS | {_RERANKER, "EMBEDDING", "EMBEDDINGS"}


@dataclass(frozen=True)
class Passage:
    """A retrieved passage; without a document id its text is its identity."""

    text: str = ""
    doc_id: str = ""
    score: float | None = None


def seconds(value: Any, *, of: int = 1) -> float | None:
    """Return a duration in seconds, None where it is none.

    Args:
        of: How many of its units are a second: 1000 for milliseconds.
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value / of if 0 <= value < _LONGEST else None


def value_at(value: Any, name: str) -> Any:
    """Return what stands under a name with dots, None where nothing does.

    ``a.b`` may be one key, an object within another, or within JSON as text. With ``.*`` at its end
    it may also be a list of which each field is a key of its own: ``a.b.0.text``.
    """
    fields = value if isinstance(value, dict) else parsed_cell(value)
    if not isinstance(fields, dict):
        return None
    whole = name.removesuffix(".*")
    if whole in fields:
        return fields[whole]
    if "." not in name:
        return None
    at = name.find(".")
    while at > 0:
        holder = fields.get(name[:at])
        found = None if holder is None or name[at:] == ".*" else value_at(holder, name[at + 1 :])
        if found is not None:
            return found
        at = name.find(".", at + 1)
    return None if whole == name else _numbered(fields, f"{whole}.")


def first_at(row: Mapping[str, Any], names: Sequence[str]) -> Any:
    """Return the first value under one of the names that is not empty, None where none is."""
    for name in names:
        value = row.get(name) if name in row or "." not in name else value_at(row, name)
        if value is not None and value != "":
            return value
    return None


def _numbered(fields: Mapping[str, Any], prefix: str) -> list[dict[str, Any]] | None:
    items: dict[int, dict[str, Any]] = {}
    for key in filter(lambda key: key.startswith(prefix), fields):
        number, _, rest = key.removeprefix(prefix).partition(".")
        if _NUMBER.fullmatch(number) and rest:
            items.setdefault(int(number), {})[rest] = fields[key]
    return [items[number] for number in sorted(items)] or None


def text_in(value: Any, names: Sequence[str], *, role: str, depth: int = 0) -> str:
    """Return the text that a traced value holds, "" where none is found.

    Args:
        names: Keys of an object under which it may stand, the likeliest first.
        role: Whose message of a chat it is: the last one counts.
    """
    value = parsed_cell(value)
    if isinstance(value, str) or (depth == 0 and isinstance(value, int | float)):
        # A function may return a number, or false.
        return value.strip() if isinstance(value, str) else canonical(value)
    if depth == _DEEPEST:
        return ""
    if isinstance(value, list):
        return _in_list(value, names, role, depth + 1)
    if not isinstance(value, Mapping):
        return ""
    if isinstance(value.get("messages"), list):
        return _in_list(value["messages"], names, role, depth + 1)
    if isinstance(value.get("parts"), list):
        return _joined(value["parts"])
    for name in names:
        if text := text_in(value.get(name), names, role=role, depth=depth + 1):
            return text
    if len(value) == 1:
        return text_in(next(iter(value.values())), names, role=role, depth=depth + 1)
    return ""


def turns_before(value: Any, depth: int = 0) -> tuple[tuple[str, str], ...]:
    """Return what user and assistant said before the last question of a chat; else nothing."""
    value = parsed_cell(value)
    if isinstance(value, Mapping) and depth < _DEEPEST:
        inner = (value.get(name) for name in ("messages", *QUESTION_NAMES))
        return next((turns for one in inner if (turns := turns_before(one, depth + 1))), ())
    if not isinstance(value, list):
        return ()
    if len(value) == 1 and isinstance(value[0], list) and depth < _DEEPEST:
        return turns_before(value[0], depth + 1)
    spoken = [item for item in value if isinstance(item, Mapping) and speaker(item)]
    roles = [speaker(message) for message in spoken]
    if "user" not in roles:
        return ()
    last = len(roles) - 1 - roles[::-1].index("user")
    said = [(role, text_in([one], (), role=role)) for role, one in zip(roles, spoken, strict=True)]
    return tuple((role, text) for role, text in said[:last] if text and role in _SPEAKERS)


def answer_in(value: Any) -> str:
    """Return the answer that a traced output holds; one that is JSON itself stays as it is."""
    text = text_in(value, ANSWER_NAMES, role="assistant")
    return text or (value.strip() if isinstance(value, str) else "")


def _in_list(items: list[Any], names: Sequence[str], role: str, depth: int) -> str:
    """Return the last message of `role`; of a list that is no chat, its only item's text."""
    spoken = [item for item in items if isinstance(item, Mapping) and speaker(item)]
    for message in reversed(spoken):
        if speaker(message) == role:
            content = message.get("content", message.get("parts"))
            if isinstance(content, list):
                return _joined(content)
            return text_in(content, names, role=role, depth=depth)
    if spoken or not items:
        return ""
    if len(items) == 1 or isinstance(items[0], list):
        return text_in(items[0], names, role=role, depth=depth)
    return ""


def speaker(message: Mapping[str, Any]) -> str:
    """Return ``user``, ``assistant`` or another role of a message, "" where it is none.

    LangChain says ``human`` and ``ai``, and calls the role ``type``.
    """
    said = message.get("role") or message.get("type")
    if not isinstance(said, str) or not {"content", "parts"} & message.keys():
        return ""
    return _ROLES.get(said.lower(), said)


def _joined(parts: list[Any]) -> str:
    """Return the texts of a message's parts; images and calls of tools have none."""
    texts = (
        part if isinstance(part, str) else part.get("text", part.get("content"))
        for part in parts
        if isinstance(part, str | Mapping)
    )
    return "\n".join(text.strip() for text in texts if isinstance(text, str) and text.strip())


def passages_in(value: Any, *, depth: int = 0) -> tuple[Passage, ...] | None:
    """Return the documents of a traced retrieval, None where the value is no list of documents."""
    value = parsed_cell(value)
    if isinstance(value, Mapping):
        for name in _LISTS:
            if name in value and depth < _DEEPEST:
                inner = parsed_cell(value[name])
                if isinstance(inner, str) and inner.strip():
                    return (Passage(text=inner),)
                if (listed := passages_in(inner, depth=depth + 1)) is not None:
                    return listed
        return None
    if not isinstance(value, list):
        return None
    passages = [passage(item) for item in value]
    return None if value and not any(passages) else tuple(filter(None, passages))


def passage(item: Any) -> Passage | None:
    """Return one document: a text, an object, or an object with its score around it."""
    if isinstance(item, str):
        return Passage(text=item)
    if not isinstance(item, Mapping):
        return None
    inner: Mapping[str, Any] = next(
        (item[name] for name in ("document", "node") if isinstance(item.get(name), Mapping)), {}
    )
    # The outermost wins: what a retriever says of a chunk stands around the chunk.
    layers: tuple[Mapping[str, Any], ...] = (item, inner, *_metadata(item), *_metadata(inner))
    text = _first(layers[:2], TEXT_NAMES, str | int | float)
    ids = (
        _first(layers, names, str | int | float) for names in (ID_NAMES, SOURCE_NAMES, CHUNK_NAMES)
    )
    doc_id = next((found for found in ids if found is not None), None)
    score = _first(layers, SCORE_NAMES, int | float)
    if text is None and doc_id is None:
        return None
    told = ["" if value is None else text_of(value) for value in (text, doc_id)]
    return Passage(text=told[0], doc_id=told[1], score=score)


def _metadata(item: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for name in _METADATA:
        value = parsed_cell(item.get(name))
        if isinstance(value, Mapping):
            yield value


def _first(layers: Iterable[Mapping[str, Any]], names: Sequence[str], kind: Any) -> Any:
    """Return the first value of `kind` under one of `names`, layer by layer."""
    for layer in layers:
        for name in names:
            value = layer.get(name)
            if isinstance(value, kind) and not isinstance(value, bool) and value != "":
                return value
    return None


Passages = tuple[Passage, ...]
Scalar = str | int | float | bool | None


@dataclass(frozen=True)
class Exchange:
    """A question, the answer and the passages that it was given with.

    Attributes:
        place: Where it stands, for messages.
        answer: None where none was recorded.
        passages: Best first; None where no retrieval was recorded.
        references: Right answers, where the tool knows them.
        error: Why the system failed, "" where it did not.
        latency_s: Seconds.
        turns: What was said before the question: role and text of each turn.
        metadata: What else is worth keeping, such as the trace's id.
        id: Of the sample, "" where the tool has none.
        relevant: Grade by document id, where expected documents are named.
        files: Names of files that may be documents.
        evidence: Passages that hold the right answer, of documents that are not named.
        own: Fields of a golden set that were there under their own names, as they were written.
        rest: Fields that nothing else took.
        recorded: Names of fields that hold what a system said or did.
        left_out: What could not be taken.
        named: The names of fields by what they were read as, where common names told it.
    """

    place: str
    query: str
    answer: str | None = None
    passages: Passages | None = None
    references: tuple[str, ...] = ()
    error: str = ""
    latency_s: float | None = None
    turns: tuple[tuple[str, str], ...] = ()
    metadata: Mapping[str, Scalar] = field(default_factory=dict)
    id: str = ""
    relevant: Mapping[str, int] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    evidence: tuple[str, ...] = ()
    own: Mapping[str, Any] = field(default_factory=dict)
    rest: Mapping[str, Any] = field(default_factory=dict)
    recorded: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    named: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Step:
    """One span of a trace, or a trace as a whole, with its times and its place in the tree.

    Attributes:
        kind: In capitals: ``RETRIEVER``, ``LLM``, ``CHAIN``, …; "" where nothing says.
        start: Seconds; None where not recorded.
    """

    exchange: Exchange
    trace: str = ""
    span: str = ""
    parent: str = ""
    kind: str = ""
    start: float | None = None


def exchanges(steps: Iterable[Step], *, source: str) -> Iterator[Exchange]:
    """Yield one exchange for each trace that holds a question, in the order of the first spans.

    Args:
        source: The tool, for the metadata.
    """
    traces: dict[str, list[Step]] = {}
    for step in steps:
        traces.setdefault(step.trace, []).append(step)
    for trace in traces.values():
        exchange = joined(trace, source=source)
        if exchange is not None:
            yield exchange


def joined(trace: Sequence[Step], *, source: str) -> Exchange | None:
    """Return what one trace was about; None where no span holds a question."""
    steps = sorted(trace, key=lambda step: step.start or 0.0)
    spans = {step.span for step in steps if step.span}
    roots = [step for step in steps if step.parent not in spans]
    inner = [step for step in steps if step.kind not in _NO_ANSWER]
    asked = next((step for step in (*roots, *inner, *steps) if step.exchange.query), None)
    if asked is None:
        return None
    models = [step for step in steps if step.kind in MODEL_KINDS]
    answering = (step for step in (asked, *roots, *reversed(models)) if step.kind not in _NO_ANSWER)
    answer = next((step.exchange.answer for step in answering if step.exchange.answer), None)
    errors = (step.exchange.error for step in (asked, *roots) if step.exchange.error)
    first = roots[0] if roots else steps[0]
    return Exchange(
        place=asked.exchange.place,
        query=asked.exchange.query,
        answer=answer,
        passages=_retrieved(steps),
        references=first.exchange.references,
        error=next(errors, "") if answer is None else "",
        latency_s=first.exchange.latency_s,
        turns=asked.exchange.turns,
        metadata={"source": source, "trace": asked.trace},
    )


def _retrieved(steps: Sequence[Step]) -> Passages | None:
    """Return what reached the model: the last reranking, else all retrievals one after another.

    Where no retrieval is among the spans, what any of them names counts.
    """
    found = [
        (step.kind, step.exchange.passages) for step in steps if step.exchange.passages is not None
    ]
    if reranked := [passages for kind, passages in found if kind == _RERANKER]:
        return reranked[-1]
    retrieved = [passages for kind, passages in found if kind in RETRIEVERS]
    lists = retrieved or [passages for _, passages in found]
    return tuple(dict.fromkeys(chain.from_iterable(lists))) if lists else None
