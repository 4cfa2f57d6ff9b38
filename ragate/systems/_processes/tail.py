"""The last lines of what a process wrote, for messages."""

import asyncio
from collections import deque
from collections.abc import Callable

from ragate.support.escape import one_line

MOST_SHOWN = 2000
_KEPT_LINES = 20
_LINE_KEPT = 2000


class Tail:
    """The last lines of what a process wrote.

    Args:
        show: Gets each line as it comes, up to a number that nobody would read.
        clean: Takes out of a line what nobody may see.
    """

    def __init__(
        self,
        show: Callable[[str], None] | None = None,
        *,
        clean: Callable[[bytes], bytes] = bytes,
    ) -> None:
        self._clean = clean
        self._lines: deque[bytes] = deque(maxlen=_KEPT_LINES)
        self._show = show
        self._shown = 0

    async def read(self, stream: asyncio.StreamReader) -> None:
        """Read `stream` to its end, so that its writer never blocks."""
        rest = b""
        while part := await stream.read(65_536):
            *lines, rest = (rest + part).split(b"\n")
            for line in lines:
                self._take(line)
            rest = rest[-_LINE_KEPT:]
        self._take(rest)

    def told(self, limit: int = 300, *, lines: int = 1) -> str:
        """Return the last line, or some, as ``; it last wrote: …``, or nothing."""
        if not self._lines:
            return ""
        last = [line.decode("utf-8", "replace") for line in list(self._lines)[-lines:]]
        return f"; it last wrote: {' | '.join(one_line(line, limit) for line in last)}"

    def _take(self, line: bytes) -> None:
        if not line.strip():
            return
        kept = self._clean(line)[-_LINE_KEPT:]
        self._lines.append(kept)
        if self._show is None or self._shown > MOST_SHOWN:
            return
        self._shown += 1
        self._show(
            kept.decode("utf-8", "replace").rstrip()
            if self._shown <= MOST_SHOWN
            else f"… it has printed {MOST_SHOWN} lines, and what follows is not shown"
        )
