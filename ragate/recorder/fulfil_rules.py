"""What a pending request may ask for: it was written by whoever wrote the change under test."""

import json
from collections.abc import Collection, Mapping
from typing import Any

from ragate.config import Provider
from ragate.recorder.proxy.request_identity import Endpoint
from ragate.recorder.proxy.unanswered import UnansweredRequest
from ragate.support.settings import shown

MAX_BYTES = 1024**2
MAX_TOKENS = 32_768
MAX_CHOICES = 8
MAX_TEXTS = 2048
_SAMPLING = {"model", "temperature", "top_p", "tools", "tool_choice", "parallel_tool_calls"}
# Everything else is refused: stored prompts, conversations, files, web search, priority service.
_ALLOWED: dict[Endpoint, set[str]] = {
    Endpoint.CHAT: _SAMPLING
    | {"messages", "n", "seed", "stop", "max_tokens", "max_completion_tokens", "logprobs"}
    | {"presence_penalty", "frequency_penalty", "logit_bias", "top_logprobs", "response_format"}
    | {"reasoning_effort", "verbosity"},
    Endpoint.RESPONSES: _SAMPLING
    | {"input", "instructions", "max_output_tokens", "text", "reasoning", "truncation"},
    Endpoint.EMBEDDINGS: {"model", "input", "dimensions"},
}
_LIMITS = {
    "n": MAX_CHOICES,
    "max_tokens": MAX_TOKENS,
    "max_completion_tokens": MAX_TOKENS,
    "max_output_tokens": MAX_TOKENS,
}
_PARTS = frozenset(
    {"text", "input_text", "output_text", "refusal", "message", "reasoning", "summary_text"}
    | {"function", "function_call", "function_call_output", "image_url", "input_image"}
)
# They name things that the provider keeps or would fetch for the holder of the key.
_REFERENCES = frozenset({"file_id", "file_url", "file_data", "file", "input_audio", "audio"})


def why_refused(
    pending: UnansweredRequest, providers: Mapping[str, Provider], models: Collection[str]
) -> str:
    """Return why a request is not sent, "" where it may be.

    Args:
        models: Those of the baseline's requests; a provider's own list in the policy wins.
    """
    provider = providers.get(pending.provider)
    if provider is None:
        return f"provider {shown(pending.provider)} is not in [policy.providers]"
    request = pending.request
    if request.model not in (provider.models or models):
        return (
            f"model {shown(request.model)} is none of the baseline's requests, nor in "
            f"[policy.providers.{pending.provider}] models"
        )
    body = request.content
    if len(json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")) > MAX_BYTES:
        return f"more than {MAX_BYTES} bytes"
    return _why_parameters(request.kind, pending.request.body) or _why_content(request.kind, body)


def _why_parameters(kind: Endpoint, body: Mapping[str, Any]) -> str:
    if unknown := sorted(set(body) - _ALLOWED[kind]):
        return f"{shown(unknown[0])} is not allowed in a pending request"
    for name, most in _LIMITS.items():
        value = body.get(name)
        if value is not None and not (type(value) is int and 1 <= value <= most):
            return f"{name} = {shown(value)}: at most {most}"
    tools = body.get("tools") or []
    listed = isinstance(tools, list) and all(isinstance(tool, dict) for tool in tools)
    if not listed or any(tool.get("type") != "function" for tool in tools):
        return "a tool that is no function"
    choice = body.get("tool_choice")
    if isinstance(choice, dict) and choice.get("type") != "function":
        return "a tool that is no function"
    return ""


def _why_content(kind: Endpoint, body: Mapping[str, Any]) -> str:
    if kind is Endpoint.EMBEDDINGS:
        texts = body["input"]
        many = isinstance(texts, list) and len(texts) > MAX_TEXTS
        return f"more than {MAX_TEXTS} texts" if many else ""
    content = body["messages"] if kind is Endpoint.CHAT else body["input"]
    return _why_part(content)


def _why_part(part: Any) -> str:
    """Return why a message, or a part of one, is more than text and pictures of its own."""
    if isinstance(part, list):
        return next((why for item in part if (why := _why_part(item))), "")
    if not isinstance(part, dict):
        return ""
    if named := _REFERENCES & part.keys():
        return f"{shown(min(named))} in a message"
    kind = part.get("type", "message" if "role" in part else None)
    if kind not in _PARTS:
        return f"a part of type {shown(kind)} in a message"
    picture = part.get("image_url")
    url = picture.get("url") if isinstance(picture, dict) else picture
    if picture is not None and not (isinstance(url, str) and url.startswith("data:")):
        return "a picture that the provider would fetch"
    nested = (part.get(name) for name in ("content", "tool_calls", "output", "summary"))
    return next((why for item in nested if (why := _why_part(item))), "")
