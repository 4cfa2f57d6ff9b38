"""Asking a chat model for drafts, under the caps of the policy."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ragate.config import Config
from ragate.core.hashing import digest
from ragate.errors import BudgetError, ConfigError, ProviderError
from ragate.protocols import ChatClient, ChatRequest
from ragate.runtime.resources import Operations, open_resources
from ragate.support.settings import nearest

MOST_CHARACTERS = 24_000  # of one document in a request


@dataclass(frozen=True)
class Model:
    """The model that drafts: a provider of the policy, and a model of it."""

    provider: str
    name: str


@dataclass
class Replies:
    """What came back, by the key of the request.

    Attributes:
        failed: Requests without a reply, with the reason.
        stopped: Why the rest was not asked, "" where all was.
        calls, cost_usd: What was sent, and its price; None where unknown.
    """

    texts: dict[str, str] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    stopped: str = ""
    calls: int = 0
    cost_usd: float | None = None


def choose_model(config: Config, provider: str, model: str) -> Model:
    """Return the model to ask: what is named, else the judge's, else the answering one's.

    Raises:
        ConfigError: none is named and none can be guessed, or there is no such provider.
    """
    policy, answer = config.policy, config.system.settings.get("answer")
    known = [(one.provider, one.model) for one in (policy.judge,) if one is not None]
    if isinstance(answer, Mapping):
        known.append((str(answer.get("provider", "")), str(answer.get("model", ""))))
    known = [pair for pair in known if all(pair)]
    if not provider:
        names = [name for name, _ in known] or list(policy.providers)
        provider = names[0] if names and (known or len(names) == 1) else ""
    model = model or next((name for where, name in known if where == provider), "")
    if not provider or not model:
        raise ConfigError(
            "which model drafts? The policy names no judge and the system no chat model",
            remedy="give --provider, a table of [policy.providers], and --model",
        )
    if provider not in policy.providers:
        raise ConfigError(
            f"--provider {provider!r}: there is no table [policy.providers.{provider}]"
            f"{nearest(provider, policy.providers)}"
        )
    return Model(provider, model)


async def ask_all(
    config: Config,
    operations: Operations,
    model: Model,
    prompts: Mapping[str, tuple[str, str]],
) -> Replies:
    """Return the replies to (system, user) messages; what was asked before costs nothing.

    A cap that is reached, or a provider that is out, ends the asking; what came back is kept.
    """
    replies = Replies()
    async with open_resources(config, operations) as opened:
        chat = opened.system.chat(model.provider)
        gate = asyncio.Semaphore(operations.concurrency)

        async def one(key: str) -> None:
            async with gate:
                if not replies.stopped:
                    await _ask(chat, model, key, prompts[key], replies)
            operations.progress(len(replies.texts) + len(replies.failed), len(prompts), "drafts")

        async with asyncio.TaskGroup() as group:
            for key in prompts:
                group.create_task(one(key))
        tally = opened.tally
        replies.calls = tally.calls
        replies.cost_usd = round(tally.cost_usd, 6) if tally.calls > tally.unpriced else None
    return replies


async def _ask(
    chat: ChatClient, model: Model, key: str, prompt: tuple[str, str], replies: Replies
) -> None:
    system, user = prompt
    request = ChatRequest(model.name, (("system", system), ("user", user)))
    try:
        reply = await chat(request)
    except BudgetError as error:
        replies.stopped = error.message
    except ProviderError as error:
        replies.failed[key] = error.message
        if error.fatal:
            replies.stopped = error.message
    else:
        replies.texts[key] = reply.text.strip()


def documents_block(documents: Sequence[tuple[str, str]]) -> str:
    """Return documents for a prompt, each between marks that its text cannot hold by accident."""
    mark = digest([text for _, text in documents])
    parts = [
        f"<document-{mark} number={number}>\n{text[:MOST_CHARACTERS]}\n</document-{mark}>"
        for number, (_, text) in enumerate(documents, start=1)
    ]
    return "\n\n".join(parts)
