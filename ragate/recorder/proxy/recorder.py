"""The recorder of one run: a server in a thread of its own, and the variables that lead to it."""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache, partial
from typing import TYPE_CHECKING

from ragate.errors import SystemStartError
from ragate.recorder.proxy.reply_resolver import ReplyResolver

if TYPE_CHECKING:
    from aiohttp import web

_START_S = 30.0
_END_S = 10.0
# Clients of older libraries read the second name.
_ADDRESSES = ("OPENAI_BASE_URL", "OPENAI_API_BASE")
_KEY = "OPENAI_API_KEY"
_NO_PROXY = ("NO_PROXY", "no_proxy")
_HOST = "127.0.0.1"


@dataclass
class _ListenAddress:
    """Where the recorders of this process listen, and the key that they demand.

    Code is imported once, and its clients keep the address that they were made with: the next
    recorder of the same process is to be found there too.
    """

    port: int = 0
    token: str = field(default_factory=lambda: f"ragate-{secrets.token_urlsafe(24)}", repr=False)


@cache
def _place() -> _ListenAddress:
    return _ListenAddress()


@dataclass
class Recorder:
    """A running server.

    It has an event loop of its own: code under test that blocks the pipeline's loop while it waits
    for a model would wait for ever otherwise.

    Attributes:
        base_url: Where it listens, ending in ``/v1``.
        token: The key that it demands.
    """

    resolver: ReplyResolver
    base_url: str = ""
    token: str = field(default="", repr=False)

    def environment(self, base: Mapping[str, str]) -> dict[str, str]:
        """Return the variables for a process under test: `base`, led here."""
        variables = {**base, **self.variables}
        for name in _NO_PROXY:
            hosts = [host for host in (base.get(name, ""), _HOST) if host]
            variables[name] = ",".join(hosts)
        return variables

    @property
    def variables(self) -> dict[str, str]:
        """The variables that lead here, alone."""
        addresses = dict.fromkeys(_ADDRESSES, self.base_url)
        # A proxy has no business between the two.
        return {**addresses, _KEY: self.token, **dict.fromkeys(_NO_PROXY, _HOST)}

    @property
    def names(self) -> frozenset[str]:
        """The variables that `environment` sets."""
        return frozenset({*_ADDRESSES, _KEY, *_NO_PROXY})


@contextmanager
def open_recorder(resolver: ReplyResolver) -> Iterator[Recorder]:
    """Yield a running recorder; its connections end with it.

    Raises:
        SystemStartError: it cannot listen.
    """
    recorder = Recorder(resolver, token=_place().token)
    started = threading.Event()
    problem: list[BaseException] = []
    ending: list[Callable[[], object]] = []

    def work() -> None:
        try:
            asyncio.run(_serve(recorder, started, ending))
        except BaseException as error:  # noqa: BLE001 - handed to who waits
            problem.append(error)
        finally:
            started.set()

    thread = threading.Thread(target=work, daemon=True, name="ragate-recorder")
    thread.start()
    started.wait(_START_S)
    if problem or not recorder.base_url:
        raise SystemStartError(
            f"the recorder cannot listen: {problem[0] if problem else 'no time'}"
        )
    try:
        yield recorder
    finally:
        for end in ending:
            with suppress(RuntimeError):  # its loop has ended already
                end()
        thread.join(_END_S)


async def _serve(
    recorder: Recorder, started: threading.Event, ending: list[Callable[[], object]]
) -> None:
    from aiohttp import web

    from ragate.recorder.proxy.server import application

    # A caller that goes away is not answered: nobody would have the reply.
    runner = web.AppRunner(
        application(recorder.resolver, recorder.token),
        access_log=None,
        handler_cancellation=True,
        shutdown_timeout=0.1,
    )
    await runner.setup()
    over = asyncio.Event()
    loop = asyncio.get_running_loop()
    try:
        port = await _listen(runner)
        recorder.base_url = f"http://{_HOST}:{port}/v1"
        ending.append(partial(loop.call_soon_threadsafe, over.set))
        started.set()
        await over.wait()
    finally:
        await runner.cleanup()
        if recorder.resolver.upstream is not None:
            await recorder.resolver.upstream.aclose()


async def _listen(runner: web.AppRunner) -> int:
    """Listen where the last recorder did, else at a free port; return it."""
    from aiohttp import web

    for port in dict.fromkeys((_place().port, 0)):
        try:
            await web.TCPSite(runner, _HOST, port).start()
        except OSError:
            if port == 0:
                raise
        else:
            break
    _place().port = runner.addresses[0][1]
    return _place().port
