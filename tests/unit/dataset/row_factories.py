"""Golden sets in every format."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ragate.dataset import read_dataset
from ragate.errors import DatasetError
from ragate.models import Sample


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def read(folder: Path, name: str, content: str | bytes) -> Sequence[Sample]:
    return read_dataset(write(folder, name, content))


def rows(*samples: dict[str, Any]) -> str:
    return "\n".join(json.dumps(sample) for sample in samples)


def error_of(folder: Path, name: str, content: str | bytes) -> str:
    with pytest.raises(DatasetError) as caught:
        read(folder, name, content)
    return str(caught.value).replace(f"{folder}/", "")


SAMPLE = Sample(
    id="q1",
    query="How long do refunds take?",
    relevant={"refunds.md": 2, "billing.md": 1},
    references=("Five days.", "5 days; a week, at most."),
    tags=("billing", "refunds"),
    must_pass=True,
    metadata={"source": "support"},
)
