"""A session whose library raises, whatever the reason."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest

from ragate.systems.mcp.session import ConnectionLostError, ToolRefusedError, ToolSession

pytestmark = pytest.mark.integration


class Client:
    """A client that raises whatever it is asked."""

    def __init__(self, error: Exception) -> None:
        self.error = error
        self.session = self

    async def call_tool(self, *_: Any) -> None:
        raise self.error

    async def list_tools(self, **_: Any) -> None:
        raise self.error


def after(error: Exception, ask: str, *arguments: Any, while_opening: bool = False) -> None:
    @asynccontextmanager
    async def opens() -> AsyncIterator[Any]:
        if while_opening:
            raise error
        yield Client(error)

    async def asked() -> None:
        session = ToolSession(opens)
        try:
            await getattr(session, ask)(*arguments)
        finally:
            await session.close()

    asyncio.run(asked())


@pytest.mark.parametrize("error", [RuntimeError("10 rounds\n exceeded"), ValueError("no result")])
def test_a_result_against_the_protocol_is_the_failure_of_its_sample(error: Exception):
    with pytest.raises(ToolRefusedError, match=r"its result cannot be read: (10 rounds e|no res)"):
        after(error, "call", "ask", {})


@pytest.mark.parametrize("error", [anyio.ClosedResourceError(), anyio.EndOfStream()])
def test_a_session_that_is_closed_meanwhile_is_lost(error: Exception):
    with pytest.raises(ConnectionLostError):
        after(error, "call", "ask", {})


@pytest.mark.parametrize("while_opening", [True, False])
def test_what_goes_wrong_before_the_first_question_is_a_lost_session(while_opening: bool):
    with pytest.raises(ConnectionLostError, match="no such version"):
        after(RuntimeError("no such version"), "tools", while_opening=while_opening)
