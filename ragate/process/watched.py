"""A parent that takes the end of its child for a verdict only where the child has told it.

Code that shares ragate's process can end it past every frame of ours: by ``_exit`` of the C
library, or by another program in its place. The exit code 0 of that would look like a verdict.
"""

import ctypes
import os
import signal
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from ragate.process.secrecy import hide_memory

NO_DECISION = 3
_ASKED_TO_END = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT")
_BY_THE_KERNEL = 0x80  # SI_KERNEL: from the terminal, which has told the child as well
_SET_PARENT_DEATH_SIGNAL = 1
_LONGEST_WORD = 64
_AT_ONCE = os._exit
_UNTOLD = (
    b"ragate: something in its process ended it in the middle; no decision\n"
    b"  -> code of the project may not end the process that it shares with ragate; "
    b"`interpreter` gives it one of its own\n"
)


def go_on_watched() -> Callable[[int], None] | None:
    """Go on in a child of this process, which stays behind to watch it and never returns.

    Returns:
        What tells the parent the code that the command came to, to be called last. None where
        nobody watches: outside of Linux, where no process is to be had, and where a thread runs
        already, such as a debugger's, which a fork would leave behind.
    """
    if not sys.platform.startswith("linux") or threading.active_count() > 1:
        return None
    numbers = {int(getattr(signal, name)) for name in (*_ASKED_TO_END, "SIGCHLD")}
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # a caller's SIG_IGN would hide the child's end
    before = signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
    parent = os.getpid()
    try:
        read, write = os.pipe()
        child = os.fork()
    except OSError:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return None
    if child:
        os.close(write)
        _watch(child, read, numbers)
    os.close(read)
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    _end_with(parent)
    return _teller(write)


def _end_with(parent: int) -> None:
    """Let this process be killed when its parent is: what is killed does not go on spending."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(_SET_PARENT_DEATH_SIGNAL, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != parent:
        _AT_ONCE(NO_DECISION)


def _teller(write: int) -> Callable[[int], None]:
    ours, process = os.fstat(write), os.getpid()

    def tell(code: int) -> None:
        if os.getpid() != process:
            return  # forked by code of the project, and come up to here
        with suppress(OSError):
            # Whoever closed every descriptor may have got another file under this number.
            if os.path.samestat(os.fstat(write), ours):
                os.write(write, b"%d\n" % code)

    return tell


def _watch(child: int, read: int, numbers: set[int]) -> NoReturn:
    """End as the child does where it has told its code, and as no decision where it has not."""
    code = NO_DECISION
    try:
        hide_memory()
        status = _wait(child, numbers)
        if os.WIFSIGNALED(status):
            code = _end_by(os.WTERMSIG(status), numbers)
        else:
            os.set_blocking(read, False)  # what it started may hold the other end
            code = _told(read)
    finally:
        _AT_ONCE(code)


def _wait(child: int, numbers: set[int]) -> int:
    """Return how the child ended; it gets each signal that asks this process to end."""
    while True:
        came = signal.sigwaitinfo(numbers)
        if came.si_signo != signal.SIGCHLD:
            # A terminal that is gone has told nobody but the first process of its session.
            if came.si_code != _BY_THE_KERNEL or came.si_signo == signal.SIGHUP:
                os.kill(child, came.si_signo)
            continue
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status


def _end_by(number: int, numbers: set[int]) -> int:
    """End by the signal that ended the child; return the code of a shell where that cannot be."""
    with suppress(OSError):
        signal.signal(number, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, numbers)
    os.kill(os.getpid(), number)
    return 128 + number  # the first process of a container is not ended by signals


def _told(read: int) -> int:
    """Return the code that the child told; "no decision" where it has not come to its end."""
    with suppress(BlockingIOError):
        word = os.read(read, _LONGEST_WORD)
        if word.endswith(b"\n") and word[:-1].isdigit():
            return int(word)
    os.write(2, _UNTOLD)
    return NO_DECISION
