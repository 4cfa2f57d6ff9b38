"""What the policy and the environment give to a request: keys, an address, and the wanted build."""

from __future__ import annotations

import re
from typing import Any

from ragate.errors import ConfigError, ProviderError
from ragate.protocols import Resources
from ragate.systems._http_settings import Settings

_SHORT_SHA = re.compile(r"[0-9a-f]{7,64}")


def is_commit(found: Any, head: str) -> bool:
    """Whether `found` is the commit `head`, whole or its first 7 digits or more."""
    text = found.strip().lower() if isinstance(found, str) else ""
    return bool(_SHORT_SHA.fullmatch(text)) and head.startswith(text)


def header_secrets(settings: Settings, resources: Resources, *, rule: str) -> dict[str, str]:
    """Return the headers whose values are in variables.

    Args:
        rule: The entry of ``http_hosts`` that allows the host.

    Raises:
        ConfigError: the policy does not let this variable go to this host.
        ProviderError: the variable is not set.
    """
    allowed = resources.http_header_env.get(rule, ())
    found: dict[str, str] = {}
    for header, name in settings.headers_env.items():
        if name not in allowed:
            raise ConfigError(
                f"[system] headers_env: the variable {name!r} may not be sent to {rule}",
                remedy=f'add it to the policy: [policy.http_header_env] "{rule}" = ["{name}"] (in '
                "CI the base branch's policy counts)",
            )
        value = resources.environment.get(name, "").strip()
        if not value:
            raise ProviderError(
                f"[system] headers_env: the environment variable {name} is not set",
                remedy=f"set {name} to the whole value of the header {header}",
            )
        if not value.isascii() or not value.isprintable():
            raise ConfigError(f"[system] headers_env: the value of {name} fits no header")
        found[header] = value
    return found


def address_in(name: str, resources: Resources) -> str:
    value = "" if name in resources.key_names else resources.environment.get(name, "").strip()
    if not value:
        raise ConfigError(
            f"[system] url_env: the environment variable {name} holds no address",
            remedy=f"set {name} in the step that knows where the service is",
        )
    return value
