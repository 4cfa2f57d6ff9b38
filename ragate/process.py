"""How a process of ours begins and ends; imports nothing that takes time or memory."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager, suppress
from types import FrameType, TracebackType
from typing import Any, NoReturn

# What a verdict (`Verdict.exit_code`), an expected error (`RagateError.exit_code`) and anything
# unexpected (`ragate.cli.main`) end with where nothing was decided.
NO_DECISION = 3
INTERRUPTED = 130
# What a broken native library dies of. Python's fault handler says so first.
_CRASHES = ("SIGABRT", "SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL")
# What OpenBLAS reads, in this order.
_BLAS_THREADS = ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS")
_SET_DUMPABLE = 4
_STOPS = ("SIGTERM", "SIGHUP", "SIGQUIT")
_LATER_S = 0.05
_SAME_S = 1.0  # who asks a process and its group to end asks ours twice
_heard: dict[int, float] = {}
_is_command = False
_last_looks: list[Callable[[int], int]] = []


# Signals that ask a process to end: each is an interruption, none ends it with a traceback.


def take_interrupts() -> None:
    """Make every request to end what Ctrl-C is: what was started is ended, what is done is kept.

    A signal that the caller ignores (``nohup``) stays ignored.
    """
    for number in _numbers():
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)
    if hasattr(signal, "SIGXCPU"):
        signal.signal(signal.SIGXCPU, _out_of_time)
    sys.excepthook = _without_interrupts
    sys.unraisablehook = _again


def leave_interrupts() -> None:
    """Let such a signal end the process at once: nothing is left to be kept or ended."""
    for number in (signal.SIGINT, *_numbers()):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)
    if hasattr(signal, "SIGXCPU"):  # Python's own end would make it deadly again
        signal.signal(signal.SIGXCPU, signal.SIG_IGN)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Let what is inside come to its end first: a server that is half started is nobody's.

    A signal that came meanwhile is delivered afterwards. Only the main thread is interrupted, so in
    another one nothing has to be held back.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, *_numbers())}
    held = {number: handler for number, handler in handlers.items() if callable(handler)}
    for number in held:
        signal.signal(number, lambda number, _frame: came.append(number))
    try:
        yield
    finally:
        for number, handler in held.items():
            signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])


def _numbers() -> list[int]:
    return [int(getattr(signal, name)) for name in _STOPS if hasattr(signal, name)]


def _interrupt(number: int, frame: FrameType | None) -> None:
    """Do as for Ctrl-C: an event loop that runs cancels its main task rather than breaking off."""
    now = time.monotonic()
    if now - _heard.get(number, -_SAME_S) < _SAME_S:
        return
    _heard[number] = now
    handler = signal.getsignal(signal.SIGINT)
    if callable(handler):
        handler(signal.SIGINT, frame)
    else:
        raise KeyboardInterrupt


def _out_of_time(_number: int, _frame: FrameType | None) -> NoReturn:
    """End at once: whatever set this limit, the next second may be the last."""
    told = b"ragate: the limit on CPU time (ulimit -t) is reached; no decision\n"
    with suppress(OSError):
        os.write(2, told)
    os._exit(NO_DECISION)


def _without_interrupts(
    kind: type[BaseException], error: BaseException, traceback: TracebackType | None
) -> None:
    if not issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, traceback)


def _again(unraisable: Any) -> None:
    """Deliver once more what came where Python cannot raise, such as in a destructor."""
    if not issubclass(unraisable.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)
        return
    timer = threading.Timer(_LATER_S, os.kill, (os.getpid(), signal.SIGINT))
    timer.daemon = True
    timer.start()


# What other processes of the same user may read of this one.


def hide_memory() -> None:
    """Keep this process's memory and its first variables from others of the same user.

    On Linux they stand in ``/proc/PID``, where code under test could look for keys that it was not
    given. Its own children are as they were once they run a program. Root can look all the same
    where it may trace processes, which it may not in a container. Elsewhere nothing happens.
    """
    try:
        import ctypes

        ctypes.CDLL(None).prctl(_SET_DUMPABLE, 0, 0, 0, 0)
    except (ImportError, OSError, AttributeError, MemoryError):
        return


# The frame round a whole command: reserved codes, signals, threads of the numeric library.
#
# Python ends with 1 for an exception that nobody caught, and so do native libraries that give
# up: OpenBLAS calls ``exit(1)`` where it gets no memory, past every ``except`` of ours. So the
# code is reserved in the C library itself. Code under test runs in processes of its own;
# plugins that the policy names by a dotted path run here, and are trusted.


def end_with(command: Callable[[], int]) -> NoReturn:
    """Run `command` and end the process with the code that it returns.

    Whatever else ends it is no verdict: an exception, ``exit`` of a native library, a crash.
    """
    global _is_command
    _is_command = True
    code = NO_DECISION
    try:
        reserve_exit_code(NO_DECISION)
        take_interrupts()
        end_crashes_with_exit()
        limit_blas_threads(os.environ)
        code = command()
        for look in _last_looks:
            code = look(code)
    except KeyboardInterrupt:
        code = INTERRUPTED
    leave_interrupts()
    reserve_exit_code(code)
    sys.exit(code)


def is_command() -> bool:
    """Return whether this is the process of a command: no session of tests, nobody's program."""
    return _is_command


def look_last(look: Callable[[int], int]) -> None:
    """Have the exit code of the command passed through `look` before the process ends with it."""
    _last_looks.append(look)


def limit_blas_threads(environment: MutableMapping[str, str]) -> None:
    """Let NumPy's OpenBLAS use one thread unless the user says otherwise.

    Each thread takes memory before there is anything to multiply, on a large machine gigabytes of
    address space; our matrices are small, and sums come out alike on any number of cores.
    """
    if not any(environment.get(name) for name in _BLAS_THREADS):
        environment[_BLAS_THREADS[0]] = "1"


def reserve_exit_code(code: int) -> None:
    """Let every later ``exit`` of this process end with `code`, whatever code it was called with.

    The last call counts. Threads and handlers of ``atexit`` end as ever; what C's own streams have
    buffered is written here, and not later. Where the C library is another one, nothing happens.
    """
    try:
        import ctypes

        library = ctypes.CDLL(None)
        library.fflush(None)
        # exit() calls what was registered last first: this one ends the process at once.
        end = ctypes.cast(library._exit, ctypes.c_void_p)
        library.__cxa_atexit(end, ctypes.c_void_p(code), None)
    except (ImportError, OSError, AttributeError, MemoryError):
        return


def end_crashes_with_exit() -> None:
    """Let a crash of native code say what it was, and end with the reserved code.

    The signal's handler is C's ``exit`` itself, which the fault handler calls after its message.
    """
    try:
        import ctypes
        import faulthandler
        import signal

        library = ctypes.CDLL(None)
        library.signal.restype = ctypes.c_void_p
        for name in _CRASHES:
            library.signal(int(getattr(signal, name)), ctypes.cast(library.exit, ctypes.c_void_p))
        faulthandler.enable(file=2, all_threads=False)
    except (ImportError, OSError, AttributeError, ValueError, RuntimeError, MemoryError):
        return
