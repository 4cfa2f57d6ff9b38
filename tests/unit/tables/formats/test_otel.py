"""Traces of OpenTelemetry: OTLP as JSON, and what the SDK prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.errors import DatasetError
from tests.unit.tables.formats.exported import REFUNDS, exported, holds_the_shop, lines


def test_otlp_with_attributes_of_genai_is_read():
    found = exported("otel", "otlp_genai.jsonl")

    holds_the_shop(found, ids=True)
    assert found[REFUNDS].latency_s == 3.0


def test_what_the_sdk_prints_with_attributes_of_openinference_is_read():
    holds_the_shop(exported("otel", "otel_console.jsonl"), ids=True)


def test_a_file_of_something_else_is_refused_with_its_fields(tmp_path: Path):
    with pytest.raises(DatasetError, match=r"o\.jsonl:1: neither resourceSpans .* it has colour"):
        exported("otel", lines(tmp_path / "o.jsonl", {"colour": "red"}))


@pytest.mark.parametrize(
    "span",
    [
        {},
        {"attributes": None},
        {"attributes": [{"key": "input.value"}]},
        {"startTimeUnixNano": "x"},
    ],
)
def test_spans_that_lack_what_is_read_are_no_question(tmp_path: Path, span: dict[str, object]):
    row = {"resourceSpans": [{"scopeSpans": [{"spans": [span]}]}]}

    with pytest.raises(DatasetError, match="no question"):
        exported("otel", lines(tmp_path / "o.jsonl", row))
