"""Answering pending requests where the keys are, without running the code that asked them."""

import asyncio
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragate.baseline.schema import requests_path
from ragate.clients.budget import Tally
from ragate.clients.memoised import Memo
from ragate.config import Config, Provider
from ragate.contrib.recorder.pending_requests import read_pending
from ragate.contrib.recorder.proxy.request_identity import Endpoint, UnansweredRequest
from ragate.contrib.recorder.proxy.upstream import Upstream
from ragate.contrib.recorder.replies import load_replies, save_replies
from ragate.contrib.recorder.run_resolver import REPLIES_NAME, make_upstream
from ragate.errors import BudgetError, ProviderError
from ragate.resources.operations import Operations
from ragate.resources.resources import Opened, open_resources
from ragate.settings import shown

MAX_BYTES = 1024**2
MAX_TOKENS = 32_768
MAX_CHOICES = 8
MAX_TEXTS = 2048
_SAMPLING = {"model", "temperature", "top_p", "tools", "tool_choice", "parallel_tool_calls"}
# Everything else is refused: stored prompts, conversations, files, web search, priority service.
_ALLOWED: dict[Endpoint, set[str]] = {
    Endpoint.CHAT: _SAMPLING
    | {"messages", "n", "seed", "stop", "max_tokens", "max_completion_tokens", "logprobs"}
    | {"presence_penalty", "frequency_penalty", "logit_bias", "top_logprobs", "response_format"}
    | {"reasoning_effort", "verbosity"},
    Endpoint.RESPONSES: _SAMPLING
    | {"input", "instructions", "max_output_tokens", "text", "reasoning", "truncation"},
    Endpoint.EMBEDDINGS: {"model", "input", "dimensions"},
}
_LIMITS = {
    "n": MAX_CHOICES,
    "max_tokens": MAX_TOKENS,
    "max_completion_tokens": MAX_TOKENS,
    "max_output_tokens": MAX_TOKENS,
}
_PARTS = frozenset(
    {"text", "input_text", "output_text", "refusal", "message", "reasoning", "summary_text"}
    | {"function", "function_call", "function_call_output", "image_url", "input_image"}
)
# They name things that the provider keeps or would fetch for the holder of the key.
_REFERENCES = frozenset({"file_id", "file_url", "file_data", "file", "input_audio", "audio"})


@dataclass
class Fulfilled:
    """What became of a file of pending requests.

    Attributes:
        path: Where the replies are: `.ragate/replies.jsonl.gz`, which every later run reads.
        answered, known: Requests that were sent, and those whose reply was there already.
        refused: Why a request was not sent: it asks for more than text, or for another model.
        failed: What the provider said instead of an answer.
        stopped: The cap that ended it early, "" where none did.
    """

    path: Path
    answered: int = 0
    known: int = 0
    refused: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    stopped: str = ""
    tally: Tally = field(default_factory=Tally)

    @property
    def whole(self) -> bool:
        return not (self.refused or self.failed or self.stopped)


async def fulfil_pending(
    config: Config, operations: Operations, path: Path, *, output: Path | None = None
) -> Fulfilled:
    """Answer the pending requests of `path` under the policy's caps, and keep the replies.

    The file is hostile data: whoever wrote it may be the author of the change under test. Nothing
    of it is run, no other host is asked than the policy's, and a request may hold text, functions
    and pictures of its own only: nothing that makes the provider read or fetch something.

    Args:
        output: Where the replies go, beside those that are there; else ``replies.jsonl.gz`` in the
            state folder.

    Raises:
        UsageError: the file cannot be read; nothing was sent.
        ProviderError: there is no key.
        StorageError: the replies cannot be written.
    """
    requests = list(read_pending(path))
    done = Fulfilled(output or operations.state / REPLIES_NAME)
    # The models of the baseline's own requests.
    allowed = frozenset(load_replies(requests_path(config.baseline)).models.values())
    asked: list[UnansweredRequest] = []
    for number, pending in enumerate(requests, start=2):
        if why := why_refused(pending, config.policy.providers, allowed):
            done.refused.append(f"line {number}: {why}")
        else:
            asked.append(pending)
    if asked:
        async with open_resources(config, operations) as opened:
            await _Fulfilling(config, operations, opened, done).run(asked)
            done.tally = opened.tally
    return done


