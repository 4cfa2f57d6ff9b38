"""Ragas: evaluation data sets and results, as .jsonl, .csv or .json (records or columns).

``EvaluationDataset.to_jsonl`` and ``to_csv`` write the fields of ``SingleTurnSample``:
``user_input``, ``response``, ``retrieved_contexts``, ``retrieved_context_ids``, ``reference``.
``EvaluationResult.to_pandas`` adds a column for each metric. Before 0.2 the fields were
``question``, ``answer``, ``contexts`` and ``ground_truth``.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ragate.errors import DatasetError
from ragate.outputs.exports.exchange import Exchange
from ragate.outputs.exports.rows import first_of, needed_text, passages_of, text_of, texts_of
from ragate.support.records import records


def read(path: Path) -> Iterator[Exchange]:
    """Yield one exchange for each sample.

    Raises:
        DatasetError: a record has no question, or is a conversation; names the place.
    """
    for where, row in records(path, error=DatasetError):
        yield Exchange(
            place=where,
            query=needed_text(where, row, ("user_input", "question"), tool="ragas"),
            answer=text_of(where, row, ("response", "answer")),
            passages=passages_of(
                where, row, ("retrieved_contexts", "contexts"), ids="retrieved_context_ids"
            ),
            references=texts_of(where, *first_of(row, ("reference", "ground_truth"))),
        )


def looks_like(row: Mapping[str, Any]) -> bool:
    """Return whether a record is one of this format."""
    return "user_input" in row and bool({"response", "retrieved_contexts"} & row.keys())
