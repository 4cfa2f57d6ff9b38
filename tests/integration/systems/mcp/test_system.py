"""A tool of a real MCP server, asked over its pipes and over HTTP."""

from __future__ import annotations

import asyncio
import gzip
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ragate import plugins
from ragate.errors import (
    BudgetError,
    ConfigError,
    PluginError,
    ProviderError,
    SystemStartError,
)
from ragate.installed import install_line
from ragate.models import RetrievedChunk, Sample, SystemOutput, Turn
from ragate.protocols import ChatReply, ChatRequest
from tests.factories import sample_factory
from tests.integration.systems.mcp.servers import http_server, stdio_server
from tests.servers.rag_server import Sent, rag_server
from tests.unit.systems.using import ask, message, resources_of

pytestmark = [
    pytest.mark.integration,
    pytest.mark.filterwarnings("ignore:The sampling capability is deprecated"),
]
POINTERS = {
    "answer": "/structured/result",
    "contexts": "/structured/hits/*/text",
    "ids": "/structured/hits/*/id",
    "scores": "/structured/hits/*/score",
}


def piped(
    root: Path,
    tool: str,
    *,
    samples: Sequence[Sample] | None = None,
    given: Any = None,
    **keys: Any,
) -> list[SystemOutput]:
    """Ask a server that is a process, over its pipes; it starts for a second."""
    settings = {"command": stdio_server(root), "tool": tool, **keys}
    wanted = samples or [sample_factory(query="Hi?")]
    return ask("mcp", settings, root, samples=wanted, **(given or {}))


def asked(
    root: Path,
    tool: str,
    *,
    samples: Sequence[Sample] | None = None,
    given: Any = None,
    **keys: Any,
) -> list[SystemOutput]:
    """Ask a server of this process over HTTP."""
    with http_server() as (url, host):
        settings = {"url": url, "tool": tool, **keys}
        resources = {"http_hosts": (host,), **(given or {})}
        wanted = samples or [sample_factory(query="Hi?")]
        return ask("mcp", settings, root, samples=wanted, **resources)


def test_pointers_lead_into_the_structured_content(tmp_path: Path):
    arguments = '{"query": {{ query | tojson }}, "limit": 7}'

    output = asked(tmp_path, "ask", arguments=arguments, pointers=POINTERS)[0]

    assert output.answer == "Hi? 7"
    assert output.chunks == (
        RetrievedChunk(doc_id="refunds.md", text="Refunds: 30 days.", score=0.5),
    )
    assert output.latency_s is not None


def test_without_pointers_a_result_is_a_recorded_output_or_a_text(tmp_path: Path):
    assert asked(tmp_path, "recorded")[0].chunks[0].doc_id == "a.md"
    assert asked(tmp_path, "plain")[0].answer == "plain Hi?"


def test_a_server_is_asked_over_its_pipes(tmp_path: Path):
    assert piped(tmp_path, "ask", pointers=POINTERS)[0].answer == "Hi? 3"


def test_samples_are_asked_at_once_over_one_session(tmp_path: Path):
    samples = [sample_factory(f"q{n}", query=f"{n}?") for n in range(6)]

    outputs = asked(tmp_path, "plain", samples=samples)

    assert [output.answer for output in outputs] == [f"plain {n}?" for n in range(6)]


def test_earlier_turns_are_given_where_there_are_any(tmp_path: Path):
    turn = Turn(role="user", content="Hello")
    samples = [sample_factory("q1", query="A?"), sample_factory("q2", query="B?", messages=(turn,))]

    assert [o.answer for o in asked(tmp_path, "chat", samples=samples)] == ["[] A?", "['Hello'] B?"]
    with pytest.raises(ConfigError, match="q2 has earlier turns"):
        asked(tmp_path, "chat", samples=samples, arguments='{"query": "x"}')


def test_a_tools_error_fails_the_sample_with_what_the_server_wrote_last(tmp_path: Path):
    told = message(piped(tmp_path, "broken")[0])

    assert "the tool answered with an error: Error executing tool broken" in told
    assert "it last wrote:" in told


def test_arguments_that_the_tool_does_not_take_fail_the_sample(tmp_path: Path):
    assert "error" in message(asked(tmp_path, "plain", arguments='{"question": "x"}')[0])
    assert "give no JSON" in message(asked(tmp_path, "plain", arguments="{{ query }}")[0])
    assert "give no object" in message(asked(tmp_path, "plain", arguments="[1]")[0])


def test_a_pointer_that_leads_nowhere_shows_the_result(tmp_path: Path):
    told = message(asked(tmp_path, "plain", pointers={"answer": "/structured/text"})[0])

    assert "/structured/text leads nowhere" in told
    assert 'the result has /structured {"result": "plain Hi?"}' in told


def test_a_server_that_dies_is_started_again_and_asked_once_more(tmp_path: Path):
    assert piped(tmp_path, "dies")[0].answer == "alive again"


