"""A plan as a file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragate.errors import UsageError
from ragate.models import Filters
from ragate.pipeline.shards.shard_plan import ShardPlan, read_plan, write_plan


def plan_factory(**fields: object) -> ShardPlan:
    return ShardPlan.model_validate(
        {
            **{name: name for name in ("ragate_version", "gate", "commit", "policy", "system")},
            "corpus": "",
            "shards": 2,
            "runs": 3,
            "samples": {"q1": ("a" * 16, 1), "ö\u2028": ("b" * 16, 2)},
            **fields,
        }
    )


def test_a_plan_reads_back_as_it_was_written(tmp_path: Path):
    plan = plan_factory(filters=Filters(tags=("x",), limit=4), top_k=3, eval_date="2026-11-22")
    write_plan(tmp_path / "plan.json", plan)

    back = read_plan(tmp_path / "plan.json")

    assert back == plan
    assert back.digest == plan.digest
    assert back.counts() == [1, 1]


@pytest.mark.parametrize("fields", [{"runs": 2}, {"commit": "x"}, {"shards": 3}, {"samples": {}}])
def test_plans_that_differ_in_anything_have_two_digests(fields: dict[str, object]):
    assert plan_factory(**fields).digest != plan_factory().digest


def test_a_sample_in_a_shard_that_there_is_not_is_refused(tmp_path: Path):
    write_plan(tmp_path / "plan.json", plan_factory())
    value = json.loads((tmp_path / "plan.json").read_text())
    value["samples"]["q1"][1] = 3
    (tmp_path / "plan.json").write_text(json.dumps(value))

    with pytest.raises(UsageError, match="sample 'q1' is in shard 3 of 2"):
        read_plan(tmp_path / "plan.json")


@pytest.mark.parametrize("shards", [0, 1001, "many"])
def test_a_number_of_shards_beyond_reason_is_refused(tmp_path: Path, shards: object):
    write_plan(tmp_path / "plan.json", plan_factory())
    value = json.loads((tmp_path / "plan.json").read_text())
    (tmp_path / "plan.json").write_text(json.dumps({**value, "shards": shards}))

    with pytest.raises(UsageError, match="shards"):
        read_plan(tmp_path / "plan.json")
