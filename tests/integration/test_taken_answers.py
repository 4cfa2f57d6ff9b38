"""Answers that are taken from the baseline are what they were when it was recorded."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from tests.projects import write_docs_project
from tests.servers.openai_server import openai_server

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("served")]
ANSWERED = """
[policy.metrics.idf_f1]
[policy.metrics.complete_answer]
level = "warn"

[policy.providers.answering]
base_url = "{url}"

[system.answer]
use = "chat"
provider = "answering"
model = "answer-1"
"""


def test_after_no_change_no_question_got_better_or_worse(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RAGATE_CONCURRENCY", "1")
    number = itertools.count()

    def reply(_body: dict[str, Any]) -> str:
        # Of the passes one is right; whatever the model says, it stops at its limit of tokens.
        return "They come from orchard 1." if next(number) % 3 == 0 else "That is not told."

    with openai_server() as server:
        server.reply, server.finish = reply, "length"
        write_docs_project(tmp_path)
        config = tmp_path / "ragate.toml"
        config.write_text(config.read_text() + ANSWERED.format(url=server.base_url))
        assert run(["baseline", "update", "--runs", "3"]) == 0
        (tmp_path / ".ragate" / "cache.sqlite").unlink()
        server.requests.clear()
        capsys.readouterr()

        assert run(["check", "--format", "json"]) == 0

    assert server.requests == []
    report = json.loads(capsys.readouterr().out)
    assert report["facts"]["affected"] == 0
    assert report["samples"] == []
    assert all(
        output["finish_reason"] == "length"
        for sample in json.loads((tmp_path / "baselines" / "docs.json").read_text())[
            "samples"
        ].values()
        for output in sample["outputs"]
    )
