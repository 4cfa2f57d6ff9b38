"""What families of models refuse, as their provider has published it, in the words of its server.

https://platform.openai.com/docs/guides/reasoning and the reference of chat completions.
"""

from __future__ import annotations

import json
import re
from typing import Any

from tests.servers.faults import Fault

_REASONS = re.compile(r"(gpt-5|o1|o3|o4)(?![.\w]*chat)")
_ONLY_ONE = {"temperature": 1, "top_p": 1, "n": 1, "presence_penalty": 0, "frequency_penalty": 0}
_NEVER = ("logprobs", "top_logprobs", "logit_bias")


def refuses(body: dict[str, Any]) -> Fault | None:
    """Return the refusal of a request that its model does not take, None where it does."""
    if not _REASONS.match(str(body.get("model", ""))):
        return None
    if "max_tokens" in body:
        return _refusal(
            "max_tokens",
            "unsupported_parameter",
            "Unsupported parameter: 'max_tokens' is not supported with this model. "
            "Use 'max_completion_tokens' instead.",
        )
    for name, only in _ONLY_ONE.items():
        if body.get(name, only) != only:
            return _refusal(
                name,
                "unsupported_value",
                f"Unsupported value: '{name}' does not support {body[name]} with this model. "
                f"Only the default ({only}) value is supported.",
            )
    for name in _NEVER:
        if name in body:
            return _refusal(
                name,
                "unsupported_parameter",
                f"Unsupported parameter: '{name}' is not supported with this model.",
            )
    return None


def _refusal(name: str, code: str, message: str) -> Fault:
    error = {"message": message, "type": "invalid_request_error", "param": name, "code": code}
    return 400, {"content-type": "application/json"}, json.dumps({"error": error})
