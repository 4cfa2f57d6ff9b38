"""A function of the project as the system under test; see docs/system-python.md."""

import inspect
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncContextDecorator, AsyncExitStack, ContextDecorator, asynccontextmanager
from pathlib import Path
from typing import Any

from pydantic import Field

from ragate.errors import ConfigError, ProviderError
from ragate.models import Sample, SystemOutput
from ragate.protocols import Resources, Traits
from ragate.support.settings import read_settings
from ragate.systems._call import call
from ragate.systems._foreign import Foreign, ForeignSettings
from ragate.systems._langchain import plain_reply
from ragate.systems._output import OutputError, failed, raised, to_output, unanswered, wanted
from ragate.systems._target import load_target, project_on_path, setup_failed, told

TRAITS = Traits(in_process=True)


class Settings(ForeignSettings):
    """Keys of ``[system]`` for ``use = "python"``.

    Attributes:
        target: ``my.module:function``, a class, an object that can be called, or one that can be
            invoked (a LangChain runnable).
        factory: `target` is called once, without an argument, and returns what is asked.
        input_key: For a runnable: the question is given as ``{input_key: question}``.
        doc_id: Metadata key that names the document of a LangChain document.
    """

    target: str = Field(min_length=1)
    factory: bool = False
    input_key: str = ""
    doc_id: str = Field(default="source", min_length=1)


class PythonSystem(Foreign):
    """Asks one function, sync or async."""

    def __init__(self, settings: Settings, resources: Resources, ask: Callable[..., Any]) -> None:
        super().__init__("python", settings, resources.root)
        self._settings = settings
        self._resources = resources
        self._ask = ask
        self._whole = _wants_sample(ask, settings.target)

    async def answer(self, sample: Sample, *, run: int = 0) -> SystemOutput:
        """Return what the function returned; its exception is the sample's failure."""
        del run  # it can run again at will
        started = time.perf_counter()
        try:
            value = await call(self._ask, sample if self._whole else sample.query)
            reply = plain_reply(value, doc_id=self._settings.doc_id)
            output = to_output(reply, who=self._settings.target)
        except OutputError as error:
            return failed(str(error))
        except ProviderError as error:  # raised by code that uses ragate's own clients
            return unanswered(error.message)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - foreign code
            return raised(error, told(error))
        return wanted(output, self._resources, took=time.perf_counter() - started)


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
    _check_bind(factory, where, takes="no argument")
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
            return _runnable(method, keys.input_key)
    where = f"[system] target = {keys.target!r}"
    if not callable(target):
        made_by = " and factory = true made it" if keys.factory else ""
        raise ConfigError(
            f"{where}: a {type(target).__name__} cannot be called{made_by}",
            remedy="name a function, a class with __call__, or an object with invoke",
        )
    _check_bind(target, where, "the question", takes="one argument, the question")
    return target  # type: ignore[no-any-return]


def _runnable(method: Callable[..., Any], key: str) -> Callable[..., Any]:
    if inspect.iscoroutinefunction(method):

        async def later(query: str) -> Any:
            return await method({key: query} if key else query)

        return later

    def now(query: str) -> Any:
        return method({key: query} if key else query)

    return now


def _check_bind(function: Any, where: str, *arguments: str, takes: str) -> None:
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return  # some built-in functions have none
    try:
        signature.bind(*arguments)
    except TypeError as error:
        name = getattr(function, "__name__", type(function).__name__)
        raise ConfigError(
            f"{where}: {name}{signature} must take {takes}: {error}",
            remedy="give the other parameters a default, or write a small function around it",
        ) from error


def _wants_sample(function: Any, target: str) -> bool:
    """Whether the first parameter is for the whole sample: its name or annotation says so."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return False
    if not parameters:
        raise ConfigError(f"[system] target = {target!r}: takes no question")
    first = parameters[0]
    kind = first.annotation
    named = kind if isinstance(kind, str) else getattr(kind, "__name__", "")
    return first.name == "sample" or named.rpartition(".")[2] == Sample.__name__
