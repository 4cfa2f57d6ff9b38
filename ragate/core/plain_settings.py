"""Settings of a system that tell nothing of its texts: numbers, switches and names of models.

What is plain is named, not what is secret: addresses, templates, prompts, headers, connection
strings and whatever a plugin of somebody else takes are not.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

_NAME = re.compile(r"[^\W\d][\w-]{0,39}(\.[^\W\d][\w-]{0,39}){0,5}")
# One colon for a tag, slashes for an owner: `llama3.2:1b`, `cross-encoder/ms-marco`; no address.
_MODEL = re.compile(r"(?!.*//)[A-Za-z0-9][\w.+/-]{0,99}(:[\w.-]{1,40})?", re.ASCII)
# Even a number below one of these may be a secret, or stand in a request.
_NEVER = re.compile(
    r"(.*[._-])?(arguments|auth|body|code|credentials|dsn|env|headers?|(api)?key|params|pass\w*|pin|"
    r"pw|pwd|secrets?|token)([._-].*)?",
    re.IGNORECASE,
)
UNSET = "unset"
_LONGEST = 40


def json_by_key(table: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, str]]:
    """Yield each single value of a table that is set, as JSON, with its dotted key."""
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from json_by_key(value, f"{above}{key}.")
        elif value is not None:
            text = json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)  # days
            yield f"{above}{key}", text


def plain_settings(settings: Mapping[str, str]) -> dict[str, str]:
    """Return the settings that are plain.

    Args:
        settings: JSON by dotted key.
    """
    return {key: value for key, value in settings.items() if is_plain(key, value)}


def is_plain(key: str, value: str) -> bool:
    """Return whether a value, as JSON, tells nothing but a number, yes or no, or a model."""
    if not is_open(key):
        return False
    try:
        read = json.loads(value)
    except ValueError:
        return False
    if isinstance(read, str):
        last = key.rpartition(".")[2]
        return (last == "model" or last.endswith("_model")) and bool(_MODEL.fullmatch(read))
    return isinstance(read, bool | int | float)


def is_open(key: str) -> bool:
    """Return whether a dotted key is an ordinary name, and of nothing that is kept secret."""
    return bool(_NAME.fullmatch(key)) and not _NEVER.fullmatch(key)


def setting_change(key: str, before: str, after: str) -> str:
    """Return in words how a setting differs: ``top_k 10 -> 1``."""
    return f"{shortened(key)} {shortened(before)} -> {shortened(after)}"


def shortened(text: str) -> str:
    """Return the text on one line, cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
