"""What may be asked on a pull request's behalf."""

from __future__ import annotations

from typing import Any

import pytest

from ragate.config import Provider
from ragate.contrib.recorder.fulfil_pending import why_refused
from ragate.contrib.recorder.proxy.request_identity import Endpoint
from tests.contrib.recorder.pending_factories import pending

PROVIDERS = {"openai": Provider(base_url="https://api.openai.com/v1")}


OWN_LIST = {"openai": Provider(base_url="https://api.openai.com/v1", models=("n",))}


def said(*parts: dict[str, Any], role: str = "user") -> list[dict[str, Any]]:
    return [{"role": role, "content": list(parts)}]


def picture(url: Any) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": url}}


CALL = {"id": "a", "type": "function", "function": {"name": "f", "arguments": "{}"}}


TOOL = {"name": "f", "parameters": {"properties": {"file_id": {}}}}


@pytest.mark.parametrize(
    "one",
    [
        pending(),
        pending(temperature=0, max_tokens=500, seed=1, n=3),
        pending(tools=[{"type": "function", "function": TOOL}]),
        pending(messages=said({"type": "text", "text": "a"}, picture("data:image/png;base64,AA"))),
        pending(messages=[{"role": "assistant", "content": None, "tool_calls": [CALL]}]),
        pending(messages=[{"role": "tool", "tool_call_id": "a", "content": "x"}]),
        pending(Endpoint.RESPONSES, instructions="Be short."),
        pending(Endpoint.RESPONSES, input=said({"type": "input_text", "text": "a"})),
        pending(Endpoint.EMBEDDINGS, input=["a", "b"], dimensions=256),
    ],
)
def test_text_functions_and_pictures_of_its_own_may_be_asked(one):
    assert why_refused(one, PROVIDERS, {"m"}) == ""


@pytest.mark.parametrize(
    ("one", "says"),
    [
        (pending(provider="other"), "not in [policy.providers]"),
        (pending(model="gpt-9-pro"), "none of the baseline's requests"),
        (pending(messages=[{"role": "user", "content": "x" * 2_000_000}]), "more than"),
        (pending(max_tokens=10**9), "max_tokens"),
        (pending(max_completion_tokens=-1), "max_completion_tokens"),
        (pending(max_tokens="9"), "max_tokens"),
        (pending(n=128), "n = 128"),
        (pending(web_search_options={}), "web_search_options"),
        (pending(service_tier="priority"), "service_tier"),
        (pending(store=True), "store"),
        (pending(tools=[{"type": "web_search"}]), "no function"),
        (pending(tools={"type": "function"}), "no function"),
        (pending(tool_choice={"type": "mcp"}), "no function"),
        (pending(Endpoint.RESPONSES, previous_response_id="resp_1"), "previous_response_id"),
        (pending(Endpoint.RESPONSES, conversation="conv_1"), "conversation"),
        (pending(Endpoint.RESPONSES, prompt={"id": "pmpt_1"}), "prompt"),
        (pending(Endpoint.RESPONSES, tools=[{"type": "file_search"}]), "no function"),
        (
            pending(Endpoint.RESPONSES, tools=[{"type": "mcp", "server_url": "http://x"}]),
            "no function",
        ),
        (
            pending(Endpoint.RESPONSES, input=[{"type": "item_reference", "id": "m1"}]),
            "item_reference",
        ),
        (pending(Endpoint.RESPONSES, input=[{"id": "m1"}]), "None"),
        (
            pending(Endpoint.RESPONSES, input=said({"type": "input_file", "file_id": "f"})),
            "file_id",
        ),
        (pending(messages=said({"type": "file", "file": {"file_id": "f"}})), "file"),
        (pending(messages=said(picture("http://10.0.0.1/x"))), "fetch"),
        (pending(messages=said(picture(None))), "fetch"),
        (pending(messages=said({"type": "wall"}, role="tool")), "wall"),
        (pending(Endpoint.EMBEDDINGS, input=["a"] * 3000), "2048"),
    ],
)  # fmt: skip
def test_nothing_else_is_sent(one, says):
    assert says in why_refused(one, PROVIDERS, {"m"})


def test_a_list_in_the_policy_wins_over_the_baselines_models():
    assert "none of" in why_refused(pending(), OWN_LIST, {"m"})
    assert why_refused(pending(model="n"), OWN_LIST, {"m"}) == ""
    assert "none of" in why_refused(pending(), PROVIDERS, set())
