"""A tool of an MCP server as the system under test; see docs/system-mcp.md."""

import asyncio
import json
import time
from typing import Any

from ragate.errors import ConfigError, SystemStartError
from ragate.models import Sample, SystemOutput
from ragate.protocols import Resources
from ragate.support.settings import nearest
from ragate.systems._foreign import Foreign
from ragate.systems._output import LONGEST, OutputError, failed, to_output, unanswered, wanted
from ragate.systems._processes.process import Child
from ragate.systems._processes.variables import passed_secrets, program_environment
from ragate.systems.http.address import place_of, resolve
from ragate.systems.http.hidden import Hidden
from ragate.systems.http.policy import check_request, header_secrets
from ragate.systems.http.prepare import Preparation
from ragate.systems.mcp.arguments import Arguments
from ragate.systems.mcp.pinned_http import PinnedTransport
from ragate.systems.mcp.result import recorded
from ragate.systems.mcp.sampling import SampledModel
from ragate.systems.mcp.session import ConnectionLostError, ToolRefusedError, ToolSession
from ragate.systems.mcp.settings import Settings
from ragate.systems.mcp.transports import Opens, over_http, over_stdio

MAX_FAILURES = 5  # in a row, without a single answer: the server is broken, not the question


class McpSystem(Foreign):
    """Calls one tool, once for each sample; a session that is lost is opened again."""

    def __init__(self, settings: Settings, resources: Resources) -> None:
        super().__init__("mcp", settings, resources.root)
        self._settings = settings
        self._resources = resources
        self._environment = program_environment(resources, settings.pass_env)
        self._hidden = Hidden([])
        self._headers: dict[str, str] = {}
        if settings.url:
            self._allow_address()
        self._arguments = Arguments(settings.arguments)
        self._model = SampledModel(settings.sampling, resources)
        self._preparation = Preparation(settings.prepare, resources, pass_env=settings.pass_env)
        self._hidden.add_secrets(self._preparation.secrets)
        self._hidden.add_secrets(passed_secrets(resources, settings.pass_env))
        self._child: Child | None = None
        self._connection: ToolSession | None = None
        self._failures = 0

    async def prepare(self, *, rebuild: bool = False) -> None:
        """Open the session, load the corpus, and see that the tool is there.

        Raises:
            SystemStartError: the server cannot be started or talked to, or a step fails.
            ConfigError: it has no such tool.
        """
        del rebuild
        limit = self._settings.start_timeout_s
        name = "command" if self._settings.command else "url"
        try:
            async with asyncio.timeout(limit):
                tools = await (await self._connected()).tools()
        except TimeoutError as error:
            raise SystemStartError(
                f"[system] {name}: no handshake within {limit:g} s{self._clean(self._tail())}",
                remedy="raise start_timeout_s, or see whether it speaks MCP",
            ) from error
        except ConnectionLostError as error:
            raise SystemStartError(
                self._clean(await self._why(f"[system] {name}", error))
            ) from error
        if self._settings.tool not in tools:
            raise ConfigError(
                f"[system] tool = {self._settings.tool!r}: the server has no such tool"
                f"{nearest(self._settings.tool, tools)}",
                remedy=f"it has {self._clean(', '.join(sorted(tools)[:20])) or 'none'}",
            )
        await self._preparation.run()

    async def answer(self, sample: Sample, *, run: int = 0) -> SystemOutput:
        """Return what the tool answered; what goes wrong is the failure of this sample.

        Raises:
            ConfigError: the sample has earlier turns, and the arguments have no place for them.
            BudgetError: a cap of the policy is reached by what the tool asks of a model.
        """
        del run  # it can be asked again at will
        try:
            arguments = self._arguments.of(sample)
        except OutputError as error:
            return failed(str(error))
        lost: ConnectionLostError | None = None
        for _ in range(2):  # a server that ended is started again, and asked once more
            if self._failures >= MAX_FAILURES:
                break
            connection = await self._connected()
            outages = self._model.outages
            try:
                return await self._asked(connection, arguments)
            except OutputError as error:
                return self._failed(f"{error}{self._tail()}", outages=outages)
            except ToolRefusedError as error:
                return self._failed(f"the server refused the call: {error}", outages=outages)
            except ConnectionLostError as error:
                lost = error
                await self._drop(connection)
            except SystemStartError:
                await self._drop(connection)
                raise
        if lost is None:
            return failed(f"not asked, after {MAX_FAILURES} failures in a row")
        message = self._clean(await self._why("the server", lost))
        return unanswered(message) if lost.unreachable else failed(message)

    async def close(self) -> None:
        """End the session, and the server with all that it started."""
        connection, self._connection = self._connection, None
        if connection is not None:
            await connection.close()
        await self._preparation.close()

    async def _asked(self, connection: ToolSession, arguments: dict[str, Any]) -> SystemOutput:
        started = time.perf_counter()
        result = await connection.call(self._settings.tool, arguments)
        took = time.perf_counter() - started
        self._failures = 0
        clean = self._hidden.without_secrets(json.dumps(result, ensure_ascii=False).encode())
        value = recorded(json.loads(clean), self._settings.pointers)
        return wanted(to_output(value, who="the tool"), self._resources, took=took)

    def _failed(self, message: str, *, outages: int) -> SystemOutput:
        """Return the failure of a sample; a provider's, where one failed meanwhile."""
        if self._model.fatal is not None:
            raise self._model.fatal
        if self._model.outages > outages:
            return unanswered(self._model.outage)
        return failed(self._clean(message))

    def _allow_address(self) -> None:
        """Check the address against the policy, and take the keys that may go there."""
        settings, resources = self._settings, self._resources
        self._host = place_of(settings.url, key="url", hosts=resources.http_hosts)
        rules = {"methods": resources.http_methods, "paths": resources.http_paths}
        check_request("POST", settings.url, key="url", **rules)
        secrets = header_secrets(settings.headers_env, resources, rule=self._host.rule)
        self._hidden.add_secrets(secrets.values())
        self._headers = {**settings.headers, **secrets}

    async def _connected(self) -> ToolSession:
        if self._connection is None:
            opens = await self._opens()
            self._connection = self._connection or ToolSession(opens)
        return self._connection

    async def _opens(self) -> Opens:
        settings, resources = self._settings, self._resources
        sampling = self._model if settings.sampling.provider else None
        if settings.command:

            def keep(child: Child) -> None:
                self._child = child

            where = {"cwd": resources.root, "environment": self._environment}
            return over_stdio(settings.command, sampling, on_start=keep, **where)
        addresses = await resolve(self._host, key="url")
        transport = PinnedTransport(
            self._host,
            addresses,
            headers=self._headers,
            methods=resources.http_methods,
            paths=resources.http_paths,
        )
        return over_http(settings.url, transport, sampling)

    async def _drop(self, connection: ToolSession) -> None:
        """Give up a session; samples that were waiting for it count as one failure."""
        if self._connection is connection:
            self._connection = None
            self._failures += 1
            await connection.close()

    async def _why(self, who: str, error: ConnectionLostError) -> str:
        child = self._child
        if self._settings.command and child is not None:
            return f"{who}: {self._settings.command[0]!r} {await child.why()}"
        return f"{who}: {error}"

    def _clean(self, text: str) -> str:
        return self._hidden.clean(text, LONGEST)

    def _tail(self) -> str:
        return "" if self._child is None else self._child.tail.told()
