"""Between ragate and a program of the project on Linux: nothing that it starts outlives it.

``python reaper.py DESCRIPTOR PROGRAM ARGUMENT…`` starts the program in a session of its own, hands
on what asks it to end, the end of ragate too, and adopts whatever loses its parent below. Once the
program is over, all of that is killed, and how the program ended is written to the descriptor;
``!`` and a number where it could not be started. Whoever reads nothing there knows that something
may be left.
"""

import ctypes
import os
import select
import signal
import sys
import time
from contextlib import suppress

_SET_PARENT_DEATH_SIGNAL, _SET_DUMPABLE, _SET_CHILD_SUBREAPER = 1, 4, 36
_ASKED_TO_END = {
    getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, name)
}
GRACE_S = 2.0
MOST_S = 5.0


def main(told: int, argv: list[str]) -> None:
    """Run the program; end when nothing of it is left, having told how it ended."""
    library = ctypes.CDLL(None)
    library.prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    library.prctl(_SET_DUMPABLE, 0, 0, 0, 0)  # no descriptor of ours is opened by what runs below
    os.set_inheritable(told, False)
    signal.pthread_sigmask(signal.SIG_BLOCK, {*_ASKED_TO_END, signal.SIGCHLD})
    library.prctl(_SET_PARENT_DEATH_SIGNAL, int(signal.SIGTERM), 0, 0, 0)
    if _nobody_listens(told):  # ragate ended before it would have been heard of
        os._exit(0)
    reaper = os.getpid()
    program = os.fork()
    if program == 0:
        os.setsid()
        library.prctl(_SET_PARENT_DEATH_SIGNAL, int(signal.SIGKILL), 0, 0, 0)
        if os.getppid() != reaper:
            os._exit(127)
        signal.pthread_sigmask(signal.SIG_SETMASK, ())
        try:
            os.execvp(argv[0], argv)  # noqa: S606
        except OSError as error:
            os.write(told, b"!%d\n" % (error.errno or 0))
            os._exit(127)
    for descriptor in range(3):
        os.close(descriptor)
    code = os.waitstatus_to_exitcode(_ended(program))
    if _killed_rest(program):
        os.write(told, b"%d\n" % code)
    os._exit(0)


def _nobody_listens(told: int) -> bool:
    poll = select.poll()
    poll.register(told, 0)
    return bool(poll.poll(0))


def _ended(program: int) -> int:
    """Return the status that the program ended with; asked to end, it has a moment for it."""
    until = float("inf")
    while True:
        left = max(0.0, min(until - time.monotonic(), 3600.0))
        came = signal.sigtimedwait({*_ASKED_TO_END, signal.SIGCHLD}, left)
        if came is not None and came.si_signo in _ASKED_TO_END:
            until = min(until, time.monotonic() + GRACE_S)
            _signal(-program, signal.SIGTERM)
        elif came is None and time.monotonic() >= until:
            _signal(-program, signal.SIGKILL)
        while True:
            try:
                ended, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:  # nobody can take it from us
                return 0
            if ended == program:
                return status
            if not ended:
                break


def _killed_rest(program: int) -> bool:
    """Kill what the program left; return whether nothing of it is there any more."""
    _signal(-program, signal.SIGKILL)
    end = time.monotonic() + MOST_S
    while time.monotonic() < end:
        try:
            if os.waitpid(-1, os.WNOHANG)[0]:
                continue
        except ChildProcessError:
            return True
        for child in _children():  # and theirs come to this process when these are gone
            _signal(child, signal.SIGKILL)
        time.sleep(0.005)
    return False


def _children() -> list[int]:
    found = []
    for name in os.listdir("/proc"):  # noqa: PTH208
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat", "rb") as stat:  # noqa: PTH123
                    parent = int(stat.read().rpartition(b")")[2].split()[1])
            except OSError:
                continue
            if parent == os.getpid():
                found.append(int(name))
    return found


def _signal(process: int, number: int) -> None:
    with suppress(OSError):
        os.kill(process, number)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
