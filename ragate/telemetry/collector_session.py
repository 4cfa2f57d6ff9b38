"""What talks HTTP to a collector: of its answer nothing but the head is read, whatever it sends."""

import io
from typing import Any

import requests
from requests.adapters import HTTPAdapter


def collector_session() -> requests.Session:
    """Return a session that follows no redirect's body and holds no answer in memory."""
    session = requests.Session()
    for scheme in ("http://", "https://"):
        session.mount(scheme, _HeadsOnly())
    return session


class _HeadsOnly(HTTPAdapter):
    def send(self, request: Any, **options: Any) -> requests.Response:  # type: ignore[override]
        response = super().send(request, **(options | {"stream": True}))
        if response.headers.get("Content-Length") == "0":
            response.content  # noqa: B018 - nothing follows, and the connection can be used again
        else:
            response.close()
        head = requests.Response()
        head.status_code, head.reason = response.status_code, response.reason
        if 300 <= response.status_code < 400:  # where it leads nobody chose; for the SDK it is fine
            head.status_code, head.reason = 400, "redirected"
        head.headers, head.url, head.request = response.headers, response.url, response.request
        head.headers.pop("Location", None)
        head.raw = io.BytesIO()
        return head
