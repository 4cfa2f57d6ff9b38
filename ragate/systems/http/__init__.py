"""A service over HTTP as the system under test; see docs/system-http.md."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import quote

from ragate.errors import SystemMismatchError, SystemStartError
from ragate.models import Sample, SystemOutput
from ragate.protocols import Resources
from ragate.recorder.proxy import HEADER
from ragate.support.git import head_commit
from ragate.support.settings import read_settings
from ragate.systems._foreign import Foreign
from ragate.systems._output import OutputError, failed, to_output, unanswered, wanted
from ragate.systems._process import Child, allowed_environment, start
from ragate.systems.http.address import place_of
from ragate.systems.http.client import (
    BadReplyError,
    HttpClient,
    Reply,
    UnavailableError,
    UnreachableError,
)
from ragate.systems.http.pointer import PointerError, one
from ragate.systems.http.policy import address_in, check_request, header_secrets, is_commit
from ragate.systems.http.reply import fields, parsed
from ragate.systems.http.settings import Settings
from ragate.systems.http.template import Template, rendered, templates

__all__ = ["Settings", "create"]
_POLL_S = 0.1


class HttpSystem(Foreign):
    """Asks one address, once for each sample."""

    def __init__(self, settings: Settings, resources: Resources) -> None:
        super().__init__("http", settings, resources.root)
        self._settings = settings
        self._resources = resources
        self._url = settings.url or address_in(settings.url_env, resources)
        self._key = "url" if settings.url else "url_env"
        place = place_of(self._url, key=self._key, hosts=resources.http_hosts)
        self._check_request(settings.method, self._url, self._key)
        secrets = header_secrets(settings, resources, rule=place.rule)
        self._headers = {"Content-Type": "application/json", **settings.headers, **secrets}
        self._body = Template(settings.body, where="[system] body")
        self._params = templates(settings.params, where="[system] params")
        self._head = ""
        if settings.demands_version:
            # In CI a merge is checked out, and what was deployed is the pull request's head.
            self._head = resources.commit or head_commit(resources.root)
        self._child: Child | None = None
        self._client = HttpClient(
            hosts=resources.http_hosts,
            timeout_s=resources.timeout_s,
            secrets=list(secrets.values()),
        )

    async def prepare(self, *, rebuild: bool = False) -> None:
        """Start the service where that is wanted, wait until it is up, and see which build it is.

        Raises:
            SystemStartError: it does not come up.
            SystemMismatchError: it is not the build of the head commit.
        """
        del rebuild
        own = self._settings
        if own.demands_version and not self._head:
            raise SystemMismatchError(
                "[system] demands the head commit's build, and the project has no commit",
                remedy="check the repository out with git, or remove the version key",
            )
        for key, url in (("health", own.health), ("version_url", own.version_url)):
            if url:
                self._check_request("GET", url, key)
                await self._client.check(url, key=key)
        await self._client.check(self._url, key=self._key)
        if own.start and self._child is None:
            self._child = await self._start()
        if own.health:
            await self._wait()
        if own.version_url:
            await self._see_version()

    async def answer(self, sample: Sample, *, run: int = 0) -> SystemOutput:
        """Return the service's answer; what goes wrong is the failure of this sample.

        Raises:
            SystemMismatchError: it is not the build of the head commit.
        """
        del run  # it can be asked again at will
        started = time.perf_counter()
        try:
            reply = await self._ask(sample)
            took = time.perf_counter() - started
            value = parsed(reply.content)
            if self._settings.demands_version and not self._settings.version_url:
                self._check_version(reply, value)
            output = to_output(fields(value, self._settings.pointers), who="the service")
        except UnreachableError as error:
            return unanswered(await self._why(str(error)))
        except UnavailableError as error:
            return unanswered(f"the service {error}")
        except BadReplyError as error:
            return failed(f"the service {error}")
        except OutputError as error:
            return failed(self._client.clean(str(error)))
        if output.latency_s is None:
            output = output.amended(latency_s=took)
        return wanted(output, self._resources)

    async def close(self) -> None:
        """Close the connections, and end the service with all that it started."""
        await self._client.close()
        child, self._child = self._child, None
        if child is not None:
            await child.stop()

    def _check_request(self, method: str, url: str, key: str) -> None:
        resources = self._resources
        rules = {"methods": resources.http_methods, "paths": resources.http_paths}
        check_request(method, url, key=key, **rules)

    async def _ask(self, sample: Sample) -> Reply:
        own = self._settings
        parts: dict[str, Any] = {"headers": dict(self._headers)}
        if own.record:
            parts["headers"][HEADER] = quote(sample.id)
        if self._params:
            parts["params"] = rendered(self._params, sample)
        if own.method == "GET":
            parts["headers"].pop("Content-Type")
        else:
            parts["content"] = self._content(sample)
        return await self._client.send(own.method, self._url, key=self._key, **parts)

    def _content(self, sample: Sample) -> bytes:
        text = self._body.render(sample)
        kind = next(v for k, v in reversed(self._headers.items()) if k.lower() == "content-type")
        if kind.partition(";")[0].strip() == "application/json":
            try:
                json.loads(text)
            except ValueError as error:
                raise OutputError(
                    f"[system] body gives no JSON for {sample.id}: write {{{{ query | tojson }}}}, "
                    "without quotes around it"
                ) from error
        return text.encode()

    async def _start(self) -> Child:
        own, resources = self._settings, self._resources
        if await self._is_up():
            raise SystemStartError(
                f"[system] start: {own.health} answers already, before {own.start[0]!r} is started",
                remedy="end the service that runs there, which is another build, or remove start",
            )
        passed = allowed_environment(resources.environment, resources.key_names, own.pass_env)
        return await start(
            own.start, key="start", cwd=resources.root, environment=passed, talks=False
        )

    async def _is_up(self) -> bool:
        try:
            await self._client.send("GET", self._settings.health, key="health")
        except UnreachableError:
            return False
        except BadReplyError:
            return True  # something is there
        return True

    async def _wait(self) -> None:
        own, last = self._settings, "nothing"
        try:
            async with asyncio.timeout(own.start_timeout_s):
                while True:
                    if self._child is not None and self._child.ended:
                        why = await self._child.why()
                        raise SystemStartError(f"[system] start: {own.start[0]!r} {why}")
                    try:
                        await self._client.send("GET", own.health, key="health")
                    except (UnreachableError, BadReplyError) as error:
                        last = str(error)
                        await asyncio.sleep(_POLL_S)
                    else:
                        return
        except TimeoutError as error:
            raise SystemStartError(
                await self._why(
                    f"[system] health: no success in {own.start_timeout_s:g} s: {last}"
                ),
                remedy="raise start_timeout_s, or check the address of health",
            ) from error

    async def _why(self, message: str) -> str:
        if self._child is None:
            return message
        return f"{message}{self._child.tail.told()}"

    async def _see_version(self) -> None:
        own = self._settings
        try:
            reply = await self._client.send("GET", own.version_url, key="version_url")
            value = parsed(reply.content) if own.version_pointer else None
        except (UnreachableError, BadReplyError, OutputError) as error:
            raise SystemMismatchError(f"[system] version_url: the service {error}") from error
        self._check_version(reply, value)

    def _check_version(self, reply: Reply, value: Any) -> None:
        own = self._settings
        name = own.version_header or own.version_pointer
        if own.version_header:
            found: Any = reply.headers.get(own.version_header.lower(), "")
        else:
            try:
                found = one(value, own.version_pointer)
            except PointerError as error:
                raise SystemMismatchError(f"[system] version_pointer: {error}") from error
        if not is_commit(found, self._head):
            raise SystemMismatchError(
                f"the service was built from {self._client.clean(str(found)) or 'nothing'!r} "
                f"({name}), and the head commit is {self._head}",
                remedy="wait until this commit is deployed, and check out the commit that was "
                "built, not a merge of it",
            )


@asynccontextmanager
async def create(settings: Mapping[str, Any], resources: Resources) -> AsyncIterator[HttpSystem]:
    """Yield the system; connections and a service that was started end with it.

    Raises:
        ConfigError: a key is wrong, or the policy does not allow the host or a variable.
        ProviderError: a variable for a header is not set.
    """
    system = HttpSystem(read_settings(Settings, settings, where="[system]"), resources)
    try:
        yield system
    finally:
        await system.close()
