"""Calling code of the project: in the loop where it is async, else in a thread of its own."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
from collections.abc import Callable
from typing import Any


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
        except BaseException as raised:  # noqa: BLE001 - or whoever awaits would wait for ever
            told = f"{type(raised).__name__}: {raised}"
            error = RuntimeError(told).with_traceback(raised.__traceback__)
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=work, daemon=True, name="ragate-system").start()
    return await future
