"""The keys of one step that brings a service up to date: ``[[system.prepare]]``."""

import re
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from ragate.models import Frozen
from ragate.outputs.pointed import Pointer

DOCUMENT_BODY = '{"id": {{ id | tojson }}, "text": {{ text | tojson }}}'


_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_OURS = frozenset({"host", "content-length", "transfer-encoding", "connection", "accept-encoding"})


_SECRET = frozenset({"authorization", "proxy-authorization", "cookie", "x-api-key", "api-key"})


def _headers(value: dict[str, str]) -> dict[str, str]:
    for name, text in value.items():
        if not _NAME.fullmatch(name) or name.lower() in _OURS:
            raise ValueError(f"{name!r} is no header that can be set")
        if not text.isascii() or not text.isprintable():
            raise ValueError(f"the value of {name!r} has a character that no header takes")
    return value


def _public(value: dict[str, str]) -> dict[str, str]:
    for name in value:
        if name.lower() in _SECRET:
            raise ValueError(
                f"{name} holds a secret, and this file is in git: name a variable instead, "
                f'headers_env = {{{name} = "RAG_TOKEN"}}, and allow it below [policy]: '
                "docs/system-http.md#keys"
            )
    return value


Headers = Annotated[dict[str, str], AfterValidator(_headers)]
PlainHeaders = Annotated[Headers, AfterValidator(_public)]


class PrepareStep(Frozen):
    """One step: a command, requests, or a request that is repeated until something holds.

    Attributes:
        command: A program and its arguments, which ends when its work is done.
        documents: Glob patterns of files: one request for each, whose `body` knows ``id``, ``path``
            and ``text``.
        relative_to: Folder below which a document's id is its path.
        until_pointer, until_equals: The request is repeated until that place of its reply's JSON
            holds that value.
        every_s: Seconds between two such requests.
        timeout_s: Seconds for the whole step.
    """

    command: tuple[str, ...] = ()
    url: str = ""
    method: Literal["POST", "GET", "PUT"] = "POST"
    headers: PlainHeaders = {}
    headers_env: Headers = {}
    documents: tuple[str, ...] = ()
    relative_to: str = ""
    body: str = ""
    until_pointer: Pointer = ""
    until_equals: bool | int | float | str | None = None
    every_s: float = Field(default=1.0, gt=0)
    timeout_s: float = Field(default=300.0, gt=0)

    @model_validator(mode="after")
    def _is_one_step(self) -> Self:
        if bool(self.command) == bool(self.url):
            raise ValueError("a step is a command, or a url: give one of the two")
        of_request = {"method", "headers", "headers_env", "documents", "body", "until_pointer"}
        if self.command and (given := sorted(of_request & self.model_fields_set)):
            raise ValueError(f"{given[0]} belongs to a step with a url")
        if bool(self.until_pointer) != (self.until_equals is not None):
            raise ValueError("until_pointer and until_equals belong together")
        if self.documents and (self.method == "GET" or self.until_pointer):
            raise ValueError("documents are sent with POST or PUT, and waited for in a step after")
        if self.method == "GET" and self.body:
            raise ValueError("GET sends no body")
        if self.relative_to and not self.documents:
            raise ValueError("relative_to needs documents")
        return self
