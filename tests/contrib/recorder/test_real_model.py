"""A project that asks a real model is recorded, and replayed without a call."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.models import Verdict
from tests.contrib.recorder.recorded_projects import checked, record
from tests.integration.recorded_project import PLAIN, RecordedProject
from tests.servers.llama import lacking, llama
from tests.servers.ports import free_port

pytestmark = [
    pytest.mark.integration,
    pytest.mark.model,
    pytest.mark.skipif(bool(lacking()), reason=lacking()),
]
BRIEF = PLAIN.replace('"temperature": 0', '"temperature": 0, "max_tokens": 8')


def test_what_a_real_model_said_is_replayed_without_a_call(tmp_path: Path) -> None:
    with llama() as server:
        project = RecordedProject(tmp_path, server.base_url, samples=3, code=BRIEF)
        record(project, runs=1)
    project.base_url = f"http://127.0.0.1:{free_port()}/v1"  # where nobody listens

    report = checked(project)

    assert report.decision.verdict is Verdict.PASSED, report.decision.reasons
    assert (report.facts.model_calls, report.facts.calls_reused) == (0, 3)
