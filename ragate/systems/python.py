"""A function of the project as the system under test; see docs/system-python.md."""

import inspect
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncContextDecorator, AsyncExitStack, ContextDecorator, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self

from pydantic import Field, model_validator

from ragate.errors import ConfigError, ProviderError
from ragate.models import Sample, SystemOutput
from ragate.outputs.pointed import Pointers
from ragate.protocols import Resources, Traits
from ragate.support.settings import read_settings
from ragate.systems._call import call, check_bind, takes_turns, wants_sample
from ragate.systems._foreign import Foreign, ForeignSettings, no_place_for_turns
from ragate.systems._langchain import DocumentName, plain_reply, runnable
from ragate.systems._output import (
    OutputError,
    failed,
    pointed_reply,
    raised,
    to_output,
    unanswered,
    wanted,
)
from ragate.systems._target import load_target, project_on_path, setup_failed, told

TRAITS = Traits(in_process=True)
_NO_TURNS = (
    "give the function a parameter `messages`, or let it take the whole `sample`; for a LangChain "
    "runnable set messages_key (docs/system-python.md)"
)


class Settings(ForeignSettings):
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

    later_keys: ClassVar[frozenset[str]] = frozenset(
        {"messages_key", "doc_id_relative_to", "pointers"}
    )

    target: str = Field(min_length=1)
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

    def __init__(self, settings: Settings, resources: Resources, ask: Callable[..., Any]) -> None:
        super().__init__("python", settings, resources.root)
        self._settings = settings
        self._resources = resources
        self._ask = ask
        folder = settings.doc_id_relative_to
        self._name = DocumentName(settings.doc_id, resources.root, folder)
        self._whole = wants_sample(ask, settings.target)
        self._takes_turns = takes_turns(ask)

    async def answer(self, sample: Sample, *, run: int = 0) -> SystemOutput:
        """Return what the function returned; its exception is the sample's failure.

        Raises:
            ConfigError: the sample has earlier turns, and the function takes none.
        """
        del run  # it can run again at will
        if sample.messages and not (self._whole or self._takes_turns):
            where = f"[system] target = {self._settings.target!r}"
            raise no_place_for_turns(sample, where, remedy=_NO_TURNS)
        started = time.perf_counter()
        try:
            value = await self._reply(sample)
            output = to_output(self._read(value), who=self._settings.target)
        except OutputError as error:
            return failed(str(error))
        except ProviderError as error:  # raised by code that uses ragate's own clients
            return unanswered(error.message)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - foreign code
            return raised(error, told(error))
        return wanted(output, self._resources, took=time.perf_counter() - started)

    async def _reply(self, sample: Sample) -> Any:
        if self._whole:
            return await call(self._ask, sample)
        if self._takes_turns:
            return await call(partial(self._ask, messages=sample.turns), sample.query)
        return await call(self._ask, sample.query)

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
    """
    keys = read_settings(Settings, settings, where="[system]")
    target = load_target(keys.target, resources.root)
    async with AsyncExitStack() as stack:
        if keys.factory or inspect.isclass(target):
            target = await made(keys.target, target, resources.root, stack)
        yield PythonSystem(keys, resources, _callable(keys, target))


async def made(target: str, factory: Any, root: Path, stack: AsyncExitStack) -> Any:
    """Return what `factory` makes; a context manager is entered, and left at the end.

    Raises:
        ConfigError: it cannot be called without an argument, or raises.
        SystemStartError: what it connects to cannot be reached.
    """
    where = f"[system] target = {target!r}"
    if not callable(factory):
        raise ConfigError(
            f"{where}: a {type(factory).__name__} is no factory",
            remedy="remove factory = true, or name a function that returns the object",
        )
    check_bind(factory, where, takes="no argument")
    try:
        with project_on_path(root):
            product = factory()
            product = await product if inspect.isawaitable(product) else product
            if not _can_be_asked(product) and hasattr(product, "__aenter__"):
                product = await stack.enter_async_context(product)
            elif not _can_be_asked(product) and hasattr(product, "__enter__"):
                product = stack.enter_context(product)
    except (Exception, SystemExit) as error:
        raise setup_failed(f"{where}: setting it up raised", error) from error
    return product


def _can_be_asked(target: Any) -> bool:
    if isinstance(target, ContextDecorator | AsyncContextDecorator):
        return False  # of @contextmanager: it could be called, and is no function for that
    return callable(target) or hasattr(target, "invoke")


def _callable(keys: Settings, target: Any) -> Callable[..., Any]:
    """Return the function to ask: `target` itself, or its ``ainvoke`` or ``invoke``."""
    for name in ("ainvoke", "invoke"):
        method = getattr(target, name, None)
        if callable(method):
            return runnable(method, keys.input_key, keys.messages_key)
    where = f"[system] target = {keys.target!r}"
    if not callable(target):
        made_by = " and factory = true made it" if keys.factory else ""
        raise ConfigError(
            f"{where}: a {type(target).__name__} cannot be called{made_by}",
            remedy="name a function, a class with __call__, or an object with invoke",
        )
    turns: dict[str, list[Any]] = {"messages": []} if takes_turns(target) else {}
    check_bind(target, where, "the question", takes="one argument, the question", **turns)
    return target  # type: ignore[no-any-return]
