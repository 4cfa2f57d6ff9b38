"""Two commands at once ask a model once: who comes second waits, and finds the reply in the cache.

What is being asked for is one locked byte of a file beside the cache, the byte by its digest. The
system lets go of a lock when its process ends, however it ends. Nobody holds one byte and waits for
another that is held so, and nobody waits longer than `LONGEST_S`; then both ask, as they do where
the file system knows no locks.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

LONGEST_S = 300.0
_SAID_AFTER_S = 5.0
_WAITING = "another command asks the models the same; what it gets is waited for, up to 5 minutes"
_OFTEN_S, _SELDOM_S = 0.01, 0.25
_BYTE = 15  # hexadecimal digits of a digest: the largest file is larger


class AskingTurns:
    """Whose turn it is to ask, by digest, among the processes that share a file.

    Within one process whoever asks for the same has the turn together: they know of each other.

    Attributes:
        longest_s: How long a turn is waited for; 0 where nothing will be asked.

    Args:
        path: The file; made on first use, empty.
        say: Prints one line.
    """

    def __init__(self, path: Path, *, say: Callable[[str], None] = lambda _line: None) -> None:
        self.longest_s = LONGEST_S
        self._path = path
        self._say = say
        self._file: int | None = None
        self._useless = False  # no locks here, or somebody does not let go of one
        self._said = False
        self._mutex = threading.Lock()
        self._held: Counter[int] = Counter()

    @asynccontextmanager
    async def turn(self, key: str) -> AsyncIterator[None]:
        """Wait until no other process asks for `key`, and let others wait meanwhile."""
        byte = int(key[:_BYTE], 16)
        await self._wait(byte)
        try:
            yield
        finally:
            self._release(byte)

    def close(self) -> None:
        """Let go of everything; the next use opens the file again."""
        with self._mutex:
            file, self._file = self._file, None
            self._held.clear()
            if file is not None:
                os.close(file)

    async def _wait(self, byte: int) -> None:
        started, pause = time.monotonic(), _OFTEN_S
        while not self._taken(byte):
            waited_s = time.monotonic() - started
            if waited_s >= self.longest_s:
                self._useless = True
            if waited_s > _SAID_AFTER_S and not self._said:
                self._said = True
                self._say(_WAITING)
            await asyncio.sleep(pause)
            pause = min(2 * pause, _SELDOM_S)

    def _taken(self, byte: int) -> bool:
        """Take a byte; return False where another process has it."""
        with self._mutex:
            if not self._useless and not self._held[byte]:
                try:
                    self._lock(byte)
                except BlockingIOError:
                    return False
                except (OSError, ImportError):  # no locks here
                    self._useless = True
            self._held[byte] += 1
            return True

    def _release(self, byte: int) -> None:
        with self._mutex:
            self._held[byte] -= 1
            if self._held[byte] <= 0:
                del self._held[byte]
                if self._file is not None:
                    with suppress(OSError):
                        self._lock(byte, free=True)

    def _lock(self, byte: int, *, free: bool = False) -> None:
        import fcntl

        if self._file is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
            self._file = os.open(self._path, flags, 0o666)
        how = fcntl.LOCK_UN if free else fcntl.LOCK_EX | fcntl.LOCK_NB
        try:
            fcntl.lockf(self._file, how, 1, byte)
        except PermissionError as error:  # what some systems say of a byte that is held
            raise BlockingIOError(*error.args) from error
