"""Shards against one process: the same report, the same records, the same baseline."""

from __future__ import annotations

import json

import pytest

from ragate.cli.main import run
from tests.integration.line.line_projects import lost, wobbly
from tests.integration.shards.sharded import (
    baseline_of_newest,
    collect_all,
    scores_of_newest,
    shard_files,
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
    return alone, decided(root, *shard_files(root), *options)


@pytest.mark.parametrize(("answer", "shards"), [(lost(4), 1), (wobbly(1), 3), (lost(4), 60)])
def test_shards_give_report_records_and_baseline_of_one_process(gated, answer, shards: int):
    """Of sixty shards of forty samples many are empty."""
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
    code = run(["decide", *shard_files(living.root)])

    assert (code, timeless_report(living.root), passes(scores_of_newest(living.root))) == alone
    assert max(run for _, run in alone[2]) == 6  # one pass, four asked again, two of must-pass


def passes(scores: bytes) -> list[tuple[str, int]]:
    return [(row["sample_id"], row.get("run", 0)) for row in map(json.loads, scores.splitlines())]


def test_with_filters_the_shards_hold_what_the_filters_leave(gated):
    options = ("--limit", "11", "--top-k", "1")
    assert run(["collect", *options]) == 0
    alone = run(["decide", *options]), timeless_report(gated.root)

    collect_all(*options)

    decided = run(["decide", *shard_files(gated.root), *options])
    assert (decided, timeless_report(gated.root)) == alone


def test_a_page_of_shards_shows_the_texts_of_changed_samples(gated):
    gated.record(lost(4), runs=1)
    collect_all()
    page = gated.root / "report.html"

    run(["decide", *shard_files(gated.root), "--format", "html", "--output", str(page)])

    assert "No idea." in page.read_text()
