"""The events that GitHub's own examples show, all of those that a gate can be started by."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragate.github.event.event import read_event
from tests.github.openapi.proxy import read_json

pytestmark = [pytest.mark.integration, pytest.mark.openapi]

SHA = "c" * 40
# Events of a repository that GitHub gives no example of run on what follows.
LEAST = {
    "pull_request": 20,
    "push": 5,
    "merge_group": 2,
    "workflow_run": 4,
    "issue_comment": 8,
    "workflow_dispatch": 2,
}


@pytest.fixture(scope="session")
def payloads(modules: Path) -> dict[str, list[Any]]:
    index = read_json(modules / "@octokit/webhooks-examples/api.github.com/index.json")
    return {entry["name"]: entry["examples"] for entry in index}


@pytest.mark.parametrize("name", LEAST)
def test_every_example_is_read(payloads: dict[str, list[Any]], name: str, tmp_path: Path) -> None:
    assert len(payloads[name]) >= LEAST[name]
    for payload in payloads[name]:
        (tmp_path / "event.json").write_text(json.dumps(payload))
        event = read_event(
            {
                "GITHUB_EVENT_PATH": str(tmp_path / "event.json"),
                "GITHUB_EVENT_NAME": name,
                "GITHUB_REPOSITORY": payload["repository"]["full_name"],
                "GITHUB_SHA": SHA,
                "GITHUB_RUN_ID": "42",
            }
        )

        assert event.action == payload.get("action", "")
        assert event.default_branch == payload["repository"]["default_branch"]
        parts = {
            "pull_request": event.pull,
            "merge_group": event.merge_group,
            "issue_comment": event.comment,
            "workflow_run": event.run,
        }
        assert [key for key, part in parts.items() if part is not None] == [name] * (name in parts)
        if event.pull is not None:
            assert event.pull.number == payload["pull_request"]["number"]
            assert not event.pull.is_fork
