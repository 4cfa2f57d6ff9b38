"""Services and the system that asks them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragate.models import SystemOutput
from tests.servers.rag_server import RagServer, rag_server
from tests.unit.systems.using import ask

ECHO: Any = lambda request: {"answer": request.json["query"]}  # noqa: E731


def asked(server: RagServer, root: Path, **settings: Any) -> SystemOutput:
    given = settings.pop("given", {})
    keys = {"url": server.url, **settings}
    return ask("http", keys, root, **{"http_hosts": (server.host,), **given})[0]


def one(handle: Any, root: Path, **settings: Any) -> SystemOutput:
    with rag_server(handle) as server:
        return asked(server, root, **settings)


def refused(root: Path, error: type[Exception], told: str, **settings: Any) -> None:
    with rag_server(ECHO) as server:
        with pytest.raises(error) as raised:
            asked(server, root, **settings)
        assert server.requests == []
    assert told in str(raised.value)


SECRET = "Bearer canary-4711"


def key(server: RagServer, **fields: Any) -> dict[str, Any]:
    return {
        "environment": {"RAG_AUTH": SECRET},
        "http_hosts": (server.host,),
        "http_header_env": {server.host: ("RAG_AUTH",)},
        **fields,
    }
