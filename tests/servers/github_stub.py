"""A loopback server that keeps state as GitHub's REST API does, for the calls of the action.

    with github_stub(tmp_path) as github:
        base = github.commit({"ragate.toml": b"..."}, branch="main")
        github.add_pull(7, head=github.commit({...}, parents=[base]), base=base)
        github.fault("POST", r"/comments$", lost=True)
        ...                                    # give the client github.url and TOKEN
        assert len(github.comments[7]) == 1

Clients may be other processes; a repository can be pushed to `github.git.folder`. A second server
stands for the host that artifacts come from.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.servers.github import code, conversation
from tests.servers.github.answers import answer
from tests.servers.github.git import GitStore
from tests.servers.github.state import BOT, TOKEN, Account, Fault, GitHub, Reply, Seen
from tests.servers.serving import ManyServer, serving

__all__ = ["BOT", "TOKEN", "Account", "Fault", "GitHub", "Seen", "github_stub"]
_ROUTES = (*conversation.ROUTES, *code.ROUTES)


class _Server(ManyServer):
    def __init__(self, github: GitHub, host: str) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.github = github
        self.host = host

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of clients that went away: they are part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def _serve(self) -> None:
        github = self.server.github
        seen = self._seen()
        with github.lock:
            github.requests.append(seen)
            fault = github.next_fault(seen.method, seen.path)
        if fault is not None and fault.status:
            refused = {"message": fault.message, "documentation_url": "https://docs.github.com"}
            reply = Reply(fault.status, refused, fault.headers)
        else:
            with github.lock:
                storage = self.server.host == "storage"
                reply = self._storage(seen) if storage else answer(_ROUTES, github, seen)
        if fault is not None and fault.delay_s:
            github.stopped.wait(fault.delay_s)
        if fault is not None and fault.lost:
            self.close_connection = True
            return
        self._send(reply)

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _serve  # noqa: N815

    def _seen(self) -> Seen:
        parts = urlsplit(self.path)
        return Seen(
            method=self.command,
            path=parts.path,
            query={key: values[-1] for key, values in parse_qs(parts.query).items()},
            headers={key.lower(): value for key, value in self.headers.items()},
            body=self.rfile.read(int(self.headers.get("content-length") or 0)),
            host=self.server.host,
        )

    def _storage(self, seen: Seen) -> Reply:
        found = self.server.github.files.get(int(seen.path.rpartition("/")[2]))
        if found is None:
            return Reply(404, {"message": "no such file"})
        return Reply(200, raw=found, headers={"content-type": "application/zip"})

    def _send(self, reply: Reply) -> None:
        content = reply.content()
        self.send_response(reply.status)
        headers = {"content-type": "application/json; charset=utf-8", **reply.headers}
        for name, value in headers.items():
            self.send_header(name, value)
        if reply.status != 204:
            self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_arguments: object) -> None:
        return


@contextmanager
def github_stub(folder: Path, **fields: Any) -> Iterator[GitHub]:
    """Yield a running stub whose git repository is in `folder`; `fields` go to `GitHub`."""
    github = GitHub(GitStore(folder / "github.git"), **fields)
    api, storage = _Server(github, "api"), _Server(github, "storage")
    with serving(api) as github.url, serving(storage) as github.storage_url:
        try:
            yield github
        finally:
            github.stopped.set()
            github.git.close()
