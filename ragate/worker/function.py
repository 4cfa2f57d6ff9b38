"""A function of the project that is asked: found, set up, called, and left at the end."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import inspect
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import AsyncExitStack, ContextDecorator
from functools import partial
from types import SimpleNamespace
from typing import Any, NamedTuple

from ragate.worker.raised import text_of
from ragate.worker.target import (
    Target,
    TargetError,
    TargetRaised,
    attribute,
    check_bind,
    takes,
    wants_sample,
)
from ragate.worker.values import encoded

Turns = list[dict[str, str]]
TURNS = ("messages", "history", "chat_history")  # what a parameter for earlier turns is called
# What @contextmanager and @asynccontextmanager make, which Python 3.9 cannot decorate with.
_DECORATORS = (ContextDecorator, getattr(contextlib, "AsyncContextDecorator", ContextDecorator))


class FunctionTarget(Target):
    """What ``[system]`` of ``python`` names.

    Attributes:
        whole: The function takes the whole sample rather than the question.
        turns_name: The parameter that takes earlier turns beside the question, "" for none.
    """

    whole = False
    turns_name = ""

    async def open(self) -> dict[str, Any]:
        """Import it and set it up; tell whether it takes whole samples, and earlier turns."""
        self._stack = AsyncExitStack()
        found = await self._bound(self._keys["target"])
        if self._keys["factory"] or inspect.isclass(found):
            found = await self._made(found)
        self._ask = self._callable(found)
        self.whole = wants_sample(self._ask)
        self.turns_name = turns_name(self._ask)
        turns = self.whole or bool(self.turns_name)
        return {"whole": self.whole, "takes_turns": turns}

    async def ask(self, asked: Mapping[str, Any]) -> Any:
        """Return what the function returns for a question, or for a sample where `whole`."""
        question = question_of(asked)
        named = {self.turns_name: question.turns} if self.turns_name and not self.whole else {}
        first = question.sample if self.whole else question.query
        return encoded(await call(partial(self._ask, **named) if named else self._ask, first))

    async def close(self) -> None:
        """Leave what the factory opened."""
        await self._stack.aclose()

    async def _bound(self, target: str) -> Any:
        """Return a method of a class as one of an object of it; anything else as it is.

        ``my.module:build().ask`` is a method of what ``build`` makes.
        """
        maker, made, method = target.partition("().")
        if made:
            return attribute(await self._made(await self._bound(maker)), method)
        found = self._imported(target)
        module, _, path = target.partition(":")
        owner, _, name = path.rpartition(".")
        if not owner or not inspect.isfunction(found):
            return found
        holder = self._imported(f"{module}:{owner}")
        if not inspect.isclass(holder):
            return found
        static = isinstance(inspect.getattr_static(holder, name), staticmethod)
        return found if static else getattr(await self._made(holder), name)

    async def _made(self, factory: Any) -> Any:
        """Return what `factory` makes; a context manager is entered, and left at the end."""
        if not callable(factory):
            raise TargetError(
                f"a {type(factory).__name__} is no factory",
                "remove factory = true, or name a function that returns the object",
            )
        check_bind(factory, takes="no argument")
        try:
            product = factory()
            product = await product if inspect.isawaitable(product) else product
            if not _can_be_asked(product) and hasattr(product, "__aenter__"):
                product = await self._stack.enter_async_context(product)
            elif not _can_be_asked(product) and hasattr(product, "__enter__"):
                product = self._stack.enter_context(product)
        except (Exception, SystemExit) as error:
            raise TargetRaised("setting it up raised", error) from error
        return product

    def _callable(self, found: Any) -> Callable[..., Any]:
        """Return the function to ask: `found` itself, or its ``ainvoke`` or ``invoke``."""
        for name in ("ainvoke", "invoke"):
            method = getattr(found, name, None)
            if callable(method):
                return runnable(method, self._keys["input_key"], self._keys["messages_key"])
        if not callable(found):
            made_by = " and factory = true made it" if self._keys["factory"] else ""
            raise TargetError(
                f"a {type(found).__name__} cannot be called{made_by}",
                "name a function, a class with __call__, or an object with invoke",
            )
        name = turns_name(found)
        named: dict[str, list[Any]] = {name: []} if name else {}
        check_bind(found, "the question", takes="one argument, the question", **named)
        return found  # type: ignore[no-any-return]


def turns_name(function: Any) -> str:
    """Return the name of the parameter that takes the earlier turns, "" for none."""
    return next((name for name in TURNS if takes(function, name)), "")


def _can_be_asked(found: Any) -> bool:
    if isinstance(found, _DECORATORS):
        return False  # of @contextmanager: it could be called, and is no function for that
    return callable(found) or hasattr(found, "invoke")


def runnable(method: Callable[..., Any], key: str, messages_key: str) -> Callable[..., Any]:
    """Return a function around ``invoke`` or ``ainvoke`` that takes a question.

    Args:
        key: The question is given as ``{key: question}``; "" gives it as it is.
        messages_key: Beside it, the key of the earlier turns; "" where they are not taken. Where it
            is `key` as well, the question is the last of the messages.
    """

    async def alone(query: str) -> Any:
        return await call(method, {key: query} if key else query)

    async def with_turns(query: str, messages: Turns) -> Any:
        if key == messages_key:
            return await call(method, {key: [*messages, {"role": "user", "content": query}]})
        return await call(method, {key: query, messages_key: messages})

    return with_turns if messages_key else alone


# What a target is asked.


class AskedQuestion(NamedTuple):
    """A question.

    Attributes:
        query: The question itself.
        turns: Earlier turns of the conversation, ``role`` and ``content`` each.
        sample: For a function that takes the whole sample.
    """

    query: str
    turns: Turns
    sample: Any = None


class AskedSample(SimpleNamespace):
    """A sample as a worker's code gets it: what a user would know of it, as attributes."""


