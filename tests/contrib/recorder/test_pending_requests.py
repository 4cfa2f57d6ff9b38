from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragate.contrib.recorder.pending_requests import PendingFile, read_pending
from ragate.contrib.recorder.proxy.request_identity import Endpoint
from ragate.errors import UsageError
from tests.contrib.recorder.pending_factories import pending


def test_what_is_written_is_read(tmp_path):
    file = PendingFile(tmp_path / "state" / "pending.jsonl")
    wanted = [
        pending(),
        pending(Endpoint.EMBEDDINGS, input=["ä", "b"]),
        pending(temperature=0.5),
    ]
    for one in wanted:
        file.add(one)

    assert list(read_pending(file.path)) == wanted


def test_who_is_asked_for_and_how_it_travels_is_not_written(tmp_path):
    file = PendingFile(tmp_path / "pending.jsonl")
    file.add(pending(user="jane@example.com", metadata={"a": "b"}, stream=True))

    assert "jane" not in file.path.read_text()
    assert "stream" not in file.path.read_text()


def line(**fields: Any) -> dict[str, Any]:
    one = pending()
    row = {
        "key": one.key,
        "draw": 0,
        "occurrence": 0,
        "provider": "openai",
        "path": one.request.kind.value,
        "body": dict(one.request.body),
    }
    return {**row, **fields}


@pytest.mark.parametrize(
    "lines",
    [
        [],
        [{"ragate_pending": 2}],
        [{"ragate_outputs": 1}],
        [{"ragate_pending": 1}, 5],
        [{"ragate_pending": 1}, line(more=1)],
        [{"ragate_pending": 1}, line(path="/v1/files")],
        [{"ragate_pending": 1}, line(path="/../admin")],
        [{"ragate_pending": 1}, line(draw=-1)],
        [{"ragate_pending": 1}, line(draw=True)],
        [{"ragate_pending": 1}, line(draw=10**9)],
        [{"ragate_pending": 1}, line(occurrence="0")],
        [{"ragate_pending": 1}, line(provider=5)],
        [{"ragate_pending": 1}, line(body=[])],
        [{"ragate_pending": 1}, line(body={"model": "m"})],
        [{"ragate_pending": 1}, line(key="0" * 16)],
        [{"ragate_pending": 1}, line(occurrence=1)],
        [{"ragate_pending": 1}, line(provider="other")],
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path, lines):
    path = tmp_path / "pending.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))

    with pytest.raises(UsageError):
        list(read_pending(path))


def test_a_line_that_is_not_json_is_refused(tmp_path: Path):
    path = tmp_path / "pending.jsonl"
    path.write_text('{"ragate_pending": 1}\n{"key": NaN}\n')

    with pytest.raises(UsageError, match=":2"):
        list(read_pending(path))
