"""What is left to do after the files are written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ragate.cli.init.command import next_steps
from ragate.cli.init.config_text import Choice
from ragate.cli.init.plan import WritePlan
from ragate.cli.init.survey import Survey


def steps(**settings: Any) -> str:
    choice = Choice("http", "", settings=settings)
    root = Path("project")
    return "\n".join(next_steps(Survey(root=root, top=root), WritePlan(choice, ())))


def test_a_service_that_wants_a_header_needs_its_variable_in_the_job():
    told = steps(headers_env={"Authorization": "RAG_AUTHORIZATION"})

    assert "Set RAG_AUTHORIZATION in the job as well" in told
    assert "No secret is needed" not in told


def test_without_header_and_variables_no_secret_is_needed():
    assert "No secret is needed" in steps(url="http://127.0.0.1:1/ask")
