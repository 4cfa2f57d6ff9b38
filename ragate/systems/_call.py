"""Calling code of the project: in the loop where it is async, else in a thread of its own."""

import asyncio
import contextvars
import inspect
import threading
from collections.abc import Callable
from typing import Any

from ragate.errors import ConfigError
from ragate.models import Sample

_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)


async def call(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return what `function` returns, awaited where it is awaitable.

    An async function runs in the loop; any other in a thread, so that it blocks nobody.
    """
    method = getattr(type(function), "__call__", None)  # noqa: B004 - of an object, it may be async
    if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(method):
        return await function(*arguments)
    result = await in_thread(function, *arguments)
    return await result if inspect.isawaitable(result) else result


async def in_thread(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return what `function` returns in a new thread.

    A thread of a pool would be lost to a call that hangs, and would keep the command from ending;
    a daemon thread of its own does neither.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Any] = loop.create_future()
    context = contextvars.copy_context()

    def settle(result: Any, error: BaseException | None) -> None:
        if future.done():  # the sample ran out of time meanwhile
            return
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)

    def work() -> None:
        result, error = None, None
        try:
            result = context.run(function, *arguments)
        except Exception as raised:  # noqa: BLE001 - handed to who awaits
            # A future takes no StopIteration.
            error = RuntimeError("StopIteration") if isinstance(raised, StopIteration) else raised
        except SystemExit as raised:
            error = RuntimeError(f"SystemExit: {raised}")
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=work, daemon=True, name="ragate-system").start()
    return await future


def takes_turns(function: Any) -> bool:
    """Whether a function has a parameter for the earlier turns of a sample: ``messages``."""
    try:
        parameter = inspect.signature(function).parameters.get("messages")
    except (TypeError, ValueError):
        return False
    return parameter is not None and parameter.kind in _BY_NAME


def check_bind(function: Any, where: str, *arguments: str, takes: str, **named: list[Any]) -> None:
    """Check that a function can be called with these arguments.

    Args:
        takes: What it has to take, for the message.

    Raises:
        ConfigError: it cannot.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return  # some built-in functions have none
    try:
        signature.bind(*arguments, **named)
    except TypeError as error:
        name = getattr(function, "__name__", type(function).__name__)
        raise ConfigError(
            f"{where}: {name}{signature} must take {takes}: {error}",
            remedy="give the other parameters a default, or write a small function around it",
        ) from error


def wants_sample(function: Any, target: str) -> bool:
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
