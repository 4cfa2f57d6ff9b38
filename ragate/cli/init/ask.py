"""One question to a program that may be the RAG: started as `check` would, and only looked at."""

from __future__ import annotations

import asyncio
import json
import re
import shlex
import sys
import time
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragate.cli.detect.candidate import RagCandidate, questions_in
from ragate.cli.init.config_text import toml
from ragate.cli.one_question import opened
from ragate.config import Config, parse_config
from ragate.errors import RagateError
from ragate.models import Sample, SystemOutput
from ragate.systems._variables import allowed_environment
from ragate.version import MANUAL

if TYPE_CHECKING:
    from ragate.runtime.operations import Operations

LONGEST_S = 300.0  # all tries together
MOST_TRIES = 12
_SECRET = re.compile(r"KEY|TOKEN|SECRET|CREDENTIAL|PRIVATE|PASSW", re.IGNORECASE)
# It cannot answer without its database, whose address mostly has the password in it anyway.
_OF_DATABASE = re.compile(r"(?:^PG|DB|SQL|DATABASE|POSTGRES|MONGO|REDIS)\w*PASSW", re.IGNORECASE)
_MISSING = re.compile(
    r'"loc":\s*\["(?:body|query)",\s*"(\w+)"'
    r"|[\"'`]?(\w+)[\"'`]?,? (?:is|are) (?:required|missing)"
    r"|(?:missing|required)(?: required)?(?: field| parameter| property| key)?:? [\"'`](\w+)[\"'`]",
    re.IGNORECASE,
)
_KEY_WANTED = re.compile(r"answered (401|403)\b")
_STREAMS = {"looks like server-sent events": "sse", "looks like JSON lines": "ndjson"}
_ERRORS = frozenset({"error", "errors", "detail", "message", "status", "code", "ok", "success"})
_NEEDS_KEY = (
    "`ragate init --yes` writes the gate unasked; then name the variable that holds the header: "
    'headers_env = {Authorization = "RAG_AUTHORIZATION"} in [system] and its host in '
    f"[policy.http_header_env] ({MANUAL}/system-http.md#keys), and type `ragate doctor --ask`"
)
_WITHOUT_KEYS = (
    "it was asked without any key: variables such as OPENAI_API_KEY are not handed on, those of "
    "its database are"
)


class UnansweredError(RagateError):
    """What may be the RAG gave no answer: no decision."""


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


def shown_run(candidate: RagCandidate, question: str) -> list[str]:
    """Return what asking would run and send, in lines."""
    settings = candidate.first
    if command := settings.get("start") or settings.get("command"):
        lines = [f"  {shlex.join(map(str, command))}"]
    elif target := settings.get("target"):
        own = shlex.join(map(str, settings.get("interpreter") or [Path(sys.executable).name]))
        called = "what it makes" if settings.get("factory") else "it"
        lines = [f"  an import of {target} by {own}, and calls of {called}"]
    else:
        lines = []
    for name in candidate.files:
        lines.append(f"  {name} is written for it first, and stays only if it answers")
    if url := settings.get("url"):
        lines.append(f"  {settings.get('method', 'POST')} {url}")
    return [*lines, f"  the question: {question}"]


async def ask(root: Path, candidate: RagCandidate, question: str, operations: Operations) -> Asked:
    """Return the reply of the first way of asking that it answers to, asked twice.

    Raises:
        UnansweredError: it answers to none, or not in time.
    """
    try:
        async with asyncio.timeout(LONGEST_S):
            return await _first_answer(root, candidate, question, _without_keys(operations))
    except TimeoutError as error:
        raise UnansweredError(
            f"no answer within {LONGEST_S:g} s of tries",
            remedy="see that it answers when you start it by hand",
        ) from error


