"""Whatever a file of pending requests holds, it is read or refused with an error of ours."""

from __future__ import annotations

from pathlib import Path

from ragate.contrib.recorder.pending_requests import read_pending
from ragate.contrib.recorder.proxy.request_identity import Endpoint, Request
from tests.unit.readers.mutation import json_lines, only_our_errors

REQUEST = Request(Endpoint.CHAT, {"model": "m", "messages": [{"role": "user", "content": "Hi"}]})
PENDING = [
    {"ragate_pending": 1},
    {
        "key": REQUEST.key("openai", 0),
        "draw": 0,
        "occurrence": 0,
        "provider": "openai",
        "path": "/chat/completions",
        "body": dict(REQUEST.body),
    },
]


def read_all(path: Path) -> object:
    return list(read_pending(path))


def test_no_file_leads_to_an_error_that_is_not_ours(tmp_path: Path) -> None:
    only_our_errors("pending requests", read_all, PENDING, json_lines, tmp_path / "file.jsonl")


def test_the_file_that_is_changed_is_a_good_one(tmp_path: Path) -> None:
    (tmp_path / "file.jsonl").write_bytes(json_lines(PENDING))

    read_all(tmp_path / "file.jsonl")
