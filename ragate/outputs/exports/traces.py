"""The spans of traces put together: what was asked, what was retrieved, what was answered."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

from ragate.outputs.exports.texts import Passage

MODEL_KINDS = frozenset({"LLM", "GENERATION", "CHAT"})
RETRIEVERS = frozenset({"RETRIEVER", "RETRIEVAL"})
_RERANKER = "RERANKER"
_NO_ANSWER = RETRIEVERS | {_RERANKER, "EMBEDDING", "EMBEDDINGS"}

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
