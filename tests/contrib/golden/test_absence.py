"""Absence is not a value: 0, "", false, null and 1.0 in every field of every reader."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest

from ragate.contrib.golden.importing import import_golden
from ragate.dataset import read_entries
from ragate.errors import DatasetError
from ragate.outputs.mapping import RecordMapping
from ragate.outputs.recorded_output import RecordedOutput
from ragate.outputs.recordings import read_recorded
from ragate.scores.formats import PLAIN
from ragate.scores.read_rows import read_scores
from ragate.tables.formats import FORMATS, Shape
from ragate.tables.names import COMMON, SURE

Row = dict[str, Any]
VALUES = (0, "", False, None, 1.0)
# A default that is this value: to say it is to say what holds anyway.
SAME = {("must_pass", False), ("draft", False), ("answerable", None)}
LABELS = ("query", "id", "references", "relevant", "evidence", "files", "messages")
SAID = ("query", "answer", "passages", "ids", "latency")


def golden(path: Path) -> Any:
    return [(entry.sample, entry.draft, entry.drafted) for entry in read_entries(path)]


def outputs(preset: str) -> Callable[[Path], Any]:
    def read(path: Path) -> Any:
        mapping = RecordMapping(preset=preset)
        return [output for _, _, output in read_recorded(path, mapping)]

    return read


def imported(kind: str) -> Callable[[Path], Any]:
    def read(path: Path) -> Any:
        output = path.with_name("golden.jsonl")
        found = import_golden(kind, path, output, texts=None, draft=True)
        return output.read_text(), found.notes

    return read


def scores(path: Path) -> Any:
    path.write_text(path.read_text() + '{"id": "r", "question": "B?", "recall": 0.5}\n')
    return list(read_scores(path).rows)


def fields_of(shape: Shape, parts: tuple[str, ...]) -> Iterator[str]:
    """Yield one name of each part of a format: its own, else a common one."""
    for part in parts:
        names = getattr(shape, part, ()) or (COMMON.get(part, ()) if shape.is_common else ())
        yield from [name for name in names if "." not in name][:1]


PLAIN_FORMATS = {
    name: preset.shapes[0] for name, preset in FORMATS.items() if preset.shapes[0].is_plain
}
BASE: dict[str, Row] = {
    "ragas": {"user_input": "A?", "response": "x", "reference": "y"},
    "deepeval": {"input": "A?", "actual_output": "x", "expected_output": "y"},
    "llamaindex": {"query": "A?", "reference_answer": "y", "query_by": None},
    "table": {"question": "A?", "truth": "y"},
}
CASES = [
    *(("golden set", golden, {"id": "q", "query": "A?"}, field) for field in SURE),
    *(
        ("outputs", outputs(""), {"id": "q", "question": "A?", "answer": "x"}, field)
        for field in RecordedOutput.model_fields
        if field not in {"chunks", "latency_s", "first_token_s"}
    ),
    *(
        ("outputs", outputs(""), {"id": "q", "answer": "x"}, field)
        for field in ("chunks", "contexts", "latency", "first_token")
    ),
    *(
        (f"import {name}", imported(name), BASE[name], field)
        for name, shape in PLAIN_FORMATS.items()
        for field in fields_of(shape, LABELS)
    ),
    *(
        (f"outputs of {name}", outputs(name), BASE[name], field)
        for name in ("ragas", "deepeval")
        for field in fields_of(PLAIN_FORMATS[name], SAID)
    ),
    *(
        ("scores", scores, {"id": "q", "question": "A?", "answer": "x", "mrr": 0.5}, names[0])
        for names in (PLAIN.key, PLAIN.run, PLAIN.expected, PLAIN.answer, PLAIN.contexts)
    ),
]


def outcome(read: Callable[[Path], Any], path: Path, row: Row) -> Any:
    path.write_text(json.dumps(row) + "\n")
    try:
        return read(path)
    except DatasetError as error:
        return error


@pytest.mark.parametrize(
    ("read", "row", "field"),
    [pytest.param(*case[1:], id=f"{case[0]}: {case[3]}") for case in CASES],
)
def test_a_value_is_read_or_refused_and_only_absence_is_none(
    read: Callable[[Path], Any], row: Row, field: str, tmp_path: Path
) -> None:
    path = tmp_path / "t.jsonl"
    absent = outcome(read, path, {name: each for name, each in row.items() if name != field})

    for value in VALUES:
        found = outcome(read, path, {**row, field: value})
        if value is None:
            refused = isinstance(found, DatasetError) and isinstance(absent, DatasetError)
            assert refused or str(found) == str(absent), "null is absence"
        elif isinstance(found, DatasetError):
            assert str(path) in str(found), "refused with its place"
        elif value != "" and (field, value) not in SAME:
            assert str(found) != str(absent), f"{value!r} went without a word"


def scores_of(tool: str) -> Callable[[Path], Any]:
    """Return a reader of a file whose row is followed by another, as rows are."""

    def read(path: Path) -> Any:
        path.write_text(path.read_text() + json.dumps(TOOLS[f"scores of {tool}"][1]) + "\n")
        return list(read_scores(path, tool).rows)

    return read


Place = tuple[str | int, ...]
RETRIEVAL = {"id": "o", "traceId": "t", "type": "RETRIEVER", "output": [{"text": "t", "id": "d"}]}
TRACE = {"id": "t", "input": "A?", "output": "x", "observations": [RETRIEVAL]}
SPAN = {"context.trace_id": "t", "context.span_id": "s", "span_kind": "CHAIN"}
SPAN |= {"attributes.input.value": "A?", "attributes.output.value": "x"}
FEEDBACK = {"assessment_name": "f", "feedback": {"value": 0.5}}
SCORED = [{"name": "f", "score": 0.5}]
# By what reads it: the reader, a record, and where it holds what was asked, said or scored.
TOOLS: dict[str, tuple[Callable[[Path], Any], Row, Sequence[Place]]] = {
    "outputs of langfuse": (
        outputs("langfuse"),
        TRACE,
        [("input",), ("output",), *(("observations", 0, "output", 0, k) for k in ("text", "id"))],
    ),
    "outputs of phoenix": (
        outputs("phoenix"),
        SPAN,
        [("attributes.input.value",), ("attributes.output.value",)],
    ),
    "outputs of promptfoo": (
        outputs("promptfoo"),
        {"vars": {"q": "A?"}, "promptIdx": 0, "response": {"output": "x"}, "latencyMs": 2},
        [("response", "output"), ("vars", "q")],
    ),
    "import of promptfoo": (
        imported("promptfoo"),
        {"vars": {"question": "A?", "truth": "y"}, "assert": [{"type": "equals", "value": "z"}]},
        [("vars", "question"), ("vars", "truth"), ("assert", 0, "value")],
    ),
    "scores of deepeval": (
        scores_of("deepeval"),
        {"input": "A?", "actualOutput": "x", "metricsData": SCORED},
        [("input",), ("actualOutput",), ("expectedOutput",), ("metricsData", 0, "score")],
    ),
    "scores of ragas": (
        scores_of("ragas"),
        {"user_input": "A?", "response": "x", "faithfulness": 0.5},
        [("user_input",), ("response",), ("reference",), ("faithfulness",)],
    ),
    "scores of promptfoo": (
        scores_of("promptfoo"),
        {"vars": {"q": "A?"}, "promptIdx": 0, "success": True, "namedScores": {"f": 0.5}},
        [("vars", "q"), ("success",), ("score",), ("namedScores", "f"), ("cost",)],
    ),
    "scores of lm-eval": (
        scores_of("lm-eval"),
        {"doc_id": 3, "doc": {"q": "A?"}, "filtered_resps": ["x"], "metrics": ["m"], "m": 0.5},
        [("doc_id",), ("doc", "q"), ("target",), ("m",)],
    ),
    "scores of mlflow": (
        scores_of("mlflow"),
        {"request": "A?", "response": "x", "assessments": [FEEDBACK]},
        [("request",), ("response",), ("assessments", 0, "feedback", "value")],
    ),
    "scores of azure": (
        scores_of("azure"),
        {"inputs.query": "A?", "outputs.f.f": 4, "outputs.f.f_threshold": 3},
        [("inputs.query",), ("inputs.response",), ("outputs.f.f",), ("outputs.f.f_threshold",)],
    ),
    "scores of phoenix": (
        scores_of("phoenix"),
        {"example_id": "e", "input": "A?", "evaluations": SCORED},
        [("example_id",), ("input",), ("output",), ("evaluations", 0, "score")],
    ),
    "scores of langfuse": (
        scores_of("langfuse"),
        {"datasetItemId": "e", "input": "A?", "scores": [{"name": "f", "value": 0.5}]},
        [("datasetItemId",), ("input",), ("output",), ("scores", 0, "value")],
    ),
    "scores of braintrust": (
        scores_of("braintrust"),
        {"dataset_record_id": "e", "span_id": "s", "input": "A?", "scores": {"f": 0.5}},
        [("dataset_record_id",), ("input",), ("output",), ("expected",), ("scores", "f")],
    ),
    "scores of openai-evals": (
        scores_of("openai-evals"),
        {"datasource_item_id": 4, "datasource_item": {"q": "A?"}, "results": SCORED},
        [("datasource_item_id",), ("datasource_item", "q"), ("results", 0, "score")],
    ),
}
# What is neither the name nor the text of a document, and a cost that is none.
NO_DOCUMENT = {("text", False), ("id", False)}


def put(row: Row, place: Place, *values: Any) -> Row:
    """Return a row with a value at a place, or with nothing there."""
    row = deepcopy(row)
    holder: Any = row
    for name in place[:-1]:
        holder = holder[name]
    if values:
        holder[place[-1]] = values[0]
    elif isinstance(holder, dict):
        holder.pop(place[-1], None)
    return row


@pytest.mark.parametrize(
    ("name", "place"), [(name, place) for name, (*_, places) in TOOLS.items() for place in places]
)
def test_a_value_of_a_tools_record_is_read_or_refused(
    name: str, place: Place, tmp_path: Path
) -> None:
    read, row, _ = TOOLS[name]
    path = tmp_path / "t.jsonl"
    absent = outcome(read, path, put(row, place))

    for value in (0, False, 1.0):
        found = outcome(read, path, put(row, place, value))
        if isinstance(found, DatasetError):
            assert str(path) in str(found), "refused with its place"
        elif (place[-1], value) not in NO_DOCUMENT:
            assert str(found) != str(absent), f"{value!r} went without a word"
