"""The keys of ``[system]`` for ``use = "http"``."""

from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from ragate.outputs.pointed import Pointer, Pointers
from ragate.systems._foreign import ForeignSettings
from ragate.systems.http.prepare_step import Headers, PlainHeaders, PrepareStep
from ragate.systems.http.streams.settings import Streaming

BODY = '{"id": {{ id | tojson }}, "query": {{ query | tojson }}}'
CHAT_BODY = f'{BODY[:-1]}, "messages": {{{{ messages | tojson }}}}}}'


class Settings(ForeignSettings):
    """``[system]``.

    Attributes:
        url: The address that is asked; or `url_env`, the variable that holds it.
        headers_env: By header, the variable that holds its whole value; the policy's
            ``http_header_env`` says which may go to which host.
        params, body: Jinja templates that know ``query``, ``id``, ``metadata``
            and ``messages``, the earlier turns; where no body is given, it has these only where the
            sample has any.
        prepare: Steps that load a corpus into the service, taken before the first question.
        start: A program that serves, started before the first question and ended after the last.
        health: Asked until it answers with success.
        record_header: The service hands the header ``x-ragate-sample`` of a question on to each of
            its recorded requests.
        version_header, version_pointer: Where a reply says which commit it was built from.
        version_url: Where that stands, if not in every answer; asked once.
    """

    later_keys: ClassVar[frozenset[str]] = frozenset({"stream", "prepare"})

    url: str = ""
    url_env: str = ""
    method: Literal["POST", "GET", "PUT"] = "POST"
    headers: PlainHeaders = {}
    headers_env: Headers = {}
    params: dict[str, str] = {}
    body: str = BODY
    pointers: Pointers = Pointers()
    stream: Streaming = Streaming()
    prepare: tuple[PrepareStep, ...] = ()
    start: tuple[str, ...] = ()
    health: str = ""
    start_timeout_s: float = Field(default=60.0, gt=0)
    pass_env: tuple[str, ...] = ()
    record_header: bool = False
    version_header: str = ""
    version_pointer: Pointer = ""
    version_url: str = ""

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if bool(self.url) == bool(self.url_env):
            raise ValueError("give url, or url_env with the variable that holds the address")
        if self.start and not self.health:
            raise ValueError(
                "start needs health, an address that answers when it is up: "
                'health = "http://127.0.0.1:8000/health"'
            )
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
    def loaded(self) -> tuple[str, ...]:
        """Documents that are sent to the service before the first question."""
        return tuple(pattern for step in self.prepare for pattern in step.documents)

    @property
    def demands_version(self) -> bool:
        """True where the service must be the build of the head commit."""
        return bool(self.version_header or self.version_pointer)
