"""A baseline is read by line or at once."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.baseline import parse_baseline
from ragate.errors import BaselineError
from ragate.models import Run
from tests.unit.baseline.baseline_factories import dumped, run_of


def either(text: bytes, made: Callable[[bytes], Run]) -> Run | None:
    try:
        return made(text)
    except BaselineError:
        return None


def at_once(text: bytes) -> Run:
    """Read it as any JSON file, by the path that does not know how ragate lays it out."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ragate.baseline.read._START", b"never in a file")
        return parse_baseline(text, where="x")


def damages(line: bytes, other: bytes) -> list[bytes]:
    """Return what may stand in place of a line."""
    return [
        *(b"", line * 2, b" " + line, other, b'"q3":1,"q4":2,\n', b'"samples":{\n'),
        *(b"\n", b",\n", b"},\n", b"}\n", b"\xff", line.replace(b'"', b"", 1)),
        *(line.replace(b"\n", end) for end in (b"\r\n", b",\n", b"")),
        line.replace(b",\n", b"\n"),
    ]


@given(data=st.data())
def test_read_by_line_or_at_once_a_baseline_is_the_same(data: st.DataObject):
    lines = dumped(run_of("a", "b")).splitlines(keepends=True)
    for _ in range(data.draw(st.integers(0, 3))):
        place, other = (data.draw(st.integers(0, len(lines) - 1)) for _ in range(2))
        lines[place] = data.draw(st.sampled_from(damages(lines[place], lines[other])))
    changed = b"".join(lines)

    assert either(changed, lambda one: parse_baseline(one, where="x")) == either(changed, at_once)


def test_a_baseline_that_somebody_laid_out_anew_is_read_too():
    text = dumped(run_of("a", "b"))
    pretty = json.dumps(json.loads(text), indent=2).encode()

    assert parse_baseline(pretty, where="x") == parse_baseline(text, where="x")


def test_a_sample_that_stands_twice_is_refused_by_its_name():
    text = dumped(run_of("a"))
    line = next(one for one in text.splitlines() if one.startswith(b'"q1"'))

    with pytest.raises(BaselineError, match="'q1' stands twice"):
        parse_baseline(text.replace(line, line + b"\n" + line), where="x")
