"""Signals that ask a process to end: each is an interruption, none ends it with a traceback."""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Any

_STOPS = ("SIGTERM", "SIGHUP", "SIGQUIT")
_LATER_S = 0.05
_SAME_S = 1.0  # who asks a process and its group to end asks ours twice
_heard: dict[int, float] = {}


def take_interrupts() -> None:
    """Make every request to end what Ctrl-C is: what was started is ended, what is done is kept.

    A signal that the caller ignores (``nohup``) stays ignored.
    """
    for number in _numbers():
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)
    sys.excepthook = _without_interrupts
    sys.unraisablehook = _again


def leave_interrupts() -> None:
    """Let such a signal end the process at once: nothing is left to be kept or ended."""
    for number in (signal.SIGINT, *_numbers()):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


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
