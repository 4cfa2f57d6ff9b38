"""Which shard a sample is in, and its part of the caps."""

from __future__ import annotations

from pathlib import Path

from ragate.config import load_config
from ragate.run.shard import Shard, shard_of
from tests.factories import sample_factory
from tests.projects import ReplayProject


def test_a_samples_shard_is_the_same_on_every_machine():
    # Another split would move samples between jobs of two versions.
    shards = [shard_of(sample_factory(f"q{number}"), 8) for number in range(8)]

    assert shards == [1, 6, 8, 5, 4, 1, 4, 5]


def test_shards_of_many_samples_are_about_equal():
    counts = [0] * 8
    for number in range(8000):
        counts[shard_of(sample_factory(f"sample-{number}"), 8) - 1] += 1

    assert sum(counts) == 8000
    assert max(counts) - min(counts) < 200


def test_samples_of_one_cluster_are_in_one_shard():
    of_topic = [
        sample_factory(f"q{number}", metadata={"topic": "prices"}) for number in range(50)
    ] + [sample_factory(f"t{number}", tags=("topic:prices",)) for number in range(50)]

    assert len({shard_of(sample, 8, "topic") for sample in of_topic[:50]}) == 1
    assert len({shard_of(sample, 8, "topic") for sample in of_topic[50:]}) == 1
    assert len({shard_of(sample, 8) for sample in of_topic}) == 8


def test_the_parts_of_the_caps_add_up_to_the_caps(tmp_path: Path):
    project = ReplayProject(tmp_path)
    project.configure(policy="max_calls = 5003\nmax_cost_usd = 2.5")
    config = load_config(tmp_path / "ragate.toml")

    parts = [Shard(number, 8, {}).caps(config).policy for number in range(1, 9)]

    assert sum(part.max_calls for part in parts) == 5003
    assert {part.max_calls for part in parts} == {625, 626}
    assert sum(part.max_cost_usd for part in parts) == 2.5


def test_shards_share_the_pace_of_a_provider(tmp_path: Path):
    project = ReplayProject(tmp_path)
    project.configure(
        metrics='[policy.metrics.mrr]\n[policy.providers.p]\nbase_url = "http://localhost:1/v1"\n'
        "calls_per_minute = 120"
    )
    config = load_config(tmp_path / "ragate.toml")

    parts = [Shard(number, 8, {}).caps(config).policy for number in range(1, 9)]

    assert sum(part.providers["p"].calls_per_minute for part in parts) == 120
