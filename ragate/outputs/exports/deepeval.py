"""DeepEval: test cases and goldens that were answered, and the files of test runs.

``EvaluationDataset.save_as`` writes ``input``, ``actual_output``, ``expected_output`` and
``retrieval_context``, in CSV and JSON Lines with ``|`` between passages. A test run
(``.deepeval/.latest_test_run.json``, or a file of the results folder) has ``testCases`` in camel
case, and ``completionTime`` in seconds.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ragate.outputs.exports.exchange import Exchange, seconds
from ragate.outputs.exports.rows import first_of, needed_text, passages_of, text_of, texts_of
from ragate.outputs.exports.wrapped import wrapped_records

_NAMES = {
    "actualOutput": "actual_output",
    "expectedOutput": "expected_output",
    "retrievalContext": "retrieval_context",
    "completionTime": "completion_time",
}


def read(path: Path) -> Iterator[Exchange]:
    """Yield one exchange for each test case.

    Raises:
        DatasetError: a record has no input, or is a conversation; names the place.
    """
    separator = "" if path.suffix.lower() == ".json" else "|"
    for where, fields in wrapped_records(path, "testRunData", "testCases", "test_cases"):
        row = {_NAMES.get(name, name): value for name, value in fields.items()}
        yield Exchange(
            place=where,
            query=needed_text(where, row, ("input",), tool="deepeval"),
            answer=text_of(where, row, ("actual_output",)),
            passages=passages_of(where, row, ("retrieval_context",), separator=separator),
            references=texts_of(where, *first_of(row, ("expected_output",))),
            latency_s=seconds(row.get("completion_time")),
        )


def looks_like(row: Mapping[str, Any]) -> bool:
    """Return whether a record is one of this format."""
    return "input" in row and bool({"actual_output", "actualOutput"} & row.keys())
