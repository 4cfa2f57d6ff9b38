"""A function of the project as the system under test; see docs/system-python.md."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

from pydantic import Field, model_validator

from ragate.models import Sample, SystemOutput
from ragate.outputs.pointed import Pointers
from ragate.protocols import Resources, Traits
from ragate.settings import read_settings
from ragate.systems._foreign import Foreign, no_place_for_turns, note
from ragate.systems._output import (
    ForeignDocument,
    ForeignMessage,
    OutputError,
    file_id,
    plain_json,
    pointed_reply,
    to_output,
    wanted,
)
from ragate.systems._target import InterpreterSettings, check_form, where_of
from ragate.systems._worker_target import WorkerTarget, open_target
from ragate.version import MANUAL

_SCALARS = (str, int, float, bool, type(None))
TRAITS = Traits(
    names_calls=True,
    id_remedy="return this id as `doc_id`; for documents of LangChain set [system] "
    "doc_id_relative_to = {folder}",
)
_NO_TURNS = (
    "give the function a parameter `messages`, or let it take the whole `sample`; for a LangChain "
    f"runnable set messages_key ({MANUAL}/system-python.md)"
)


class Settings(InterpreterSettings):
    """A function or class of your project: [Python](system-python.md).

    The module is looked for below the folder of `ragate.toml` first, then in the environment.

    Attributes:
        target: What is asked, as `module:name`: a function, a class, its method
            (`app.bot:Bot.ask`), a method of what a function makes (`app.bot:build().ask`), an
            object that can be called, or one with `invoke`.
        factory: `target` is called once without an argument, and returns what is asked.
        input_key: For an object with `invoke`: it gets `{input_key: question}`; empty: the question
            itself.
        messages_key: Beside `input_key`: the earlier turns of a [conversation](golden-set.md) go
            under this key, such as `chat_history`; the same key as `input_key`: the question is the
            last message.
        doc_id: Metadata key that names the document of a LangChain document.
        doc_id_relative_to: Where `doc_id` says a path: the folder, below that of ragate.toml, that
            it is told relative to. It holds for ids by pointer too.
        pointers: Where in what it returns each part is, where that is no recorded output. A tuple
            is read as a list, a dataclass and a pydantic model by their fields, a document of
            LangChain as `page_content` and `metadata`, a message as `type` and `content`.
    """

    later_keys: ClassVar[frozenset[str]] = InterpreterSettings.later_keys | {
        "messages_key",
        "doc_id_relative_to",
        "pointers",
    }

    factory: bool = False
    input_key: str = ""
    messages_key: str = ""
    doc_id: str = Field(default="source", min_length=1)
    doc_id_relative_to: str = ""
    pointers: Pointers = Pointers()

    @model_validator(mode="after")
    def _names_both(self) -> Self:
        if self.messages_key and not self.input_key:
            raise ValueError("messages_key needs input_key, the key of the question beside it")
        return self


class PythonSystem(Foreign):
    """Asks one function, sync or async."""

    def __init__(self, settings: Settings, resources: Resources, target: WorkerTarget) -> None:
        super().__init__("python", settings, resources.root)
        self._settings = settings
        self._resources = resources
        self._target = target
        folder = settings.doc_id_relative_to
        self._name = DocumentName(settings.doc_id, resources.root, folder)

    async def answer(self, sample: Sample, *, run: int = 0) -> SystemOutput:
        """Return what the function returned; its exception is the sample's failure.

        Raises:
            ConfigError: the sample has earlier turns, and the function takes none.
        """
        del run  # it can run again at will
        if sample.messages and not self._target.facts["takes_turns"]:
            raise no_place_for_turns(sample, where_of(self._settings.target), remedy=_NO_TURNS)
        return await self._target.answer(sample, self._output)

    def _output(self, value: Any, took: float) -> SystemOutput:
        note(value)
        output = to_output(self._read(value), who=self._settings.target)
        return wanted(output, self._resources, took=took)

    def _read(self, value: Any) -> Any:
        pointers = self._settings.pointers
        if pointers.empty:
            return plain_reply(value, name=self._name)
        folder, root = self._settings.doc_id_relative_to, self._resources.root
        return pointed_reply(plain_json(value), pointers, folder=folder, root=root)


@asynccontextmanager
async def create(settings: Mapping[str, Any], resources: Resources) -> AsyncIterator[PythonSystem]:
    """Import the function, set it up and yield it as a system.

    Raises:
        ConfigError: the target cannot be imported, set up, or called with one question.
        SystemStartError: what it connects to cannot be reached.
    """
    keys = read_settings(Settings, settings, where="[system]")
    check_form(keys.target, made=True)
    async with open_target("python", keys, resources) as target:
        yield PythonSystem(keys, resources, target)


# What a LangChain runnable returns: a message, or a dict with documents; read by its shape.


class DocumentName(NamedTuple):
    """How a document is named: by a metadata key, and, where that is a path, relative to a folder.

    Attributes:
        folder: Below `root`; "" leaves what the key says as it is.
    """

    key: str
    root: Path
    folder: str = ""


def plain_reply(value: Any, *, name: DocumentName) -> Any:
    """Return `value` in the fields of a recorded output, where it is LangChain's; else itself.

    A message has its text in ``content``; a retrieval chain returns its documents under
    ``context``; a retriever returns a list of them.
    """
    if isinstance(value, ForeignMessage):
        return value.content
    if _are_documents(value):
        return {"chunks": [_chunk(document, name) for document in value]}
    if isinstance(value, Mapping):
        return _fields(value, name)
    return value


def _fields(value: Mapping[str, Any], name: DocumentName) -> dict[str, Any]:
    fields = dict(value)
    for key in ("context", "source_documents", "contexts", "chunks"):
        if _are_documents(fields.get(key)):
            fields["chunks"] = [_chunk(document, name) for document in fields.pop(key)]
    answer = fields.get("answer")
    if isinstance(answer, ForeignMessage):
        fields["answer"] = answer.content
    return fields


def _are_documents(value: Any) -> bool:
    several = isinstance(value, list) and bool(value)
    return several and all(isinstance(item, ForeignDocument) for item in value)


def _chunk(document: ForeignDocument, name: DocumentName) -> dict[str, Any]:
    metadata = document.metadata
    if name.key not in metadata:
        names = ", ".join(map(str, metadata)) or "none"
        raise OutputError(
            f"a document has no metadata {name.key!r}; it has {names}"
            ": set [system] doc_id to the key that names the document"
        )
    doc_id = str(metadata[name.key])
    if name.folder:
        where = f"the metadata {name.key!r} of a document"
        doc_id = file_id(doc_id, name.folder, name.root, where=where)
    return {
        "doc_id": doc_id,
        "text": document.page_content,
        "metadata": {k: v for k, v in metadata.items() if isinstance(v, _SCALARS)},
    }
