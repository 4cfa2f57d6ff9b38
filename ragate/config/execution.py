"""``[policy.execution]``: what carries calls of tools out, and which of them."""

import re
from typing import Annotated, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, model_validator

from ragate.config.addresses import base_url
from ragate.models import Frozen

_ROUTE = re.compile(r"(?P<method>GET|POST|PUT) (?P<path>/[^\s?#%\\]*)")
_PLACEHOLDER = re.compile(r"\{([^{}/]+)\}")


def _route(value: str) -> str:
    match = _ROUTE.fullmatch(value)
    bare = _PLACEHOLDER.sub("x", match["path"]) if match else ""
    if not match or set(bare) & set("{}") or {".", ".."} & set(bare.split("/")):
        raise ValueError("write a method and a path: GET /weather/{city}, POST /bookings")
    return value


class Execution(Frozen):
    """``[policy.execution]``: what carries calls of tools out; without the table nothing does.

    Attributes:
        url: Of ``http``: the address that every path follows.
        tools: Of ``http``: by tool, its method and path, such as ``GET /weather/{city}``; no other
            tool is called. Arguments beside the path go into the query, or into a JSON body.
        headers_env: Of ``http``: by header, the variable that holds its value.
        target: Of ``python``: ``my.module:function``, called with a tool's name and its arguments.
        timeout_s: Seconds for one call.
        most_calls: Of one sample; what is beyond is not carried out.
    """

    use: str = Field(pattern="^(http|python)$")
    url: Annotated[str, AfterValidator(lambda value: value and base_url(value))] = ""
    tools: dict[str, Annotated[str, AfterValidator(_route)]] = {}
    headers_env: dict[str, Annotated[str, Field(pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]] = {}
    target: str = ""
    timeout_s: float = Field(default=10.0, gt=0, le=600)
    most_calls: int = Field(default=20, ge=1, le=1000)

    @model_validator(mode="after")
    def _whole(self) -> Self:
        of_http, of_python = bool(self.url and self.tools), bool(self.target)
        if self.use == "http" and (not of_http or self.target):
            raise ValueError("use = http needs url and tools, and has no target")
        if self.use == "python" and (not of_python or self.url or self.tools or self.headers_env):
            raise ValueError("use = python needs target, and has no url, tools or headers_env")
        return self

    @property
    def host(self) -> str:
        """Return the only host that is called, with its port where the address has one."""
        return urlsplit(self.url).netloc.lower()

    def route(self, tool: str) -> tuple[str, str] | None:
        """Return a tool's method and path, None for one that may not be called."""
        method, _, path = self.tools.get(tool, "").partition(" ")
        return (method, path) if path else None


def placeholders(path: str) -> list[str]:
    """Return the arguments that stand in a path."""
    return _PLACEHOLDER.findall(path)
