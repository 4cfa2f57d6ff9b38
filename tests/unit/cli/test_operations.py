"""The line of a terminal that shows how far a run is."""

from __future__ import annotations

import io
import os
import pty
import re
import subprocess
import sys

import pytest

from ragate.cli.operations import ProgressLine
from ragate.models.progress import Progress


def drawn(monkeypatch: pytest.MonkeyPatch, columns: int, *shown: tuple[float, Progress]) -> str:
    monkeypatch.setenv("COLUMNS", str(columns))
    stream, now = io.StringIO(), iter(time for time, _ in shown for _ in range(2))
    line = ProgressLine(stream, clock=lambda: next(now))
    for _, progress in shown:
        line.show(progress)
    return stream.getvalue()


def test_one_line_is_rewritten_and_its_end_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    text = drawn(
        monkeypatch,
        80,
        (0.0, Progress("run 1", 1, 4)),
        (1.0, Progress("run 1", 2, 4, cost_usd=0.12)),
        (2.0, Progress("run 1", 4, 4, cost_usd=0.5)),
    )

    first, second, third = text.split("\r\x1b[K")[1:]
    assert first == "run 1 [#####...............] 1/4 samples\r"
    assert second == "run 1 [##########..........] 2/4 samples · 1.0 a second · $0.12 · 2 s left\r"
    assert third.endswith("4/4 samples · 1.5 a second · $0.50\n")


def test_it_is_not_drawn_more_often_than_an_eye_sees(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = [(n / 1000, Progress("run 1", n, 1000)) for n in range(1, 1000)]

    assert drawn(monkeypatch, 80, *steps).count("\r\x1b[K") <= 11


def test_it_never_wraps_in_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = ((0.0, Progress("run 1", 1, 400)), (5.0, Progress("run 1", 90, 400, cost_usd=1.5)))
    for columns in (10, 30, 45, 60):
        lines = drawn(monkeypatch, columns, *shown).split("\r\x1b[K")[1:]

        assert all(len(line.strip()) < columns for line in lines)


def test_of_two_stages_at_once_one_has_the_line_for_a_while_and_the_end_of_each_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    text = drawn(
        monkeypatch,
        80,
        (0.0, Progress("run 1", 1, 4)),
        (0.5, Progress("trying the judge", 1, 3, "test answers")),
        (1.2, Progress("trying the judge", 2, 3, "test answers", failed=1)),
        (1.4, Progress("run 1", 2, 4)),
        (1.5, Progress("trying the judge", 3, 3, "test answers", failed=1)),
        (1.6, Progress("run 1", 3, 4)),
    )

    told = [re.split(r" (?:\[|\d+/)", line)[0] for line in text.split("\r\x1b[K")[1:]]
    assert told == ["run 1", "trying the judge", "trying the judge", "run 1"]
    assert "2/3 test answers · 1 failed" in text
    assert text.count("\n") == 1


SCRIPT = """
import sys
from ragate.cli.streams import guard_streams
from ragate.cli.operations import ProgressLine
from ragate.models.progress import Progress
guard_streams()
line = ProgressLine(sys.stderr)
line.show(Progress("run 1", 1, 9))
print("a warning", file=sys.stderr)
print("the report")
"""


def test_what_is_printed_meanwhile_takes_the_place_of_the_line() -> None:
    master, terminal = pty.openpty()
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        stdout=terminal,
        stderr=terminal,
        timeout=60,
        check=False,
    )
    os.close(terminal)
    text = os.read(master, 10_000).decode()
    os.close(master)

    assert done.returncode == 0, text
    assert re.fullmatch(
        r"\r\x1b\[Krun 1 \[.*\] 1/9 samples\r\r\x1b\[Ka warning\r\nthe report\r\n", text
    )
