"""Where a run says what it does: whoever listens hears it, and nobody is no cost and no error."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Any

import pytest

from ragate import spans
from ragate.plugin_kit import own_span
from ragate.spans import Spanned, listening, span


class Heard:
    def __init__(self) -> None:
        self.told: list[tuple[str, str, dict[str, Any]]] = []

    @contextmanager
    def span(self, kind, name, facts):
        told = dict(facts)
        self.told.append((str(kind), name, told))
        yield lambda **more: told.update(more)

    def waiting(self, queue, count):
        self.told.append(("waiting", queue, {"count": count}))

    def measured(self, instrument, value, attributes):
        self.told.append((instrument.kind, instrument.name, {"value": value, **attributes}))

    def finished(self, run, report):
        self.told.append(("finished", "", {}))


def test_a_span_takes_further_facts():
    heard = Heard()

    with listening(heard), span(Spanned.SAMPLE, sample="a") as note:
        note(chunks=3)

    assert heard.told == [("sample", "", {"sample": "a", "chunks": 3})]


def test_a_plugins_span_has_the_name_it_was_given():
    heard = Heard()

    with listening(heard), own_span("reorder", passages=12):
        pass

    assert heard.told == [("own", "reorder", {"passages": 12})]


def test_nobody_hears_anything_after_the_end():
    heard = Heard()
    with listening(heard):
        pass

    with span(Spanned.DECIDE) as note:
        note(chunks=1)
    spans.waiting("samples", 3)

    assert heard.told == []


def test_an_error_inside_is_passed_on():
    with pytest.raises(ValueError, match="mine"), listening(Heard()), own_span("reorder"):
        raise ValueError("mine")
