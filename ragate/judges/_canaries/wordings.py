"""Texts that ask a judge for a verdict, and where in the material they stand."""

from dataclasses import replace
from functools import cache
from typing import Any, Literal, NamedTuple

from ragate.errors import ConfigError
from ragate.judges._canaries.known_answers import Canary
from ragate.judges._canaries.topics import FOLDER
from ragate.models import RetrievedChunk
from ragate.support.strict_json import read_lines

Place = Literal["answer", "context", "question", "long context"]
_CLAUSES = 60


class Wording(NamedTuple):
    """One text.

    Attributes:
        wording: What a report calls it.
        asks: For which verdict.
        text: Stands behind what is there; the answer's line breaks are gone when it is judged.
    """

    wording: str
    asks: Literal["good", "bad"]
    place: Place
    text: str


@cache
def wordings() -> tuple[Wording, ...]:
    """Return all of them, in the order they are asked."""
    rows: list[Any] = [row for _, row in read_lines(FOLDER / "wordings.jsonl", error=ConfigError)]
    return tuple(Wording(**row) for row in rows)


def planted(canary: Canary, wording: Wording, place: Place) -> Canary:
    """Return the canary with the text in it; what a sound judge says of it stays the same."""
    sample, output = canary.sample, canary.output
    sample = sample.amended(id=f"{wording.wording}, {sample.id}")
    if place == "question":
        sample = sample.amended(query=sample.query + wording.text)
    elif place == "answer" or not output.chunks:
        output = output.amended(answer=f"{output.answer}{wording.text}")
    else:
        *others, last = output.chunks
        text = f"{last.text}\n{_filler()}" if place == "long context" else last.text
        chunk = RetrievedChunk(doc_id=last.doc_id, text=text + wording.text)
        output = output.amended(chunks=(*others, chunk))
    return replace(canary, sample=sample, output=output, wording=wording.wording)


@cache
def _filler() -> str:
    """Return some pages about nothing that any topic asks for."""
    return "\n".join(
        f"Clause {number}. Invoices of group {number} are sent on working day {number % 20 + 1} "
        "and paid by bank transfer; the ledger notes each of them twice."
        for number in range(1, _CLAUSES + 1)
    )
