"""A verdict on shards of which one is missing: nothing that was not measured passes."""

from dataclasses import replace

from ragate.models import Verdict
from ragate.pipeline.decide.compare_and_decide import Decided
from ragate.pipeline.shards.merge import ShardMerge


def held_back(decided: Decided, shards: ShardMerge) -> Decided:
    """Return the verdict with each missing shard as a reason; a pass becomes no decision.

    ``max_unscored`` is for samples that fail one by one. A shard that is missing says nothing of
    any of its samples, and may be missing because of what they would have shown.
    """
    reasons = shards.missing_reasons()
    if not reasons:
        return decided
    decision = decided.decision
    passed = decision.verdict is Verdict.PASSED
    held = decision.amended(
        verdict=Verdict.NO_DECISION if passed else decision.verdict,
        reasons=(*reasons, *decision.reasons),
        remedies=(*shards.missing_remedies(), *decision.remedies),
    )
    return replace(decided, decision=held)
