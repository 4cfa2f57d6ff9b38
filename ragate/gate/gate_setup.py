"""What a verdict needs but the outputs: the policy, the golden set and the baseline.

What reads them is imported where it reads: a verdict on two files of scores needs none of it.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ragate.core.conditions import conditions_of
from ragate.core.rules.waivers import expired
from ragate.errors import ConfigError, NoBaselineError
from ragate.models import (
    Acceptance,
    DecisionSettings,
    Filters,
    Publish,
    Rule,
    Run,
    Sample,
    SystemInfo,
)

if TYPE_CHECKING:
    from ragate.config import Config


def _today() -> datetime.date:
    return datetime.datetime.now(datetime.UTC).date()


class BarePolicy(DecisionSettings):
    """What a verdict on two files reads of a policy."""

    dataset: str
    baseline: str
    rules: tuple[Rule, ...]
    of_scores: bool
    waivers: tuple[()] = ()
    slices: tuple[()] = ()
    scorecard: None = None
    publish: Publish = "full"


@dataclass(frozen=True)
class BareConfig:
    """In place of a `Config`, whose models take as long to import as such a verdict to be made.

    Attributes:
        baseline: No file of a project: it has no history.
    """

    policy: BarePolicy
    gate: str
    root: Path = Path()
    baseline: Path = Path()

    @property
    def system(self) -> SystemInfo:
        """The system that the gate is called by."""
        return SystemInfo(use=self.gate)

    def located(self, sentence: str) -> str:
        """Return the sentence as it is: there is no file that it could lead to."""
        return sentence


@dataclass(frozen=True)
class GateSetup:
    """Everything that a verdict needs but the outputs.

    Attributes:
        baseline: None where there is none yet.
        accepted: Drops that were accepted for the outputs of the very run that is judged.
        whole: How many samples the run has, where these are a part of it; else 0.
    """

    config: Config | BareConfig
    samples: Sequence[Sample]
    baseline: Run | None
    accepted: Sequence[Acceptance] = ()
    today: datetime.date = field(default_factory=_today)
    whole: int = 0


def read_gate_setup(
    config: Config,
    filters: Filters,
    *,
    accepted: Sequence[Acceptance] = (),
) -> GateSetup:
    """Read the golden set and the baseline, both without what the filters leave out.

    Else a sample that is left out would be taken for an older name of a new one with its content.

    Raises:
        ConfigError: a waiver has expired.
        DatasetError, BaselineError: a file cannot be read.
    """
    from ragate.dataset import select

    today = _today()
    refuse_expired_waivers(config, today)
    whole = _whole_set(config)
    samples = select(whole, filters)
    baseline = load_baseline_or_none(config)
    if baseline is not None and filters.narrows:
        left_out = {sample.id for sample in whole} - {sample.id for sample in samples}
        kept = [record for record in baseline.records if record.sample_id not in left_out]
        baseline = baseline.amended(records=kept)
    return GateSetup(config, samples, baseline, accepted, today)


def refuse_expired_waivers(config: Config, today: datetime.date) -> None:
    """Raise for a waiver whose date has passed: it must be decided anew, not forgotten.

    Raises:
        ConfigError: names each one with its owner.
    """
    late = expired(config.policy.waivers, today)
    if late:
        lines = [
            f"{config.path}: [[policy.waivers]] {waiver.id} {waiver.metric}: expired on "
            f"{waiver.until} (owner {waiver.owner})"
            for waiver in late
        ]
        raise ConfigError("\n".join(lines), remedy="mend the sample, or set a new date")


def load_samples(config: Config, filters: Filters) -> Sequence[Sample]:
    """Return the selected golden set.

    Raises:
        ConfigError: a slice of the policy holds no sample of the whole set.
    """
    from ragate.dataset import select

    return select(_whole_set(config), filters)


def _whole_set(config: Config) -> Sequence[Sample]:
    from ragate.answers.golden_set import golden_set

    samples = golden_set(config)
    refuse_empty_slices(config, samples)
    return samples


def refuse_empty_slices(config: Config, samples: Sequence[Sample]) -> None:
    """Raise for a slice that fits no sample: it would hold nothing, and look as if it did.

    Raises:
        ConfigError: names the slice and what it asks for.
    """
    for part in config.policy.slices:
        where = f"{config.path}: [[policy.slices]] {part.name}"
        conditions = conditions_of(part)
        conditions.refuse_unknown(samples, where=where, error=ConfigError)
        if not any(conditions.fit(sample) for sample in samples):
            raise ConfigError(
                f"{where}: no sample of {config.policy.dataset} fits {'; '.join(part.conditions)}",
                remedy="any of its tags is enough, and every condition of where has to be met",
            )


def load_baseline_or_none(config: Config) -> Run | None:
    """Return the baseline, None where there is no file yet."""
    from ragate.baseline import load_baseline

    try:
        return load_baseline(config.baseline)
    except NoBaselineError:
        return None
