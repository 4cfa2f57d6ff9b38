"""Labels of samples that somebody names by their ids, without looking at any text."""

from collections.abc import Sequence

from ragate.config import Config
from ragate.core.comparison.own_passes import newest_run
from ragate.errors import UsageError
from ragate.models import Record, ReviewLabel, ReviewVerdict, Run
from ragate.pipeline.answers_to_review import first_records
from ragate.pipeline.decide.gate_setup import load_baseline_or_none
from ragate.support.settings import nearest, shown


def labels_of_ids(
    config: Config,
    run: Run,
    ids: Sequence[str],
    verdict: ReviewVerdict,
    *,
    who: str,
    reason: str,
    commit: str,
) -> list[ReviewLabel]:
    """Return one person's word on each of some samples.

    Args:
        config: Names the baseline.
        commit: The one whose outputs the run holds.

    Raises:
        UsageError: there is no baseline, the run has no such sample, or its output is the
            baseline's; names it. Nothing is labelled then.
    """
    baseline = load_baseline_or_none(config)
    if baseline is None:
        raise UsageError("there is no baseline, so no answer that this one is better or worse than")
    old, new = first_records(baseline), first_records(newest_run(run))
    pairs = [_pair(sample_id, old, new) for sample_id in ids]
    return [
        ReviewLabel(
            gate=run.manifest.gate,
            id=after.sample_id,
            commit=commit,
            verdict=verdict,
            reason=reason,
            who=who,
            sample=after.content_hash,
            before=before.output_hash,
            after=after.output_hash,
        )
        for before, after in pairs
    ]


def _pair(sample_id: str, old: dict[str, Record], new: dict[str, Record]) -> tuple[Record, Record]:
    after = new.get(sample_id)
    if after is None:
        near = nearest(sample_id, list(new))
        raise UsageError(f"no sample {shown(sample_id)} in this run{near}")
    before = old.get(sample_id)
    if before is None or before.content_hash != after.content_hash:
        raise UsageError(f"the baseline has no answer of {shown(sample_id)} as it is asked now")
    if before.output_hash == after.output_hash:
        raise UsageError(f"the output of {shown(sample_id)} is the baseline's: nothing changed")
    return before, after
