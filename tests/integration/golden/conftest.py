"""Fixtures of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.projects import write_docs_project


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, served: None) -> Path:
    monkeypatch.chdir(tmp_path)
    write_docs_project(tmp_path)
    return tmp_path
