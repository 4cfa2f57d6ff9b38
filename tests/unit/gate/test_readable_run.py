"""The header of a run names what is allowed to be read, and nothing that may hold a secret."""

from __future__ import annotations

from ragate.core.plain_settings import json_by_key
from ragate.gate.gate_report import readable_settings

SECRETS = {
    "url": "http://127.0.0.1:8000/ask?sig=CANARY",
    "body": {"auth": "Bearer CANARY", "pw": "CANARY", "k": 7},
    "dsn": "host=db user=u pass=CANARY",
    "prompt": "CANARY",
    "command": "serve CANARY",
    "headers": {"Authorization": "CANARY"},
    "api_key": "CANARY",
    "proxy": "http://me:CANARY@host",
    "paths": ["CANARY"],
    "retrieval": "CANARY",
}
PLAIN = {"top_k": 3, "markdown": True, "answer": {"model": "m", "temperature": 0.1}}


def test_numbers_switches_and_models_stand_by_dotted_key_and_no_text_does() -> None:
    for use in ("http", "pgvector", "my_package:System"):
        assert readable_settings(use, dict(json_by_key(SECRETS | PLAIN))) == {
            "top_k": "3",
            "markdown": "true",
            "answer.model": '"m"',
            "answer.temperature": "0.1",
        }


def test_words_that_an_own_system_chooses_from_stand_too() -> None:
    table = {"retrieval": "bm25", "answer": {"use": "chat", "refusal": "exact"}}

    shown = readable_settings("pgvector", dict(json_by_key(table)))

    assert shown == {"retrieval": '"bm25"', "answer.use": '"chat"'}
    assert readable_settings("my_package:System", dict(json_by_key(table))) == {}
