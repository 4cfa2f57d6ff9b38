"""The worker's loop: requests in, replies out, one JSON object a line, over a socket of its own.

A request is ``{"id": …, "open": {…}}`` once, then ``{"id": …, "ask": …}`` for each sample; the
reply has the same id and ``value``, ``raised`` or ``refused``; that to ``{"id": …, "pulse": true}``
the id alone. When the other end is gone, what was opened is left, and the process ends.
"""

from __future__ import annotations

import asyncio
import faulthandler
import json
import os
import socket
import sys
import threading
import time
from contextlib import suppress
from typing import Any

from ragate.worker.responder import Responder

MOST_BYTES = 16 * 1024 * 1024
_GRACE_S = 5.0


def serve(address: str) -> None:
    """Answer requests until the other end is gone.

    Args:
        address: A Unix socket that somebody listens at.
    """
    faulthandler.enable(all_threads=False)  # a crash of native code says where
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True, errors="replace")  # type: ignore[union-attr]
    link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    link.connect(address)
    sys.argv[:] = [""]
    asyncio.run(RequestLoop(link).run())


class RequestLoop:
    """One process of the project's environment, and the target that it was opened for."""

    def __init__(self, link: socket.socket) -> None:
        self._link = link
        self._sending = threading.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._responder = Responder()

    async def run(self) -> None:
        """Serve; return when there is nobody left to serve."""
        loop, over = asyncio.get_running_loop(), asyncio.Event()

        def receive() -> None:
            # A reset is ragate's end too: it left with an answer of ours unread.
            with suppress(ConnectionResetError), self._link.makefile("rb") as requests:
                for line in requests:
                    loop.call_soon_threadsafe(self._take, json.loads(line))
            loop.call_soon_threadsafe(over.set)
            time.sleep(_GRACE_S)  # whoever blocks the loop by then would stay for ever
            os._exit(1)

        threading.Thread(target=receive, daemon=True, name="ragate-requests").start()
        await over.wait()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._responder.close()

    def _take(self, request: dict[str, Any]) -> None:
        task = asyncio.get_running_loop().create_task(self._answer(request))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answer(self, request: dict[str, Any]) -> None:
        key = request["id"]
        line = _line(key, {} if "pulse" in request else await self._responder.reply(request))
        if len(line) > MOST_BYTES:
            size = f"{len(line) / 1e6:.0f} MB as JSON, and the limit is {MOST_BYTES / 1e6:.0f} MB"
            line = _line(key, {"refused": f"has {size}"})
        try:
            with self._sending:
                self._link.sendall(line)
        except (BrokenPipeError, ConnectionResetError):
            return  # ragate has ended, and nobody waits for an answer


def _line(key: str, reply: dict[str, Any]) -> bytes:
    try:
        text = json.dumps({"id": key, **reply})
    except (TypeError, ValueError, RecursionError) as error:  # a number of 5,000 digits
        text = json.dumps({"id": key, "refused": f"cannot be sent: {error}"})
    return text.encode("ascii") + b"\n"
