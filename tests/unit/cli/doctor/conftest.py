"""Fixtures of this folder."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.unit.cli.doctor.doctor_factories import CONFIG


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "ragate.toml").write_text(CONFIG)
    lines = [{"id": f"q{number}", "query": f"Question {number}?"} for number in range(20)]
    (tmp_path / "golden.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    outputs = [{"id": line["id"], "answer": "Yes.", "contexts": ["Yes."]} for line in lines]
    (tmp_path / "outputs").mkdir()
    (tmp_path / "outputs/a.jsonl").write_text("".join(json.dumps(o) + "\n" for o in outputs))
    return tmp_path