async def _first_answer(
    root: Path, candidate: RagCandidate, question: str, operations: Operations
) -> Asked:
    settings = dict(candidate.settings)
    waiting = [dict(variant) for variant in candidate.variants] or [{}]
    tried: list[dict[str, Any]] = []
    refused: list[str] = []
    service: AbstractAsyncContextManager[Any] = nullcontext()
    if settings.get("start"):  # it is up while it is asked in one way after the other
        service = opened(_config(root, candidate, candidate.first), operations)
    async with service:
        while waiting and len(tried) < MOST_TRIES:
            variant = waiting.pop(0)
            if variant in tried:
                continue
            tried.append(variant)
            keys = {**settings, **variant}
            open_keys = {
                key: value for key, value in keys.items() if key not in {"start", "health"}
            }
            try:
                return await _asked_twice(root, candidate, keys, open_keys, question, operations)
            except RagateError as error:
                refused.append(error.message)
                if _KEY_WANTED.search(error.message):
                    raise UnansweredError(error.message, remedy=_NEEDS_KEY) from error
                waiting[:0] = _learned(error.message, variant)
    raise UnansweredError(_told(refused), remedy=_WITHOUT_KEYS)


async def _asked_twice(
    root: Path,
    candidate: RagCandidate,
    keys: Mapping[str, Any],
    open_keys: Mapping[str, Any],
    question: str,
    operations: Operations,
) -> Asked:
    """Ask in one way, and once more.

    Raises:
        RagateError: it did not answer.
    """
    async with opened(_config(root, candidate, open_keys), operations) as put:
        sample, started = Sample(id="ask", query=question), time.perf_counter()
        output, replies = await put(sample)
        took = time.perf_counter() - started
        if not replies or _is_error(replies[-1]):
            told = (
                output.error.message if output.error else json.dumps(replies[-1], default=str)[:500]
            )
            raise UnansweredError(told)
        again, _ = await put(sample)
    reply = replies[-1]
    equal = (again.answer, again.chunks) == (output.answer, output.chunks)
    return Asked(keys, reply, output, took, equal and again.error == output.error)


def _config(root: Path, candidate: RagCandidate, settings: Mapping[str, Any]) -> Config:
    """Return a configuration that can ask, and nothing else."""
    keys = dict(settings)
    if "target" in keys and "interpreter" not in keys:
        # It is Python of the project: else its worker has all that this process has, keys as well.
        keys |= {"interpreter": [sys.executable], "pass_env": ["*"]}
    lines = [
        "[policy]",
        'dataset = "asked.jsonl"',
        'baseline = "asked.json"',
        f"systems = {toml([candidate.use])}",
        *(f"{name} = {toml(value)}" for name, value in candidate.policy.items()),
        "[policy.metrics.error_rate]",
        'level = "error"',
        "[system]",
        f"use = {toml(candidate.use)}",
        *(f"{name} = {toml(value)}" for name, value in keys.items()),
    ]
    return parse_config("\n".join(lines), where="what init would ask", root=root)


def _without_keys(operations: Operations) -> Operations:
    """Return silent settings without the variables that are named as keys, and their values."""
    names = operations.environment.keys()
    keys = frozenset(
        name for name in names if _SECRET.search(name) and not _OF_DATABASE.search(name)
    )
    environment = allowed_environment(operations.environment, keys, ())
    # What its code prints while it is tried in several ways would hide what is found.
    return replace(operations, environment=environment, say=lambda _line: None)


def _is_error(reply: Any) -> bool:
    """Whether a reply with a status of success tells nothing but an error."""
    if not isinstance(reply, Mapping):
        return reply is None
    return bool({"error", "errors", "detail"} & reply.keys()) and reply.keys() <= _ERRORS


def _learned(message: str, variant: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return ways of asking that an error speaks of: fields that it misses, a form of stream."""
    for words, form in _STREAMS.items():
        if words in message:
            return [{**variant, "stream": {"format": form}}]
    names = list(
        dict.fromkeys(
            name for match in _MISSING.finditer(message) for name in match.groups() if name
        )
    )
    body = variant.get("body")
    if not names or body is None:
        return []
    asked = next(iter(questions_in(names)), "")
    others = "".join(f', {json.dumps(name)}: "ragate"' for name in names if name != asked)
    if asked:
        return [{**variant, "body": f"{{{json.dumps(asked)}: {{{{ query | tojson }}}}{others}}}"}]
    return [{**variant, "body": f"{str(body)[:-1]}{others}}}"}]


def _told(refused: list[str]) -> str:
    """Return why none of the tries was answered: each reason once."""
    reasons = list(dict.fromkeys(refused))
    more = f"; and {len(reasons) - 3} more reasons" if len(reasons) > 3 else ""
    return "; ".join(reasons[:3]) + more
