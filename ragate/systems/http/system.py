"""A service over HTTP as the system under test; see docs/system-http.md."""

import asyncio
import time
from typing import Any

from ragate.errors import SystemMismatchError
from ragate.models import Sample, SystemOutput
from ragate.protocols import Resources
from ragate.support.git import head_commit
from ragate.systems._foreign import Foreign
from ragate.systems._output import OutputError, failed, to_output, unanswered, wanted
from ragate.systems._processes.variables import passed_secrets
from ragate.systems.http.address import place_of
from ragate.systems.http.build import Build
from ragate.systems.http.client import HttpClient
from ragate.systems.http.hidden import Hidden
from ragate.systems.http.policy import address_in, check_request, header_secrets
from ragate.systems.http.prepare import Preparation
from ragate.systems.http.raw_reply import (
    BadReplyError,
    RawReply,
    UnavailableError,
    UnreachableError,
)
from ragate.systems.http.reply import fields, parsed
from ragate.systems.http.requests import SampleRequests
from ragate.systems.http.service import Service
from ragate.systems.http.settings import Settings
from ragate.systems.http.streams.completeness import check_complete, unfinished
from ragate.systems.http.streams.events import EventStream
from ragate.systems.http.streams.reader import StreamReader

_OWN_SHARE = 0.95  # of the time of a sample: what is told then names the stream


class HttpSystem(Foreign):
    """Asks one address, once for each sample."""

    def __init__(self, settings: Settings, resources: Resources) -> None:
        super().__init__("http", settings, resources.root)
        self._settings = settings
        self._resources = resources
        self._url = settings.url or address_in(settings.url_env, resources)
        self._key = "url" if settings.url else "url_env"
        host = place_of(self._url, key=self._key, hosts=resources.http_hosts)
        self._check_request(settings.method, self._url, self._key)
        secrets = header_secrets(settings.headers_env, resources, rule=host.rule)
        self._requests = SampleRequests(settings, secrets)
        head = ""
        if settings.demands_version:
            # In CI a merge is checked out, and what was deployed is the pull request's head.
            head = resources.commit or head_commit(resources.root)
        self._hidden = Hidden(list(secrets.values()))
        self._build = Build(settings, head, self._hidden)
        self._client = HttpClient(
            hosts=resources.http_hosts,
            timeout_s=resources.timeout_s,
            hidden=self._hidden,
            headers_env=settings.headers_env,
        )
        self._reader = StreamReader(settings.stream, settings.pointers)
        self._preparation = Preparation(settings.prepare, resources, pass_env=settings.pass_env)
        self._hidden.add_secrets(self._preparation.secrets)
        self._hidden.add_secrets(passed_secrets(resources, settings.pass_env))
        self._service = Service(settings, resources, self._client, self._hidden)

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
                self._check_request("GET", url, key)
                await self._client.check(url, key=key)
        await self._client.check(self._url, key=self._key)
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
            return unanswered(await self._service.explained(str(error)))
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
        if self._settings.demands_version and not self._settings.version_url:
            self._build.check(reply, value)
        output = to_output(fields(value, self._settings.pointers), who="the service")
        return wanted(output, self._resources, took=took)

    async def _streamed(self, sample: Sample) -> SystemOutput:
        """Return the output of a reply that comes in events."""
        keys = self._settings.stream
        clean = self._hidden.without_secrets
        stream = EventStream(keys.format or "sse", keys.end, self._reader.speaks, clean)
        started = time.perf_counter()
        # A recorded service may wait for its provider, whose time is counted apart.
        limit, idle_s = _OWN_SHARE * self._resources.timeout_s, keys.idle_timeout_s
        own_limit, idle = (None, None) if self._settings.record else (limit, idle_s)
        try:
            async with asyncio.timeout(own_limit):
                reply = await self._ask(sample, stream=stream, idle_s=idle)
        except TimeoutError as error:
            raise BadReplyError(unfinished(stream, limit)) from error
        took = time.perf_counter() - started
        if self._settings.demands_version and not self._settings.version_url:
            self._build.check(reply, None)
        check_complete(stream, keys, reply.headers.get("content-type", ""))
        recorded = self._reader.fields(stream.events)
        if isinstance(answer := recorded.get("answer"), str):  # a secret may come in two events
            recorded["answer"] = clean(answer.encode()).decode("utf-8", "replace")
        output = to_output(recorded, who="the service")
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
        await self._client.close()
        await self._preparation.close()
        await self._service.stop()

    def _check_request(self, method: str, url: str, key: str) -> None:
        resources = self._resources
        rules = {"methods": resources.http_methods, "paths": resources.http_paths}
        check_request(method, url, key=key, **rules)
