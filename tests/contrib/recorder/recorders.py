"""Recorders, and clients that ask them."""

from __future__ import annotations

import http.client
import json
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import openai
from pydantic import SecretStr

from ragate.cache import Cache
from ragate.clients.budget import Budget, no_caps
from ragate.clients.channel import Channel
from ragate.clients.http.retry import Retry
from ragate.clients.memoised import Memo
from ragate.contrib.recorder.proxy.recorder import Recorder, open_recorder
from ragate.contrib.recorder.proxy.reply_resolver import ReplyResolver
from ragate.contrib.recorder.proxy.request_identity import UnansweredRequest
from ragate.contrib.recorder.proxy.request_ledger import Ledger
from ragate.contrib.recorder.proxy.upstream import DirectTransport, Upstream
from ragate.contrib.recorder.run_resolver import as_draws
from tests.servers.openai_server import FakeOpenAI

KEY = "sk-canary-90fe3a77"


MODEL = "gpt-4o-mini"


@dataclass
class Bench:
    """A provider, and recorders in front of it that share one cache."""

    provider: FakeOpenAI
    folder: Path
    stack: ExitStack
    pended: list[UnansweredRequest] = field(default_factory=list)
    recorder: Recorder = field(init=False)

    def open(
        self,
        *,
        offline: bool = False,
        counts: bool = False,
        budget: Budget | None = None,
        timeout_s: float = 60.0,
        tries: int = 3,
        models: tuple[str, ...] = (),
        key: str = KEY,
        baseline: dict[str, tuple[str, ...]] | None = None,
    ) -> ReplyResolver:
        """Start a recorder; one that runs goes on beside it."""
        cache = self.stack.enter_context(Cache(self.folder / "cache.sqlite"))
        budget = budget or no_caps()
        channel = Channel(
            DirectTransport(self.provider.base_url, SecretStr(key)),
            timeout_s=timeout_s,
            deadline_s=4 * timeout_s,
            concurrency=8,
            retry=Retry(tries=tries, base_s=0.01),
            budget=budget,
        )
        resolver = ReplyResolver(
            provider="openai",
            memo=Memo(cache, baseline=as_draws(baseline or {}), budget=budget),
            ledger=Ledger(counts=counts),
            upstream=None if offline else Upstream(channel),
            models=models,
            pend=self.pended.append,
        )
        self.recorder = self.stack.enter_context(open_recorder(resolver))
        return resolver

    def client(self, **options: Any) -> openai.OpenAI:
        given = {"base_url": self.recorder.base_url, "api_key": self.recorder.token, **options}
        return self.stack.enter_context(openai.OpenAI(**given))

    def raw(self, method: str, path: str, body: bytes = b"", **headers: str) -> tuple[int, Any]:
        """Return status and JSON of a request made by hand, with the right token."""
        place = urlsplit(self.recorder.base_url)
        connection = http.client.HTTPConnection(str(place.hostname), place.port, timeout=60)
        try:
            named = {"Authorization": f"Bearer {self.recorder.token}", **headers}
            connection.request(method, path, body, named)
            response = connection.getresponse()
            return response.status, json.loads(response.read() or b"{}")
        finally:
            connection.close()


def ask(client: openai.OpenAI, text: str = "Hello?", **options: Any) -> str:
    reply = client.chat.completions.create(
        model=MODEL, messages=[{"role": "user", "content": text}], **options
    )
    return str(reply.choices[0].message.content)


def streamed(client: openai.OpenAI, text: str = "Hello?", **options: Any) -> str:
    parts = client.chat.completions.create(
        model=MODEL, messages=[{"role": "user", "content": text}], stream=True, **options
    )
    return "".join(part.choices[0].delta.content or "" for part in parts if part.choices)
