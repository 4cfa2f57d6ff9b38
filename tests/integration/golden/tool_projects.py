"""Golden sets for the tests of this folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


def write(project: Path, *lines: dict[str, Any] | str, name: str = "golden.jsonl") -> Path:
    path = project / name
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(texts) + "\n")
    return path


def found(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    printed: dict[str, Any] = json.loads(capsys.readouterr().out)
    return printed
