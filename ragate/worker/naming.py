"""Which sample a model request of the project's code belongs to: a header that says so."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any
from urllib.parse import urlsplit

HEADER = "x-ragate-sample"
# Goes along into tasks, and into the threads that the worker starts.
CURRENT: ContextVar[str] = ContextVar("ragate_sample", default="")
_named: set[str] = set()


def name_requests(recorder: Mapping[str, str], label: str) -> None:
    """Put `label` on each request that this context sends to the recorder.

    Args:
        recorder: Where it listens, as ``url``; empty where no calls are recorded.
    """
    if not recorder:
        return
    CURRENT.set(label)
    # By now the target is imported, and its client with it; one that comes later is seen later.
    for library, owner in (
        ("httpx", "Client"),
        ("httpx", "AsyncClient"),
        ("httpx2", "Client"),
        ("httpx2", "AsyncClient"),
        ("requests", "Session"),
    ):
        module = sys.modules.get(library)
        if module is not None and f"{library}.{owner}" not in _named:
            _named.add(f"{library}.{owner}")
            _wrap(getattr(module, owner), recorder)


def _wrap(client: Any, recorder: Mapping[str, str]) -> None:
    send, there = client.send, urlsplit(recorder["url"]).netloc

    # What it returns is awaited by who calls it, where that is asynchronous.
    def named(self: Any, request: Any, **options: Any) -> Any:
        if CURRENT.get() and urlsplit(str(request.url)).netloc == there:
            request.headers.setdefault(HEADER, CURRENT.get())
        return send(self, request, **options)

    client.send = named
