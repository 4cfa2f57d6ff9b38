"""A verdict on shards that lack a part: nothing that was not measured passes."""

from collections.abc import Sequence
from dataclasses import replace

from ragate.core.text.listed_names import listed
from ragate.models import Sample, Verdict
from ragate.pipeline.decide.compare_and_decide import Decided
from ragate.pipeline.shards.merge import ShardMerge

_SHOWN = 3  # samples that are named
_ANEW = "make a plan of this golden set with `ragate plan`, and collect every shard by it"


def held_back(decided: Decided, shards: ShardMerge, samples: Sequence[Sample]) -> Decided:
    """Return the verdict with what the shards lack as reasons; a pass becomes no decision.

    ``max_unscored`` is for samples that fail one by one. A shard that is missing, or a plan without
    a sample, says nothing of these samples, maybe because of what they would have shown.

    Args:
        samples: What has to be measured.
    """
    unplanned = [sample.id for sample in samples if sample.id not in shards.wanted.samples]
    reasons, remedies = shards.missing_reasons(), shards.missing_remedies()
    if unplanned:
        many = "sample" if len(unplanned) == 1 else "samples"
        named = listed(unplanned, most=_SHOWN)
        reasons = (*reasons, f"the plan leaves out {len(unplanned)} {many}: {named}")
        remedies = (*remedies, _ANEW)
    if not reasons:
        return decided
    decision = decided.decision
    passed = decision.verdict is Verdict.PASSED
    held = decision.amended(
        verdict=Verdict.NO_DECISION if passed else decision.verdict,
        reasons=(*reasons, *decision.reasons),
        remedies=(*remedies, *decision.remedies),
    )
    return replace(decided, decision=held)
