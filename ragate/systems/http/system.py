"""A service over HTTP as the system under test; see docs/system-http.md.

It is started for the run where that is wanted, and waited for.
"""

import asyncio
import json
import time
from dataclasses import dataclass
from typing import Any

from ragate.errors import SystemMismatchError, SystemStartError
from ragate.files.pointer import PointerError, one
from ragate.guards.escape import one_line
from ragate.models import Sample, SystemOutput
from ragate.protocols import Resources
from ragate.repository.git import head_commit
from ragate.systems._foreign import Foreign, note
from ragate.systems._output import (
    LONGEST,
    OutputError,
    failed,
    pointed_reply,
    relative_chunks,
    to_output,
    unanswered,
    wanted,
)
from ragate.systems._process import Child, Programs
from ragate.systems.http.address import place_of
from ragate.systems.http.client import (
    BadReplyError,
    HttpClient,
    RawReply,
    UnavailableError,
    UnreachableError,
)
from ragate.systems.http.policy import Hidden, address_in, check_request, header_secrets, is_commit
from ragate.systems.http.prepare import Preparation
from ragate.systems.http.requests import SampleRequests
from ragate.systems.http.settings import Settings
from ragate.systems.http.stream import EventStream, StreamReader, check_complete, unfinished

_POLL_S = 0.1
_BY_HAND = "run the command yourself in the folder of ragate.toml: it has to stay up"
_LISTENS = (
    "something listens there and is not ready: raise start_timeout_s, or let health name a page "
    "that answers with 200"
)
_WHO = "the service"
IDLE_S = 30.0  # in which nothing may come of a stream, after its first part
_OWN_SHARE = 0.95  # of the time of a sample: what is told then names the stream


class Service:
    """The service that is asked; its process is ours only where ``start`` says how to make it."""

    def __init__(
        self,
        settings: Settings,
        client: HttpClient,
        hidden: Hidden,
        programs: Programs,
        *,
        url: str,
        key: str,
    ) -> None:
        self._settings = settings
        self._client = client
        self._hidden = hidden
        self._programs = programs
        self._url = url
        self._key = key
        self._child: Child | None = None

    async def come_up(self) -> None:
        """Start the service where that is wanted, and wait until its health page answers.

        Where it has none, wait until something listens at its address.

        Raises:
            SystemStartError: it does not come up, or something else answers there already.
        """
        if self._settings.start and self._child is None:
            self._child = await self._start()
        if self._settings.health or self._child is not None:
            await self._wait()

    async def stop(self) -> None:
        """End the service with all that it started."""
        child, self._child = self._child, None
        if child is not None:
            await child.stop()

    def explained(self, message: str) -> str:
        """Return the message, with the last lines that our process wrote."""
        if self._child is None:
            return message
        return f"{message}{self._hidden.clean(self._child.tail.told(), LONGEST)}"

    async def _start(self) -> Child:
        argv = self._settings.start
        if not isinstance(await self._fault(), UnreachableError):
            raise SystemStartError(
                f"[system] start: {self._settings.health or self._url} answers already, before "
                f"{argv[0]!r} is started",
                remedy="end the service that runs there, which is another build, or remove start",
            )
        return await self._programs.start(argv, key="start")

    async def _fault(self) -> Exception | None:
        """Ask the page that says it is up, or connect; return what is wrong, None for nothing."""
        try:
            if self._settings.health:
                await self._client.send("GET", self._settings.health, key="health")
            else:
                await self._client.connect(self._url, key=self._key)
        except (UnreachableError, BadReplyError) as error:
            return error
        return None

    async def _wait(self) -> None:
        settings, fault = self._settings, None
        try:
            async with asyncio.timeout(settings.start_timeout_s):
                while True:
                    if self._child is not None and self._child.ended:
                        why = self._hidden.clean(await self._child.why(), LONGEST)
                        raise SystemStartError(
                            f"[system] start: {settings.start[0]!r} {why}", remedy=_BY_HAND
                        )
                    fault = await self._fault()
                    if fault is None:
                        return
                    await asyncio.sleep(_POLL_S)
        except TimeoutError as error:
            listens = isinstance(fault, BadReplyError)
            raise SystemStartError(
                self.explained(
                    f"[system] {'health' if settings.health else 'start'}: no success in "
                    f"{settings.start_timeout_s:g} s: {fault or 'nothing'}"
                ),
                remedy=_LISTENS if listens else self._nothing_listens(),
            ) from error

    def _nothing_listens(self) -> str:
        """Return what to do where no connection came about: more time would hardly help."""
        if self._child is None:
            return "start the service before ragate, or let [system] start do it; check the address"
        where = "the address of health" if self._settings.health else "the address"
        return (
            f"the program runs, and nothing listens at {where}: compare its port and "
            "host with what the program says that it listens on; start_timeout_s gives it longer"
        )


