"""The keys of ``[system]`` for ``use = "http"``."""

import re
from typing import Annotated, ClassVar, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from ragate.models import Frozen
from ragate.outputs.pointed import Pointer, Pointers
from ragate.systems._foreign import ForeignSettings
from ragate.version import MANUAL

DOCUMENT_BODY = '{"id": {{ id | tojson }}, "text": {{ text | tojson }}}'
_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_OURS = frozenset({"host", "content-length", "transfer-encoding", "connection", "accept-encoding"})
_SECRET = frozenset({"authorization", "proxy-authorization", "cookie", "x-api-key", "api-key"})
BODY = '{"id": {{ id | tojson }}, "query": {{ query | tojson }}}'
CHAT_BODY = f'{BODY[:-1]}, "messages": {{{{ messages | tojson }}}}}}'


class Streaming(Frozen):
    """A reply that comes in events: [Streams](system-http.md).

    A stream that does not end in 95 % of `RAGATE_TIMEOUT_S`, pauses for too long, breaks off before
    its `end`, or is larger than 16 MiB or 100,000 events fails its sample, with what to set. A half
    answer is never scored.

    Attributes:
        format: Server-sent events (`sse`), a JSON object a line (`ndjson`), or bare text; empty: no
            stream.
        answer_events: Kinds of events whose text counts: their `event:`, else the field `type` or
            `event`; empty: all.
        end: What ends the stream, and must come: the whole data of an event, its kind, or a pointer
            that leads to `true`; empty: `[DONE]`, `event: end`, or the end of the reply.
    """

    format: Literal["", "sse", "ndjson", "text"] = ""
    answer_events: tuple[str, ...] = ()
    end: tuple[str, ...] = ()


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
                f"{MANUAL}/system-http.md#keys"
            )
    return value


Headers = Annotated[dict[str, str], AfterValidator(_headers)]
PlainHeaders = Annotated[Headers, AfterValidator(_public)]


class PrepareStep(Frozen):
    """One step before the first question: a `command`, or a request to a `url`, which may be
    repeated until something holds. Hosts, methods and paths must be those of the policy. As many
    documents are sent at once as `RAGATE_CONCURRENCY` says (8).

    Attributes:
        command: A program and its arguments, run in the folder of ragate.toml; no shell reads them.
        url: Where the request goes.
        method: GET sends no body.
        headers: Headers with fixed values.
        headers_env: Headers whose whole value is in a variable, which [the policy
            binds](system-http.md) to the host.
        documents: Patterns of files of the project: one request for each.
        relative_to: Folder below which a document's `id` is its path: give documents the ids that
            your golden set's `relevant` uses.
        body: A template that knows `id`, `path` and `text` of a document; empty: `{"id": …, "text":
            …}`, and no body without documents.
        until_pointer: The request is repeated until this place of its reply's JSON holds
            `until_equals`.
        until_equals: That value, of the same kind: `0` is not `false`.
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


class Settings(ForeignSettings):
    """A service that answers over HTTP: [A service](system-http.md).

    Attributes:
        url: What is asked; this or `url_env` must be given.
        url_env: The variable that holds the address, for a preview deployment.
        method: GET sends no body.
        headers: Headers with fixed values.
        headers_env: By header, the variable that holds its whole value; the policy's
            `http_header_env` says which may go to which host.
        params: Query parameters, each a Jinja template that knows `query`, `id`, `metadata` and
            `messages` (the earlier turns).
        body: A template of the body, which knows the same; by default JSON with `id` and `query`,
            and `messages` where the sample has any.
        pointers: Where the parts of the reply are.
        stream: How a reply that comes in events is read.
        prepare: Steps that load a corpus into the service, taken before the first question.
        start: A program that serves, and its arguments, started before the first question and ended
            after the last.
        health: An address, asked until it answers with success; empty: `start` waits until
            something listens at `url`.
        start_timeout_s: Seconds for that.
        pass_env: Of `start`: the variables with secrets that the program needs all the same, as for
            [`command`](system-command.md).
        doc_id_relative_to: Where the ids are paths: the folder that they are told relative to.
        record_header: The service hands the header `x-ragate-sample` of a question on to each of
            its recorded requests.
        version_header: The reply's header that holds the commit of the build.
        version_pointer: Or its place in the reply's JSON.
        version_url: The address where the version stands, if not in every answer; asked once.
    """

    later_keys: ClassVar[frozenset[str]] = frozenset({"stream", "prepare", "doc_id_relative_to"})

    url: str = ""
    url_env: str = ""
    method: Literal["POST", "GET", "PUT"] = "POST"
    headers: PlainHeaders = {}
    headers_env: Headers = {}
    params: dict[str, str] = {}
    body: str = BODY
    pointers: Pointers = Pointers()
    doc_id_relative_to: str = ""
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
        if "{" in self.url:
            raise ValueError(
                f"{self.url!r} is asked as it is, braces too: a service that takes the question in "
                'its address is called by a function of yours, use = "python"'
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
