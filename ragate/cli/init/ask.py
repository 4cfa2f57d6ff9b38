"""One question to what may be the RAG: started as `check` would, and only looked at."""

from __future__ import annotations

import asyncio
import json
import math
import re
import sys
import time
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragate.cli.init.config_text import Choice, config_text
from ragate.cli.init.failures import (
    KEY_WANTED,
    MODULE,
    NOT_THERE,
    UnansweredError,
    having,
    unanswered,
)
from ragate.cli.init.openapi import described
from ragate.cli.init.python_code import is_secret
from ragate.cli.init.question_fields import FIELDS, body_template, questions_in
from ragate.cli.one_question import opened, what_runs
from ragate.config import Config, parse_config
from ragate.errors import RagateError
from ragate.models import Sample, SystemOutput
from ragate.outputs.seen_reply import read_reply
from ragate.systems._variables import allowed_environment

if TYPE_CHECKING:
    from ragate.resources.operations import Operations

LONGEST_S = 300.0  # all tries together
LONGEST_START_S = 150.0
SLOW_START_S = 20.0  # from here on a check waits four times as long as it took
MOST_TRIES = 16
# It cannot answer without its database, whose address mostly has the password in it anyway.
_OF_DATABASE = re.compile(r"(?:^PG|DB|SQL|DATABASE|POSTGRES|MONGO|REDIS)\w*PASSW", re.IGNORECASE)
_MISSING = re.compile(
    r'"loc":\s*\["(?:body|query)",\s*"(\w+)"'
    r"|[\"'`]?(\w+)[\"'`]?,? (?:is|are) (?:required|missing)"
    r"|(?:missing|required)(?: required)?(?: field| parameter| property| key)?:? [\"'`](\w+)[\"'`]",
    re.IGNORECASE,
)
_STREAMS = {"looks like server-sent events": "sse", "looks like JSON lines": "ndjson"}
_CHATS = frozenset({"messages", "history", "chat"})
_ERRORS = frozenset({"error", "errors", "detail", "message", "status", "code", "ok", "success"})


@dataclass(frozen=True)
class Asked:
    """What came back.

    Attributes:
        settings: Keys of ``[system]`` with which it answered.
        reply: The first reply, as JSON; of a stream the list of its events.
        output: What ragate makes of it without any pointer.
        took_s: Seconds until the answer.
        equal: Whether the same question had the same reply again.
    """

    settings: Mapping[str, Any]
    reply: Any
    output: SystemOutput
    took_s: float
    equal: bool


def shown_run(choice: Choice, question: str) -> list[str]:
    """Return what asking would run and send, in lines."""
    described = ["requests below that address, as its /openapi.json says"]
    return [
        f"  {what_runs(choice.system, choice.first)}",
        *(f"  {line}" for line in described if "url" in choice.settings),
        *(f"  {name}, which is written for it" for name in choice.files),
        f"  the question: {question}",
    ]


async def ask(
    root: Path, choice: Choice, question: str, operations: Operations, passed: frozenset[str]
) -> Asked:
    """Return the reply of the first way of asking that it answers to, asked twice.

    Args:
        passed: Keys that it may have: their variables.

    Raises:
        UnansweredError: it answers to none, or not in time.
    """
    allowed = _without_keys(operations, passed)
    failed: list[RagateError] = []
    asked = None
    try:
        async with asyncio.timeout(LONGEST_S):
            asked = await _first_answer(root, choice, question, allowed, failed)
    except TimeoutError as error:
        raise UnansweredError(
            f"no answer within {LONGEST_S:g} s of tries",
            remedy="see that it answers when you start it by hand",
        ) from error
    except RagateError as error:  # it did not start
        failed.append(error)
    if asked is None:
        hidden = operations.environment.keys() - allowed.environment.keys()
        fills = [*choice.seeds, *choice.fills]
        raise unanswered(failed, root, hidden=hidden, fills=fills) from failed[0]
    return asked


async def _first_answer(
    root: Path, choice: Choice, question: str, operations: Operations, failed: list[RagateError]
) -> Asked | None:
    """Ask in one way after the other, in what a refusal speaks of before what was thought of.

    Args:
        failed: Where each failure is noted.

    Returns:
        What was answered; of replies without an answer the first, where none has one.
    """
    settings = dict(choice.settings)
    service: AbstractAsyncContextManager[Any] = nullcontext()
    if settings.get("start"):  # it is up while it is asked in one way after the other
        patient = {"start_timeout_s": LONGEST_START_S, **choice.first}
        service = opened(_config(root, choice, patient), operations)
    began = time.perf_counter()
    tried: list[dict[str, Any]] = []
    without_answer: list[Asked] = []
    async with service:
        if (took := time.perf_counter() - began) > SLOW_START_S:
            settings["start_timeout_s"] = math.ceil(4 * took)
        told = await described(str(settings["url"])) if "url" in settings else []
        waiting = [*_below(told, settings), *map(dict, choice.variants)] or [{}]
        while waiting and len(tried) < MOST_TRIES:
            variant = waiting.pop(0)
            if variant in tried:
                continue
            tried.append(variant)
            keys = {**settings, **variant}
            try:
                asked = await _asked_twice(root, choice, keys, question, operations)
            except RagateError as error:
                failed.append(error)
                if KEY_WANTED.search(error.message):
                    break
                waiting[:0] = _learned(error.message, variant, root)
                continue
            if _has_answer(asked, question):
                return asked
            without_answer.append(asked)  # a search beside the chat, unless there is nothing else
    if any(not NOT_THERE.search(error.message) for error in failed):
        return None
    return next(iter(without_answer), None)


