"""Judging one shard ahead of the verdict: what the judge says is in the cache then."""

from dataclasses import dataclass, replace

from ragate.clients.tally import Tally
from ragate.config import Config
from ragate.models import Sample
from ragate.pipeline.decide.gate_setup import read_gate_setup
from ragate.pipeline.run.collected_outputs import line_mapping, read_collected
from ragate.pipeline.run.selection import Selection
from ragate.pipeline.score.open_scorer import open_scorer
from ragate.pipeline.shards.merge import ShardMerge
from ragate.pipeline.shards.split import divided_caps
from ragate.runtime.operations import Operations
from ragate.runtime.resources import open_resources
from ragate.support.spill import Spill


@dataclass(frozen=True)
class JudgedShard:
    """What the judge did for one shard.

    Attributes:
        fresh, reused: Distinct judgements that were asked for, and that were there already.
        lack: Why what it said does not count, or why it said no more; "" where all is well.
    """

    samples: int
    fresh: int
    reused: int
    tally: Tally
    lack: str = ""


async def judge_shard(
    config: Config, operations: Operations, selection: Selection, shard: ShardMerge, number: int
) -> JudgedShard:
    """Measure the outputs of one shard for the sake of what models say of them.

    Nothing is compared or decided. The judge has the shard's part of the caps, and passes its
    canaries in every shard anew.

    Raises:
        RagateError: golden set, baseline or shard cannot be read.
    """
    config = divided_caps(config, shard.wanted.shards, number)
    setup = read_gate_setup(config, selection.filters)
    placed = shard.wanted.samples
    mine = Spill(Sample, (one for one in setup.samples if placed.get(one.id, ("", 0))[1] == number))
    collected = read_collected(
        shard.paths,
        mine,
        top_k=selection.top_k,
        retrieval_only=selection.retrieval_only,
        mapping=line_mapping(config),
        parts=shard,
    )
    shard.refuse_half()
    async with (
        open_resources(config, operations) as opened,
        open_scorer(replace(setup, samples=mine).scoring(opened, operations, selection)) as scorer,
    ):
        await scorer.score(collected)
        judging = scorer.judging
        if judging is None:
            return JudgedShard(len(mine), 0, 0, opened.tally)
        voided = "the judge got known answers wrong" if judging.voided else ""
        return JudgedShard(
            len(mine), judging.fresh, judging.reused, opened.tally, judging.out or voided
        )
