"""What a run is asked for: which samples, from which source, and after which step it stops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Protocol

from ragate.answers.ready_system import LookFirst, ReadySystem
from ragate.answers.run_profile import Selection
from ragate.answers.system_session import Session
from ragate.config import Config
from ragate.gate.gate_setup import (
    GateSetup,
    load_baseline_or_none,
    load_samples,
    read_gate_setup,
)
from ragate.models import Report, Run, Sample
from ragate.resources.operations import Operations
from ragate.resources.resources import Opened
from ragate.scoring.scorer import Scorer, ScoringPlan
from ragate.stores.begun_run import BegunRun


class Stop(Enum):
    """After which step a run ends: what was asked is kept, or scored, or decided on as well."""

    ASKED = 1
    SCORED = 2
    DECIDED = 3


class Source(Protocol):
    """Where the outputs of a run come from."""

    def open(
        self, plan: RunPlan, setup: GateSetup, look_first: LookFirst
    ) -> AbstractAsyncContextManager[ReadySystem]:
        """Open what gives outputs; `look_first` is waited for before a system is started."""


@dataclass(frozen=True)
class RecordingMark:
    """A recording of a baseline under way, as its file in the state folder says.

    Attributes:
        name: Names its draws of model requests.
        state: What is recorded; "" where that cannot be told.
        run_id: Where its outputs are.
    """

    name: str
    state: str = ""
    run_id: str = ""


@dataclass(frozen=True)
class RunPlan:
    """One run.

    Attributes:
        command: Whose run it is: only a run of the same command goes on as this one.
        judge_last: Ask the judge only where the metrics that need none have not failed already.
        takes_failures: A recording is taken however many of its outputs failed.
        own: Which of the samples are asked, where this is a part of a run.
        setup: Golden set and baseline, where they are read already.
        interrupted: The run that goes on.
        recording: The recording of a baseline, which takes no answers but its own.
    """

    config: Config
    operations: Operations
    source: Source
    selection: Selection = field(default_factory=Selection)
    command: str = "check"
    stop: Stop = Stop.DECIDED
    judge_last: bool = False
    own: Callable[[Sequence[Sample]], Sequence[Sample]] = lambda samples: samples
    takes_failures: bool = False
    setup: GateSetup | None = None
    interrupted: BegunRun | None = None
    recording: RecordingMark | None = None

    def read_setup(self) -> GateSetup:
        """Return golden set and baseline; a run that is only asked holds no waiver to its date.

        Raises:
            RagateError: a file cannot be read, or a waiver has expired.
        """
        if self.setup is not None:
            return self.setup
        filters = self.selection.filters
        if self.stop is Stop.ASKED:
            samples = load_samples(self.config, filters)
            setup = GateSetup(self.config, samples, load_baseline_or_none(self.config))
        else:
            setup = read_gate_setup(self.config, filters)
        return replace(setup, samples=self.own(setup.samples), whole=len(setup.samples))

    def scoring(self, setup: GateSetup, opened: Opened) -> ScoringPlan:
        """Return what is scored, and by which judge."""
        recording = self.recording is not None
        return ScoringPlan(
            self.config,
            opened,
            setup.samples,
            _judgements_only(setup.baseline) if recording else setup.baseline,
            self.selection,
            unjudged=self.operations.unjudged,
            recording=recording,
            judge_last=self.judge_last,
        )


def _judgements_only(old: Run | None) -> Run | None:
    """Return the old baseline without its tables: a new recording fits them anew."""
    if old is None:
        return None
    return old.amended(manifest=old.manifest.amended(states={}))


@dataclass(frozen=True, repr=False)  # asyncio.run writes its result into an error that it drops
class RunResult:
    """What came of a run: as much as its plan asked for.

    Attributes:
        session: The outputs that were collected, pass by pass.
        run_or_none, report_or_none: None where the run stops before.
        scorer: What scored it, closed.
    """

    setup: GateSetup
    session: Session
    run_or_none: Run | None = None
    report_or_none: Report | None = None
    scorer: Scorer | None = None

    @property
    def run(self) -> Run:
        """Return the scored run."""
        if self.run_or_none is None:
            raise AssertionError("a run that stops before it scores has no scores")
        return self.run_or_none

    @property
    def report(self) -> Report:
        """Return the report."""
        if self.report_or_none is None:
            raise AssertionError("a run that stops before it decides has no report")
        return self.report_or_none
