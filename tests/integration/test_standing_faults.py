"""What was bad already stands in the report of a change that changed nothing of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from tests.projects import ReplayProject, right

pytestmark = pytest.mark.integration


def lost(number: int, pass_number: int) -> dict[str, Any]:
    """Answer rightly, and find nothing for two of the questions."""
    plain = right(number, pass_number)
    if number in (3, 5):
        return {**plain, "chunks": [{"doc_id": "other.md", "text": "Something else."}]}
    return plain


def test_samples_that_were_bad_already_are_named_in_report_comment_and_explanation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    project = ReplayProject(tmp_path, samples=12)
    project.record(lost)
    assert run(["baseline", "update", "--runs", "1"]) == 0

    run(["check"])

    said = "2 of 12 samples as they stand, 2 of them in the baseline as well: no expected document"
    assert any(row["symptom"].startswith(said) for row in project.report()["diagnosis"])
    assert said in " ".join(capsys.readouterr().out.split())
    run(["report", "latest", "--format", "markdown"])
    assert said in capsys.readouterr().out
    run(["report", "latest", "--explain", "q3"])
    assert "As it stands\n  no expected document is retrieved" in capsys.readouterr().out
    run(["report", "latest", "--explain", "q4"])
    assert "As it stands" not in capsys.readouterr().out
