"""Which shard a sample is in: by a stable hash, so that others that come or go move none."""

from collections.abc import Sequence

from ragate.config import Config
from ragate.core.comparison.sample_matching import cluster_name
from ragate.core.hashing import content_hash, digest
from ragate.models import Sample

MOST_SHARDS = 1000


def shard_of(sample: Sample, shards: int, cluster: str = "") -> int:
    """Return the number of a sample's shard, from 1 to `shards`.

    Args:
        cluster: ``[policy] cluster``: samples of one cluster are in one shard.
    """
    name = cluster_name(sample, cluster) if cluster else ""
    key = ["cluster", name] if name else ["sample", sample.id]
    return int(digest(key), 16) % shards + 1


def placed(samples: Sequence[Sample], shards: int, cluster: str) -> dict[str, tuple[str, int]]:
    """Return content hash and shard of every sample, by id."""
    return {
        sample.id: (content_hash(sample), shard_of(sample, shards, cluster)) for sample in samples
    }


def divided_caps(config: Config, shards: int, number: int) -> Config:
    """Return the configuration with one shard's part of the caps on calls, money and pace.

    The parts add up to the caps: the first shards take the calls that are left over.
    """
    policy = config.policy
    calls, rest = divmod(policy.max_calls, shards)
    divided = policy.amended(
        max_calls=calls + (number <= rest),
        max_cost_usd=policy.max_cost_usd / shards,
        providers={
            name: provider.amended(calls_per_minute=provider.calls_per_minute / shards)
            for name, provider in policy.providers.items()
        },
    )
    return config.amended(policy=divided)
