"""Pending requests for the tests of this folder."""

from __future__ import annotations

from typing import Any

from ragate.contrib.recorder.proxy.request_identity import Endpoint, Request, UnansweredRequest

MESSAGES = [{"role": "user", "content": "Hello?"}]


def pending(
    kind: Endpoint = Endpoint.CHAT, provider: str = "openai", **body: Any
) -> UnansweredRequest:
    content = {"messages": MESSAGES} if kind is Endpoint.CHAT else {"input": "Hello?"}
    request = Request(kind, {"model": "m", **content, **body})
    return UnansweredRequest(request.key(provider), 0, 0, provider, request)
