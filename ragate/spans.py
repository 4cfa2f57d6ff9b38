"""Where a run says what it does, for whoever listens: nobody, unless telemetry was asked for."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal, Protocol

from ragate.errors import ConfigError

if TYPE_CHECKING:
    from ragate.models import Report, Run

Fact = str | int | float | bool
Queue = Literal["samples", "judgements"]
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

    def waiting(self, queue: Queue, count: int) -> None:
        """Hear how many questions, or judgements, are waited for."""
        ...

    def measured(
        self, instrument: OwnInstrument, value: float, attributes: Mapping[str, Fact]
    ) -> None:
        """Hear one value of an instrument that is not ours."""
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


def waiting(queue: Queue, count: int) -> None:
    """Tell how many of a queue are waited for."""
    if _listeners:
        _listeners[-1].waiting(queue, count)


def finished(run: Run, report: Report | None = None) -> None:
    """Tell what was measured."""
    if _listeners:
        _listeners[-1].finished(run, report)


# Counters and histograms of plugins, and of code under test: what it measures in a process of its
# own goes back with the reply to the question that was asked.

_NAME = re.compile(r"[a-z][a-z0-9_]*(\.[a-z0-9_]+)+")
_OURS = ("ragate.", "gen_ai.")
_LONGEST = 100
_unheard_values: deque[tuple[Any, ...]] = deque(maxlen=1000)


@dataclass(frozen=True)
class OwnInstrument:
    """A counter or a histogram; it is called with a value, and what tells it apart from others."""

    kind: Literal["counter", "histogram"]
    name: str
    unit: str
    says: str

    def __post_init__(self) -> None:
        wrong = not _NAME.fullmatch(self.name) or len(self.name) > _LONGEST
        if wrong or self.name.startswith(_OURS):
            raise ConfigError(
                f"{self.kind} {self.name!r}: no name for an instrument of your own",
                remedy='small letters, digits and _ with a dot, as "my_rag.cache.hits"; not '
                "ragate.… or gen_ai.…",
            )

    def __call__(self, value: float, /, **attributes: Fact) -> None:
        if _listeners:
            _listeners[-1].measured(self, value, attributes)
        else:
            told = (self.kind, self.name, self.unit, self.says)
            _unheard_values.append((*told, value, attributes))


def own_counter(name: str, unit: str = "1", says: str = "") -> OwnInstrument:
    """Return a counter: ``hits = own_counter("my_rag.cache.hits")``, then ``hits(1, cache="a")``.

    It goes out with ragate's own where telemetry is on, and else nowhere.

    Args:
        unit: As UCUM writes it: ``s``, ``By``, or a word in braces, ``{hit}``.

    Raises:
        ConfigError: the name cannot be used.
    """
    return OwnInstrument("counter", name, unit, says)


def own_histogram(name: str, unit: str = "1", says: str = "") -> OwnInstrument:
    """Return a histogram, whose values are spread over buckets; the rest as `own_counter`."""
    return OwnInstrument("histogram", name, unit, says)


def is_heard() -> bool:
    """Return whether anybody listens."""
    return bool(_listeners)


def unheard_values() -> list[tuple[Any, ...]]:
    """Return, once, what was measured where nobody listens: in a process of code under test."""
    taken = list(_unheard_values)
    _unheard_values.clear()
    return taken


def tell_values(values: Any) -> None:
    """Tell what such a process sent, whose code may write anything: what cannot be is left out."""
    for each in values if isinstance(values, list) else ():
        with suppress(ConfigError, TypeError, ValueError):
            kind, name, unit, says, value, attributes = each
            own = own_counter if kind == "counter" else own_histogram
            own(str(name), str(unit), str(says))(value, **attributes)
