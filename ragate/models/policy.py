"""How a run is judged: the rules. In CI they come from the base commit, never from the change."""

import datetime
from collections.abc import Collection
from typing import Literal, Self

from pydantic import Field

from ragate.models.base import Frozen

Level = Literal["error", "warn", "off"]


class PassRule(Frozen):
    """What is demanded of the share of samples that reach a metric's pass mark: a metric of its
    own, called `<name>.pass` in reports. `[policy.scorecard.pass_rate]` and
    `[policy.scorecard.overall_score]` take the same keys.

    Attributes:
        level: `error` can fail the gate, `warn` is only shown.
        minimum: Floor of the share; the limit itself passes.
        max_drop: As that of a metric, of the share.
    """

    level: Literal["error", "warn"] = "error"
    minimum: float | None = Field(default=None, ge=0, le=1)
    max_drop: float | None = Field(default=None, ge=0, lt=1)


class Rule(Frozen):
    """What is demanded of one metric.

    One table for each metric that is computed, quoted where its name has a cut-off:
    `[policy.metrics."ndcg@10"]`. An empty table is a rule with all defaults. A metric's own keys
    stand in the same table: [Metrics](metrics-reference.md).

    Attributes:
        metric: Its name.
        level: `error` can fail the gate, `warn` is only shown in the report, `off` is not computed.
            Without a level and a limit `contains`, `exact_match`, `number_recall` and `rouge_l`
            are `warn`: [harmless rewording](statistics.md) lets them fall by more than half a
            point.
        minimum: Floor of the candidate's mean, where higher is better; the limit itself passes.
        maximum: Ceiling of the candidate's mean, where lower is better; the limit itself passes.
        max_drop: How far the mean may fall, in the metric's own unit; a larger fall is red once it
            is proven. None: a hundredth of the range and what harmless rewording costs the metric;
            [without noise](decision.md) half a sample's worth, 0.5/n.
        max_increase: Share by which tokens, cost or latency may rise: 0.1 is a tenth.
        pass_at: A sample's pass mark, for must-pass samples and the [share that
            passes](scorecards.md).
        pass_rate: Holds the share of samples that reach `pass_at`; none: it is only shown.
    \f

    Values over the whole run (`latency_p95`, `refusal_f1`, `retrieved_tokens`) take a level and a
    limit only; tokens and cost take `max_increase` and `maximum`. At level `error` they need one of
    them. `max_increase` of a latency can only warn: times of another day prove nothing.

    There is no default set of metrics: choose by what your golden set knows.

    | your samples have | begin with |
    | --- | --- |
    | `relevant` | `"recall@10"`, `"ndcg@10"`; `"judged@10"` at level `warn` beside them |
    | `references` | `idf_f1` or `token_f1`; `number_recall` where figures matter |
    | neither | `entity_support`, `number_unit_support`, `lexical_support`, `error_rate` |
    | `answerable = false` | `refusal_recall` and `false_refusal`, together |
    """

    metric: str
    level: Level = "error"
    minimum: float | None = None
    maximum: float | None = None
    max_drop: float | None = Field(default=None, ge=0)
    max_increase: float | None = Field(default=None, gt=0)
    pass_at: float | None = None
    pass_rate: PassRule | None = None

    @property
    def gates(self) -> bool:
        """Whether the metric, or the share that passes, can fail the gate."""
        of_share = self.pass_rate is not None and self.pass_rate.level == "error"
        return self.level == "error" or (of_share and self.level != "off")


class ScorecardStage(Frozen):
    """One metric as a part of a scorecard.

    Attributes:
        weight: Its part of the overall score, beside those of the other stages that apply.
        pass_at: The metric's pass mark, in its own unit; None: the stage cannot fail a sample.
        required: A sample that fails it is at its worst in every later stage.
        own_row: The policy has a table for its metric, whose row shows what was measured.
    """

    name: str
    metric: str
    weight: float = Field(default=1.0, ge=0)
    pass_at: float | None = None
    required: bool = False
    own_row: bool = False


PASSES = "pass_rate"
OVERALL = "overall_score"


