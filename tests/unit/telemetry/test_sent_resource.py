"""What every signal carries, as OpenTelemetry's object."""

from __future__ import annotations

from ragate.telemetry.sent_resource import sent_resource


def test_the_users_variables_win(monkeypatch):
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "team=search,vcs.owner.name=other")
    monkeypatch.setenv("OTEL_SERVICE_NAME", "gate")

    found = sent_resource({"service.name": "ragate", "vcs.owner.name": "us"}).attributes

    assert found["team"] == "search"
    assert found["vcs.owner.name"] == "other"
    assert found["service.name"] == "gate"
    assert found["telemetry.sdk.language"] == "python"


def test_nothing_is_in_it_that_differs_from_run_to_run():
    assert sent_resource({"a": "b"}).attributes == sent_resource({"a": "b"}).attributes
