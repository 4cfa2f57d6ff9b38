"""Whatever a file of another tool holds, its import returns or raises an error of ours."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ragate.contrib.golden.importers import Notes, Resolver, read_foreign
from ragate.errors import DatasetError
from tests.unit.readers.mutation import Read, json_lines, json_text, only_our_errors
from tests.unit.readers.test_exports import FILES, loaded
from tests.unit.readers.test_readers import csv_text, yaml_text

RAGAS = [
    {
        "user_input": "What?",
        "reference": "This.",
        "reference_contexts": ["<1-hop>\n\nSome text", "more"],
        "reference_context_ids": ["a"],
        "synthesizer_name": "x",
    }
]
DEEPEVAL = [
    {
        "input": "What?",
        "expected_output": "This.",
        "context": ["Some text"],
        "source_file": "a.md",
        "additional_metadata": {"k": 1},
        "retrieval_context": [],
    }
]
PROMPTFOO = {
    "description": "d",
    "defaultTest": {"vars": {"language": "en"}, "assert": []},
    "tests": [
        {
            "vars": {"query": "What?", "context": "Some text"},
            "assert": [
                {"type": "similar", "value": "This."},
                {"type": "assert-set", "assert": [{"type": "is-refusal"}]},
            ],
            "metadata": {"k": 1},
            "description": "d",
        }
    ],
}
LLAMAINDEX = {
    "queries": {"q1": "What?"},
    "corpus": {"n1": "Some text"},
    "relevant_docs": {"q1": ["n1"]},
    "mode": "text",
}
CORPUS = {"a.md": "Some text, and more"}


def imported(kind: str, texts: Mapping[str, str] | None = None) -> Read:
    """Return what reads an export as the import does, up to the lines that it writes."""

    def read(path: Path) -> object:
        resolver = Resolver(texts)
        rows = [resolver.row(each) for each in read_foreign(kind, path, Notes())]
        return [json.dumps(row, ensure_ascii=False).encode() for row in rows]

    return read


READERS: dict[str, tuple[str, Read, Any, Any]] = {
    "ragas, jsonl": ("r.jsonl", imported("ragas", CORPUS), RAGAS, json_lines),
    "ragas, json": ("r.json", imported("ragas", CORPUS), RAGAS, json_text),
    "ragas, csv": ("r.csv", imported("ragas", CORPUS), RAGAS, csv_text),
    "deepeval": ("d.json", imported("deepeval", CORPUS), DEEPEVAL, json_text),
    "promptfoo, yaml": ("p.yaml", imported("promptfoo", CORPUS), PROMPTFOO, yaml_text),
    "promptfoo, json": ("p.json", imported("promptfoo", CORPUS), PROMPTFOO, json_text),
    "llamaindex": ("l.json", imported("llamaindex", CORPUS), LLAMAINDEX, json_text),
}
EXPORTS = {
    "langfuse, traces": ("langfuse_traces.jsonl", imported("langfuse")),
    "langfuse, observations": ("langfuse_observations.csv", imported("langfuse")),
    "phoenix, data frame": ("phoenix_spans.csv", imported("phoenix")),
    "phoenix, experiment": ("phoenix_experiment.json", imported("phoenix")),
    "otel, otlp": ("otlp_genai.jsonl", imported("otel")),
}


@pytest.mark.parametrize("name", READERS)
def test_no_file_leads_to_an_error_that_is_not_ours(name: str, tmp_path: Path) -> None:
    file, read, good, write = READERS[name]

    only_our_errors(name, read, good, write, tmp_path / file)


@pytest.mark.parametrize("name", READERS)
def test_the_file_that_is_changed_is_a_good_one(name: str, tmp_path: Path) -> None:
    file, read, good, write = READERS[name]
    (tmp_path / file).write_bytes(write(good))

    read(tmp_path / file)


@pytest.mark.parametrize("name", EXPORTS)
def test_no_export_leads_to_an_error_that_is_not_ours(name: str, tmp_path: Path) -> None:
    file, read = EXPORTS[name]
    ending, write = (".json", json_text) if file.endswith(".json") else (".jsonl", json_lines)

    only_our_errors(name, read, loaded(file), write, tmp_path / f"o{ending}")


@pytest.mark.parametrize("name", EXPORTS)
def test_the_export_that_is_changed_is_a_good_one(name: str) -> None:
    file, read = EXPORTS[name]

    assert read(FILES / file)


PROMPTFOO_MISTAKES = {
    "defaultTest: vars": "{defaultTest: {vars: 3}, tests: [{vars: {query: a}}]}",
    "assert = 3: must be a list": "{tests: [{vars: {query: a}, assert: 3}]}",
    "assert: type = ": "{tests: [{vars: {query: a}, assert: [{type: [x]}]}]}",
}


@pytest.mark.parametrize("told", PROMPTFOO_MISTAKES)
def test_a_mistake_in_a_promptfoo_file_is_named_with_its_place(told: str, tmp_path: Path):
    path = tmp_path / "p.yaml"
    path.write_text(PROMPTFOO_MISTAKES[told])

    with pytest.raises(DatasetError) as caught:
        imported("promptfoo", CORPUS)(path)

    assert told in str(caught.value)


def test_half_of_a_character_in_a_cell_is_refused_with_its_place(tmp_path: Path):
    path = tmp_path / "r.csv"
    path.write_text('user_input,reference,reference_contexts\na,b,"[""\\ud800""]"\n')

    with pytest.raises(DatasetError, match=r"r\.csv:2: reference_contexts = .* half of a ch"):
        imported("ragas", CORPUS)(path)
