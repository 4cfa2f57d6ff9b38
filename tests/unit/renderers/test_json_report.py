"""The report for programs: complete, deterministic, as its published schema says."""

from __future__ import annotations

import functools
import json as stdlib_json
import os
import tracemalloc
from pathlib import Path

import jsonschema
import pytest

from ragate.models import AnsweredQuestion, Reads, Report
from ragate.renderers import json
from tests.factories import report_factory, system_factory
from tests.unit.renderers.cases import CASES
from tests.unit.renderers.test_markdown import EVIL, report_made_of

SCHEMA = Path(__file__).parents[3] / "docs" / "report.schema.json"


@pytest.mark.parametrize("name", CASES)
def test_what_is_written_reads_back_as_the_same_report(name: str) -> None:
    report = CASES[name]()

    assert Report.model_validate_json(json.render(report)) == report


@pytest.mark.parametrize("text", EVIL)
def test_hostile_text_reads_back_unchanged_and_prints_harmlessly(text: str) -> None:
    report = report_made_of(text)
    written = json.render(report)

    assert Report.model_validate_json(written) == report
    assert "##[" not in written
    assert "::" not in written
    assert not [c for c in written if c != "\n" and not c.isprintable()]


def test_a_set_is_written_in_order() -> None:
    system = system_factory(deterministic=frozenset(Reads))
    written = stdlib_json.loads(json.render(report_factory(system=system)))

    assert written["system"]["deterministic"] == sorted(reads.value for reads in Reads)
    # Three members may happen to be in order; these do not, whatever the hash seed.
    letters = "abcdefghijklmnopqrstuvwxyz"
    assert json.ordered(frozenset(letters)) == list(letters)


def test_keys_are_sorted_at_every_depth() -> None:
    def check(value: object) -> None:
        if isinstance(value, dict):
            assert list(value) == sorted(value)
        for child in value.values() if isinstance(value, dict) else []:
            check(child)

    check(stdlib_json.loads(json.render(CASES["regression"]())))


def test_the_published_schema_is_the_model() -> None:
    text = stdlib_json.dumps(json.schema(), indent=2, sort_keys=True) + "\n"
    if os.environ.get("RAGATE_UPDATE_GOLDEN") == "1":
        SCHEMA.write_text(text, encoding="utf-8")

    assert SCHEMA.read_text(encoding="utf-8") == text, "RAGATE_UPDATE_GOLDEN=1 writes it anew"


@functools.cache
def published() -> jsonschema.Draft202012Validator:
    schema = stdlib_json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


@pytest.mark.parametrize("name", CASES)
def test_every_report_satisfies_the_published_schema(name: str) -> None:
    published().validate(stdlib_json.loads(json.render(CASES[name]())))


def test_the_schema_refuses_what_the_report_does_not_know() -> None:
    written = stdlib_json.loads(json.render(report_factory()))

    with pytest.raises(jsonschema.ValidationError):
        published().validate({**written, "unknown": 1})


def test_many_samples_are_written_without_the_whole_text_in_memory() -> None:
    question = AnsweredQuestion("q", 0, "Is it?", "PASS", "It is so. " * 20, (), {})
    report = report_factory().amended(questions=(question,) * 3_000)
    size = len(json.render(report))

    tracemalloc.start()
    try:
        written = sum(map(len, json.parts(report)))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert written == size
    assert peak < size / 4