class Scorecard(Frozen):
    """What a sample has to reach as a whole: PASS or FAIL, and one score over its stages.

    Attributes:
        stages: In the order in which they are asked.
        parallel: All are asked at once; a failed required stage saves no call then.
        pass_at: Overall score that a sample needs besides, in 0 to 1; None: none.
        by: Metadata fields by whose values the pass rate is shown, beside tags.
        weights: Their sum as it was written.
        pass_rate: How the share of samples that pass is held.
        overall_score: How the mean overall score is held; None: it is shown only.
    """

    stages: tuple[ScorecardStage, ...] = Field(min_length=1)
    parallel: bool = False
    pass_at: float | None = Field(default=None, ge=0, le=1)
    by: tuple[str, ...] = ()
    weights: float = 1.0
    pass_rate: PassRule = PassRule()
    overall_score: PassRule | None = None

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Return the rules of the two metrics that it makes of the others.

        A must-pass sample has to pass.
        """
        overall = self.overall_score or PassRule(level="warn")
        return (
            Rule(metric=PASSES, pass_at=1.0, **dict(self.pass_rate)),
            Rule(metric=OVERALL, **dict(overall)),
        )

    @property
    def gates(self) -> bool:
        """Whether it can fail the gate."""
        return any(rule.gates for rule in self.rules)

    def without(self, left_out: Collection[str]) -> Self | None:
        """Return what is left of it where metrics are not measured on purpose.

        None where no stage is left, or where it is left out itself.
        """
        if PASSES in left_out:
            return None
        stages = tuple(stage for stage in self.stages if stage.metric not in left_out)
        return self.amended(stages=stages) if stages else None

    def made_of(self, metrics: Collection[str]) -> tuple[str, ...]:
        """Return the metrics that it makes, none where no stage is among `metrics`."""
        made = any(stage.metric in metrics for stage in self.stages)
        return (PASSES, OVERALL) if made else ()


class Slice(Frozen):
    """A part of the golden set that is held on its own: a drop there is seen although the whole set
    holds: [Slices](scorecards.md).

    Attributes:
        name: Up to 30 letters, digits, `_`, `.`, `-`.
        tags: As `--tags`: samples with any of them; this or `where` is needed.
        where: As `--where`: samples that meet all conditions.
        metrics: Those that are held on it; empty: the first metric that gates.
        level: `error` can fail the gate, `warn` is only shown.
        minimum: Floor of its mean, held by evidence; with one metric only.
        maximum: Ceiling of its mean, for a metric where lower is better; with one metric only.
    """

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,29}$")
    tags: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    level: Literal["error", "warn"] = "error"
    minimum: float | None = None
    maximum: float | None = None

    @property
    def conditions(self) -> tuple[str, ...]:
        """Return what a sample must fit, as it is shown."""
        tags = (f"tags {', '.join(self.tags)}",) if self.tags else ()
        return (*tags, *self.where)


class Waiver(Frozen):
    """Takes one faulty question out of one metric until a date.

    Every report shows it; an expired one is an error (exit 2).

    Attributes:
        id: The sample.
        metric: The metric, as its table is named.
        owner: Who mends it.
        reason: Why.
        until: Last day; a TOML date, without quotes.
    \f

    ```toml
    [[policy.waivers]]
    id     = "refund-late"
    metric = "token_f1"
    owner  = "billing"
    reason = "the reference is under review"
    until  = 2026-12-31
    ```
    """

    id: str
    metric: str
    owner: str
    reason: str = Field(min_length=1)
    until: datetime.date


class Acceptance(Frozen):
    """A drop of one metric that a maintainer takes, for one commit and its outputs only.

    Attributes:
        by: Who accepted it.
        commit: The commit it was accepted for.
    """

    metric: str
    by: str
    reason: str
    commit: str = ""


class DecisionSettings(Frozen):
    """The figures of the decision rule; see docs/decision.md.

    Attributes:
        alpha: Chance of failing a change that changes nothing, over all error-level metrics
            together.
        runs: Passes over the golden set that `ragate baseline update` records.
        max_unscored: Share of samples, per metric, that may be unmeasured in the baseline; of a
            candidate, [what the baseline makes likely](decision.md).
        cluster: A tag prefix or metadata field whose samples belong together, as questions of one
            document; empty: each sample stands alone.
        floor: A floor compares the mean (`point`), or the bound that is proven (`evidence`).
    """

    alpha: float = Field(default=0.02, gt=0, lt=0.5)
    runs: int = Field(default=3, ge=1, le=50)
    max_unscored: float = Field(default=0.05, ge=0, lt=1)
    cluster: str = ""
    floor: Literal["point", "evidence"] = "point"
