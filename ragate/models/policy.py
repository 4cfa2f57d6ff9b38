"""How a run is judged: the rules. In CI they come from the base commit, never from the change."""

import datetime
from typing import Literal, Self

from pydantic import Field, model_validator

from ragate.models.base import Frozen

Level = Literal["error", "warn", "off"]


class PassRule(Frozen):
    """What is demanded of the share of samples that reach a metric's pass mark; drops are shares.

    Attributes:
        minimum: Floor of the share, inclusive.
        max_drop, min_drop, margin: As those of a metric.
    """

    level: Literal["error", "warn"] = "error"
    minimum: float | None = Field(default=None, ge=0, le=1)
    max_drop: float | None = Field(default=None, ge=0, le=1)
    min_drop: float | None = Field(default=None, ge=0, lt=1)
    margin: float = Field(default=0.0, ge=0, lt=1)


class Rule(Frozen):
    """What is demanded of one metric.

    Attributes:
        level: ``error`` can fail the gate, ``warn`` only shows, ``off`` is not computed.
        minimum: Floor of the candidate's mean (metrics where higher is better), inclusive.
        maximum: Ceiling of the candidate's mean (metrics where lower is better), inclusive.
        max_drop: Net loss of the mean that is allowed to a metric without noise; None: half a
            sample's range, 0.5/n.
        min_drop: Smallest proven drop of a noisy metric that is red; None: as the policy says.
        max_increase: Share by which tokens, cost or latency may rise, 0.1 for a tenth.
        margin: Drop that a noisy metric's fall must be proven to exceed.
        pass_at: A sample's pass mark, for must-pass samples and pass rates.
        pass_rate: What is demanded of the share that passes; None: it is shown only.
    """

    metric: str
    level: Level = "error"
    minimum: float | None = None
    maximum: float | None = None
    max_drop: float | None = Field(default=None, ge=0)
    min_drop: float | None = Field(default=None, ge=0)
    max_increase: float | None = Field(default=None, gt=0)
    margin: float = Field(default=0.0, ge=0)
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


class Slice(Frozen):
    """A part of the golden set that is held on its own: a drop there is seen although all hold.

    Attributes:
        tags, where: As ``--tags`` and ``--where``: a sample has any of the tags, if there are some,
            and meets every condition.
        metrics: Those that are held on it; empty in the file: the first that gates.
        level: ``error`` can fail the gate, ``warn`` only shows.
        min_drop: Smallest drop that is red, as a share of the metric's range; None: what the metric
            allows, and never less than two samples of the slice.
        minimum, maximum: Floor or ceiling of its mean, held by evidence; with one metric only.
    """

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,29}$")
    tags: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    level: Literal["error", "warn"] = "error"
    min_drop: float | None = Field(default=None, gt=0, lt=1)
    minimum: float | None = None
    maximum: float | None = None

    @property
    def conditions(self) -> tuple[str, ...]:
        """Return what a sample must fit, as it is shown."""
        tags = (f"tags {', '.join(self.tags)}",) if self.tags else ()
        return (*tags, *self.where)


class Waiver(Frozen):
    """One sample that one metric does not count, until a date. An expired one is an error."""

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
    """The figures of the decision rule; see docs/decision.md. Drops are fractions of the range.

    Attributes:
        min_drop: Smallest proven drop of a noisy metric that is red, for both claims; None: the
            default of the deciding claim (`ragate.core.rules.allowance`).
        tries, fails: How often a question that must pass is asked, and how many tries fail it.
        repeats: What the system is declared to repeat exactly: ``retrieval``, ``answer`` (the whole
            output, what was retrieved included).
    """

    alpha: float = Field(default=0.02, gt=0, lt=0.5)
    runs: int = Field(default=3, ge=1, le=50)
    confirm: int = Field(default=2, ge=0, le=20)
    claim: Literal["auto", "this-set", "generalise"] = "auto"
    min_drop: float | None = Field(default=None, ge=0, le=1)
    care: float = Field(default=0.05, gt=0, lt=1)
    max_unscored: float = Field(default=0.05, ge=0, lt=1)
    cluster: str = ""
    floor: Literal["point", "evidence"] = "point"
    repeats: tuple[Literal["retrieval", "answer"], ...] = ()
    tries: int = Field(default=3, ge=1, le=20)
    fails: int = Field(default=2, ge=1)

    @model_validator(mode="after")
    def _most_tries_fail(self) -> Self:
        if not self.tries < 2 * self.fails <= 2 * self.tries:
            wanted = f"more than half of `tries` = {self.tries}, and no more than all of them"
            raise ValueError(f"`fails` is {self.fails}: it must be {wanted}")
        return self
