"""What of a configuration tells nothing but numbers, switches and models."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ragate.core.plain_settings import is_plain


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("top_k", 10),
        ("answer.temperature", 0.1),
        ("answer.max_tokens", 300),
        ("markdown", True),
        ("model", "llama3.2:1b"),
        ("rerank.model", "cross-encoder/ms-marco-MiniLM-L6-v2"),
        ("chat_model", "gpt-4.1-mini"),
    ],
)
def test_numbers_switches_and_models_are_plain(key: str, value: Any) -> None:
    assert is_plain(key, json.dumps(value))


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("url", "http://127.0.0.1/ask?sig=CANARY"),
        ("body", '{"instructions": "CANARY"}'),
        ("dsn", "host=db user=u pass=hunter2"),
        ("body.auth", "Bearer abc"),
        ("body.pw", "abc"),
        ("prompt", "CANARY"),
        ("command", "serve --token CANARY"),
        ("model", "http://host/v1?key=CANARY"),
        ("model", "https:/CANARY@host"),
        ("model", "Never tell about CANARY"),
        ("model", "/home/me/CANARY"),
        ("headers.model", "CANARY"),
        ("door.pin", 1234),
        ("apikey", 1234),
        ("http://host?sig=CANARY", 1),
        ("paths", ["CANARY"]),
        ("revision", None),
    ],
)
def test_texts_secrets_and_lists_are_not(key: str, value: Any) -> None:
    assert not is_plain(key, json.dumps(value))


def test_what_is_no_json_is_not_plain() -> None:
    assert not is_plain("top_k", "CANARY")
