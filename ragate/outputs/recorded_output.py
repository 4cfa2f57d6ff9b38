"""Recorded outputs as JSON lines: the cut between collect and decide, and what replay reads.

One object a line: ``{"id" or "question", "answer", "contexts" or "chunks", ...}``. A first line
``{"ragate_outputs": 1, ...}`` is written by ragate itself and says where the outputs come from;
the user's own files have none.
"""

import difflib
from collections.abc import Mapping
from functools import lru_cache
from typing import Annotated, Any, Self

from pydantic import AliasChoices, ConfigDict, Field, model_validator

from ragate.core.hashing import UNNAMED, digest
from ragate.models import (
    Executed,
    Failure,
    Frozen,
    ReportedScore,
    RetrievedChunk,
    SystemOutput,
    ToolCall,
    Usage,
)
from ragate.models.output import MOST_MEASURED
from ragate.outputs.call_list import read_calls
from ragate.tables.names import plain


def misspelt(fields: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return a field that looks like a slip of one of ours, and ours; None where none does."""
    return next(((key, close) for key in fields.keys() - _KNOWN if (close := _meant_by(key))), None)


@lru_cache(maxsize=4096)
def _meant_by(name: str) -> str:
    """Return the field of ours that a name looks like a slip of, "" where it is like none."""
    return next(iter(difflib.get_close_matches(name, _KNOWN, n=1, cutoff=0.8)), "")


def own_name(name: str) -> str:
    """Return the field of ours that a column's name is, however it is written: ``Answer``."""
    return plain(name) if plain(name) in _KNOWN else name


def names_a_sample(value: Any) -> bool:
    """Return whether a value can be a sample's id or question: 0 can, "" and true cannot."""
    return isinstance(value, str | int) and not isinstance(value, bool) and bool(str(value).strip())


class RecordedChunk(Frozen):
    """A chunk as users write it; without a document id its text is its identity."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)

    doc_id: Annotated[str, Field(coerce_numbers_to_str=True)] = Field(
        default="", validation_alias=AliasChoices("doc_id", "id", "document_id")
    )
    text: str = ""
    score: float | None = None
    metadata: dict[str, str | int | float | bool | None] = Field(default_factory=dict)

    def chunk(self) -> RetrievedChunk:
        doc_id = self.doc_id or f"{UNNAMED}{digest(self.text)}"
        return RetrievedChunk(
            doc_id=doc_id, text=self.text, score=self.score, metadata=self.metadata
        )


class RecordedOutput(Frozen):
    """One line of recorded outputs; `id` or `question` says which sample it answers."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)

    id: Annotated[str, Field(coerce_numbers_to_str=True)] = ""
    question: str = Field(default="", validation_alias=AliasChoices("question", "query"))
    run: int | None = Field(default=None, ge=0, le=1000)
    hash: str = ""
    answer: str | None = None
    chunks: tuple[RecordedChunk, ...] = ()
    citations: tuple[int | str, ...] | None = None
    tool_calls: tuple[ToolCall, ...] | None = None
    usage: Usage | None = None
    latency_s: float | None = Field(
        default=None,
        ge=0,
        le=MOST_MEASURED,
        validation_alias=AliasChoices("latency", "latency_s"),
    )
    first_token_s: float | None = Field(
        default=None,
        ge=0,
        le=MOST_MEASURED,
        validation_alias=AliasChoices("first_token", "first_token_s"),
    )
    error: Failure | None = None
    request_hash: str | None = None
    first_stage: tuple[str, ...] | None = None
    finish_reason: str = ""
    executed: Executed | None = None
    reported: dict[str, ReportedScore] | None = None

    @model_validator(mode="before")
    @classmethod
    def _friendly(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        data = {name: value for name, value in data.items() if value is not None}
        if slip := misspelt(data):
            raise ValueError(f"unknown field {slip[0]!r}; did you mean {slip[1]!r}?")
        if "contexts" in data and "chunks" in data:
            raise ValueError("give contexts or chunks, not both")
        name = "contexts" if "contexts" in data else "chunks"
        items = data.pop(name, None)
        if items is not None and not isinstance(items, list | tuple):
            # A text is a sequence too: each of its characters would be a passage.
            raise ValueError(
                f"{name} as a {type(items).__name__}: it must be a list of texts or objects"
            )
        data["chunks"] = [{"text": item} if isinstance(item, str) else item for item in items or ()]
        if isinstance(data.get("tool_calls"), list | tuple):
            data["tool_calls"] = read_calls(data["tool_calls"])
        if isinstance(data.get("error"), str):
            data["error"] = {"kind": "system", "message": data["error"]} if data["error"] else None
        return data

    @model_validator(mode="after")
    def _named(self) -> Self:
        if not self.id and not self.question:
            raise ValueError("neither id nor question says which sample this is")
        return self

    def read(self) -> Self:
        """Return it: it is here, and one that stays in its file is somewhere else."""
        return self

    def output(self) -> SystemOutput:
        """Return the output; citations by document id become 1-based chunk numbers, 0 if none."""
        told = {name: getattr(self, name) for name in SystemOutput.model_fields}
        chunks = tuple(chunk.chunk() for chunk in self.chunks)
        told |= {"chunks": chunks, "citations": _numbers(self.citations, chunks)}
        return SystemOutput(**told)


# Other fields are the user's own and are left alone, unless they look like a slip of these.
_KNOWN = frozenset({*RecordedOutput.model_fields, "query", "contexts", "latency", "first_token"})


def _numbers(
    citations: tuple[int | str, ...] | None, chunks: tuple[RetrievedChunk, ...]
) -> tuple[int, ...] | None:
    if citations is None:
        return None
    first_rank = {chunk.doc_id: rank for rank, chunk in reversed(list(enumerate(chunks, 1)))}
    return tuple(
        (cited if 1 <= cited <= len(chunks) else 0)
        if isinstance(cited, int)
        else first_rank.get(cited, 0)
        for cited in citations
    )
