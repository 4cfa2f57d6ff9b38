"""What only some runs do, at the moments of a run: this list, and what extensions bring.

A hook is a class, made with the plan and what was read for it, that has the moments it needs:

- `opening(opened)`: the resources are there; no system was started yet.
- `opened(session, scorer)`: nothing was asked yet.
- `decided(decided)`: before the report; gives `Remarks`.
- `asked(session)`: nothing more is asked; what was opened is open still.
- `reported(run, report)`: they are stored.
- `ended(error)`: always.

A hook that guards and fails leaves no decision; one that tells is a warning. One that cannot be
made ends the run, whatever it does: nothing is paid for yet. None can take a verdict back: what it
says of one is lines, warnings, and reasons why a pass does not count.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from inspect import isawaitable
from typing import TYPE_CHECKING, Any

from ragate import plugins
from ragate.answers.system_session import Session
from ragate.errors import RagateError
from ragate.extension import Hook, extensions, loaded
from ragate.gate.gate_setup import GateSetup
from ragate.models import Report, Run
from ragate.resources.resources import Opened
from ragate.run.plan import RunPlan
from ragate.scoring.scorer import Scorer
from ragate.stores.local import reach_store

if TYPE_CHECKING:
    from ragate.gate.compare_and_decide import Decided


HOOKS = (
    Hook("resume", "ragate.run.resume:GoOn", lambda plan: plan.interrupted is not None, True),
    Hook(
        "recording",
        "ragate.baseline.recording.record_baseline:FreshRecording",
        lambda plan: plan.recording is not None,
        guards=True,
    ),
    Hook(
        "scores",
        "ragate.run.scores_remarks:ScoresRemarks",
        lambda plan: plan.config.policy.of_scores,
        guards=True,
    ),
)


@dataclass(frozen=True)
class Remarks:
    """What a hook says of a verdict.

    Attributes:
        lines: How it came about.
        held_back: Why a pass does not count; further reasons where it is none.
        remedies: What to do about these.
    """

    lines: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    held_back: tuple[str, ...] = ()
    remedies: tuple[str, ...] = ()


class Hooks:
    """The hooks of one run."""

    def __init__(self, active: Sequence[tuple[Hook, Any]], say: Callable[[str], None]) -> None:
        self._active = active
        self._say = say
        self._warnings: list[str] = []

    async def opening(self, opened: Opened) -> None:
        await self._reach("opening", opened)

    async def opened(self, session: Session, scorer: Scorer) -> None:
        await self._reach("opened", session, scorer)

    async def asked(self, session: Session) -> None:
        await self._reach("asked", session)

    def decided(self, decided: Decided) -> Decided:
        """Return the decision with what the hooks say of it; a pass may become no decision."""
        for remarks in list(self._told("decided", decided)):
            decided = with_remarks(decided, remarks)
        return decided.with_warnings(*self._warnings)

    def reported(self, run: Run, report: Report) -> None:
        for _ in self._told("reported", run, report):
            pass

    def ended(self, error: BaseException | None) -> None:
        for _ in self._told("ended", error):
            pass

    async def _reach(self, moment: str, *values: object) -> None:
        for hook, listener in self._active:
            try:
                result = getattr(listener, moment, _nothing)(*values)
                if isawaitable(result):
                    await result
            except Exception as error:  # noqa: BLE001 - a hook that tells ends no run
                self._failed(hook, error)

    def _told(self, moment: str, *values: object) -> Iterator[Remarks]:
        for hook, listener in self._active:
            try:
                remarks = getattr(listener, moment, _nothing)(*values)
                if remarks is not None and not isinstance(remarks, Remarks):
                    raise TypeError(f"it gave {type(remarks).__name__} and not Remarks")  # noqa: TRY301
            except Exception as error:  # noqa: BLE001 - a hook that tells ends no run
                self._failed(hook, error)
            else:
                yield remarks or Remarks()

    def _failed(self, hook: Hook, error: Exception) -> None:
        told = (
            error.message if isinstance(error, RagateError) else f"{type(error).__name__}: {error}"
        )
        if not hook.guards:
            self._warnings.append(f"{hook.name}: {told}")
            self._say(f"warning: {hook.name}: {told}")
        elif isinstance(error, RagateError):
            raise error
        else:
            # No error of ours: whoever catches it says how to see where, and shows it.
            raise RuntimeError(f"{hook.name}: {told}") from error


def _nothing(*_values: object) -> None:
    return


def with_remarks(decided: Decided, remarks: Remarks) -> Decided:
    """Return the decision with what a hook says of it."""
    for line in remarks.lines:
        decided = decided.with_line(line)
    decided = decided.with_warnings(*remarks.warnings)
    return decided.held_back(remarks.held_back, remarks.remedies) if remarks.held_back else decided


@asynccontextmanager
async def hooks_of(plan: RunPlan, setup: GateSetup) -> AsyncIterator[Hooks]:
    """Yield the hooks whose condition holds; each hears how the run ended.

    A run store that is out of reach begins no run.
    """
    active = [(hook, plugins.own_class(hook.path)(plan, setup)) for hook in HOOKS if hook.on(plan)]
    active += [
        (hook, loaded(each, hook.path)(plan, setup))
        for each in extensions()
        for hook in each.hooks
        if hook.on(plan)
    ]
    reach_store(plan.operations)
    hooks = Hooks(active, plan.operations.say)
    try:
        yield hooks
    except BaseException as error:
        hooks.ended(error)
        raise
    hooks.ended(None)
