"""A LlamaIndex engine or retriever as the system under test; see docs/system-llamaindex.md."""

import asyncio
import inspect
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, ClassVar, Literal

from pydantic import Field

from ragate.errors import ConfigError
from ragate.models import RetrievedChunk, Sample, SystemOutput
from ragate.protocols import Resources, Traits
from ragate.support.settings import read_settings
from ragate.systems._call import call, in_thread
from ragate.systems._engine_kind import answer_text, chat_history, kind_of
from ragate.systems._foreign import Foreign, ForeignSettings, no_place_for_turns
from ragate.systems._nodes import NodeReader
from ragate.systems._output import OutputError, failed, raised, wanted
from ragate.systems._target import load_target, project_on_path, setup_failed, told

TRAITS = Traits(in_process=True)
_NO_TURNS = "name a chat engine, as index.as_chat_engine() makes it (docs/system-llamaindex.md)"


class Settings(ForeignSettings):
    """Keys of ``[system]`` for ``use = "llamaindex"``.

    Attributes:
        target: ``my.module:engine``: a query engine, a chat engine or a retriever, or a function
            without parameters that makes one.
        call: Use the engine's ordinary methods, each in a thread, or its asynchronous ones.
        doc_id: Metadata key that names a node's document; "" finds it by itself.
        doc_id_relative_to: Folder of the documents: ids are paths of files relative to it.
    """

    later_keys: ClassVar[frozenset[str]] = frozenset({"doc_id_relative_to"})

    target: str = Field(min_length=1)
    call: Literal["sync", "async"] = "sync"
    doc_id: str = ""
    doc_id_relative_to: str = ""


class LlamaIndexSystem(Foreign):
    """Asks one engine; answer and source nodes come from the same call.

    A chat engine remembers, so that one engine serves one sample at a time and is reset before.
    """

    def __init__(self, settings: Settings, resources: Resources, make: Callable[[], Any]) -> None:
        super().__init__("llamaindex", settings, resources.root)
        self._settings = settings
        self._resources = resources
        self._make = make
        self._told = False
        folder = settings.doc_id_relative_to
        self._nodes = NodeReader(resources.root, key=settings.doc_id, folder=folder)

    async def open(self, *, makes_more: bool) -> None:
        """Make the first engine, and see what kind it is.

        Raises:
            ConfigError: it is nothing that can be asked.
        """
        engine = await self._engine()
        self._kind = kind_of(engine, self._settings.target)
        self._free: asyncio.Queue[Any] = asyncio.Queue()
        self._free.put_nowait(engine)
        self._shared = engine
        if self._kind == "chat":
            self.max_concurrency = None if makes_more else 1
            self._left = self._resources.concurrency - 1 if makes_more else 0

    async def answer(self, sample: Sample, *, run: int = 0) -> SystemOutput:
        """Return answer and chunks of one call; an exception is the sample's failure.

        Raises:
            ConfigError: the sample has earlier turns, and the engine is no chat engine.
        """
        del run  # it can run again at will
        if sample.messages and self._kind != "chat":
            where = f"[system] target = {self._settings.target!r}, a {self._kind} engine"
            raise no_place_for_turns(sample, where, remedy=_NO_TURNS)
        try:
            if self._kind == "chat":
                return await self._chat(sample)
            return await self._asked(self._shared, sample)
        except OutputError as error:
            return failed(str(error))
        except ConfigError:  # of ours: ids that collide are wrong for every sample
            raise
        except (Exception, SystemExit) as error:  # noqa: BLE001 - foreign code
            return raised(error, told(error))

    async def _chat(self, sample: Sample) -> SystemOutput:
        if self._free.empty() and self._left > 0:
            self._left -= 1
            engine = await self._engine()
        else:
            engine = await self._free.get()
        asked = asyncio.create_task(self._reset_and_ask(engine, sample))
        # A thread cannot be ended: an engine is free again when its call is over, however late.
        asked.add_done_callback(lambda done: self._release(engine, done))
        try:
            return await asyncio.shield(asked)
        except asyncio.CancelledError:
            if self.max_concurrency is None:
                self._left += 1  # another engine in its place
            raise

    async def _reset_and_ask(self, engine: Any, sample: Sample) -> SystemOutput:
        await call(engine.reset)
        return await self._asked(engine, sample)

    def _release(self, engine: Any, done: asyncio.Task[SystemOutput]) -> None:
        self._free.put_nowait(engine)
        if not done.cancelled():
            done.exception()  # seen: whoever waited has it, or ran out of time

    async def _asked(self, engine: Any, sample: Sample) -> SystemOutput:
        started = time.perf_counter()
        response = await self._response(engine, sample)
        took = time.perf_counter() - started
        if self._kind == "retrieve":
            output = SystemOutput(chunks=self._chunks(response))
            return wanted(output, self._resources, took=took)
        chunks = self._chunks(getattr(response, "source_nodes", None) or ())
        if not chunks:
            self._tell(sample)
        output = SystemOutput(chunks=chunks, answer=answer_text(response))
        return wanted(output, self._resources, took=took)

    async def _response(self, engine: Any, sample: Sample) -> Any:
        name: str = self._kind
        arguments = (sample.query, *([chat_history(sample)] if sample.messages else []))
        ask = getattr(engine, f"a{name}", None)
        if ask is not None and (self._settings.call == "async" or not hasattr(engine, name)):
            response = await ask(*arguments)
        else:
            response = await in_thread(getattr(engine, name), *arguments)
        if not hasattr(response, "get_response"):
            return response
        return await call(response.get_response)  # a stream: read to its end

    def _chunks(self, nodes: Any) -> tuple[RetrievedChunk, ...]:
        return tuple(map(self._nodes.chunk, nodes))

    def _tell(self, sample: Sample) -> None:
        if not self._told:
            self._told = True
            self._resources.say(
                f"{self._settings.target}: no source nodes came with the answer to {sample.id}; "
                "where there are none, no metric of retrieval, citations or support by the "
                "contexts can find anything"
            )

    async def _engine(self) -> Any:
        try:
            with project_on_path(self._resources.root):
                engine = self._make()
                return await engine if inspect.isawaitable(engine) else engine
        except (Exception, SystemExit) as error:
            what = f"[system] target = {self._settings.target!r}: setting it up raised"
            raise setup_failed(what, error) from error


@asynccontextmanager
async def create(
    settings: Mapping[str, Any], resources: Resources
) -> AsyncIterator[LlamaIndexSystem]:
    """Import the engine, or make it, and yield it as a system.

    Raises:
        ConfigError: the target cannot be imported or made, or is no engine.
    """
    keys = read_settings(Settings, settings, where="[system]")
    target = load_target(keys.target, resources.root)
    makes_more = inspect.isroutine(target) or inspect.isclass(target)
    system = LlamaIndexSystem(keys, resources, target if makes_more else lambda: target)
    await system.open(makes_more=makes_more)
    yield system
