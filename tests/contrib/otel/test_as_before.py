"""One check sends what it sent when ragate encoded its own messages, but for the SDK's name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.contrib.otel.conftest import Checked
from tests.contrib.otel.shape import shape

pytestmark = pytest.mark.integration
RECORDED = Path(__file__).with_name("sent_before.json")


SAMPLED, RANDOM = 1, 2  # flags of a trace


def test_a_check_sends_what_it_sent_before(checked: Checked) -> None:
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))
    # The SDK says of a trace whether its id is random, as ours is.
    before, now = (f'"flags": {flags}' for flags in (SAMPLED, SAMPLED | RANDOM))

    sent = shape(checked.seen, run_id=checked.report["run_id"])

    assert sent["spans"] == recorded["spans"]
    assert {name: sent["metrics"][name] for name in recorded["metrics"]} == recorded["metrics"]
    assert sent["events"] == {
        event.replace(before, now): count for event, count in recorded["events"].items()
    }


def test_only_the_sdk_is_named_otherwise(checked: Checked) -> None:
    recorded = json.loads(RECORDED.read_text(encoding="utf-8"))

    sent = shape(checked.seen, run_id=checked.report["run_id"])["resources"]

    # The messages are the SDK's again, and carry its name and version in place of ours.
    assert {of_sdk("ragate", "VERSION", each) for each in sent} == set(recorded["resources"])
    assert {json.loads(each)["telemetry.sdk.name"] for each in sent} == {"opentelemetry"}


def of_sdk(name: str, version: str, resource: str) -> str:
    """Return a resource with another name and version of the SDK."""
    attributes = json.loads(resource)
    attributes |= {"telemetry.sdk.name": name, "telemetry.sdk.version": version}
    return json.dumps(attributes, sort_keys=True)
