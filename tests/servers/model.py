"""A model for the loopback server: it answers from its contexts, never twice alike, and judges."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable
from typing import Any

from ragate.protocols import ChatRequest
from tests.unit.judges.judge_factories import Chat, honest


def is_judgement(body: dict[str, Any]) -> bool:
    """Return True where a request asks for a verdict, False where it asks for an answer."""
    return "response_format" in body


def answers_and_judges(judge: Chat | None = None) -> Callable[[dict[str, Any]], str]:
    """Return a reply function: the first context's text with a number, or an honest verdict."""
    number = itertools.count(1)
    judging = judge or honest()

    def reply(body: dict[str, Any]) -> str:
        if is_judgement(body):
            messages = tuple((one["role"], one["content"]) for one in body["messages"])
            parameters = {k: v for k, v in body.items() if k not in {"model", "messages"}}
            verdict = judging._next(ChatRequest(body["model"], messages, parameters))
            return verdict if isinstance(verdict, str) else json.dumps({})
        found = re.search(
            r"(They come from orchard \d+\.|Our \w+ come from orchard \d+\.)",
            body["messages"][-1]["content"],
        )
        text = found.group(0) if found else "I do not know."
        return f"{text} [1]" + " " * (next(number) % 7 + 1) + "."

    return reply
