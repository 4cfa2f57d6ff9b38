"""Hooks: what only some runs do, and what none of them can do."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any, cast

import pytest

from ragate.cli import main
from ragate.errors import StorageError
from ragate.extension import Hook
from ragate.gate.compare_and_decide import Decided
from ragate.models import Verdict
from ragate.run.hooks import Hooks, Remarks
from tests.factories import decision_factory

TELLS = Hook("teller", "x:X", lambda _plan: True)
GUARDS = replace(TELLS, name="guard", guards=True)
ALL = Remarks(lines=("a line",), warnings=("a warning",), held_back=("a reason",), remedies=("do",))


def decided_as(verdict: Verdict) -> Decided:
    nothing = cast("Any", None)
    return Decided(nothing, nothing, nothing, decision_factory(verdict, metrics=[]), ())


class Says:
    """A hook that gives one thing, or raises it."""

    def __init__(self, remarks: object) -> None:
        self.remarks = remarks

    def decided(self, _decided: Decided) -> Any:
        if isinstance(self.remarks, Exception):
            raise self.remarks
        return self.remarks


def told(hook: Hook, listener: object, verdict: Verdict) -> Decided:
    return Hooks([(hook, listener)], lambda _line: None).decided(decided_as(verdict))


def test_a_pass_that_a_hook_holds_back_is_no_decision():
    decision = told(GUARDS, Says(ALL), Verdict.PASSED).decision

    assert decision.verdict is Verdict.NO_DECISION
    assert decision.reasons[0] == "a reason"
    assert (decision.lines[0], decision.warnings[0], decision.remedies[0]) == (
        "a line",
        "a warning",
        "do",
    )


@pytest.mark.parametrize("verdict", [Verdict.FAILED, Verdict.NO_DECISION])
@pytest.mark.parametrize("remarks", [ALL, Remarks(), Remarks(lines=("It passed, really.",)), None])
def test_no_hook_turns_red_into_green(verdict: Verdict, remarks: Remarks | None):
    assert told(TELLS, Says(remarks), verdict).decision.verdict is verdict


@pytest.mark.parametrize("gives", [Verdict.PASSED, decided_as(Verdict.PASSED), "passed", True])
def test_what_a_hook_gives_instead_of_remarks_counts_for_nothing(gives: object):
    assert told(TELLS, Says(gives), Verdict.FAILED).decision.verdict is Verdict.FAILED
    with pytest.raises(RuntimeError, match="guard: TypeError"):
        told(GUARDS, Says(gives), Verdict.FAILED)


def test_a_hook_cannot_change_the_decision_in_place():
    class Hostile:
        def decided(self, decided: Decided) -> None:
            decided.decision = decision_factory(Verdict.PASSED)  # type: ignore[misc]

    class Deeper:
        def decided(self, decided: Decided) -> None:
            decided.decision.verdict = Verdict.PASSED  # type: ignore[misc]

    for hostile in (Hostile(), Deeper()):
        decision = told(TELLS, hostile, Verdict.FAILED).decision
        assert decision.verdict is Verdict.FAILED
        assert "teller: " in decision.warnings[0]


def test_a_guard_that_fails_leaves_no_decision(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
):
    def fails(*_: object) -> None:
        told(GUARDS, Says(ValueError("lost")), Verdict.PASSED)

    monkeypatch.setattr(main, "_run", fails)
    monkeypatch.setenv("RAGATE_DEBUG", "1")

    assert main.run(["check"]) == 3
    shown = capsys.readouterr().err
    assert "guard: ValueError: lost" in shown
    assert "raise self.remarks" in shown, "the line that failed"


def test_an_error_of_ours_from_a_guard_is_told_as_it_is():
    full = StorageError("the disk is full", remedy="free some")
    with pytest.raises(StorageError) as stored:
        told(GUARDS, Says(full), Verdict.PASSED)
    assert stored.value is full


def test_one_that_tells_and_fails_is_a_warning_in_the_report():
    said: list[str] = []

    class Fails:
        async def opened(self, *_values: object) -> None:
            raise OSError("no answer")

    hooks = Hooks([(TELLS, Fails())], said.append)
    asyncio.run(hooks.opened(cast("Any", None), cast("Any", None)))
    decision = hooks.decided(decided_as(Verdict.PASSED)).decision

    assert decision.verdict is Verdict.PASSED
    assert decision.warnings[0] == "teller: OSError: no answer"
    assert said == ["warning: teller: OSError: no answer"]
