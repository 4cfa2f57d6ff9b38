"""A header that a service wants with each request, and how a configuration sends it."""

import re
from dataclasses import dataclass, replace

from ragate.cli.detect.found_system import FoundSystem

# Headers that let somebody in; others say what is wanted.
LETS_IN = re.compile(r"auth|api[-_]?key|token|secret|password", re.I)


@dataclass(frozen=True)
class WantedHeader:
    """A header and the form of its value.

    Attributes:
        scheme: What stands before the key: ``Bearer``, ``Basic``; "" for the key alone.
    """

    name: str
    scheme: str = ""

    @property
    def variable(self) -> str:
        """The variable that is to hold the whole value."""
        word = re.sub(r"\W", "_", self.name.upper()).removeprefix("X_")
        return word if word.startswith("RAG_") else f"RAG_{word}"

    @property
    def example(self) -> str:
        """How the variable is set, without a value."""
        shown = {"": "…", "Basic": "Basic <base64 of user:password>"}
        return f'{self.variable}="{shown.get(self.scheme, f"{self.scheme} …")}"'


def header_of(name: str, *, hint: str = "") -> WantedHeader:
    """Return a header by its name, which code may write in any case.

    Args:
        hint: Text beside it, which may name the scheme.
    """
    spelt = "-".join(part.capitalize() for part in re.split(r"[-_]", name))
    spelt = spelt.replace("Api-Key", "API-Key")
    if spelt != "Authorization":
        return WantedHeader(spelt)
    return WantedHeader(spelt, "Basic" if "basic" in hint.lower() else "Bearer")


def with_headers(found: FoundSystem, headers: list[WantedHeader]) -> FoundSystem:
    """Return a service with what sends these headers: variables by name, never a value."""
    hosts = found.policy.get("http_hosts")
    if not headers or not hosts:
        return found
    sent = {header.name: header.variable for header in headers}
    told = " and ".join(dict.fromkeys(header.example for header in headers))
    # A service that the job starts is told in the job itself which key it takes.
    own = "start" in found.settings
    where = "here and in CI (a key made up for tests)" if own else "here and as a secret in CI"
    unsure = f"it wants {' and '.join(sent)}: set {told}, {where}"
    return replace(
        found,
        settings={**found.settings, "headers_env": sent},
        policy={**found.policy, "http_header_env": {hosts[0]: sorted(set(sent.values()))}},
        unsure=(*found.unsure, unsure),
    )
