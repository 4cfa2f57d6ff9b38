"""What is cut out of everything that a step prints or publishes."""

from __future__ import annotations

from urllib.parse import urlsplit

from ragate.clients.http.redact import Redactor
from ragate.github.event.inputs import Inputs


def redactor(inputs: Inputs, keys: list[str]) -> Redactor:
    """Return what cuts secrets out of text: the token, addresses with passwords, and keys."""
    addresses = [inputs.database_url.get_secret_value(), inputs.github_proxy.get_secret_value()]
    found = [inputs.github_token.get_secret_value(), *addresses, *map(_password, addresses), *keys]
    return Redactor([one for one in found if one])


def _password(address: str) -> str:
    """Return an address's password with its marks: alone, a short one would cut words apart."""
    password = urlsplit(address).password if "://" in address else ""
    return f":{password}@" if password else ""
