"""What opens one target and answers requests about it, each with one reply in plain types."""

from __future__ import annotations

import asyncio
import inspect
import sys
import time
from collections.abc import Mapping
from typing import Any

from ragate.worker import naming
from ragate.worker.function import AskedQuestion, FunctionTarget, call, in_thread, question_of
from ragate.worker.raised import is_outage, summary, trace
from ragate.worker.target import Target, TargetError, TargetRaised, check_bind
from ragate.worker.values import ValueTooDeepError, encoded, encoded_node

# A function of the project that carries out calls of tools.


class ToolTarget(Target):
    """What ``[policy.execution] target`` names: it gets a tool's name and its arguments."""

    async def open(self) -> dict[str, Any]:
        """Import it; there is nothing to tell of it."""
        found = self._imported(self._keys["target"])
        if not callable(found):
            raise TargetError(f"a {type(found).__name__} is no function")
        check_bind(found, "name", {}, takes="two arguments: a tool's name and its arguments")
        self._function = found
        return {}

    async def ask(self, asked: Mapping[str, Any]) -> Any:
        """Return what the function returns for one call."""
        return encoded(await call(self._function, asked["tool"], asked["arguments"]))


# A LlamaIndex engine or retriever that is asked: found or made, reset where it remembers.

# In this order: a query engine can also retrieve.
KINDS = ("chat", "query", "retrieve")


