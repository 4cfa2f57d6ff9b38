"""The worker's loop: requests in, replies out, one JSON object a line, over a socket of its own.

A request is ``{"id": …, "open": {…}}`` once, then ``{"id": …, "ask": …}`` for each sample; the
reply has the same id and ``value``, ``raised`` or ``refused``. When the other end is gone, what was
opened is left, and the process ends.
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
from pathlib import Path
from typing import Any

from ragate.worker import naming
from ragate.worker.engine import EngineReply, EngineTarget
from ragate.worker.function import FunctionTarget
from ragate.worker.outage import is_outage
from ragate.worker.question import question_of
from ragate.worker.raised import summary, trace
from ragate.worker.target import TargetError, TargetRaised
from ragate.worker.values import ValueTooDeepError, encoded, encoded_node

MOST_BYTES = 16 * 1024 * 1024
_GRACE_S = 5.0


def serve(address: str) -> None:
    """Answer requests until the other end is gone.

    Args:
        address: A Unix socket that somebody listens at.
    """
    faulthandler.enable()  # a crash of native code says where
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(line_buffering=True, errors="replace")  # type: ignore[union-attr]
    link = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    link.connect(address)
    sys.argv[:] = [""]
    sys.path.insert(0, str(Path.cwd()))
    asyncio.run(RequestLoop(link).run())


class RequestLoop:
    """One process of the project's environment, and the target that it was opened for."""

    def __init__(self, link: socket.socket) -> None:
        self._link = link
        self._sending = threading.Lock()
        self._tasks: set[asyncio.Task[None]] = set()
        self._target: FunctionTarget | EngineTarget | None = None
        self._root = str(Path.cwd())

    async def run(self) -> None:
        """Serve; return when there is nobody left to serve."""
        loop, over = asyncio.get_running_loop(), asyncio.Event()

        def receive() -> None:
            with self._link.makefile("rb") as requests:
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
        if self._target is not None:
            await self._target.close()

    def _take(self, request: dict[str, Any]) -> None:
        task = asyncio.get_running_loop().create_task(self._answer(request))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _answer(self, request: dict[str, Any]) -> None:
        try:
            done = await (self._open(request["open"]) if "open" in request else self._ask(request))
            reply = {"value": done}
        except TargetError as error:
            told = {"remedy": error.remedy, "missing": error.missing, "names": error.names}
            reply = {"refused": str(error), **told}
        except ValueTooDeepError as error:
            reply = {"refused": str(error)}
        except TargetRaised as error:
            reply = {"raised": self._told(error.error), "what": str(error)}
        except (Exception, SystemExit) as error:  # noqa: BLE001 - foreign code
            reply = {"raised": self._told(error)}
        self._send(request["id"], reply)

    async def _open(self, task: dict[str, Any]) -> dict[str, Any]:
        self._root = task["root"]
        keys, environment = task["keys"], f"the environment of {sys.executable}"
        told: dict[str, Any]
        if task["use"] == "python":
            function = FunctionTarget(keys, self._root, environment)
            await function.open()
            self._target = function
            told = {
                "whole": function.whole,
                "takes_turns": function.takes_turns,
                "arranges": function.arranges,
            }
        else:
            engine = EngineTarget(keys, self._root, environment, task["concurrency"])
            await engine.open()
            self._target = engine
            told = {"kind": engine.kind, "one_at_a_time": engine.one_at_a_time}
        self._recorder = task["recorder"]
        return told

    async def _ask(self, request: dict[str, Any]) -> Any:
        assert self._target is not None
        naming.name_requests(self._recorder, request.get("label", ""))
        value = await self._target.ask(question_of(request["ask"]))
        if isinstance(value, EngineReply):
            nodes = [encoded_node(node) for node in value.nodes]
            return {"answer": value.answer, "nodes": nodes, "took_s": value.took_s}
        return encoded(value)

    def _told(self, error: BaseException) -> dict[str, Any]:
        return {
            "summary": summary(error, self._root),
            "trace": trace(error),
            "outage": is_outage(error),
        }

    def _send(self, key: str, reply: dict[str, Any]) -> None:
        line = json.dumps({"id": key, **reply}).encode("ascii") + b"\n"
        if len(line) > MOST_BYTES:
            size = f"{len(line) / 1e6:.0f} MB as JSON, and the limit is {MOST_BYTES / 1e6:.0f} MB"
            line = json.dumps({"id": key, "refused": f"has {size}"}).encode("ascii") + b"\n"
        with self._sending:
            self._link.sendall(line)
