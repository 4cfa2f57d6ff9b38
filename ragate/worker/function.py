"""A function of the project that is asked: found, set up, called, and left at the end."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack, ContextDecorator
from functools import partial
from typing import Any

from ragate.worker.calls import call
from ragate.worker.question import AskedQuestion, Turns
from ragate.worker.target import (
    TargetError,
    TargetRaised,
    check_bind,
    imported,
    on_path,
    takes,
    wants_sample,
)

# What @contextmanager and @asynccontextmanager make, which Python 3.9 cannot decorate with.
_DECORATORS = (ContextDecorator, getattr(contextlib, "AsyncContextDecorator", ContextDecorator))


class FunctionTarget:
    """What ``[system]`` of ``python`` names.

    Args:
        keys: ``target``, ``factory``, ``input_key`` and ``messages_key`` of ``[system]``.
        root: The project's folder.
        environment: What the environment of this interpreter is called.

    Attributes:
        whole: The function takes the whole sample rather than the question.
        takes_turns: It takes earlier turns beside the question.
        arranges: It takes what is done to the passages before the answer is written.
    """

    def __init__(self, keys: Mapping[str, Any], root: str, environment: str) -> None:
        self._keys = keys
        self._root = root
        self._environment = environment
        self._stack = AsyncExitStack()
        self.whole = False
        self.takes_turns = False
        self.arranges = False

    async def open(self) -> None:
        """Import it and set it up.

        Raises:
            TargetError: it cannot be imported or called with one question.
            TargetRaised: its code raised.
        """
        found = await self._bound(imported(self._keys["target"], self._root, self._environment))
        if self._keys["factory"] or inspect.isclass(found):
            found = await self._made(found)
        self._ask = self._callable(found)
        self.whole = wants_sample(self._ask)
        self.takes_turns = takes(self._ask, "messages")
        self.arranges = takes(self._ask, "arrange")

    async def ask(self, question: AskedQuestion) -> Any:
        """Return what the function returns for a question, or for a sample where `whole`."""
        named: dict[str, Any] = {"arrange": question.arrange} if self.arranges else {}
        if self.takes_turns and not self.whole:
            named["messages"] = question.turns
        asked = question.sample if self.whole else question.query
        return await call(partial(self._ask, **named) if named else self._ask, asked)

    async def close(self) -> None:
        """Leave what the factory opened."""
        await self._stack.aclose()

    async def _bound(self, found: Any) -> Any:
        """Return a method of a class as one of an object of it; anything else as it is."""
        module, _, path = self._keys["target"].partition(":")
        owner, _, name = path.rpartition(".")
        if not owner or not inspect.isfunction(found):
            return found
        holder = imported(f"{module}:{owner}", self._root, self._environment)
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
            with on_path(self._root):
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
        named: dict[str, list[Any]] = {
            name: [] for name in ("messages", "arrange") if takes(found, name)
        }
        check_bind(found, "the question", takes="one argument, the question", **named)
        return found  # type: ignore[no-any-return]


def _can_be_asked(found: Any) -> bool:
    if isinstance(found, _DECORATORS):
        return False  # of @contextmanager: it could be called, and is no function for that
    return callable(found) or hasattr(found, "invoke")


def runnable(method: Callable[..., Any], key: str, messages_key: str) -> Callable[..., Any]:
    """Return a function around ``invoke`` or ``ainvoke`` that takes a question.

    Args:
        key: The question is given as ``{key: question}``; "" gives it as it is.
        messages_key: Beside it, the key of the earlier turns; "" where they are not taken.
    """
    is_async = inspect.iscoroutinefunction(method)
    if not messages_key:

        async def later(query: str) -> Any:
            return await method({key: query} if key else query)

        def now(query: str) -> Any:
            return method({key: query} if key else query)

        return later if is_async else now

    def chat_input(query: str, messages: Turns) -> dict[str, Any]:
        return {key: query, messages_key: messages}

    async def chat_later(query: str, messages: Turns) -> Any:
        return await method(chat_input(query, messages))

    def chat_now(query: str, messages: Turns) -> Any:
        return method(chat_input(query, messages))

    return chat_later if is_async else chat_now
