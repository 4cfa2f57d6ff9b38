"""Drafts are accepted or rejected."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.cli.main import run
from ragate.dataset import read_entries
from tests.contrib.golden.labels.label_projects import drafts, golden

pytestmark = pytest.mark.integration


def test_drafts_count_when_they_are_accepted(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = drafts(project)

    assert run(["dataset", "accept"]) == 0
    told = capsys.readouterr().out
    assert "2 samples with a draft; nothing was written" in told
    assert "`--all` all of them" in told
    assert "`--reject`" in told
    assert golden(project) == before
    assert run(["dataset", "accept", "a,b"]) == 0

    assert golden(project).decode().splitlines() == [
        '{"id": "a", "query": "A?", "references": ["No.", "Yes."]}',
        '{"id":"b","query":"B?"}',
        '{"id": "c", "query": "C?", "tags": []}',
    ]


def test_rejected_drafts_go(project: Path) -> None:
    drafts(project)

    assert run(["dataset", "accept", "--all", "--reject"]) == 0

    assert golden(project).decode().splitlines() == [
        '{"id": "a", "query": "A?", "references": ["No."]}',
        '{"id": "c", "query": "C?", "tags": []}',
    ]
    assert all(not entry.drafted for entry in read_entries(project / "golden.jsonl"))


@pytest.mark.parametrize("options", [["c"], ["d"], ["a", "--all"]])
def test_accepting_what_is_no_draft_is_an_error(project: Path, options: list[str]) -> None:
    before = drafts(project)

    assert run(["dataset", "accept", *options]) == 2

    assert golden(project) == before
