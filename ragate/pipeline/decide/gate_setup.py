"""What a verdict needs but the outputs: the policy, the golden set and the baseline."""

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, field

from ragate.baseline import load_baseline
from ragate.config import Config
from ragate.core.comparison.run_passes import asks_nothing_new
from ragate.core.conditions import conditions_of
from ragate.core.rules.waivers import expired
from ragate.dataset import read_dataset, select
from ragate.errors import ConfigError, NoBaselineError
from ragate.models import Acceptance, Filters, Record, Run, Sample
from ragate.support.spill import Spill


def _today() -> datetime.date:
    return datetime.datetime.now(datetime.UTC).date()


@dataclass(frozen=True)
class GateSetup:
    """Everything that a verdict needs but the outputs.

    Attributes:
        baseline: None where there is none yet.
        control: The base version run today; None as well where that asked nothing anew.
        accepted: Drops that were accepted for the outputs of the very run that is judged.
        stale_control: There was a control, of the baseline's own answers alone.
    """

    config: Config
    samples: Sequence[Sample]
    baseline: Run | None
    control: Run | None = None
    accepted: Sequence[Acceptance] = ()
    today: datetime.date = field(default_factory=_today)
    stale_control: bool = False


def read_gate_setup(
    config: Config,
    filters: Filters,
    *,
    control: Run | None = None,
    accepted: Sequence[Acceptance] = (),
) -> GateSetup:
    """Read the golden set and the baseline, both without what the filters leave out.

    Else a sample that is left out would be taken for an older name of a new one with its content.

    Raises:
        ConfigError: a waiver has expired.
        DatasetError, BaselineError: a file cannot be read.
    """
    today = _today()
    refuse_expired_waivers(config, today)
    whole = _whole_set(config)
    samples = select(whole, filters)
    baseline = load_baseline_or_none(config)
    if baseline is not None and filters.narrows:
        left_out = {sample.id for sample in whole} - {sample.id for sample in samples}
        kept = (record for record in baseline.records if record.sample_id not in left_out)
        baseline = baseline.amended(records=Spill(Record, kept))
    if baseline is not None and control is not None and asks_nothing_new(baseline, control):
        return GateSetup(config, samples, baseline, None, accepted, today, stale_control=True)
    return GateSetup(config, samples, baseline, control, accepted, today)


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
    return select(_whole_set(config), filters)


def _whole_set(config: Config) -> Sequence[Sample]:
    samples = read_dataset(config.dataset)
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
    try:
        return load_baseline(config.baseline)
    except NoBaselineError:
        return None
