"""Shards against one process: the same report, the same records, the same baseline."""

from __future__ import annotations

import hashlib
import json

import pytest

from ragate.cli.main import run
from ragate.pipeline.shards.shard_plan import read_plan
from tests.integration.line.line_projects import lost, wobbly
from tests.integration.shards.sharded import (
    PLAN,
    baseline_of_newest,
    collect_all,
    scores_of_newest,
    shard_file,
    timeless_report,
)

pytestmark = pytest.mark.integration

TOPICS = {number: {"metadata": {"topic": f"t{number % 7}"}} for number in range(40)}


def decided(root, *options: str) -> tuple[int, object, bytes, bytes]:
    code = run(["decide", *options])
    return code, timeless_report(root), scores_of_newest(root), baseline_of_newest(root)


def both_ways(root, *options: str, shards: int = 3, runs: int = 1) -> tuple[object, object]:
    """Return what one process comes to, and what the shards come to."""
    assert run(["collect", "--runs", str(runs), *options]) == 0
    alone = decided(root, *options)
    collect_all(*options, shards=shards, runs=runs)
    return alone, decided(root, "--plan", PLAN, *options)


@pytest.mark.parametrize(("answer", "shards"), [(lost(4), 1), (wobbly(1), 3), (lost(4), 8)])
def test_shards_give_report_records_and_baseline_of_one_process(gated, answer, shards: int):
    gated.record(answer, runs=3)

    alone, merged = both_ways(gated.root, shards=shards, runs=3)

    assert merged == alone


def test_with_clusters_and_must_pass_samples_as_well(gated):
    gated.extra = {**TOPICS, 3: {"must_pass": True}, 8: {"must_pass": True}}
    gated.configure(policy='cluster = "topic"')
    gated.write_golden(range(40))
    gated.record(lost(4), runs=3)

    alone, merged = both_ways(gated.root)

    assert merged == alone


def test_what_was_asked_again_stands_before_the_tries_of_must_pass_samples(living):
    rows = [json.loads(line) for line in (living.root / "golden.jsonl").read_text().splitlines()]
    for row in (rows[0], rows[7], rows[11]):
        row["must_pass"] = True
    (living.root / "golden.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert run(["baseline", "update"]) == 0
    # Only one shard has a sample that changed, so that the others ask nothing again.
    living.answer(_5="The price of item 5 was 7 euros.")

    assert run(["collect"]) == 0
    alone = run(["decide"]), timeless_report(living.root), passes(scores_of_newest(living.root))
    collect_all(shards=4)
    code = run(["decide", "--plan", PLAN])

    assert (code, timeless_report(living.root), passes(scores_of_newest(living.root))) == alone
    assert max(run for _, run in alone[2]) == 4  # one pass, two asked again, two of must-pass


def passes(scores: bytes) -> list[tuple[str, int]]:
    return [(row["sample_id"], row.get("run", 0)) for row in map(json.loads, scores.splitlines())]


def test_with_filters_the_shards_hold_what_the_filters_leave(gated):
    options = ("--limit", "11", "--top-k", "1")
    assert run(["collect", *options]) == 0
    alone = run(["decide", *options]), timeless_report(gated.root)

    collect_all(*options)

    assert (run(["decide", "--plan", PLAN, *options]), timeless_report(gated.root)) == alone


def test_a_missing_shard_is_no_decision_and_named_however_small_it_is(gated, capsys):
    gated.configure(policy="max_unscored = 0.5")
    collect_all(shards=40)
    smallest = lone_sample(gated.root)
    shard_file(gated.root, smallest, 40).unlink()
    capsys.readouterr()

    assert run(["decide", "--plan", PLAN]) == 3
    said = capsys.readouterr().out
    assert f"shard {smallest}/40 is missing: 1 sample is not measured" in said
    assert f"--shard {smallest}/40" in said


def test_a_missing_shard_takes_nothing_from_a_red_verdict(gated):
    gated.record(lost(2), runs=3)
    gated.configure(policy="max_unscored = 0.5")
    collect_all(shards=40, runs=3)
    shard_file(gated.root, lone_sample(gated.root), 40).unlink()

    assert run(["decide", "--plan", PLAN]) == 1


def test_a_missing_shard_without_samples_lacks_nothing(gated):
    collect_all(shards=100)
    counts = json.loads((gated.root / PLAN).read_text())["samples"].values()
    empty = next(number for number in range(1, 101) if number not in {row[1] for row in counts})
    shard_file(gated.root, empty, 100).unlink()

    assert run(["decide", "--plan", PLAN]) == 0


def test_a_forged_plan_that_leaves_samples_out_is_no_decision_and_they_are_named(gated, capsys):
    collect_all()
    forget(gated.root, "q1", "q3")
    capsys.readouterr()

    assert run(["decide", "--plan", PLAN]) == 3
    said = " ".join(capsys.readouterr().out.split())
    assert "the plan leaves out 2 samples: q1, q3" in said
    assert "make a plan of this golden set" in said


def test_a_forged_plan_that_leaves_samples_out_takes_nothing_from_a_red_verdict(gated):
    gated.record(lost(2), runs=3)
    gated.configure(policy="max_unscored = 0.5")
    collect_all(runs=3)
    forget(gated.root, "q39")

    assert run(["decide", "--plan", PLAN]) == 1


def forget(root, *ids: str) -> None:
    """Forge plan and shards as if the golden set had been without these samples."""
    value = json.loads((root / PLAN).read_text())
    for key in ids:
        del value["samples"][key]
    (root / PLAN).write_text(json.dumps(value))
    for number in (1, 2, 3):
        head, *lines = shard_file(root, number).read_bytes().splitlines(keepends=True)
        kept = [line for line in lines if json.loads(line)["id"] not in ids]
        forged = json.loads(head)
        forged["shard"].update(
            plan=read_plan(root / PLAN).digest,
            lines=len(kept),
            content=hashlib.sha256(b"".join(kept)).hexdigest(),
        )
        shard_file(root, number).write_bytes(json.dumps(forged).encode() + b"\n" + b"".join(kept))


def lone_sample(root) -> int:
    """Return a shard of forty that has one sample."""
    placed: list[int] = [
        row[1] for row in json.loads((root / PLAN).read_text())["samples"].values()
    ]
    return next(number for number in placed if placed.count(number) == 1)
