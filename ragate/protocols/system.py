"""A system under test."""

from collections.abc import Awaitable, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from ragate.models import Sample, SystemInfo, SystemOutput
from ragate.protocols.resources import Resources


class System(Protocol):
    """A RAG under test.

    Its module defines ``create(settings, resources)``, an async context manager that yields it.
    A failure on one sample is returned as `SystemOutput.error`; an exception is taken as one.
    What it may have as well is in `SystemAbilities`.
    """

    @property
    def info(self) -> SystemInfo:
        """Known after `prepare`."""
        ...

    @property
    def max_runs(self) -> int | None:
        """Number of recorded passes, or None where the system can run again at will."""
        ...

    async def prepare(self, *, rebuild: bool = False) -> None:
        """Bring the system up to date (incremental ingestion); `rebuild` starts afresh."""
        ...

    async def documents(self) -> frozenset[str] | None:
        """Return the ids of all documents that can be retrieved, None where unknown."""
        ...

    async def answer(self, sample: Sample, *, run: int = 0) -> SystemOutput:
        """Return the output for one sample in pass `run` (0-based; only recorded systems care)."""
        ...


@dataclass(frozen=True)
class Traits:
    """What can be said of a system by its name, before it is made: ``TRAITS`` of a built-in module.

    Attributes:
        runs_code: It runs code of the repository, whatever its settings.
        code_keys: Keys of ``[system]`` that make it run such code where they are set; ``a.b`` is
            the key ``b`` of any table of the list ``a``.
        names_calls: Each of its model calls says which sample it belongs to.
        recorded: Its outputs are there already, and asking for them costs nothing.
        counted: Its model calls go through ragate's own clients, which count them.
        needs_database: Whether it needs ragate's database; None where that is not known.
        id_remedy: What has it give a document the id that the golden set says; ``{folder}`` stands
            for the documents' folder.
        retrieval_remedy: What has it tell what it retrieved, with ids.
    """

    runs_code: bool = True
    code_keys: tuple[str, ...] = ()
    names_calls: bool = False
    recorded: bool = False
    counted: bool = False
    needs_database: bool | None = None
    id_remedy: str = "return this id as `doc_id`"
    retrieval_remedy: str = "return `chunks` with doc_id and text beside the answer"

    def keys_with_code(self, settings: Mapping[str, Any]) -> list[str]:
        """Return those of `code_keys` that are set."""
        return [key for key in self.code_keys if _is_set(settings, key)]


def _is_set(settings: Mapping[str, Any], key: str) -> bool:
    """Return True where a key has a value; in a list of tables, where one of them has."""
    name, _, inner = key.partition(".")
    value = settings.get(name)
    if not inner:
        return bool(value)
    tables = value if isinstance(value, list | tuple) else [value]
    # What is no table is refused when the settings are read; until then it counts as code.
    return any(not isinstance(one, Mapping) or bool(one.get(inner)) for one in tables if one)


class SystemModule(Protocol):
    """A module of ragate.systems, or one by dotted path."""

    def create(
        self, settings: Mapping[str, Any], resources: Resources
    ) -> AbstractAsyncContextManager[System]: ...


@runtime_checkable
class IdentifyingModule(Protocol):
    """What a built-in module may define as well, so that its system need not be made."""

    def identify(self, settings: Mapping[str, Any], resources: Resources) -> Awaitable[SystemInfo]:
        """Return what `create` and `prepare` would find."""
        ...


@runtime_checkable
class CorpusModule(Protocol):
    """What a built-in module may define as well: the texts that its system reads."""

    def document_texts(self, settings: Mapping[str, Any], root: Path) -> dict[str, str]:
        """Return the text of each document that can be retrieved, by id."""
        ...
