"""A service of the project: started for the run where that is wanted, and waited for."""

import asyncio

from ragate.errors import SystemStartError
from ragate.protocols import Resources
from ragate.systems._output import LONGEST
from ragate.systems._processes.process import Child, start
from ragate.systems._processes.variables import program_environment
from ragate.systems.http.client import BadReplyError, HttpClient, UnreachableError
from ragate.systems.http.policy import Hidden
from ragate.systems.http.settings import Settings

_POLL_S = 0.1
_BY_HAND = "run the command yourself in the folder of ragate.toml: it has to stay up"
_LISTENS = (
    "something listens there and is not ready: raise start_timeout_s, or let health name a page "
    "that answers with 200"
)


class Service:
    """The service that is asked; its process is ours only where ``start`` says how to make it."""

    def __init__(
        self,
        settings: Settings,
        resources: Resources,
        client: HttpClient,
        hidden: Hidden,
        *,
        url: str,
    ) -> None:
        self._url = url
        self._key = "url" if settings.url else "url_env"
        self._settings = settings
        self._resources = resources
        self._client = client
        self._hidden = hidden
        self._environment = program_environment(resources, settings.pass_env)
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

    async def explained(self, message: str) -> str:
        """Return the message, with the last lines that our process wrote."""
        if self._child is None:
            return message
        return f"{message}{self._hidden.clean(self._child.tail.told(), LONGEST)}"

    async def _start(self) -> Child:
        settings = self._settings
        if await self._is_up():
            raise SystemStartError(
                f"[system] start: {settings.health or self._url} answers already, before "
                f"{settings.start[0]!r} is started",
                remedy="end the service that runs there, which is another build, or remove start",
            )
        root, environment = self._resources.root, self._environment
        return await start(
            settings.start, key="start", cwd=root, environment=environment, talks=False
        )

    async def _look(self) -> None:
        """Ask the page that says it is up; without one, connect to where it is asked."""
        if self._settings.health:
            await self._client.send("GET", self._settings.health, key="health")
        else:
            await self._client.connect(self._url, key=self._key)

    async def _is_up(self) -> bool:
        try:
            await self._look()
        except UnreachableError:
            return False
        except BadReplyError:
            return True  # something is there
        return True

    async def _wait(self) -> None:
        settings, last, listens = self._settings, "nothing", False
        try:
            async with asyncio.timeout(settings.start_timeout_s):
                while True:
                    if self._child is not None and self._child.ended:
                        why = self._hidden.clean(await self._child.why(), LONGEST)
                        raise SystemStartError(
                            f"[system] start: {settings.start[0]!r} {why}", remedy=_BY_HAND
                        )
                    try:
                        await self._look()
                    except (UnreachableError, BadReplyError) as error:
                        last, listens = str(error), isinstance(error, BadReplyError)
                        await asyncio.sleep(_POLL_S)
                    else:
                        return
        except TimeoutError as error:
            raise SystemStartError(
                await self.explained(
                    f"[system] {'health' if settings.health else 'start'}: no success in "
                    f"{settings.start_timeout_s:g} s: {last}"
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
            "host with what the program says that it listens on"
        )
