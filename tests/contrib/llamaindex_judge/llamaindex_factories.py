"""The llamaindex judge over a scripted client, and a model that obeys its prompts."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from ragate.contrib.llamaindex_judge import plugin
from ragate.models import Sample, Score, SystemOutput
from ragate.protocols import ChatRequest, Embedder, Judge, Resources
from tests.unit.judges.judge_factories import Chat

TRIO = ("correctness", "faithfulness_binary", "relevancy")


def resources_of(
    chat: Chat | None = None,
    *,
    embedder: Embedder | None = None,
    environment: Mapping[str, str] | None = None,
    capped: Callable[[Any], Any] = lambda client: client,
) -> Resources:
    made: Any = SimpleNamespace(
        root=Path(),
        chat=lambda _provider: chat,
        embedder=lambda _table: embedder,
        environment=environment or {},
        steps=None,
        capped=capped,
    )
    resources: Resources = made
    return resources


async def make(chat: Chat | None = None, resources: Resources | None = None, **own: Any) -> Judge:
    table = own if "llm" in own else {"provider": "p", "model": "m", **own}
    async with plugin.create(table, resources or resources_of(chat)) as judge:
        return judge


def fingerprint(**settings: Any) -> str:
    return asyncio.run(make(Chat([]), **settings)).fingerprint


def judge_by(
    chat: Chat | None,
    sample: Sample,
    output: SystemOutput,
    criteria: Sequence[str] = TRIO,
    resources: Resources | None = None,
    **settings: Any,
) -> dict[str, Score]:
    """Return the scores of one output."""

    async def run() -> dict[str, Score]:
        judge = await make(chat, resources, **settings)
        return await judge(criteria, sample, output)

    return asyncio.run(run())


def evaluator_of(request: ChatRequest) -> str:
    """Return which of the three evaluators of the trio a request comes from."""
    role, text = request.messages[0]
    if role == "system":
        return "correctness"
    return "relevancy" if re.search("query and response", text, re.I) else "faithfulness"


def is_refine(request: ChatRequest) -> bool:
    return "existing YES/NO answer" in request.messages[0][1]


def existing(request: ChatRequest) -> str:
    found = re.search(r"existing YES/NO answer:\s*(\w+)", request.messages[0][1])
    assert found is not None
    return found[1]


def obedient(holds: Callable[[str, str], bool]) -> Chat:
    """Return a model that does what the evaluators' prompts say.

    Args:
        holds: From the evaluator's name and the prompt to whether this step's contexts say yes.
    """

    def reply(request: ChatRequest) -> str:
        evaluator = evaluator_of(request)
        if evaluator == "correctness":
            return "5\nfine"
        stays = is_refine(request) and existing(request) == "YES"
        return "YES" if stays or holds(evaluator, request.messages[0][1]) else "NO"

    return Chat(reply)
