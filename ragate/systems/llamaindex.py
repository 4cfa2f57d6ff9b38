"""A LlamaIndex engine or retriever as the system under test; see docs/system-llamaindex.md."""

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar, Literal

from ragate.core.hashing import UNNAMED, digest
from ragate.errors import ConfigError
from ragate.files.strict_json import number
from ragate.models import RetrievedChunk, Sample, SystemOutput
from ragate.protocols import Resources, Traits
from ragate.settings import read_settings, shown
from ragate.systems._foreign import Foreign, no_place_for_turns, note
from ragate.systems._output import OutputError, file_id, wanted
from ragate.systems._target import InterpreterSettings, check_form, where_of
from ragate.systems._worker_target import WorkerTarget, open_target
from ragate.version import MANUAL

_NOTED = ("text", "metadata", "ref_doc_id")
_NO_NODE = "the worker sent a node that cannot be read"
_SCALARS = (str, int, float, bool, type(None))
# Readers give a document such an id where they were told none: another one at every reading.
_RANDOM = re.compile(
    r"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}(_part_\d+)?"
)
TRAITS = Traits(
    names_calls=True,
    id_remedy='set [system] doc_id = "file_path" and doc_id_relative_to = {folder}',
    retrieval_remedy="gate an engine that returns source nodes, or the retriever",
)
_NO_TURNS = (
    f"name a chat engine, as index.as_chat_engine() makes it ({MANUAL}/system-llamaindex.md)"
)


class Settings(InterpreterSettings):
    """An engine or retriever of LlamaIndex: [LlamaIndex](system-llamaindex.md).

    The module is found as for `python`.

    Attributes:
        target: `my.module:engine`: a query engine, a chat engine or a retriever, or a function or
            class without parameters that makes one.
        call: Use the engine's ordinary methods, each in a thread (`sync`), or its asynchronous
            ones.
        doc_id: Metadata key that names a node's document; empty: it is found by itself.
        doc_id_relative_to: The folder of the documents, below that of ragate.toml: ids are paths of
            files relative to it.
    """

    later_keys: ClassVar[frozenset[str]] = InterpreterSettings.later_keys | {"doc_id_relative_to"}

    call: Literal["sync", "async"] = "sync"
    doc_id: str = ""
    doc_id_relative_to: str = ""


class LlamaIndexSystem(Foreign):
    """Asks one engine; answer and source nodes come from the same call."""

    def __init__(self, settings: Settings, resources: Resources, target: WorkerTarget) -> None:
        super().__init__("llamaindex", settings, resources.root)
        self._settings = settings
        self._resources = resources
        self._target = target
        self._kind: str = target.facts["kind"]
        self._told = False
        folder = settings.doc_id_relative_to
        self._nodes = NodeReader(resources.root, key=settings.doc_id, folder=folder)
        self.max_concurrency = 1 if target.facts["one_at_a_time"] else None

    async def answer(self, sample: Sample, *, run: int = 0) -> SystemOutput:
        """Return answer and chunks of one call; an exception is the sample's failure.

        Raises:
            ConfigError: the sample has earlier turns, and the engine is no chat engine.
        """
        del run  # it can run again at will
        if sample.messages and self._kind != "chat":
            where = f"{where_of(self._settings.target)}, a {self._kind} engine"
            raise no_place_for_turns(sample, where, remedy=_NO_TURNS)
        return await self._target.answer(sample, partial(self._output, sample))

    def _output(self, sample: Sample, value: Any, elapsed_s: float) -> SystemOutput:
        """Return what a worker sent as an output.

        Raises:
            OutputError: it is none.
        """
        answer, nodes, took = reply_parts(value, elapsed_s)
        try:
            told = [{name: node[name] for name in _NOTED} for node in nodes]
        except (LookupError, TypeError) as error:
            raise OutputError(_NO_NODE) from error
        note({"answer": answer, "nodes": told})
        chunks = tuple(map(self._nodes.chunk, nodes))
        if not chunks and answer is not None:
            self._tell(sample)
        output = SystemOutput(chunks=chunks, answer=answer)
        return wanted(output, self._resources, took=took)

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
    async with open_target("llamaindex", keys, resources) as target:
        yield LlamaIndexSystem(keys, resources, target)


