"""Outputs and runs for the tests of this folder."""

from __future__ import annotations

from collections.abc import Sequence

from ragate.contrib.drill.breaks import Pair
from ragate.models import RetrievedChunk, Sample, SystemOutput

ANSWER = "The limit is 600 requests, as Anna Keller decided in 2024 [1]."


def output(answer: str | None = ANSWER, docs: Sequence[str] = ("a", "a", "b", "c")) -> SystemOutput:
    chunks = tuple(RetrievedChunk(doc_id=one, text=f"{one} {n}") for n, one in enumerate(docs))
    return SystemOutput(chunks=chunks, answer=answer, citations=(1, 3), request_hash="r")


def pairs(number: int, **fields: object) -> list[Pair]:
    return [
        (Sample(id=f"q{n}", query="?"), output(f"Answer {n} of Anna says it is {n}.", **fields))  # type: ignore[arg-type]
        for n in range(number)
    ]
