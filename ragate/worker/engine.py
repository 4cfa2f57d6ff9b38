"""A LlamaIndex engine or retriever that is asked: found or made, reset where it remembers."""

from __future__ import annotations

import asyncio
import inspect
import time
from collections.abc import Mapping
from typing import Any, NamedTuple

from ragate.worker.calls import call, in_thread
from ragate.worker.question import AskedQuestion
from ragate.worker.target import TargetError, TargetRaised, imported, on_path

# In this order: a query engine can also retrieve.
KINDS = ("chat", "query", "retrieve")


class EngineReply(NamedTuple):
    """What one call gave.

    Attributes:
        answer: The text, None of a retriever.
        nodes: The source nodes, or what was retrieved.
        took_s: Seconds of the call alone, without waiting for an engine that is free.
    """

    answer: str | None
    nodes: list[Any]
    took_s: float


class EngineTarget:
    """What ``[system]`` of ``llamaindex`` names.

    A chat engine remembers, so that one engine serves one sample at a time and is reset before.

    Args:
        keys: ``target`` and ``call`` of ``[system]``.
        root: The project's folder.
        environment: What the environment of this interpreter is called.
        concurrency: Samples in flight: so many chat engines are made where that can be.

    Attributes:
        kind: How it is asked: ``chat``, ``query`` or ``retrieve``.
        one_at_a_time: There is one chat engine only.
    """

    def __init__(
        self, keys: Mapping[str, Any], root: str, environment: str, concurrency: int
    ) -> None:
        self._keys = keys
        self._root = root
        self._environment = environment
        self._left = concurrency - 1
        self.kind = ""
        self.one_at_a_time = False

    async def open(self) -> None:
        """Make the first engine, and see what kind it is.

        Raises:
            TargetError: it is nothing that can be asked.
            TargetRaised: its code raised.
        """
        self._target = imported(self._keys["target"], self._root, self._environment)
        self._makes_more = inspect.isroutine(self._target) or inspect.isclass(self._target)
        self._shared = await self._engine()
        self.kind = kind_of(self._shared)
        self._free: asyncio.Queue[Any] = asyncio.Queue()
        self._free.put_nowait(self._shared)
        self.one_at_a_time = self.kind == "chat" and not self._makes_more

    async def ask(self, question: AskedQuestion) -> EngineReply:
        """Return answer and nodes of one call."""
        if self.kind != "chat":
            return await self._asked(self._shared, question)
        if self._free.empty() and self._makes_more and self._left > 0:
            self._left -= 1
            engine = await self._engine()
        else:
            engine = await self._free.get()
        asked = asyncio.create_task(self._reset_and_ask(engine, question))
        # A thread cannot be ended: an engine is free again when its call is over, however late.
        asked.add_done_callback(lambda done: self._release(engine, done))
        try:
            return await asyncio.shield(asked)
        except asyncio.CancelledError:
            self._left += 1  # another engine in its place, where one can be made
            raise

    async def close(self) -> None:
        """Nothing was opened."""

    async def _reset_and_ask(self, engine: Any, question: AskedQuestion) -> EngineReply:
        await call(engine.reset)
        return await self._asked(engine, question)

    def _release(self, engine: Any, done: asyncio.Task[EngineReply]) -> None:
        self._free.put_nowait(engine)
        if not done.cancelled():
            done.exception()  # seen: whoever waited has it, or ran out of time

    async def _asked(self, engine: Any, question: AskedQuestion) -> EngineReply:
        started = time.perf_counter()
        response = await self._response(engine, question)
        took = time.perf_counter() - started
        if self.kind == "retrieve":
            return EngineReply(None, list(response), took)
        nodes = list(getattr(response, "source_nodes", None) or ())
        return EngineReply(answer_text(response), nodes, took)

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
            with on_path(self._root):
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
