"""The frame round a whole command: reserved codes, signals, threads of the numeric library."""

import os
import sys
from collections.abc import Callable, MutableMapping
from typing import NoReturn

from ragate.process.exit_code import NO_DECISION, end_crashes_with_exit, reserve_exit_code
from ragate.process.interrupts import leave_interrupts, take_interrupts

INTERRUPTED = 130
# What OpenBLAS reads, in this order.
_BLAS_THREADS = ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS")


def end_with(command: Callable[[], int]) -> NoReturn:
    """Run `command` and end the process with the code that it returns.

    Whatever else ends it is no verdict: an exception, ``exit`` of a native library, a crash.
    """
    code = NO_DECISION
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
    sys.exit(code)


def limit_blas_threads(environment: MutableMapping[str, str]) -> None:
    """Let NumPy's OpenBLAS use one thread unless the user says otherwise.

    Each thread takes memory before there is anything to multiply, on a large machine gigabytes of
    address space; our matrices are small, and sums come out alike on any number of cores.
    """
    if not any(environment.get(name) for name in _BLAS_THREADS):
        environment[_BLAS_THREADS[0]] = "1"