class _Fulfilling:
    """One file on its way."""

    def __init__(
        self, config: Config, operations: Operations, opened: Opened, done: Fulfilled
    ) -> None:
        self._config = config
        self._operations = operations
        self._opened = opened
        self._done = done
        self._replies = load_replies(done.path)
        self._baseline = load_replies(requests_path(config.baseline))
        self._memo = Memo(opened.cache, budget=opened.budget)
        self._upstreams: dict[str, Upstream] = {}

    async def run(self, requests: list[UnansweredRequest]) -> None:
        for name in {pending.provider for pending in requests}:
            self._upstreams[name] = self._upstream(name)
        gate = asyncio.Semaphore(self._operations.concurrency)
        minutes = self._config.policy.max_minutes

        async def answer(pending: UnansweredRequest) -> None:
            async with gate:
                if not self._done.stopped:
                    await self._answer(pending)

        try:
            async with asyncio.timeout(minutes * 60):
                await asyncio.gather(*map(answer, requests))
        except TimeoutError:
            self._done.stopped = f"[policy] max_minutes = {minutes:g} is reached"
        finally:
            if self._replies.draws:
                save_replies(self._done.path, self._replies)
            for upstream in self._upstreams.values():
                await upstream.aclose()

    async def _answer(self, pending: UnansweredRequest) -> None:
        upstream = self._upstreams[pending.provider]
        recorded = (self._baseline, self._replies)
        if any(pending.draw in replies.draws.get(pending.key, {}) for replies in recorded):
            self._done.known += 1
            return
        try:
            reply = await self._memo.draw(
                pending.key, pending.draw, lambda: upstream.ask(pending.request)
            )
        except BudgetError as error:
            self._done.stopped = error.message
        except ProviderError as error:
            self._done.failed.append(error.message)
        else:
            self._done.known += reply.reused
            self._done.answered += not reply.reused
            model = pending.request.model
            self._replies.add(pending.key, pending.draw, model, reply.text)

    def _upstream(self, name: str) -> Upstream:
        upstream = make_upstream(self._config, self._operations, self._opened, name, patient=True)
        if upstream is None:
            raise ProviderError(
                f"provider {name!r} cannot be asked",
                remedy="set its key, and leave RAGATE_OFFLINE out",
                fatal=True,
            )
        return upstream


# What a pending request may ask for: it was written by whoever wrote the change under test.


def why_refused(
    pending: UnansweredRequest, providers: Mapping[str, Provider], models: Collection[str]
) -> str:
    """Return why a request is not sent, "" where it may be.

    Args:
        models: Those of the baseline's requests; a provider's own list in the policy wins.
    """
    provider = providers.get(pending.provider)
    if provider is None:
        return f"provider {shown(pending.provider)} is not in [policy.providers]"
    request = pending.request
    if request.model not in (provider.models or models):
        return (
            f"model {shown(request.model)} is none of the baseline's requests, nor in "
            f"[policy.providers.{pending.provider}] models"
        )
    body = request.content
    if len(json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")) > MAX_BYTES:
        return f"more than {MAX_BYTES} bytes"
    return _why_parameters(request.kind, pending.request.body) or _why_content(request.kind, body)


def _why_parameters(kind: Endpoint, body: Mapping[str, Any]) -> str:
    if unknown := sorted(set(body) - _ALLOWED[kind]):
        return f"{shown(unknown[0])} is not allowed in a pending request"
    for name, most in _LIMITS.items():
        value = body.get(name)
        if value is not None and not (type(value) is int and 1 <= value <= most):
            return f"{name} = {shown(value)}: at most {most}"
    tools = body.get("tools") or []
    listed = isinstance(tools, list) and all(isinstance(tool, dict) for tool in tools)
    if not listed or any(tool.get("type") != "function" for tool in tools):
        return "a tool that is no function"
    choice = body.get("tool_choice")
    if isinstance(choice, dict) and choice.get("type") != "function":
        return "a tool that is no function"
    return ""


def _why_content(kind: Endpoint, body: Mapping[str, Any]) -> str:
    if kind is Endpoint.EMBEDDINGS:
        texts = body["input"]
        many = isinstance(texts, list) and len(texts) > MAX_TEXTS
        return f"more than {MAX_TEXTS} texts" if many else ""
    content = body["messages"] if kind is Endpoint.CHAT else body["input"]
    return _why_part(content)


def _why_part(part: Any) -> str:
    """Return why a message, or a part of one, is more than text and pictures of its own."""
    if isinstance(part, list):
        return next((why for item in part if (why := _why_part(item))), "")
    if not isinstance(part, dict):
        return ""
    if named := _REFERENCES & part.keys():
        return f"{shown(min(named))} in a message"
    kind = part.get("type", "message" if "role" in part else None)
    if kind not in _PARTS:
        return f"a part of type {shown(kind)} in a message"
    picture = part.get("image_url")
    url = picture.get("url") if isinstance(picture, dict) else picture
    if picture is not None and not (isinstance(url, str) and url.startswith("data:")):
        return "a picture that the provider would fetch"
    nested = (part.get(name) for name in ("content", "tool_calls", "output", "summary"))
    return next((why for item in nested if (why := _why_part(item))), "")
