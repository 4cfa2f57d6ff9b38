"""What counts as finished."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from ragate.cli.main import run
from tests.integration.resume.interrupted import Service, finished, folder, interrupted, question

pytestmark = pytest.mark.integration


def test_what_a_provider_left_unanswered_is_asked(root: Path, service: Service) -> None:
    interrupted(root, keeping=9)
    path = folder(root) / "outputs.jsonl"
    lines = path.read_text().splitlines()
    row = json.loads(lines[1])
    lines[1] = json.dumps(
        {"id": row["id"], "run": 0, "error": {"kind": "provider", "message": "out"}}
    )
    path.write_text("\n".join(lines) + "\n")

    assert run(["check", "--resume"]) == 3  # no baseline: no decision

    assert finished(root)[row["id"], 0].startswith("It is so")
    assert service.asked[question(row["id"])] == 2


def test_outputs_older_than_a_day_are_not_added_to(
    root: Path, service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    interrupted(root)
    path = folder(root) / "outputs.jsonl"
    old = path.stat().st_mtime - 25 * 3600
    os.utime(path, (old, old))

    assert run(["check", "--resume"]) == 2

    assert "older than a day" in capsys.readouterr().err