class EngineTarget(Target):
    """What ``[system]`` of ``llamaindex`` names.

    A chat engine remembers, so that one engine serves one sample at a time and is reset before; as
    many are made as samples are in flight, where that can be.

    Attributes:
        kind: How it is asked: ``chat``, ``query`` or ``retrieve``.
        one_at_a_time: There is one chat engine only.
    """

    async def open(self) -> dict[str, Any]:
        """Make the first engine, and see what kind it is; tell that."""
        self._left = self._concurrency - 1
        self._target = self._imported(self._keys["target"])
        self._makes_more = inspect.isroutine(self._target) or inspect.isclass(self._target)
        self._shared = await self._engine()
        self.kind = kind_of(self._shared)
        self._free: asyncio.Queue[Any] = asyncio.Queue()
        self._free.put_nowait(self._shared)
        self.one_at_a_time = self.kind == "chat" and not self._makes_more
        return {"kind": self.kind, "one_at_a_time": self.one_at_a_time}

    async def ask(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Return answer and nodes of one call.

        A retriever has no answer. The seconds are those of the call alone, without waiting for an
        engine that is free.
        """
        question = question_of(asked)
        if self.kind != "chat":
            return await self._asked(self._shared, question)
        if self._free.empty() and self._makes_more and self._left > 0:
            self._left -= 1
            engine = await self._engine()
        else:
            engine = await self._free.get()
        asking = asyncio.create_task(self._reset_and_ask(engine, question))
        # A thread cannot be ended: an engine is free again when its call is over, however late.
        asking.add_done_callback(lambda done: self._release(engine, done))
        try:
            return await asyncio.shield(asking)
        except asyncio.CancelledError:
            self._left += 1  # another engine in its place, where one can be made
            raise

    async def _reset_and_ask(self, engine: Any, question: AskedQuestion) -> dict[str, Any]:
        await call(engine.reset)
        return await self._asked(engine, question)

    def _release(self, engine: Any, done: asyncio.Task[dict[str, Any]]) -> None:
        self._free.put_nowait(engine)
        if not done.cancelled():
            done.exception()  # seen: whoever waited has it, or ran out of time

    async def _asked(self, engine: Any, question: AskedQuestion) -> dict[str, Any]:
        started = time.perf_counter()
        response = await self._response(engine, question)
        took = time.perf_counter() - started
        retrieves = self.kind == "retrieve"
        nodes = response if retrieves else getattr(response, "source_nodes", None) or ()
        answer = None if retrieves else answer_text(response)
        return {"answer": answer, "nodes": list(map(encoded_node, nodes)), "took_s": took}

    async def _response(self, engine: Any, question: AskedQuestion) -> Any:
        arguments = [question.query, *([chat_history(question)] if question.turns else [])]
        ask = getattr(engine, f"a{self.kind}", None)
        if ask is not None and (self._keys["call"] == "async" or not hasattr(engine, self.kind)):
            response = await ask(*arguments)
        else:
            response = await in_thread(getattr(engine, self.kind), *arguments)
        if not hasattr(response, "get_response"):
            return response
        return await call(response.get_response)  # a stream: read to its end

    async def _engine(self) -> Any:
        if not self._makes_more:
            return self._target
        try:
            engine = self._target()
            return await engine if inspect.isawaitable(engine) else engine
        except (Exception, SystemExit) as error:
            raise TargetRaised("setting it up raised", error) from error


def kind_of(engine: Any) -> str:
    """Return how an engine is asked, read from its methods.

    Raises:
        TargetError: it has none of them.
    """
    for kind in KINDS:
        if callable(getattr(engine, kind, None)) or callable(getattr(engine, f"a{kind}", None)):
            return kind
    name = type(engine).__name__
    if hasattr(engine, "as_query_engine"):
        raise TargetError(
            f"a {name} is an index, not an engine",
            "give index.as_query_engine(), or a function that returns it",
        )
    raise TargetError(
        f"a {name} has no query, chat or retrieve",
        "name a query engine, a chat engine or a retriever, or a function that makes one",
    )


def chat_history(question: AskedQuestion) -> list[Any]:
    """Return the earlier turns as a chat engine takes them."""
    from llama_index.core.base.llms.types import ChatMessage

    return [ChatMessage(role=turn["role"], content=turn["content"]) for turn in question.turns]


def answer_text(response: Any) -> str:
    """Return the text of a response; "" where it has none."""
    text = getattr(response, "response", None)
    if text is None:
        return ""
    return text if isinstance(text, str) else str(response)


_TARGETS: dict[str, type[Target]] = {
    "python": FunctionTarget,
    "llamaindex": EngineTarget,
    "tool": ToolTarget,
}


class Responder:
    """The target that this process was started for."""

    def __init__(self) -> None:
        self._target: Target | None = None
        self._root = ""
        self._recorder: dict[str, str] = {}
        self._is_heard = False

    async def reply(self, request: dict[str, Any]) -> dict[str, Any]:
        """Return the reply to ``open`` or ``ask``, whatever the code of the project does."""
        try:
            done = await (self._open(request["open"]) if "open" in request else self._ask(request))
        except TargetError as error:
            told = {"remedy": error.remedy, "missing": error.missing, "names": error.names}
            return {"refused": str(error), **told}
        except ValueTooDeepError as error:
            return {"refused": str(error)}
        except TargetRaised as error:
            return {"raised": self._told(error.error), "what": str(error)}
        except BaseException as error:  # noqa: BLE001 - foreign code, which may cancel itself as well
            return {"raised": self._told(error)}
        return {"value": done, **self._measured()}

    async def close(self) -> None:
        """Leave what was opened."""
        if self._target is not None:
            await self._target.close()

    async def _open(self, task: dict[str, Any]) -> dict[str, Any]:
        self._root, self._recorder = task["root"], task["recorder"]
        self._is_heard = task["heard"]
        # As `python` started there would, and after it what ragate's own process looks through.
        behind = [path for path in task["path"] or sys.path if path != self._root]
        sys.path[:] = [self._root, *behind]
        environment = task["environment"] or f"the environment of {sys.executable}"
        kind = _TARGETS[task["use"]]
        target = kind(task["keys"], self._root, environment, task["concurrency"])
        told = await target.open()
        self._target = target
        return told

    async def _ask(self, request: dict[str, Any]) -> Any:
        assert self._target is not None
        naming.name_requests(self._recorder, request.get("label", ""))
        return await self._target.ask(request["ask"])

    def _measured(self) -> dict[str, Any]:
        """Return what the code has measured since the last reply, where ragate sends that on."""
        spans = sys.modules.get("ragate.spans") if self._is_heard else None
        return {"measured": spans.unheard_values()} if spans is not None else {}

    def _told(self, error: BaseException) -> dict[str, Any]:
        return {
            "summary": summary(error, self._root),
            "trace": trace(error, self._root),
            "outage": is_outage(error),
        }
