"""The keys of ``[system]`` for ``use = "http"``."""

import re
from typing import ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator

from ragate.models import Frozen
from ragate.outputs.pointed import Pointer, Pointers
from ragate.systems._foreign import ForeignSettings

_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
BODY = '{"id": {{ id | tojson }}, "query": {{ query | tojson }}}'
CHAT_BODY = f'{BODY[:-1]}, "messages": {{{{ messages | tojson }}}}}}'
_OURS = frozenset({"host", "content-length", "transfer-encoding", "connection", "accept-encoding"})


class Streaming(Frozen):
    """``[system.stream]``: a reply that comes in events.

    Attributes:
        format: How events are told apart: server-sent events, JSON lines, or none at all; "" where
            the reply comes in one piece.
        answer_events: Kinds of events whose text counts; none given, all count.
        end: What ends the stream, and has to: data, a kind of event, or a pointer to a true.
        idle_timeout_s: Seconds without anything after the first part.
    """

    format: Literal["", "sse", "ndjson", "text"] = ""
    answer_events: tuple[str, ...] = ()
    end: tuple[str, ...] = ()
    idle_timeout_s: float = Field(default=30.0, gt=0)


class Settings(ForeignSettings):
    """``[system]``.

    Attributes:
        url: The address that is asked; or `url_env`, the variable that holds it.
        headers_env: By header, the variable that holds its whole value; the policy's
            ``http_header_env`` says which may go to which host.
        params, body: Jinja templates that know ``query``, ``id``, ``metadata``
            and ``messages``, the earlier turns; where no body is given, it has these only where the
            sample has any.
        start: A program that serves, started before the first question and ended after the last.
        health: Asked until it answers with success.
        record_header: The service hands the header ``x-ragate-sample`` of a question on to each of
            its recorded requests.
        version_header, version_pointer: Where a reply says which commit it was built from.
        version_url: Where that stands, if not in every answer; asked once.
    """

    later_keys: ClassVar[frozenset[str]] = frozenset({"stream"})

    url: str = ""
    url_env: str = ""
    method: Literal["POST", "GET", "PUT"] = "POST"
    headers: dict[str, str] = {}
    headers_env: dict[str, str] = {}
    params: dict[str, str] = {}
    body: str = BODY
    pointers: Pointers = Pointers()
    stream: Streaming = Streaming()
    start: tuple[str, ...] = ()
    health: str = ""
    start_timeout_s: float = Field(default=60.0, gt=0)
    pass_env: tuple[str, ...] = ()
    record_header: bool = False
    version_header: str = ""
    version_pointer: Pointer = ""
    version_url: str = ""

    @field_validator("headers", "headers_env")
    @classmethod
    def _are_headers(cls, value: dict[str, str]) -> dict[str, str]:
        for name, text in value.items():
            if not _NAME.fullmatch(name) or name.lower() in _OURS:
                raise ValueError(f"{name!r} is no header that can be set")
            if not text.isascii() or not text.isprintable():
                raise ValueError(f"the value of {name!r} has a character that no header takes")
        return value

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if bool(self.url) == bool(self.url_env):
            raise ValueError("give url, or url_env with the variable that holds the address")
        if self.start and not self.health:
            raise ValueError("start needs health, the address that says when it is up")
        if self.record and not self.start:
            raise ValueError("record needs start: a service that runs already calls its own model")
        self._check_stream()
        if self.version_header and self.version_pointer:
            raise ValueError("give version_header or version_pointer, not both")
        if self.version_url and not self.demands_version:
            raise ValueError("version_url needs version_header or version_pointer")
        return self

    def _check_stream(self) -> None:
        stream = self.stream
        if not stream.format and stream != Streaming():
            raise ValueError('stream needs format = "sse", "ndjson" or "text"')
        if stream.format == "text":
            if not self.pointers.empty:
                raise ValueError('stream format "text" is an answer alone: pointers lead nowhere')
            if stream.answer_events or stream.end:
                raise ValueError('stream format "text" has no events: it ends where it is closed')
        if stream.format and self.version_pointer and not self.version_url:
            raise ValueError("a stream names its build in version_header, or at version_url")

    @property
    def demands_version(self) -> bool:
        """True where the service must be the build of the head commit."""
        return bool(self.version_header or self.version_pointer)
