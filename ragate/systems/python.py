"""A function of the project as the system under test; see docs/system-python.md."""

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, ClassVar, Self

from pydantic import Field, model_validator

from ragate.errors import ProviderError, SystemStartError
from ragate.models import Sample, SystemOutput
from ragate.outputs.pointed import Pointers
from ragate.protocols import Resources, Traits
from ragate.support.settings import read_settings
from ragate.systems._foreign import Foreign, no_place_for_turns
from ragate.systems._interpreter import open_workers
from ragate.systems._interpreter_settings import InterpreterSettings
from ragate.systems._langchain import DocumentName, plain_reply
from ragate.systems._output import (
    OutputError,
    failed,
    pointed_reply,
    raised,
    to_output,
    unanswered,
    wanted,
)
from ragate.systems._processes.worker import WorkerEndedError
from ragate.systems._target import cannot_be_asked, check_form, setup_raised, where_of
from ragate.worker.function import FunctionTarget
from ragate.worker.question import AskedQuestion
from ragate.worker.target import TargetError, TargetRaised

TRAITS = Traits(
    in_process=True,
    own_process_keys=("interpreter",),
    id_remedy="return this id as `doc_id`; for documents of LangChain set [system] "
    "doc_id_relative_to = {folder}",
)
HERE = "the environment of ragate (`interpreter` names another)"
_NO_TURNS = (
    "give the function a parameter `messages`, or let it take the whole `sample`; for a LangChain "
    "runnable set messages_key (docs/system-python.md)"
)


class Settings(InterpreterSettings):
    """Keys of ``[system]`` for ``use = "python"``.

    Attributes:
        target: ``my.module:function``, a class, an object that can be called, or one that can be
            invoked (a LangChain runnable).
        factory: `target` is called once, without an argument, and returns what is asked.
        input_key: For a runnable: the question is given as ``{input_key: question}``.
        messages_key: Beside it, the earlier turns are given under this key.
        doc_id: Metadata key that names the document of a LangChain document.
        doc_id_relative_to: Folder of the documents: what `doc_id` says is a path, and told
            relative to it.
        pointers: Where in what it returns each part is, where that is no recorded output.
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
    """Asks one function, sync or async.

    Args:
        ask: Returns what the function returned for a sample, or raises what it raised.
        takes_turns: It has a place for the earlier turns of a sample.
        arranges: It has one for what is done to its passages before the answer is written.
    """

    def __init__(
        self,
        settings: Settings,
        resources: Resources,
        ask: Callable[[Sample], Awaitable[Any]],
        *,
        takes_turns: bool,
        arranges: bool = False,
    ) -> None:
        super().__init__("python", settings, resources.root)
        self._settings = settings
        self._resources = resources
        self._ask = ask
        folder = settings.doc_id_relative_to
        self._name = DocumentName(settings.doc_id, resources.root, folder)
        self._takes_turns = takes_turns
        self.arranges = arranges

    async def answer(self, sample: Sample, *, run: int = 0) -> SystemOutput:
        """Return what the function returned; its exception is the sample's failure.

        Raises:
            ConfigError: the sample has earlier turns, and the function takes none.
        """
        del run  # it can run again at will
        if sample.messages and not self._takes_turns:
            raise no_place_for_turns(sample, where_of(self._settings.target), remedy=_NO_TURNS)
        started = time.perf_counter()
        try:
            value = await self._ask(sample)
            output = to_output(self._read(value), who=self._settings.target)
        except (OutputError, WorkerEndedError) as error:
            return failed(str(error))
        except (ProviderError, SystemStartError) as error:
            return unanswered(error.message)  # of code that uses ragate's own clients, or no worker
        except (Exception, SystemExit) as error:  # noqa: BLE001 - foreign code
            return raised(error, self._resources.root)
        return wanted(output, self._resources, took=time.perf_counter() - started)

    def _read(self, value: Any) -> Any:
        pointers = self._settings.pointers
        if pointers.empty:
            return plain_reply(value, name=self._name)
        return pointed_reply(value, pointers)


@asynccontextmanager
async def create(settings: Mapping[str, Any], resources: Resources) -> AsyncIterator[PythonSystem]:
    """Import the function, set it up and yield it as a system.

    Raises:
        ConfigError: the target cannot be imported, set up, or called with one question.
        SystemStartError: what it connects to cannot be reached.
    """
    keys = read_settings(Settings, settings, where="[system]")
    check_form(keys.target)
    if keys.interpreter:
        async with open_workers("python", keys, resources) as remote:
            turns = bool(remote.facts["whole"] or remote.facts["takes_turns"])
            arranges = bool(remote.facts["arranges"])
            yield PythonSystem(keys, resources, remote.ask, takes_turns=turns, arranges=arranges)
        return
    function = FunctionTarget(keys.model_dump(), str(resources.root), HERE)

    async def ask(sample: Sample) -> Any:
        asked = AskedQuestion(sample.query, sample.turns, sample, sample.arrange)
        return await function.ask(asked)

    try:
        await function.open()
        turns = function.whole or function.takes_turns
        yield PythonSystem(keys, resources, ask, takes_turns=turns, arranges=function.arranges)
    except TargetError as error:
        raise cannot_be_asked(keys.target, error) from error
    except TargetRaised as error:
        raise setup_raised(keys.target, error, resources.root) from error
    finally:
        await function.close()
