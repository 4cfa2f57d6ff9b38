"""The frame round a whole command: reserved codes, signals, threads of the numeric library.

Python ends with 1 for an exception that nobody caught, and so do native libraries that give up:
OpenBLAS calls ``exit(1)`` where it gets no memory, past every ``except`` of ours. So the code is
reserved in the C library itself.
"""

import os
import sys
from collections.abc import Callable, MutableMapping
from typing import NoReturn

from ragate.process.interrupts import leave_interrupts, take_interrupts
from ragate.process.watched import NO_DECISION, go_on_watched

INTERRUPTED = 130
# What a broken native library dies of. Python's fault handler says so first.
_CRASHES = ("SIGABRT", "SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL")
_AT_ONCE = os._exit
_reserved: dict[int, int] = {}  # exit codes by process
# What OpenBLAS reads, in this order.
_BLAS_THREADS = ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS")


def end_with(command: Callable[[], int], *, watched: bool = False) -> NoReturn:
    """Run `command` and end the process with the code that it returns.

    Whatever else ends it is no verdict: an exception, ``exit`` of a native library, a crash.

    Args:
        watched: It may run code of the project in its process, and runs in a child: whatever ends
            that past the frames here is no verdict either.
    """
    code = NO_DECISION
    tell = go_on_watched() if watched else None
    try:
        reserve_exit_code(NO_DECISION)
        take_interrupts()
        end_crashes_with_exit()
        limit_blas_threads(os.environ)
        code = command()
    except KeyboardInterrupt:
        code = INTERRUPTED
    leave_interrupts()
    reserve_exit_code(code)
    if tell is not None:
        tell(code)
    sys.exit(code)


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
    ``os._exit`` of Python code, which is not C's ``exit``, ends with `code` too.
    """
    _reserve_at_once(code)
    try:
        import ctypes

        library = ctypes.CDLL(None)
        library.fflush(None)
        # exit() calls what was registered last first: this one ends the process at once.
        end = ctypes.cast(library._exit, ctypes.c_void_p)
        library.__cxa_atexit(end, ctypes.c_void_p(code), None)
    except (ImportError, OSError, AttributeError, MemoryError):
        return


def _reserve_at_once(code: int) -> None:
    """Let ``os._exit`` end this process with `code`; those that it forks end as they want to."""
    first = not _reserved
    _reserved[os.getpid()] = code
    if not first:
        return  # somebody may hold on to what stands there

    def end(status: int) -> NoReturn:
        code = _reserved.get(os.getpid())
        if code == NO_DECISION:
            said = f"error: something called os._exit({status}) in the middle; no decision\n"
            os.write(2, said.encode())
        _AT_ONCE(status if code is None else code)

    vars(os)["_exit"] = end


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
