"""Whatever a file of requests or replies holds, it is read or refused with an error of ours."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

from ragate.contrib.recorder.pending_requests import read_pending
from ragate.contrib.recorder.proxy.request_identity import Endpoint, Request
from ragate.contrib.recorder.replies import load_replies
from tests.unit.readers.mutation import json_lines, only_our_errors

REPLIES = [
    {"ragate_requests": 1, "runs": 1},
    {"key": "0" * 64, "model": "m", "replies": [{"choices": []}], "runs": {"0": 0}},
]
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


def zipped(rows: Any) -> bytes:
    return gzip.compress(json_lines(rows))


def test_recorded_replies_lead_to_no_error_that_is_not_ours(tmp_path: Path) -> None:
    path = tmp_path / "b.requests.jsonl.gz"
    only_our_errors("recorded replies", load_replies, REPLIES, zipped, path)

    path.write_bytes(zipped(REPLIES))
    load_replies(path)
