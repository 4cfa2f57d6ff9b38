"""What is cut out of everything that a step prints or publishes."""

from __future__ import annotations

from urllib.parse import urlsplit

from ragate.github.event.inputs import Inputs


def secrets_of(inputs: Inputs) -> list[str]:
    """Return the secrets among the inputs: the token, and addresses with passwords."""
    addresses = [inputs.database_url.get_secret_value(), inputs.github_proxy.get_secret_value()]
    return [inputs.github_token.get_secret_value(), *addresses, *map(_password, addresses)]


def _password(address: str) -> str:
    """Return an address's password with its marks: alone, a short one would cut words apart."""
    password = urlsplit(address).password if "://" in address else ""
    return f":{password}@" if password else ""
