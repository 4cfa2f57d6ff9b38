"""Where a run says what it does, for whoever listens: nobody, unless telemetry was asked for."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from enum import StrEnum
from typing import Protocol

from ragate.models import Report, Run

Fact = str | int | float | bool
Note = Callable[..., None]


class Spanned(StrEnum):
    """What takes time in a run; `OWN` is what a plugin names itself."""

    RUN = "run"
    SAMPLE = "sample"
    RETRIEVAL = "retrieval"
    CHAT = "chat"
    EMBEDDINGS = "embeddings"
    JUDGE = "judge"
    DECIDE = "decide"
    OWN = "own"


class Listener(Protocol):
    """Hears what a run does. It may not raise: telemetry changes no verdict."""

    def span(
        self, kind: Spanned, name: str, facts: Mapping[str, Fact]
    ) -> AbstractContextManager[Note]:
        """Time what runs inside; what it gives takes further facts by name."""
        ...

    def judging(self, waiting: int) -> None:
        """Hear how many judgements are waited for."""
        ...

    def finished(self, run: Run, report: Report | None) -> None:
        """Hear what was measured; a recording of a baseline has no report."""
        ...


def _unheard(**_facts: Fact) -> None:
    return


_SILENCE: AbstractContextManager[Note] = nullcontext(_unheard)
_listeners: list[Listener] = []


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Let `listener` hear everything until the end."""
    _listeners.append(listener)
    try:
        yield
    finally:
        _listeners.remove(listener)


def span(kind: Spanned, name: str = "", **facts: Fact) -> AbstractContextManager[Note]:
    """Tell that what runs inside takes its time; costs nothing where nobody listens.

    Args:
        name: Of `OWN`: what a plugin calls it. Of a call to a model: the model.
        facts: No texts of samples, and no secrets.
    """
    return _listeners[-1].span(kind, name, facts) if _listeners else _SILENCE


def own_span(name: str, **facts: Fact) -> AbstractContextManager[Note]:
    """Time a part of a plugin of your own: ``with own_span("reorder", passages=12): ...``.

    It shows in the run's trace under the sample or judgement that it belongs to. Without telemetry,
    and in a process of code under test, it does nothing.
    """
    return span(Spanned.OWN, name, **facts)


def judging(waiting: int) -> None:
    """Tell how many judgements are waited for."""
    if _listeners:
        _listeners[-1].judging(waiting)


def finished(run: Run, report: Report | None = None) -> None:
    """Tell what was measured."""
    if _listeners:
        _listeners[-1].finished(run, report)
