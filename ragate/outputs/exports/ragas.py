"""Ragas: evaluation data sets and results, as .jsonl, .csv or .json (records or columns).

``EvaluationDataset.to_jsonl`` and ``to_csv`` write the fields of ``SingleTurnSample``:
``user_input``, ``response``, ``retrieved_contexts``, ``retrieved_context_ids``, ``reference``. A
``MultiTurnSample`` has a list of messages in ``user_input``. ``EvaluationResult.to_pandas`` adds a
column for each metric. Before 0.2 the fields were ``question``, ``answer``, ``contexts`` and
``ground_truth``.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ragate.errors import DatasetError
from ragate.outputs.exports.exchange import Exchange
from ragate.outputs.exports.rows import first_of, needed_text, passages_of, text_of, texts_of
from ragate.outputs.exports.texts import text_in, turns_before
from ragate.support.records import parsed_cell, records


def read(path: Path) -> Iterator[Exchange]:
    """Yield one exchange for each sample.

    Raises:
        DatasetError: a record has no question, or what it has is no text; names the place.
    """
    for where, row in records(path, error=DatasetError):
        answer = text_of(where, row, ("response", "answer"))
        chat = parsed_cell(row.get("user_input"))
        if isinstance(chat, list):  # a MultiTurnSample: the answer is its last message
            answer = answer or text_in(chat[-1:], (), role="assistant") or None
            row = {**row, "user_input": text_in(chat, (), role="user")}
        yield Exchange(
            place=where,
            query=needed_text(where, row, ("user_input", "question"), tool="ragas"),
            answer=answer,
            turns=turns_before(chat),
            passages=passages_of(
                where, row, ("retrieved_contexts", "contexts"), ids="retrieved_context_ids"
            ),
            references=texts_of(where, *first_of(row, ("reference", "ground_truth"))),
        )


def looks_like(row: Mapping[str, Any]) -> bool:
    """Return whether a record is one of this format."""
    return "user_input" in row and bool({"response", "retrieved_contexts"} & row.keys())
