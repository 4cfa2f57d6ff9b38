"""What is shown: everything a renderer may print. Renderers compute nothing."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from ragate.models.base import Frozen
from ragate.models.policy import Acceptance, Level
from ragate.models.run import EarlierRun, Filters, SystemInfo
from ragate.models.score import Direction

REPORT_SCHEMA_VERSION = 1


class Verdict(StrEnum):
    """What the gate says."""

    PASSED = "passed"
    FAILED = "failed"
    NO_DECISION = "no_decision"
    BOOTSTRAP = "bootstrap"


class MetricVerdict(StrEnum):
    """What can be said of one metric against the baseline."""

    REGRESSED = "regressed"
    WORSE_HERE = "worse_on_this_set"
    CANNOT_TELL = "cannot_tell"
    HELD = "held"
    UNCHANGED = "unchanged"
    IMPROVED = "improved"
    NOT_COMPARABLE = "not_comparable"
    NOT_MEASURED = "not_measured"
    SHOWN = "shown"  # an aggregate: floors only; or there is no baseline yet


class FloorResult(Frozen):
    """A floor (or ceiling) and whether the candidate's mean keeps it.

    Attributes:
        limit: The configured minimum or maximum.
        kind: ``point`` compares the mean, ``evidence`` the one-sided 95 % bound.
        bound: That bound, for ``evidence``.
        fails_at: The mean at which it would fail, for ``evidence``.
    """

    limit: float
    kind: Literal["point", "evidence"]
    met: bool
    bound: float | None = None
    fails_at: float | None = None


class MetricRow(Frozen):
    """One metric of the comparison, in its own unit; a change is signed, positive where it rose.

    Attributes:
        n: Samples that decide (a value on both sides, not waived).
        not_applicable: Samples that the metric cannot speak about, such as unjudged ones.
        baseline, candidate: Means over these samples and all runs.
        interval: 95 % interval of the change; None where nothing is estimated.
        exact: True for a deterministic metric: no noise, no test.
        better, worse: Samples whose score rose or fell (in the good sense).
        limit: The largest drop that is not red, for deterministic metrics.
        allowed: The same for every compared metric; one with noise is red from there on, if the
            drop is proven as well.
        p: Adjusted p of the deciding claim; p_other of the other one.
        mde: Smallest drop that this set and these runs can show with 80 % power.
        reason: Why this verdict, in one sentence.
        accepted: True where it would block, and a maintainer accepted that.
    """

    metric: str
    level: Level
    direction: Direction = Direction.HIGHER
    unit: str = "fraction"
    exact: bool = False
    aggregate: bool = False
    n: int = 0
    not_applicable: int = 0
    unscored_baseline: int = 0
    unscored_candidate: int = 0
    unscored_reasons: dict[str, int] = {}
    baseline: float | None = None
    candidate: float | None = None
    change: float | None = None
    interval: tuple[float, float] | None = None
    better: int = 0
    worse: int = 0
    verdict: MetricVerdict
    blocks: bool = False
    accepted: bool = False
    reason: str = ""
    limit: float | None = None
    allowed: float | None = None
    floor: FloorResult | None = None
    p: float | None = None
    p_other: float | None = None
    claim: str = ""
    mde: float | None = None
    mde_note: str = ""


class MustPassRow(Frozen):
    """One must-pass sample and the tries it got.

    Attributes:
        eligible: True where it passed all baseline runs.
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

    @property
    def missed(self) -> bool:
        """Whether most of its tries failed; no mark that was not reached for want of a score."""
        return self.failed > self.tries - self.failed

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
        warnings: What a reader should know although it does not decide.
        remedies: Commands to type, one line each.
        accepted: Drops that would have failed it and were accepted.
        wants_runs: More passes over all samples that this verdict asks for before it is final
            (confirmation runs, or one repeat of a failing deterministic metric); 0 when final.
        wants_tries: More tries of the must-pass samples alone; 0 when final.
        confirmed: True where confirmation runs are part of the evidence.
        earlier: Passes of earlier runs of this commit; None where there are none.
        lines: One sentence each on the minimum detectable effect, the family error and the other
            claim.
    """

    verdict: Verdict
    exit_code: int
    reasons: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    remedies: tuple[str, ...] = ()
    metrics: tuple[MetricRow, ...] = ()
    must_pass: tuple[MustPassRow, ...] = ()
    waivers: tuple[WaiverRow, ...] = ()
    accepted: tuple[Acceptance, ...] = ()
    claim: str = ""
    family: tuple[str, ...] = ()
    alpha: float = 0.02
    runs_baseline: int = 0
    runs_candidate: int = 0
    wants_runs: int = 0
    wants_tries: int = 0
    confirmed: bool = False
    earlier: EarlierPasses | None = None
    lines: tuple[str, ...] = ()


class CauseKind(StrEnum):
    """Where a flip came from."""

    RETRIEVAL = "retrieval"
    GENERATION = "generation"
    JUDGE = "judge"
    DATA = "data"
    SYSTEM_ERROR = "system_error"
    DRIFT = "drift"
    UNKNOWN = "unknown"


class Cause(Frozen):
    """Where one flip came from, and the evidence for it, in plain words and as ids.

    Attributes:
        lost: Expected documents that are no longer retrieved.
        displaced_by: What stands in their place.
        edited: Documents that came back with other text than before.
    """

    kind: CauseKind
    evidence: str
    lost: tuple[str, ...] = ()
    displaced_by: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()


class RankChange(Frozen):
    """The rank of one expected document before and after; None where it was not retrieved."""

    doc_id: str
    before: int | None
    after: int | None


class ScoreChange(Frozen):
    """One metric on one sample, means over the runs of each side; None where there is no value."""

    metric: str
    before: float | None
    after: float | None
    reason: str = ""


class SampleSide(Frozen):
    """What one side retrieved (document ids in rank order, repeats collapsed) and answered."""

    docs: tuple[str, ...] = ()
    answer: str | None = None
    error: str | None = None


class SampleRow(Frozen):
    """One sample whose output or score differs between the two sides."""

    sample_id: str
    query: str
    tags: tuple[str, ...] = ()
    must_pass: bool = False
    change: Literal["worse", "better", "mixed", "same", "failed", "new"]
    expected: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    baseline: SampleSide | None = None
    candidate: SampleSide | None = None
    ranks: tuple[RankChange, ...] = ()
    scores: tuple[ScoreChange, ...] = ()
    cause: Cause | None = None


class RemovedSample(Frozen):
    """A sample that the baseline has and the golden set no longer has, with its baseline means."""

    sample_id: str
    means: dict[str, float]


class DataChanges(Frozen):
    """How the golden set differs from the baseline's; an edited sample is in both lists.

    Attributes:
        matched: Selected samples that the baseline holds with the same content.
        selected: Samples of this run.
        missing_documents: Expected documents that the corpus does not hold, by sample.
        stale_evidence: Documents that no longer hold their passage of evidence, by sample: its
            reference may be stale.
    """

    matched: int = 0
    selected: int = 0
    added: tuple[str, ...] = ()
    removed: tuple[RemovedSample, ...] = ()
    edited: tuple[str, ...] = ()
    missing_documents: dict[str, tuple[str, ...]] = {}
    stale_evidence: dict[str, tuple[str, ...]] = {}


class Diagnosis(Frozen):
    """One row of the symptom table that fits this run."""

    symptom: str
    likely_cause: str
    action: str


class RunFacts(Frozen):
    """Counts and costs of the run, for the line under the verdict.

    Attributes:
        calls_reused, verdicts_reused: Answers, and verdicts of the judge, that were there already.
        saved_usd: What reused answers cost when they were made, as far as that is known.
    """

    samples: int = 0
    affected: int | None = None
    reused: int | None = None
    unjudged: int = 0
    errors: int = 0
    unscored: int = 0
    model_calls: int = 0
    calls_reused: int = 0
    verdicts_reused: int = 0
    cost_usd: float | None = None
    saved_usd: float = 0.0
    duration_s: float | None = None


class DrillProof(Frozen):
    """When the gate last proved that it can fail, and how many planted breaks it caught."""

    date: str
    caught: int
    planted: int


class Proposed(Frozen):
    """The verdict by the change's own policy, golden set and baseline: shown, and never decides.

    Attributes:
        verdict, exit_code: None where it could not be computed; `note` says why.
        differs: What is not the same as in the base: files, and keys with their old and new value.
        added, edited, removed: Samples of the golden set, against the base's.
    """

    verdict: Verdict | None = None
    exit_code: int | None = None
    reasons: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    differs: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    metrics: tuple[MetricRow, ...] = ()
    note: str = ""


class SuggestedFloor(Frozen):
    """A floor (or ceiling) that what was measured today would keep.

    Attributes:
        mean: What was measured.
        key: ``minimum`` or ``maximum``.
    """

    metric: str
    unit: str
    mean: float
    key: Literal["minimum", "maximum"]
    limit: float


class CheckoutRules(Frozen):
    """The rules of a verdict that went by those of a checkout, where a base may have others.

    Attributes:
        base_read: The base's could be read, so that `changed` is known.
        changed: What of the checkout's rules is not the base's.
    """

    base_read: bool
    changed: tuple[Literal["policy", "golden set", "baseline", "judge prompt"], ...] = ()


class Report(Frozen):
    """Everything a renderer may show.

    Attributes:
        gate: Name of this gate (the baseline's stem unless named).
        head, base: Commits judged and compared with; "" where unknown.
        samples: Changed samples, failures first.
        unchanged: Number of samples with equal scores and outputs.
        drill: The last `ragate drill`; None where there was none.
        left_out: Changed samples that got no row, since there are too many.
        proposed: The verdict by the change's own rules, where they differ from the base's.
        suggested_floors: For a gate that is new: what its rules could hold from now on.
        checkout_rules: None where the base's rules judged, or the checkout's are the same.
        pull: The pull request that takes comment commands, None where there is none.
        report_url: Where the whole report can be read (https only), "" where nowhere.
    """

    schema_version: int = REPORT_SCHEMA_VERSION
    gate: str
    run_id: str = ""
    created: str = ""
    head: str = ""
    base: str = ""
    ragate_version: str = ""
    dataset: str = ""
    baseline_path: str = ""
    baseline_recorded: str = ""
    system: SystemInfo
    baseline_system: SystemInfo | None = None
    filters: Filters = Filters()
    partial: bool = False
    retrieval_only: bool = False
    decision: Decision
    facts: RunFacts = RunFacts()
    data: DataChanges = DataChanges()
    samples: tuple[SampleRow, ...] = ()
    unchanged: int = 0
    left_out: int = 0
    diagnosis: tuple[Diagnosis, ...] = ()
    drill: DrillProof | None = None
    proposed: Proposed | None = None
    suggested_floors: tuple[SuggestedFloor, ...] = ()
    checkout_rules: CheckoutRules | None = None
    pull: int | None = None
    report_url: str = ""
