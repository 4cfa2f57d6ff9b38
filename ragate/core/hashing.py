"""Content hashes: the identity of a sample, of a retrieval, an output and a judgement."""

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from ragate.core.conversation import conversation
from ragate.models import Sample, SystemOutput

_CANONICAL = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode


def digest(value: Any) -> str:
    """Return the first 16 hex digits of SHA-256 over the canonical JSON of `value`."""
    return hashlib.sha256(_CANONICAL(value).encode("utf-8", "surrogatepass")).hexdigest()[:16]


# Begins the id of a passage that came without one; the hash of its text follows.
UNNAMED = "text:"
_CALLS = "calls:"


def calls_hash(keys: Iterable[str]) -> str:
    """Hash the recorded model requests of one output, in whatever order they were made."""
    return f"{_CALLS}{digest(sorted(keys))}"


def is_recorded(request_hash: str | None) -> bool:
    """Return True for a hash of recorded requests.

    Such a system's own code stands between the replies and the output: equal requests do not yet
    make an equal output, as they do where ragate itself writes the answer.
    """
    return request_hash is not None and request_hash.startswith(_CALLS)


def content_hash(sample: Sample) -> str:
    """Hash what can change a score: tags, must_pass and metadata are left out.

    Fields that came later count where they are set, so that samples without them keep their hash.
    """
    scored: list[Any] = [sample.query, sample.relevant, sample.references, sample.answerable]
    if sample.messages:
        scored.append(sample.turns)
    if sample.tools or sample.expected_calls is not None:
        scored.append(sample.model_dump(mode="json", include={"tools", "expected_calls"}))
    if sample.answer_keywords or sample.source_policy is not None:
        scored.append(sample.model_dump(mode="json", include={"answer_keywords", "source_policy"}))
    return digest(scored)


def retrieval_hash(output: SystemOutput) -> str:
    """Hash the ranked chunks with their texts; scores of chunks are left out."""
    return digest([(chunk.doc_id, chunk.text) for chunk in output.chunks])


TEXT_DIGITS = 8


def text_hashes(output: SystemOutput) -> str:
    """Hash the text of each chunk, eight hex digits a chunk in rank order; "" without texts.

    Short, since a baseline holds them: two texts that differ look the same once in 4 billion.
    """
    if not any(chunk.text for chunk in output.chunks):
        return ""
    return "".join(_short(chunk.text) for chunk in output.chunks)


def _short(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:TEXT_DIGITS]


def output_hash(output: SystemOutput, retrieval: str = "") -> str:
    """Hash everything a metric can read: not latency, usage, or the wording of an error.

    Args:
        retrieval: Its `retrieval_hash`, where that is known.
    """
    calls = None
    if output.tool_calls is not None:
        calls = [
            (call.name, call.arguments, *([call.malformed] if call.malformed else ()))
            for call in output.tool_calls
        ]
    failed = output.error.kind if output.error else None
    scored = [retrieval or retrieval_hash(output), output.answer, output.citations, calls, failed]
    later: list[Any] = [] if output.first_stage is None else [output.first_stage]
    if output.reported is not None:
        later.append({name: score.value for name, score in output.reported.items()})
    return digest([*scored, *later, *(["cut off"] if output.cut_off else ())])


def judgement_hash(judge_fingerprint: str, sample: Sample, output: SystemOutput) -> str:
    """Return the identity of a judgement: equal hashes share one, whatever run they come from.

    It is a hash over the judge and everything of the sample and its output that it can see.

    Ids, tags, latency, scores of chunks and names of documents are left out: no judge reads them.
    """
    failure = output.error.kind if output.error else None
    texts = [chunk.text for chunk in output.chunks]
    return digest(
        [
            judge_fingerprint,
            conversation(sample),
            sample.references,
            sample.answerable,
            output.answer,
            texts,
            output.citations,
            failure,
        ]
    )
