"""Texts of the systems' settings, looked for in every format below ``full``."""

from __future__ import annotations

import json

import pytest

from ragate import plugins
from ragate.core.diagnosis.system_changes import change_origin
from ragate.core.publishable import publishable, published_line
from ragate.models import (
    ChangedPart,
    Diagnosis,
    Publish,
    Report,
    RunManifest,
    SystemInfo,
    Verdict,
)
from tests.factories import decision_factory, report_factory, sample_row_factory

CANARY = "CANARY"
FORMATS = ("console", "markdown", "json", "html", "junit")
OLD = {"top_k": "10", "answer.refusal": '"CANARY-WAS"', "answer.model": '"m1"'}
NEW = {"top_k": "1", "answer.refusal": '"CANARY-NOW"', "answer.model": '"m2"'}


def system(settings: dict[str, str]) -> SystemInfo:
    parts = {"settings": str(len(str(settings))) + settings["top_k"]}
    return SystemInfo(use="pgvector", parts=parts, settings=settings)


def report_of(publish: Publish) -> Report:
    before, after = (RunManifest(system=system(each)) for each in (OLD, NEW))
    decision = decision_factory(Verdict.FAILED)
    origin = change_origin(before, after, decision)
    words = ", ".join(part.words for part in origin.parts)
    in_file = ChangedPart(words='url = "CANARY-A" (was "CANARY-B")', path="ragate.toml", line=3)
    return report_factory(
        decision,
        system=after.system,
        baseline_system=before.system,
        settings=NEW | {"url": '"http://host/ask?sig=CANARY"'},
        origin=origin.amended(parts=(*origin.parts, in_file)),
        diagnosis=(Diagnosis(symptom=words, likely_cause=words, action="look"),),
        samples=(sample_row_factory("q1", "question", evidence=f"changed: {words}; it fell"),),
        publish=publish,
    )


@pytest.mark.parametrize("publish", ["answers", "ids"])
@pytest.mark.parametrize("format_name", FORMATS)
def test_no_format_holds_a_text_of_the_settings(format_name: str, publish: Publish) -> None:
    report = report_of(publish)
    assert CANARY in report.model_dump_json()

    assert CANARY not in plugins.load("renderers", format_name).render(publishable(report))


@pytest.mark.parametrize("publish", ["answers", "ids"])
def test_numbers_and_models_stand_with_their_values_and_a_text_by_its_name(
    publish: Publish,
) -> None:
    shown = publishable(report_of(publish))

    assert [part.words for part in shown.origin.parts] == [
        "top_k 10 -> 1",
        "answer.refusal (not published)",
        'answer.model "m1" -> "m2"',
        "url (not published)",
    ]
    assert shown.system.settings == {"top_k": "1", "answer.model": '"m2"'}
    assert publishable(shown) == shown


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("top_k = 1 (was 10)", "top_k = 1 (was 10)"),
        ("top_k = 1 (new)", "top_k = 1 (new)"),
        ("removed: top_k = 1", "removed: top_k = 1"),
        ("removed: body = '''CANARY", "removed: body (not published)"),
        ("top_k = 1 (was CANARY)", "top_k (not published)"),
        ('prompt = "CANARY" (new)', "prompt (not published)"),
        ("new", "new"),
    ],
)
def test_a_line_of_the_configuration_tells_a_text_by_its_name(words: str, shown: str) -> None:
    assert published_line(words) == shown


def test_what_is_stored_as_json_stays_json() -> None:
    json.loads(publishable(report_of("ids")).model_dump_json())
