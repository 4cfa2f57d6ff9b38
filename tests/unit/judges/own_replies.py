"""A judge's reply to criteria that a configuration words, beside ragate's own."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from ragate.protocols import ChatRequest
from tests.unit.judges.judge_factories import Chat

OWN = "own_"


def judge_with_own(body: dict[str, Any], judge: Chat, grade: Callable[[str], Any]) -> str:
    """Return the verdict of a judge that knows ragate's criteria, and grades of the others.

    Args:
        grade: From the message to the grade of every criterion of one's own.
    """
    form = body["response_format"]["json_schema"]
    required = form["schema"]["required"]
    mine = [key for key in required if not key.startswith(OWN)]
    schema = {**form, "schema": {**form["schema"], "required": mine}}
    parameters = {"response_format": {"type": "json_schema", "json_schema": schema}}
    messages = tuple((one["role"], one["content"]) for one in body["messages"])
    verdict = judge._next(ChatRequest(body["model"], messages, parameters))
    assert isinstance(verdict, str)
    text = messages[1][1]
    own = {
        key: {"because": "the words", "grade": grade(text)} for key in required if key not in mine
    }
    return json.dumps({**json.loads(verdict), **own})