def test_a_tool_that_hangs_costs_its_sample_and_no_other(tmp_path: Path):
    settings = {"command": stdio_server(tmp_path), "tool": "hangs"}

    output = ask("mcp", settings, tmp_path, timeout_s=1.0)[0]

    assert message(output) == "no output within 1 s"


def test_a_line_that_is_no_message_is_passed_over(tmp_path: Path):
    assert piped(tmp_path, "noisy")[0].answer == "x"


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ({"command": ["no-such-server"]}, "'no-such-server' cannot be started"),
        (
            {"command": [sys.executable, "-c", "import sys; sys.exit('no config')"]},
            "ended with exit code 1; it last wrote: no config",
        ),
        (
            {
                "command": [sys.executable, "-c", "import time; time.sleep(30)"],
                "start_timeout_s": 0.5,
            },
            "no handshake within 0.5 s",
        ),
    ],
)
def test_a_server_that_does_not_come_up_is_no_decision(
    tmp_path: Path, keys: dict[str, Any], told: str
):
    with pytest.raises(SystemStartError) as raised:
        piped(tmp_path, "plain", **keys)

    assert told in str(raised.value)


def test_a_tool_that_is_not_there_names_the_nearest(tmp_path: Path):
    with pytest.raises(ConfigError, match="no such tool; did you mean 'plain'"):
        asked(tmp_path, "plaen")


def test_a_server_that_nobody_runs_is_no_decision(tmp_path: Path):
    keys = {"url": "http://127.0.0.1:9/mcp", "tool": "x"}
    with pytest.raises(SystemStartError, match=r"\[system\] url"):
        ask("mcp", keys, tmp_path, http_hosts=("127.0.0.1:9",))


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"http_hosts": ("other.example",)}, "is not in [policy] http_hosts"),
        ({"http_paths": ("/ask",)}, "is not in [policy] http_paths"),
        ({"http_methods": ("GET",)}, "POST is not in [policy] http_methods"),
    ],
)
def test_the_policy_says_where_a_server_is_asked(tmp_path: Path, given: Any, told: str):
    with pytest.raises(ConfigError) as raised:
        asked(tmp_path, "plain", given=given)

    assert told in str(raised.value)


def test_methods_that_the_policy_does_not_allow_are_never_sent(tmp_path: Path):
    output = asked(tmp_path, "plain", given={"http_methods": ("POST",)})[0]

    assert output.answer == "plain Hi?"


def test_a_key_goes_in_a_header_and_is_cut_out_of_what_comes_back(tmp_path: Path):
    with http_server() as (url, host):
        keys = {"url": url, "tool": "plain", "headers_env": {"Authorization": "KEY"}}
        sample = sample_factory(query="canary-4711 says hi")
        resources: dict[str, Any] = {
            "http_hosts": (host,),
            "environment": {"KEY": "Bearer canary-4711"},
        }
        with pytest.raises(ConfigError, match="may not be sent"):
            ask("mcp", keys, tmp_path, samples=[sample], **resources)
        resources["http_header_env"] = {host: ("KEY",)}
        output = ask("mcp", keys, tmp_path, samples=[sample], **resources)[0]

    assert output.answer == "plain *** says hi"


# What the server says of a key that it was given is cut out of its answer.
@pytest.mark.parametrize(("passed", "seen"), [([], ""), (["SECRET_KEY"], "***")])
def test_keys_of_the_policy_reach_a_server_only_by_name(
    tmp_path: Path, passed: list[str], seen: str
):
    given = {
        "environment": {**os.environ, "SECRET_KEY": "s3cret"},
        "key_names": frozenset({"SECRET_KEY"}),
    }
    pointers = {"answer": "/structured/variable"}

    output = piped(tmp_path, "ask", pass_env=passed, pointers=pointers, given=given)[0]

    assert output.answer == seen