def _has_answer(asked: Asked, question: str) -> bool:
    if isinstance(asked.reply, str) or asked.output.answer or asked.settings.get("stream"):
        return True
    return "answer" in read_reply(asked.reply, question=question, known=lambda _: 0.0).pointers


def _below(told: list[dict[str, Any]], settings: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the ways that a service tells of: where a path was named, those of this path first."""
    named = str(settings.get("url", "")).rstrip("/")
    return sorted(told, key=lambda way: way["url"].rstrip("/") != named)


async def _asked_twice(
    root: Path, choice: Choice, keys: Mapping[str, Any], question: str, operations: Operations
) -> Asked:
    """Ask in one way, and once more.

    Raises:
        RagateError: it did not answer.
    """
    open_keys = {key: value for key, value in keys.items() if key not in {"start", "health"}}
    async with opened(_config(root, choice, open_keys), operations) as put:
        sample, started = Sample(id="ask", query=question), time.perf_counter()
        output, replies = await put(sample)
        took = time.perf_counter() - started
        if not replies or _is_error(replies[-1]):
            shown = json.dumps(replies[-1:], default=str)[:500]
            raise UnansweredError(output.error.message if output.error else shown)
        again, _ = await put(sample)
    equal = (again.answer, again.chunks) == (output.answer, output.chunks)
    return Asked(keys, replies[-1], output, took, equal and again.error == output.error)


def _config(root: Path, choice: Choice, settings: Mapping[str, Any]) -> Config:
    """Return the configuration that would ask so."""
    keys = dict(settings)
    if "target" in keys:
        # Without an interpreter its worker would have all that this process has, keys as well.
        keys["interpreter"] = keys.get("interpreter") or [sys.executable]
        keys["pass_env"] = ["*"]
    text = config_text(replace(choice, settings=keys), [])
    return parse_config(text, where="what init would ask", root=root)


def _without_keys(operations: Operations, passed: frozenset[str]) -> Operations:
    """Return silent settings without the variables that are named as keys, and their values."""
    names = operations.environment.keys()
    keys = frozenset(name for name in names if is_secret(name) and not _OF_DATABASE.search(name))
    environment = allowed_environment(operations.environment, keys - passed, tuple(passed))
    # What its code prints while it is tried in several ways would hide what is found.
    return replace(operations, environment=environment, say=lambda _line: None)


def _is_error(reply: Any) -> bool:
    """Whether a reply with a status of success tells nothing but an error."""
    if not isinstance(reply, Mapping):
        return reply is None or reply == ""
    return bool({"error", "errors", "detail"} & reply.keys()) and reply.keys() <= _ERRORS


def _learned(message: str, variant: Mapping[str, Any], root: Path) -> list[dict[str, Any]]:
    """Return ways of asking that an error speaks of: missing fields, a stream, another Python."""
    for words, form in _STREAMS.items():
        if words in message:
            return [{**variant, "stream": {"format": form}}]
    if (missing := MODULE.search(message)) and "interpreter" not in variant:
        return [{**variant, "interpreter": [own]} for own in having(root, missing[1])]
    body = variant.get("body")
    if body is None or NOT_THERE.search(message):
        return []

    named = [name for match in _MISSING.finditer(message) for name in match.groups() if name]
    if not named:  # the path is there: it may take the question under another name
        is_first = body == body_template({FIELDS[0]: None})
        return [{**variant, "body": body_template({name: None})} for name in FIELDS[1:] * is_first]
    names = list(dict.fromkeys(named))
    chat = next((name for name in names if name in _CHATS or "valid list" in message), "")
    asked = next(iter(questions_in(names)), "")
    others: dict[str, object] = {name: "ragate" for name in names if name not in {asked, chat}}
    if chat:
        return [{**variant, "body": body_template(others, chat=chat)}]
    if asked:
        return [{**variant, "body": body_template({asked: None, **others})}]
    return [{**variant, "body": f"{str(body)[:-1]}, {body_template(others)[1:]}"}]
