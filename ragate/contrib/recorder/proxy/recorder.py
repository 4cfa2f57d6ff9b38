"""The recorder of one run: an OpenAI-compatible server on the loopback interface.

It has a thread of its own, and variables lead to it.
"""

import asyncio
import hmac
import json
import secrets
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

from aiohttp import web

from ragate.contrib.recorder.proxy.reply_format import chat_events, response_events, shown_body
from ragate.contrib.recorder.proxy.reply_resolver import PendingCall, ReplyResolver
from ragate.contrib.recorder.proxy.request_identity import (
    MAX_BODY_BYTES,
    Endpoint,
    ForeignModelError,
    PendingError,
    read_request,
)
from ragate.errors import (
    BudgetError,
    NotReadyError,
    ProviderError,
    RagateError,
    SystemStartError,
    UsageError,
)
from ragate.protocols import ChatReply
from ragate.worker.naming import HEADER

_SUPPORTED = ", ".join([*(f"POST /v1{kind.value}" for kind in Endpoint), "GET /v1/models"])
# Everything here was tried as often as makes sense: a caller that tries again loses time, and would
# multiply the calls. Clients repeat after 408, 409, 429 and 5xx, whatever a header says; not after
# 424, that something else failed which this depends on.
_ONCE = {"x-should-retry": "false"}
_FAILED = 424
_OWN_FAULT = frozenset({400, 401, 403, 404, 413, 422})
_START_S = 30.0
_END_S = 10.0
# Clients of older libraries read the second name.
_ADDRESSES = ("OPENAI_BASE_URL", "OPENAI_API_BASE")
_KEY = "OPENAI_API_KEY"
_NO_PROXY = ("NO_PROXY", "no_proxy")
_HOST = "127.0.0.1"


class ApiError(Exception):
    """Ends one request with an error in the API's own form."""

    def __init__(self, status: int, message: str, code: str) -> None:
        super().__init__(message)
        self.status = status
        self.body = {"error": {"message": message, "type": "ragate", "param": None, "code": code}}


def application(resolver: ReplyResolver, token: str) -> web.Application:
    """Return the server's application.

    Args:
        token: Every request must bring it as its key: other processes of the machine must not
            spend the policy's money.
    """

    @web.middleware
    async def guard(request: web.Request, handler: Any) -> web.StreamResponse:
        try:
            _check_token(request, token)
            response: web.StreamResponse = await handler(request)
        except ApiError as error:
            problem = error
        except web.HTTPRequestEntityTooLarge:
            problem = ApiError(413, f"a body of more than {MAX_BODY_BYTES} bytes", "too_large")
        except web.HTTPException as error:
            problem = ApiError(error.status, error.reason, "unsupported")
        else:
            return response
        return web.json_response(problem.body, status=problem.status, headers=_ONCE)

    async def serve(request: web.Request) -> web.StreamResponse:
        return await _respond(request, resolver)

    server = web.Application(client_max_size=MAX_BODY_BYTES, middlewares=[guard])
    server.router.add_route("*", "/{path:.*}", serve)
    return server


async def _respond(request: web.Request, resolver: ReplyResolver) -> web.StreamResponse:
    kind = next((kind for kind in Endpoint if request.path == f"/v1{kind.value}"), None)
    if request.path == "/v1/models" and request.method == "GET":
        return _models(resolver)
    if kind is None or request.method != "POST":
        raise ApiError(
            404,
            f"{request.method} {request.path[:100]} is not recorded by ragate; supported: "
            f"{_SUPPORTED}",
            "unsupported",
        )
    try:
        asked = read_request(kind, await request.read())
    except UsageError as error:
        raise ApiError(400, error.message, "invalid_request") from error
    with resolver.call(asked, request.headers.get(HEADER, "")) as call:
        try:
            return await _answer(request, call)
        except (ApiError, OSError):
            raise
        except Exception as error:  # a kept reply that makes no sense, say
            call.broken(f"the recorder failed: {type(error).__name__}")
            raise ApiError(500, "the recorder failed", "ragate") from error


def _check_token(request: web.Request, token: str) -> None:
    key = request.headers.get("Authorization", "").removeprefix("Bearer ").strip()
    if not hmac.compare_digest(key.encode(), token.encode()):
        raise ApiError(
            401,
            "this server takes the key that ragate put into OPENAI_API_KEY, and no other; do not "
            "set api_key in the code",
            "invalid_api_key",
        )


def _models(resolver: ReplyResolver) -> web.Response:
    names = sorted({*resolver.used.models.values(), *resolver.models})
    rows = [{"id": model, "object": "model", "created": 0, "owned_by": "ragate"} for model in names]
    return web.json_response({"object": "list", "data": rows})


async def _answer(request: web.Request, call: PendingCall) -> web.StreamResponse:
    if call.request.streams and call.request.kind is not Endpoint.EMBEDDINGS:
        return await _Streaming(request, call).answer()
    try:
        reply = await call.reply()
    except RagateError as error:
        raise _api_error(error) from error
    text = json.dumps(shown_body(reply.text, call.request), ensure_ascii=False)
    response = web.Response(text=text, content_type="application/json")
    call.handing_over(reply)
    await response.prepare(request)
    await response.write_eof()
    call.delivered = True
    return response


def _api_error(error: RagateError) -> ApiError:
    if isinstance(error, PendingError):
        return ApiError(_FAILED, error.message, "ragate_not_recorded")
    if isinstance(error, ForeignModelError):
        return ApiError(403, error.message, "model_not_allowed")
    if isinstance(error, BudgetError):
        return ApiError(402, error.message, "ragate_budget")
    if isinstance(error, NotReadyError):
        return ApiError(402, error.message, "ragate_not_ready")
    if isinstance(error, ProviderError):
        status = error.status if error.status in _OWN_FAULT else _FAILED
        return ApiError(status or _FAILED, error.message, "upstream")
    return ApiError(500, error.message, "ragate")


class _Streaming:
    """One answer as server-sent events."""

    def __init__(self, request: web.Request, call: PendingCall) -> None:
        self._request = request
        self._call = call
        self._named = call.request.kind is Endpoint.RESPONSES
        self._response: web.StreamResponse | None = None

    async def answer(self) -> web.StreamResponse:
        try:
            reply = await self._call.reply(self._send)
        except RagateError as error:
            problem = _api_error(error)
            if self._response is None:
                raise problem from error
            await self._send(problem.body)
            await self._response.write_eof()
            return self._response
        self._call.handing_over(reply)
        for event in self._rest(reply):
            await self._send(event)
        response = self._response or await self._begun()
        if not self._named:
            await response.write(b"data: [DONE]\n\n")
        await response.write_eof()
        self._call.delivered = True
        return response

    def _rest(self, reply: ChatReply) -> Iterable[dict[str, Any]]:
        """Return what is not sent yet: the end of a fresh stream, or all of a known reply."""
        if self._call.held is not None:
            return self._call.held
        body = json.loads(reply.text)
        if self._named:
            return response_events(body)
        return chat_events(body, usage=self._call.request.wants_usage)

    async def _send(self, event: dict[str, Any]) -> None:
        response = self._response or await self._begun()
        name = f"event: {event['type']}\n" if self._named and "type" in event else ""
        await response.write(f"{name}data: {json.dumps(event, ensure_ascii=False)}\n\n".encode())

    async def _begun(self) -> web.StreamResponse:
        self._response = web.StreamResponse(headers={"Cache-Control": "no-cache"})
        self._response.content_type = "text/event-stream"
        self._response.charset = "utf-8"
        await self._response.prepare(self._request)
        return self._response


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