def reply_parts(value: Any, elapsed_s: float) -> tuple[str | None, list[Any], float]:
    """Return answer, nodes and seconds of what a worker sent.

    Raises:
        OutputError: it is no reply.
    """
    try:
        answer, nodes, took = value["answer"], list(value["nodes"]), number(value["took_s"])
    except (TypeError, KeyError, ValueError) as error:
        raise OutputError("the worker sent a reply that cannot be read") from error
    if took is None or not 0.0 <= took <= elapsed_s:
        took = elapsed_s
    return None if answer is None else str(answer), nodes, took


# A node of LlamaIndex as a retrieved chunk.


@dataclass
class NodeReader:
    """Reads nodes as chunks, and remembers which file each id stands for.

    Attributes:
        root: Paths below it are told relative to it.
        key: Metadata key that names the document; "" finds it by itself.
        folder: Folder below `root` that paths are told relative to; "" is `root`.
    """

    root: Path
    key: str = ""
    folder: str = ""
    _files: dict[str, str] = field(default_factory=dict)

    def chunk(self, node: Mapping[str, Any]) -> RetrievedChunk:
        """Return the chunk of a node, with its full text.

        Args:
            node: ``text``, ``metadata``, ``score``, ``ref_doc_id`` and ``node_id``; a worker may
                say anything in place of one.

        Raises:
            OutputError: it cannot be read, has no such metadata, or its file is not below the
                folder.
            ConfigError: another file had the same id.
        """
        try:
            metadata = node["metadata"]
            doc_id = self._named(metadata) or self._found(node)
            self._refuse_collision(doc_id, str(metadata.get("file_path") or ""))
            return RetrievedChunk(
                doc_id=doc_id,
                text=node["text"],
                score=number(node["score"]),
                metadata={k: v for k, v in metadata.items() if isinstance(v, _SCALARS)},
            )
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise OutputError(_NO_NODE) from error

    def _named(self, metadata: Mapping[str, Any]) -> str:
        """Return what the key says, "" without one."""
        key = self.key or ("file_path" if self.folder and metadata.get("file_path") else "")
        if not key:
            return ""
        if metadata.get(key) in (None, ""):
            names = ", ".join(map(str, metadata)) or "none"
            raise OutputError(
                f"a source node has no metadata {key!r} ([system] doc_id); it has {names}"
            )
        name = str(metadata[key])
        return file_id(name, self.folder, self.root, where=f"the metadata {key!r} of a source node")

    def _found(self, node: Mapping[str, Any]) -> str:
        """Return the document's id; one drawn at random yields to the name of a file."""
        parent, metadata = str(node["ref_doc_id"] or ""), node["metadata"]
        name = str(metadata.get("file_name") or "") or self._below(metadata.get("file_path"))
        if parent and not (name and _RANDOM.fullmatch(parent)):
            return self._below(parent)
        return name or str(node["node_id"]) or f"{UNNAMED}{digest(node['text'])}"

    def _below(self, path: object) -> str:
        return file_id(str(path or ""), "", self.root, where="")

    def _refuse_collision(self, doc_id: str, path: str) -> None:
        """Raise where an id that is a file's name stands for two files."""
        if not path or doc_id != PurePosixPath(path.replace("\\", "/")).name:
            return
        other = self._files.setdefault(doc_id, path)
        if other != path:
            pair = ", ".join(shown(self._below(one)) for one in sorted((other, path)))
            raise ConfigError(
                f"two documents have the id {shown(doc_id)}: {pair}",
                remedy='set [system] doc_id = "file_path" and doc_id_relative_to to the folder of '
                "the documents: then ids are paths; write them so under `relevant` too",
            )