class Model:
    """A provider that answers, or fails."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error
        self.requests: list[ChatRequest] = []

    async def __call__(self, request: ChatRequest, *, draw: int = 0) -> ChatReply:
        self.requests.append(request)
        if self.error is not None:
            raise self.error
        return ChatReply("30 days.")


SAMPLING = {"provider": "main", "model": "small"}


def test_a_tool_may_ask_a_model_of_the_policy(tmp_path: Path):
    model = Model()

    output = piped(tmp_path, "sampled", sampling=SAMPLING, given={"chat": lambda _name: model})[0]

    assert output.answer == "the model said 30 days."
    assert model.requests[0].messages == (("user", "Hi?"),)
    assert model.requests[0].parameters == {"max_tokens": 50, "temperature": 0.0}


def test_a_model_that_is_out_leaves_the_sample_unscored(tmp_path: Path):
    given = {"chat": lambda _name: Model(ProviderError("no model today"))}

    output = asked(tmp_path, "sampled", sampling=SAMPLING, given=given)[0]

    assert output.error is not None
    assert (output.error.kind, output.error.message) == ("provider", "no model today")


def test_a_cap_of_the_policy_ends_the_run(tmp_path: Path):
    with pytest.raises(BudgetError):
        asked(
            tmp_path,
            "sampled",
            sampling=SAMPLING,
            given={"chat": lambda _name: Model(BudgetError("enough"))},
        )


def test_without_sampling_a_tool_that_asks_for_it_fails(tmp_path: Path):
    assert "'sampling/createMessage'" in message(asked(tmp_path, "sampled")[0])


def test_an_outage_during_one_sample_is_not_forgotten_by_the_next(tmp_path: Path):
    samples = [sample_factory(f"q{n}", query=f"{n}?") for n in range(6)]
    given = {"chat": lambda _name: Model(ProviderError("no model today"))}

    outputs = asked(tmp_path, "sampled", samples=samples, sampling=SAMPLING, given=given)

    assert {output.error.kind for output in outputs if output.error} == {"provider"}


def test_a_server_that_goes_away_leaves_its_samples_unscored(tmp_path: Path):
    async def run() -> list[SystemOutput]:
        serving = http_server()
        url, host = serving.__enter__()
        resources = resources_of(tmp_path, http_hosts=(host,))
        async with plugins.system("mcp", {"url": url, "tool": "plain"}, resources) as system:
            await system.prepare()
            first = await system.answer(sample_factory(query="Hi?"))
            await asyncio.to_thread(serving.__exit__, None, None, None)
            return [first, *[await system.answer(sample_factory()) for _ in range(2)]]

    first, *rest = asyncio.run(run())

    assert first.answer == "plain Hi?"
    assert [output.error.kind for output in rest if output.error] == ["provider", "provider"]


def test_without_the_library_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    for name in [name for name in sys.modules if name.startswith("ragate.systems.mcp.")]:
        if name != "ragate.systems.mcp.settings":
            monkeypatch.delitem(sys.modules, name)
    for name in [name for name in sys.modules if name.partition(".")[0] == "mcp"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "mcp", None)

    with pytest.raises(PluginError) as raised:
        piped(tmp_path, "plain")

    assert install_line("mcp") in str(raised.value)


def test_a_servers_own_schema_is_not_matched_against_its_results(tmp_path: Path):
    output = asked(tmp_path, "hostile", pointers={"answer": "/structured/answer"})[0]

    assert output.answer == "a" * 22 + "b"


def test_a_request_that_the_model_refuses_is_the_tools_failure_and_no_outage(tmp_path: Path):
    refusal = ProviderError("HTTP 400: too many tokens", status=400)
    given = {"chat": lambda _name: Model(refusal)}

    output = asked(tmp_path, "sampled", sampling=SAMPLING, given=given)[0]

    assert "too many tokens" in message(output)


PACKED = gzip.compress(
    b'{"jsonrpc": "2.0", "id": 0, "result": {"x": "' + b" " * 40_000_000 + b'"}}'
)


def test_no_more_of_a_packed_reply_is_unpacked_than_a_reply_may_hold(tmp_path: Path):
    headers = {"content-type": "application/json", "content-encoding": "gzip"}
    with rag_server(lambda _: Sent(headers=headers, body=PACKED)) as server:
        keys = {"url": server.url, "tool": "plain"}
        with pytest.raises(SystemStartError, match="more than 16777216 bytes"):
            ask("mcp", keys, tmp_path, http_hosts=(server.host,))

    assert {request.headers["accept-encoding"] for request in server.requests} == {"identity"}


def test_secrets_of_prepare_and_of_pass_env_come_back_in_no_output(tmp_path: Path):
    command = [sys.executable, "-c", "import os, sys; sys.exit(os.environ['RAG_KEY'])"]
    with rag_server(lambda _: {}) as server:
        step = {"url": server.url, "headers_env": {"Authorization": "LOAD_KEY"}}
        given: dict[str, Any] = {
            "environment": {**os.environ, "LOAD_KEY": "Bearer canary-1", "RAG_KEY": "canary-2"},
            "key_names": frozenset({"LOAD_KEY", "RAG_KEY"}),
            "http_hosts": (server.host,),
            "http_header_env": {server.host: ("LOAD_KEY",)},
        }
        said = [sample_factory(query="canary-1, canary-2")]
        keys: dict[str, Any] = {"prepare": [step], "pass_env": ["RAG_KEY"], "given": given}
        output = piped(tmp_path, "plain", samples=said, **keys)[0]
        keys["prepare"] = [{"command": command}]
        with pytest.raises(SystemStartError) as raised:
            piped(tmp_path, "plain", **keys)

    assert output.answer == "plain ***, ***"
    assert "it last wrote: ***" in raised.value.message


def test_a_server_that_dies_and_leaves_its_output_open_is_started_again(tmp_path: Path):
    command = stdio_server(tmp_path)
    server = tmp_path / "server.py"
    left = "[sys.executable, '-S', '-c', 'import time; time.sleep(60)']"
    leave = f"import subprocess, sys\nsubprocess.Popen({left}, start_new_session=True)\n"
    server.write_text(f"{leave}{server.read_text()}")

    samples = [sample_factory(query="Hi?")]
    settings = {"command": command, "tool": "dies"}
    output = ask("mcp", settings, tmp_path, samples=samples, timeout_s=25.0)[0]

    assert output.answer == "alive again"
