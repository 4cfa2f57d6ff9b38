"""Calls of a model as requests: one host, the policy's paths, and no way out of them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from ragate.config.model import Execution
from ragate.errors import ConfigError, ProviderError
from ragate.executors.executor import open_http, request_of
from ragate.models import CallResult, ToolCall
from ragate.systems.http.policy import Hidden
from tests.servers.rag_server import Sent, rag_server

TOOLS = {"weather": "GET /weather/{city}", "book": "POST /bookings"}
HTTP = Execution(use="http", url="https://api.example/v1/", tools=TOOLS)


def made(name: str, **arguments: Any) -> ToolCall:
    return ToolCall(name=name, arguments=arguments)


def test_an_argument_of_the_path_goes_there_and_the_others_into_the_query() -> None:
    call = made("weather", city="São Paulo", days=3, hourly=True, of=["a", "b"])

    assert request_of(call, HTTP) == (
        "GET",
        "https://api.example/v1/weather/S%C3%A3o%20Paulo",
        {"params": {"days": "3", "hourly": "true", "of": ["a", "b"]}},
    )


def test_what_changes_something_sends_its_arguments_as_json() -> None:
    assert request_of(made("book", seats=2), HTTP) == (
        "POST",
        "https://api.example/v1/bookings",
        {"content": b'{"seats": 2}', "headers": {"Content-Type": "application/json"}},
    )


@pytest.mark.parametrize(
    "city", ["..", ".", "", None, "a/b", "..\\x", "%2e%2e", "x?admin=1", "x#y", "a;b"]
)
def test_no_value_leads_out_of_its_place_in_the_path(city: str | None) -> None:
    assert request_of(made("weather", city=city), HTTP) == (
        "city does not fit into the path /weather/{city}"
    )


def test_a_tool_that_the_policy_does_not_name_is_not_called() -> None:
    assert request_of(made("drop_table"), HTTP) == "the policy lets no such tool be called"


def carried_out(call: ToolCall, reply: Any, **more: Any) -> tuple[CallResult, list[Any]]:
    environment = {"TOOL_KEY": "Bearer secret-of-the-tool"}
    headers = {"Authorization": "TOOL_KEY"}

    async def run(url: str) -> CallResult:
        settings = Execution(use="http", url=url, tools=TOOLS, headers_env=headers, **more)
        hidden = Hidden(list(environment.values()))
        async with open_http(settings, environment, hidden) as execute:
            return await execute(call)

    with rag_server(lambda request: reply(request) if callable(reply) else reply) as server:
        result = asyncio.run(run(f"http://{server.host}"))
    return result, server.requests


def test_the_result_is_the_json_of_the_reply() -> None:
    result, [request] = carried_out(made("weather", city="Oslo"), {"degrees": 4.5})

    assert result == CallResult(value={"degrees": 4.5})
    assert request.path == "/weather/Oslo"
    assert request.headers["authorization"] == "Bearer secret-of-the-tool"


def test_a_key_that_comes_back_is_cut_out() -> None:
    result, _ = carried_out(made("book"), lambda request: {"sent": dict(request.headers)})

    assert "secret-of-the-tool" not in result.model_dump_json()


def test_a_redirect_is_not_followed() -> None:
    with rag_server(lambda _request: {"stolen": True}) as elsewhere:
        away = Sent(status=302, headers={"location": elsewhere.url})
        result, _ = carried_out(made("weather", city="Oslo"), away)

    assert "none is followed" in result.error
    assert not result.unreachable
    assert elsewhere.requests == []


def test_a_refusal_of_the_tool_is_a_result_and_an_outage_says_nothing() -> None:
    refused, _ = carried_out(made("book"), Sent(status=422, body=b"no such seat"))
    down, _ = carried_out(made("book"), Sent(status=503))

    assert (refused.unreachable, down.unreachable) == (False, True)
    assert "422: no such seat" in refused.error


def test_text_that_is_no_json_is_a_result_as_well() -> None:
    result, _ = carried_out(made("book"), Sent(body=b"NaN"))

    assert result == CallResult(value="NaN")


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b'{"a": 1e999}', "1e999 is too large for a number"),
        (b"[" * 500 + b"]" * 500, "nested more than 32 deep"),
        (b"[" * 20_000 + b"]" * 20_000, "nested more than 32 deep"),
        (b'{"a": "\\ud800"}', "half of a character"),
        (b'{"a": 1, "a": 2}', "key 'a' stands twice"),
    ],
)
def test_json_that_no_run_can_hold_is_told(body: bytes, told: str) -> None:
    result, _ = carried_out(made("book"), Sent(body=body))

    assert told in result.error
    assert (result.value, result.unreachable) == (None, False)


def test_a_variable_that_is_not_set_is_told_before_anything_is_sent() -> None:
    settings = HTTP.amended(headers_env={"X-Key": "UNSET"})

    async def opened() -> None:
        async with open_http(settings, {}, Hidden([])):
            pass

    with pytest.raises(ProviderError, match=r"\[policy.execution\] headers_env: .* UNSET"):
        asyncio.run(opened())


def test_an_address_of_the_machinery_is_never_asked() -> None:
    settings = HTTP.amended(url="http://169.254.169.254")

    async def opened() -> None:
        async with open_http(settings, {}, Hidden([])):
            pass

    with pytest.raises(ConfigError, match=r"\[policy.execution\] url: .* never asked"):
        asyncio.run(opened())