def question_of(fields: Mapping[str, Any]) -> AskedQuestion:
    """Return the question of a request: `query`, `turns`, and `sample` where it is wanted."""
    sample = fields.get("sample")
    if sample is not None:
        messages = [SimpleNamespace(**turn) for turn in fields["turns"]]
        sample = AskedSample(
            **sample, query=fields["query"], messages=messages, turns=fields["turns"]
        )
    return AskedQuestion(fields["query"], fields["turns"], sample)


# Calling code of the project: in the loop where it is async, else in a thread of its own.


async def call(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return what `function` returns, awaited where it is awaitable.

    An async function runs in the loop; any other in a thread, so that it blocks nobody.
    """
    method = getattr(type(function), "__call__", None)  # noqa: B004 - of an object, it may be async
    if inspect.iscoroutinefunction(function) or inspect.iscoroutinefunction(method):
        return await function(*arguments)
    result = await in_thread(function, *arguments)
    return await result if inspect.isawaitable(result) else result


@contextlib.contextmanager
def _own_event_loop() -> Iterator[None]:
    """Give this thread a loop, as a main thread has one."""
    own = asyncio.new_event_loop()
    asyncio.set_event_loop(own)
    try:
        yield
    finally:
        own.close()


async def in_thread(function: Callable[..., Any], *arguments: Any) -> Any:
    """Return what `function` returns in a new thread.

    A thread of a pool would be lost to a call that hangs, and would keep the command from ending;
    a daemon thread of its own does neither. It has an event loop, which nothing runs:
    ``asyncio.get_event_loop().run_until_complete(…)`` works as in a main thread.
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
            with _own_event_loop():
                result = context.run(function, *arguments)
        except Exception as raised:  # noqa: BLE001 - handed to who awaits
            # A future takes no StopIteration.
            error = RuntimeError("StopIteration") if isinstance(raised, StopIteration) else raised
        except BaseException as raised:  # noqa: BLE001 - or whoever awaits would wait for ever
            told = f"{type(raised).__name__}: {text_of(raised)}"
            error = RuntimeError(told).with_traceback(raised.__traceback__)
        if not loop.is_closed():
            loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=work, daemon=True, name="ragate-system").start()
    return await future
