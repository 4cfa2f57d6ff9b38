"""Which build of a service answers: the head commit's, or the run is worth nothing."""

from dataclasses import dataclass
from typing import Any

from ragate.errors import SystemMismatchError
from ragate.support.pointer import PointerError, one
from ragate.systems._output import OutputError
from ragate.systems.http.client import HttpClient
from ragate.systems.http.hidden import Hidden
from ragate.systems.http.policy import is_commit
from ragate.systems.http.raw_reply import BadReplyError, RawReply, UnreachableError
from ragate.systems.http.reply import parsed
from ragate.systems.http.settings import Settings


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
