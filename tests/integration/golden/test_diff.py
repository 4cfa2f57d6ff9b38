"""Two golden sets, field by field."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from tests.integration.golden.tool_projects import found, write

pytestmark = pytest.mark.integration


def test_two_golden_sets_are_compared_field_by_field(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before: list[dict[str, Any] | str] = [
        {"id": "a", "query": "A?", "relevant": {"x.md": 1, "y.md": 1}, "tags": ["t"]},
        {"id": "b", "query": "B?", "references": ["Yes."]},
        {"id": "c", "query": "C?"},
        {"id": "d", "query": "D?", "tags": ["t"]},
        {"id": "f", "query": "F?"},
    ]
    after: list[dict[str, Any] | str] = [
        {"id": "a", "query": "A?", "relevant": {"y.md": 2, "z.md": 1}, "tags": ["t"]},
        {"id": "b", "query": "B?", "references": ["Yes.", {"text": "No.", "draft": True}]},
        {"id": "d", "query": "D?", "tags": ["u"]},
        {"id": "e", "query": "E?"},
        {"id": "g", "query": "F?"},
    ]
    write(project, *before, name="a.jsonl")
    write(project, *after, name="b.jsonl")

    assert run(["dataset", "diff", "a.jsonl", "b.jsonl", "--json"]) == 0
    facts = found(capsys)
    edited = {one["sample_id"]: one for one in facts["edited"]}

    assert (facts["added"], facts["removed"], facts["unchanged"]) == (["e"], ["c"], 0)
    assert facts["renamed"] == {"f": "g"}
    assert edited["a"]["labels"] == {
        "added": ["z.md"],
        "removed": ["x.md"],
        "regraded": ["y.md 1 to 2"],
    }
    assert edited["a"]["rescored"]
    assert [one["field"] for one in edited["b"]["changes"]] == ["draft references"]
    assert not edited["b"]["rescored"]
    assert not edited["d"]["rescored"]

    assert run(["dataset", "diff", "a.jsonl", "b.jsonl"]) == 0
    text = capsys.readouterr().out
    assert "expected documents: added z.md; removed x.md; regraded y.md 1 to 2" in text
    assert '~ d (old scores still count)\n    tags: ["t"] -> ["u"]' in text