class HttpSystem(Foreign):
    """Asks one address, once for each sample."""

    def __init__(self, settings: Settings, resources: Resources) -> None:
        super().__init__("http", settings, resources.root)
        self._settings = settings
        self._resources = resources
        self._url = settings.url or address_in(settings.url_env, resources)
        self._key = "url" if settings.url else "url_env"
        host = place_of(self._url, key=self._key, hosts=resources.http_hosts)
        check_request(settings.method, self._url, key=self._key, rules=resources)
        secrets = header_secrets(settings.headers_env, resources, host=host)
        self._secret_rule = secrets.rule
        self._requests = SampleRequests(settings, secrets.headers)
        head = ""
        if settings.demands_version:
            # In CI a merge is checked out, and what was deployed is the pull request's head.
            head = resources.commit or head_commit(resources.root)
        self._hidden = Hidden(secrets.headers.values())
        self._build = Build(settings, head, self._hidden)
        self._client = HttpClient(
            hosts=resources.http_hosts,
            timeout_s=resources.timeout_s,
            hidden=self._hidden,
            headers_env=settings.headers_env,
        )
        self._reader = StreamReader(settings.stream, settings.pointers)
        programs = Programs(resources, settings.pass_env)
        self._preparation = Preparation(settings.prepare, resources, self._hidden, programs)
        self._service = Service(
            settings, self._client, self._hidden, programs, url=self._url, key=self._key
        )

    async def prepare(self, *, rebuild: bool = False) -> None:
        """Start the service where that is wanted, see which build it is, and load its corpus.

        Raises:
            SystemStartError: it does not come up.
            SystemMismatchError: it is not the build of the head commit.
        """
        del rebuild
        settings = self._settings
        if settings.demands_version and not self._build.head:
            raise SystemMismatchError(
                "[system] demands the head commit's build, and the project has no commit",
                remedy="check the repository out with git, or remove the version key",
            )
        for key, url in (("health", settings.health), ("version_url", settings.version_url)):
            if url:
                check_request("GET", url, key=key, rules=self._resources)
                await self._client.check(url, key=key)
        await self._client.check(self._url, key=self._key, secret_rule=self._secret_rule)
        await self._service.come_up()
        if settings.version_url:
            await self._build.look_up(self._client)
        await self._preparation.run()

    async def answer(self, sample: Sample, *, run: int = 0) -> SystemOutput:
        """Return the service's answer; what goes wrong is the failure of this sample.

        Raises:
            SystemMismatchError: it is not the build of the head commit.
        """
        del run  # it can be asked again at will
        try:
            return await (self._streamed if self._settings.stream.format else self._whole)(sample)
        except UnreachableError as error:
            return unanswered(self._service.explained(str(error)))
        except UnavailableError as error:
            return unanswered(f"the service {error}")
        except BadReplyError as error:
            return failed(f"the service {error}")
        except OutputError as error:
            return failed(self._hidden.clean(str(error)))

    async def _whole(self, sample: Sample) -> SystemOutput:
        """Return the output of a reply that comes in one piece."""
        started = time.perf_counter()
        reply = await self._ask(sample)
        took = time.perf_counter() - started
        value = parsed(reply.content)
        note(value)
        self._build.check_answer(reply, value)
        settings, root = self._settings, self._resources.root
        if not settings.pointers.empty:
            folder = settings.doc_id_relative_to
            value = pointed_reply(value, settings.pointers, folder=folder, root=root)
        output = to_output(value, who=_WHO)
        return wanted(output, self._resources, took=took)

    async def _streamed(self, sample: Sample) -> SystemOutput:
        """Return the output of a reply that comes in events."""
        keys = self._settings.stream
        clean = self._hidden.without_secrets
        stream = EventStream(keys.format or "sse", keys.end, self._reader.speaks, clean)
        started = time.perf_counter()
        limit = _OWN_SHARE * self._resources.timeout_s
        # A recorded service may wait for its provider, whose time is counted apart.
        waits = self._settings.record
        try:
            async with asyncio.timeout(None if waits else limit):
                reply = await self._ask(sample, stream=stream, idle_s=None if waits else IDLE_S)
        except TimeoutError as error:
            raise BadReplyError(unfinished(stream, limit)) from error
        took = time.perf_counter() - started
        self._build.check_answer(reply, None)
        check_complete(stream, keys, reply.headers.get("content-type", ""))
        note([event.value if event.is_json else event.text for event in stream.events])
        recorded = self._reader.fields(stream.events)
        if isinstance(answer := recorded.get("answer"), str):  # a secret may come in two events
            recorded["answer"] = clean(answer.encode()).decode("utf-8", "replace")
        folder, root = self._settings.doc_id_relative_to, self._resources.root
        output = to_output(relative_chunks(recorded, folder, root), who=_WHO)
        if stream.first_at is not None:
            output = output.amended(first_token_s=stream.first_at - started)
        return wanted(output, self._resources, took=took)

    async def _ask(self, sample: Sample, **more: Any) -> RawReply:
        parts = self._requests.parts(sample)
        return await self._client.send(
            self._settings.method, self._url, key=self._key, **parts, **more
        )

    async def close(self) -> None:
        """Close the connections, and end the service with all that it started."""
        try:
            await self._client.close()
            await self._preparation.close()
        finally:
            await self._service.stop()


