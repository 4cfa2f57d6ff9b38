"""A project under git, and its service."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.resume.interrupted import SAMPLES, Service, configure
from tests.repositories import commit, git
from tests.servers.rag_server import rag_server


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    monkeypatch.chdir(root)
    for name in ("CI", "GITHUB_EVENT_NAME"):
        monkeypatch.delenv(name, raising=False)
    git(root, "init", "-q")
    (root / ".gitignore").write_text(".ragate/\n")
    rows = [{"id": f"q{n}", "query": f"What is {n}?", "references": ["so"]} for n in range(SAMPLES)]
    (root / "golden.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return root


@pytest.fixture
def service(root: Path) -> Iterator[Service]:
    service = Service()
    with rag_server(service.answer) as server:
        configure(root, server)
        commit(root, "base")
        yield service
