"""A failure inside of a group of tasks is told as itself."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from ragate.cli import main
from ragate.errors import RagateError, StorageError
from ragate.task_groups import first_error, task_group

PACKAGE = Path(main.__file__).parents[1]


async def fail(error: Exception) -> None:
    raise error


def test_the_first_failure_of_a_group_is_raised_with_its_cause() -> None:
    disk = OSError("no room")

    async def run() -> None:
        full = StorageError("the cache: full", remedy="free some")
        full.__cause__ = disk
        async with task_group() as group:
            group.create_task(fail(ValueError("beside")))
            group.create_task(fail(full))

    with pytest.raises(StorageError, match="the cache: full") as raised:
        asyncio.run(run())
    assert raised.value.__cause__ is disk


def test_an_error_of_groups_within_groups_is_the_one_with_a_remedy() -> None:
    typed = StorageError("full")
    nested = ExceptionGroup("two", [ValueError("x"), ExceptionGroup("one", [typed])])

    assert first_error(nested) is typed


def test_a_group_that_reaches_the_entry_ends_with_the_words_and_the_code_of_its_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class OwnError(RagateError):
        exit_code = 2

    def ends(_arguments: object) -> int:
        raise ExceptionGroup("unhandled", [OwnError("a: wrong", remedy="mend a")])

    monkeypatch.setattr(main, "_run", ends)

    assert main.run(["check"]) == 2
    assert capsys.readouterr().err == "ragate: a: wrong\n  -> mend a\n"


def test_no_group_is_opened_that_would_hide_its_error() -> None:
    used = [
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if re.search(r"\bTaskGroup\(", path.read_text())
    ]

    assert used == ["task_groups.py"]
