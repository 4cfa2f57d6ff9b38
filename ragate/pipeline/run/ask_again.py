"""Changed samples of a system that is declared to repeat: asked until it is shown that they do."""

from collections.abc import Sequence

from ragate.core.comparison.repeating_samples import PROOF, declared_parts, is_changed
from ragate.core.hashing import content_hash, output_hash, retrieval_hash
from ragate.core.lookup import SampleTries, passes_of
from ragate.models import Reads, Run, Sample
from ragate.pipeline.run.system_session import Session


async def ask_changed_again(
    session: Session,
    samples: Sequence[Sample],
    baseline: Run | None,
    repeats: Sequence[str],
    *,
    earlier: int = 0,
) -> int:
    """Ask samples whose outputs differ from the baseline's until each has `PROOF` passes.

    Only what the policy declares is asked again: what both systems declare needs no proof. A system
    that holds recordings gives whole passes, which cost nothing.

    Args:
        repeats: ``[policy] repeats``.
        earlier: Passes that were taken over from runs of before: they prove nothing of today.

    Returns:
        The number of samples that were asked again.
    """
    passes = session.collected.passes
    changed = _changed(session, samples, baseline, repeats, earlier)
    count = 0
    for _ in range(PROOF):
        unproven = [
            sample
            for sample in changed
            if sum(sample.id in outputs for outputs in passes[earlier:]) < PROOF
        ]
        if not unproven or session.can_add(1) < 1:
            break
        if not count:
            number = len(unproven)
            session.operations.say(
                f"{number} changed outputs are asked again: [policy] repeats says they repeat"
            )
        count = max(count, len(unproven))
        await session.add_pass(unproven if session.system.max_runs is None else samples)
    return count


def _changed(
    session: Session,
    samples: Sequence[Sample],
    baseline: Run | None,
    repeats: Sequence[str],
    earlier: int,
) -> list[Sample]:
    """Return the samples with an output that is not the baseline's, in what has to be proven."""
    if baseline is None:
        return []
    declared_by_both = baseline.manifest.system.deterministic & session.system.info.deterministic
    declared = declared_parts(repeats) - declared_by_both
    if session.collected.manifest.retrieval_only:
        declared &= {Reads.RETRIEVAL}
    if not declared:
        return []
    before = SampleTries(passes_of(baseline.records))
    changed = []
    for sample in samples:
        records = before.get(sample.id, ())
        if not records or records[0].content_hash != content_hash(sample):
            continue
        passes = session.collected.passes[earlier:]
        outputs = [each[sample.id] for each in passes if sample.id in each]
        if any(
            is_changed(records, output, (retrieval_hash(output), output_hash(output)), declared)
            for output in outputs
        ):
            changed.append(sample)
    return changed
