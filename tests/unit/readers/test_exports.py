"""Whatever an export holds, it is read or refused with an error of ours."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragate.errors import DatasetError
from ragate.outputs.mapping import RecordMapping
from ragate.outputs.recordings import read_recorded
from ragate.tables.containers import records
from tests.unit.readers.mutation import Read, json_lines, json_text, only_our_errors

FILES = Path(__file__).parents[2] / "fixtures" / "recorded_outputs"
OWN = {"question": "/ticket/text", "answer": "/result/text", "contexts": "/result/sources/*/body"}


def loaded(file: str) -> Any:
    if file.endswith(".json"):
        return json.loads((FILES / file).read_text())
    return [row for _, row in records(FILES / file, error=DatasetError)]


def recorded(**mapping: Any) -> Read:
    def read(path: Path) -> object:
        lines = read_recorded(path, RecordMapping.model_validate(mapping))
        return [output.output() for _, _, output in lines]

    return read


READERS: dict[str, tuple[str, Read]] = {
    "own format, json": ("one_file.json", recorded()),
    "own fields without a mapping": ("own_fields.jsonl", recorded()),
    "pointers": ("own_fields.jsonl", recorded(pointers=OWN)),
    "deepeval": ("deepeval_test_run.json", recorded(preset="deepeval")),
    "promptfoo": ("promptfoo_results.json", recorded(preset="promptfoo")),
    "langfuse, trace": ("langfuse_trace.json", recorded(preset="langfuse")),
    "phoenix, spans": ("phoenix_spans.json", recorded(preset="phoenix")),
    "otel, sdk": ("otel_console.jsonl", recorded(preset="otel")),
}


@pytest.mark.parametrize("name", READERS)
def test_no_export_leads_to_an_error_that_is_not_ours(name: str, tmp_path: Path) -> None:
    file, read = READERS[name]
    good = loaded(file)
    ending, write = (".json", json_text) if file.endswith(".json") else (".jsonl", json_lines)

    only_our_errors(name, read, good, write, tmp_path / f"o{ending}")


@pytest.mark.parametrize(
    "name", [name for name in READERS if name != "own fields without a mapping"]
)
def test_the_export_that_is_changed_is_a_good_one(name: str) -> None:
    file, read = READERS[name]

    assert read(FILES / file)