# Which build of a service answers: the head commit's, or the run is worth nothing.


@dataclass(frozen=True)
class Build:
    """The build that is demanded.

    Attributes:
        head: The commit that it has to be of.
        hidden: What no message may show.
    """

    settings: Settings
    head: str
    hidden: Hidden

    def check_answer(self, reply: RawReply, value: Any) -> None:
        """Check the build that a reply to a question names, where each has to name it."""
        if self.settings.demands_version and not self.settings.version_url:
            self.check(reply, value)

    async def look_up(self, client: HttpClient) -> None:
        """Ask the page that names the build.

        Raises:
            SystemMismatchError: it cannot be read, or names another commit.
        """
        try:
            reply = await client.send("GET", self.settings.version_url, key="version_url")
            value = parsed(reply.content) if self.settings.version_pointer else None
        except (UnreachableError, BadReplyError, OutputError) as error:
            raise SystemMismatchError(f"[system] version_url: the service {error}") from error
        self.check(reply, value)

    def check(self, reply: RawReply, value: Any) -> None:
        """Check the build that a reply names, in a header or at a pointer into its JSON.

        Raises:
            SystemMismatchError: it names none, or another commit.
        """
        header, pointer = self.settings.version_header, self.settings.version_pointer
        try:
            built = reply.headers.get(header.lower(), "") if header else one(value, pointer)
        except PointerError as error:
            raise SystemMismatchError(f"[system] version_pointer: {error}") from error
        if not is_commit(built, self.head):
            raise SystemMismatchError(
                f"the service was built from {self.hidden.clean(str(built)) or 'nothing'!r} "
                f"({header or pointer}), and the head commit is {self.head}",
                remedy="wait until this commit is deployed, and check out the commit that was "
                "built, not a merge of it",
            )


# The JSON of a service.


def parsed(content: bytes) -> Any:
    """Return the JSON of a body.

    Raises:
        OutputError: it is none.
    """
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        start = one_line(content[:1000].decode("utf-8", "replace"), 120)
        raise OutputError(
            f"the service answered with what is no JSON: {start}{_stream_hint(content)}"
        ) from error


def _stream_hint(content: bytes) -> str:
    """Return how a body is read that looks like a stream, "" where it does not."""
    lines = [line for line in content[:100_000].split(b"\n") if line.strip()]
    if lines and lines[0].startswith((b"data:", b"event:", b"id:", b"retry:", b":")):
        return '; it looks like server-sent events: set [system] stream = {format = "sse"}'
    if len(lines) > 1 and all(line.lstrip().startswith(b"{") for line in lines[:2]):
        return '; it looks like JSON lines: set [system] stream = {format = "ndjson"}'
    return ""
