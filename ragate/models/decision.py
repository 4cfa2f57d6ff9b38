"""The verdict and what it rests on."""

from collections.abc import Iterable
from typing import Any, Literal, Self

from pydantic import computed_field, model_validator

from ragate.models.base import Frozen
from ragate.models.metric_row import MetricRow, SliceRow
from ragate.models.policy import Acceptance
from ragate.models.run import EarlierRun
from ragate.models.verdict import Verdict, as_documented, without_exit_code


class MustPassRow(Frozen):
    """One must-pass sample and the tries it got.

    Attributes:
        eligible: True where it passed the last run of main.
        of_tries, fails: How often it may be tried, and how many misses fail it.
        failed_before, runs_before: In how many of the runs of main it failed.
        false_red: Chance that a re-run of the unchanged system fails it; None where unknown.
    """

    sample_id: str
    metric: str
    pass_at: float
    tries: int
    failed: int
    met: bool
    eligible: bool
    false_red: float | None = None
    scores: tuple[float | None, ...] = ()
    of_tries: int = 3
    fails: int = 2
    failed_before: int = 0
    runs_before: int = 0

    @property
    def flips(self) -> bool:
        """Whether it failed on main by itself, and passed again."""
        return self.eligible and self.failed_before > 0

    @property
    def missed(self) -> bool:
        """Whether too many tries failed; of one that never did by itself, as large a part."""
        if self.flips:
            return self.failed >= self.fails
        return self.failed * self.of_tries >= self.fails * self.tries

    @property
    def is_red(self) -> bool:
        """Whether it fails the gate: one that failed in the baseline as well is a warning."""
        return self.missed and self.eligible


class WaiverRow(Frozen):
    """One waiver as it was applied."""

    sample_id: str
    metric: str
    owner: str
    reason: str
    until: str


class EarlierFigure(Frozen):
    """One metric's means by whose passes they are of, in its own unit.

    Attributes:
        newest, earlier, pooled: Over the newest run, the earlier ones, and all passes together.
        p: Adjusted p of all passes against the baseline; None where they were not tested together.
    """

    metric: str
    newest: float | None = None
    earlier: float | None = None
    pooled: float | None = None
    p: float | None = None


class EarlierPasses(Frozen):
    """Passes that earlier runs of this very commit made, and what they are good for.

    Attributes:
        runs: When they ran and how they ended, oldest first.
        use: ``counted``: in every figure, since what the system reads is proven the same.
            ``shown``: beside the newest run, which decides alone. ``differ``: they do not look like
            the newest run, and are not used. ``agree``: tested together with a suspicious newest
            run, and not red. ``confirm``: red together with it.
        p_differ: How often an unchanged system would differ as much from its earlier passes, the
            smaller of both directions; None where that was not asked.
        note: The same in one sentence.
    """

    runs: tuple[EarlierRun, ...]
    use: Literal["counted", "shown", "differ", "agree", "confirm"]
    p_differ: float | None = None
    metrics: tuple[EarlierFigure, ...] = ()
    note: str = ""


class Decision(Frozen):
    """The verdict and everything it rests on.

    Attributes:
        reasons: Why it is red or why there is no decision; empty when it passed.
        failed: How many of all questions failed, where these are too many for a pass.
        warnings: What a reader should know although it does not decide.
        remedies: Commands to type, one line each.
        accepted: Drops that would have failed it and were accepted.
        slices: Each metric of each slice of the policy.
        wants_runs: More passes over all samples that this verdict asks for before it is final
            (confirmation runs, or one repeat of a failing deterministic metric); 0 when final.
        wants_tries: More tries of the must-pass samples alone; 0 when final.
        wants_again: Samples whose change counts once more passes agree; none when final.
        confirmed: True where confirmation runs are part of the evidence.
        earlier: Passes of earlier runs of this commit; None where there are none.
        lines: One sentence each on the minimum detectable effect, the family error, and on what
            is worse on these very questions.
    """

    verdict: Verdict
    reasons: tuple[str, ...] = ()
    failed: str = ""
    warnings: tuple[str, ...] = ()
    remedies: tuple[str, ...] = ()
    metrics: tuple[MetricRow, ...] = ()
    slices: tuple[SliceRow, ...] = ()
    must_pass: tuple[MustPassRow, ...] = ()
    waivers: tuple[WaiverRow, ...] = ()
    accepted: tuple[Acceptance, ...] = ()
    family: tuple[str, ...] = ()
    alpha: float = 0.02
    runs_baseline: int = 0
    runs_candidate: int = 0
    wants_runs: int = 0
    wants_tries: int = 0
    wants_again: tuple[str, ...] = ()
    confirmed: bool = False
    earlier: EarlierPasses | None = None
    lines: tuple[str, ...] = ()

    @model_validator(mode="before")
    @classmethod
    def _exit_code_follows(cls, fields: Any) -> Any:
        return without_exit_code(fields)

    @property
    def rows(self) -> tuple[MetricRow, ...]:
        """Return the rows of all metrics, then those of all slices."""
        return (*self.metrics, *self.slices)

    def held_back(self, reasons: Iterable[str], remedies: Iterable[str]) -> Self:
        """Return it with reasons why it cannot pass: a pass becomes no decision, a failure stays.

        They stand before its own, and what to do as well, each once.
        """
        passed = self.verdict is Verdict.PASSED
        return self.amended(
            verdict=Verdict.NO_DECISION if passed else self.verdict,
            reasons=(*reasons, *self.reasons),
            remedies=tuple(dict.fromkeys((*remedies, *self.remedies))),
        )

    @computed_field(json_schema_extra=as_documented)  # type: ignore[prop-decorator]
    @property
    def exit_code(self) -> int:
        """What the command ends with: the verdict's."""
        return self.verdict.exit_code
