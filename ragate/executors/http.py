"""Calls carried out over HTTP: one host, and for each tool one method and path."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any
from urllib.parse import quote

from pydantic import JsonValue

from ragate.config.model import Execution, placeholders
from ragate.errors import ConfigError, ProviderError, SystemStartError
from ragate.executors import of_execution, storable
from ragate.models import CallResult, ToolCall
from ragate.systems.http.client import BadReplyError, HttpClient, UnavailableError, UnreachableError
from ragate.systems.http.policy import Hidden

_NOT_IN_A_PATH = frozenset("/\\%;?#")


@asynccontextmanager
async def open_http(
    settings: Execution, environment: Mapping[str, str], hidden: Hidden
) -> AsyncIterator[Callable[[ToolCall], Awaitable[CallResult]]]:
    """Yield what sends calls to the one host.

    Raises:
        ConfigError: the host leads to an address that is never asked, or that gets no secret.
        ProviderError: a variable of ``headers_env`` is not set.
        SystemStartError: the host's name is unknown.
    """
    headers = _headers(settings, environment)
    client = HttpClient(hosts=[settings.host], timeout_s=settings.timeout_s, hidden=hidden)

    async def execute(call: ToolCall) -> CallResult:
        request = request_of(call, settings)
        if isinstance(request, str):
            return CallResult(error=request)
        method, url, parts = request
        parts["headers"] = {**parts.get("headers", {}), **headers}
        try:
            async with asyncio.timeout(settings.timeout_s):
                reply = await client.send(method, url, key="url", **parts)
        except TimeoutError:
            error = f"no result within {settings.timeout_s:g} s"
            return CallResult(error=error, unreachable=True)
        except (UnreachableError, UnavailableError) as error:
            return CallResult(error=str(error), unreachable=True)
        except BadReplyError as error:
            return CallResult(error=f"the tool {error}")
        return _result(reply.content)

    try:
        with of_execution((ConfigError, SystemStartError)):
            rule = settings.host if headers else ""
            await client.check(settings.url, key="url", secret_rule=rule)
        yield execute
    finally:
        await client.close()


def request_of(call: ToolCall, settings: Execution) -> tuple[str, str, dict[str, Any]] | str:
    """Return the request of a call (method, address, its other parts), or why there is none."""
    route = settings.route(call.name)
    if route is None:
        return "the policy lets no such tool be called"
    method, path = route
    rest = dict(call.arguments)
    for name in placeholders(path):
        text = _text(rest.pop(name, None))
        if not text or text in {".", ".."} or _NOT_IN_A_PATH & set(text):
            return f"{name} does not fit into the path {path}"
        path = path.replace(f"{{{name}}}", quote(text, safe=""))
    url = f"{settings.url.rstrip('/')}{path}"
    if method == "GET":
        return method, url, {"params": {name: _query(value) for name, value in rest.items()}}
    body = json.dumps(rest).encode()
    return method, url, {"content": body, "headers": {"Content-Type": "application/json"}}


def _query(value: JsonValue) -> str | list[str]:
    return [_text(item) for item in value] if isinstance(value, list) else _text(value)


def _text(value: JsonValue) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)


def _result(content: bytes) -> CallResult:
    """Return the JSON of a reply, its text where it is none, or why a run cannot hold it."""
    try:
        text = content.decode(json.detect_encoding(content))
        with suppress(RecursionError):
            json.loads(text, parse_constant=_refuse)
    except ValueError:
        return CallResult(value=content.decode("utf-8", "replace"))
    return storable(text)


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON")


def _headers(settings: Execution, environment: Mapping[str, str]) -> dict[str, str]:
    headers = {}
    for header, name in settings.headers_env.items():
        value = environment.get(name, "").strip()
        if not value:
            raise ProviderError(
                f"[policy.execution] headers_env: the environment variable {name} is not set",
                remedy=f"set {name} to the whole value of the header {header}",
            )
        if not value.isascii() or not value.isprintable():
            raise ConfigError(f"[policy.execution] headers_env: the value of {name} fits no header")
        headers[header] = value
    return headers
