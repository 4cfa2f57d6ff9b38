from __future__ import annotations

from ragate.pipeline.decide.readable_run import _flat


def test_single_values_stand_by_dotted_key_and_what_may_be_secret_does_not() -> None:
    table = {
        "url": "http://127.0.0.1:8000/ask",
        "headers": {"Authorization": "x"},
        "api_key": "k",
        "proxy": "http://me:secret@host",
        "answer": {"model": "m", "temperature": 0.1},
        "paths": ["a"],
    }

    assert dict(_flat(table)) == {
        "url": '"http://127.0.0.1:8000/ask"',
        "answer.model": '"m"',
        "answer.temperature": "0.1",
    }
