"""A LlamaIndex engine or retriever as the system under test; see docs/system-llamaindex.md."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, ClassVar, Literal

from ragate.errors import ConfigError, SystemStartError
from ragate.models import RetrievedChunk, Sample, SystemOutput
from ragate.protocols import Resources, Traits
from ragate.support.settings import read_settings
from ragate.systems._foreign import Foreign, no_place_for_turns
from ragate.systems._interpreter import open_workers
from ragate.systems._interpreter_settings import InterpreterSettings
from ragate.systems._nodes import NodeReader
from ragate.systems._output import OutputError, failed, raised, unanswered, wanted
from ragate.systems._processes.worker import WorkerEndedError
from ragate.systems._target import cannot_be_asked, check_form, setup_raised, where_of
from ragate.worker.engine import EngineReply, EngineTarget
from ragate.worker.question import AskedQuestion
from ragate.worker.target import TargetError, TargetRaised

TRAITS = Traits(
    in_process=True,
    own_process_keys=("interpreter",),
    id_remedy='set [system] doc_id = "file_path" and doc_id_relative_to = {folder}',
    retrieval_remedy="gate an engine that returns source nodes, or the retriever",
)
HERE = "the environment of ragate (`interpreter` names another)"
_NO_TURNS = "name a chat engine, as index.as_chat_engine() makes it (docs/system-llamaindex.md)"


class Settings(InterpreterSettings):
    """Keys of ``[system]`` for ``use = "llamaindex"``.

    Attributes:
        target: ``my.module:engine``: a query engine, a chat engine or a retriever, or a function
            without parameters that makes one.
        call: Use the engine's ordinary methods, each in a thread, or its asynchronous ones.
        doc_id: Metadata key that names a node's document; "" finds it by itself.
        doc_id_relative_to: Folder of the documents: ids are paths of files relative to it.
    """

    later_keys: ClassVar[frozenset[str]] = InterpreterSettings.later_keys | {"doc_id_relative_to"}

    call: Literal["sync", "async"] = "sync"
    doc_id: str = ""
    doc_id_relative_to: str = ""


class LlamaIndexSystem(Foreign):
    """Asks one engine; answer and source nodes come from the same call.

    Args:
        ask: Returns the engine's reply to a sample, or raises what it raised.
        kind: How it is asked: ``chat``, ``query`` or ``retrieve``.
        one_at_a_time: It takes one sample at once.
    """

    def __init__(
        self,
        settings: Settings,
        resources: Resources,
        ask: Callable[[Sample], Awaitable[EngineReply]],
        *,
        kind: str,
        one_at_a_time: bool,
    ) -> None:
        super().__init__("llamaindex", settings, resources.root)
        self._settings = settings
        self._resources = resources
        self._ask = ask
        self._kind = kind
        self._told = False
        folder = settings.doc_id_relative_to
        self._nodes = NodeReader(resources.root, key=settings.doc_id, folder=folder)
        self.max_concurrency = 1 if one_at_a_time else None

    async def answer(self, sample: Sample, *, run: int = 0) -> SystemOutput:
        """Return answer and chunks of one call; an exception is the sample's failure.

        Raises:
            ConfigError: the sample has earlier turns, and the engine is no chat engine.
        """
        del run  # it can run again at will
        if sample.messages and self._kind != "chat":
            where = f"{where_of(self._settings.target)}, a {self._kind} engine"
            raise no_place_for_turns(sample, where, remedy=_NO_TURNS)
        try:
            return self._output(await self._ask(sample), sample)
        except (OutputError, WorkerEndedError) as error:
            return failed(str(error))
        except ConfigError:  # of ours: ids that collide are wrong for every sample
            raise
        except SystemStartError as error:
            return unanswered(error.message)  # no worker can be started any more
        except (Exception, SystemExit) as error:  # noqa: BLE001 - foreign code
            return raised(error, self._resources.root)

    def _output(self, reply: EngineReply, sample: Sample) -> SystemOutput:
        chunks = self._chunks(reply.nodes)
        if not chunks and reply.answer is not None:
            self._tell(sample)
        output = SystemOutput(chunks=chunks, answer=reply.answer)
        return wanted(output, self._resources, took=reply.took_s)

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


@asynccontextmanager
async def create(
    settings: Mapping[str, Any], resources: Resources
) -> AsyncIterator[LlamaIndexSystem]:
    """Import the engine, or make it, and yield it as a system.

    Raises:
        ConfigError: the target cannot be imported or made, or is no engine.
        SystemStartError: what it connects to cannot be reached.
    """
    keys = read_settings(Settings, settings, where="[system]")
    check_form(keys.target)
    if keys.interpreter:
        async with open_workers("llamaindex", keys, resources) as remote:

            async def ask_worker(sample: Sample) -> EngineReply:
                started = time.perf_counter()
                value = await remote.ask(sample)
                return _engine_reply(value, time.perf_counter() - started)

            kind, alone = str(remote.facts["kind"]), bool(remote.facts["one_at_a_time"])
            yield LlamaIndexSystem(keys, resources, ask_worker, kind=kind, one_at_a_time=alone)
        return
    root, concurrency = str(resources.root), resources.concurrency
    engine = EngineTarget(keys.model_dump(), root, HERE, concurrency)

    async def ask(sample: Sample) -> EngineReply:
        return await engine.ask(AskedQuestion(sample.query, sample.turns))

    try:
        await engine.open()
    except TargetError as error:
        raise cannot_be_asked(keys.target, error) from error
    except TargetRaised as error:
        raise setup_raised(keys.target, error, resources.root) from error
    yield LlamaIndexSystem(
        keys, resources, ask, kind=engine.kind, one_at_a_time=engine.one_at_a_time
    )


def _engine_reply(value: Any, elapsed_s: float) -> EngineReply:
    """Return what a worker sent as a reply.

    Raises:
        OutputError: it is none.
    """
    try:
        answer, nodes, took = value["answer"], value["nodes"], float(value["took_s"])
        text = None if answer is None else str(answer)
        return EngineReply(text, list(nodes), took if 0.0 <= took <= elapsed_s else elapsed_s)
    except (TypeError, KeyError, ValueError) as error:
        raise OutputError("the worker sent a reply that cannot be read") from error
