"""Which shard a process collects, and which shards one judges."""

from __future__ import annotations

import json

import pytest

from ragate.cli.main import run
from ragate.config import Config
from ragate.errors import UsageError
from tests.integration.shards.sharded import PLAN, collect_all, plan, shard_file

pytestmark = pytest.mark.integration


def test_the_index_of_a_kubernetes_job_counts_from_zero(gated, monkeypatch):
    plan()
    monkeypatch.setenv("JOB_COMPLETION_INDEX", "2")

    assert run(["collect", "--plan", PLAN]) == 0

    claim = json.loads(shard_file(gated.root, 3).read_text().splitlines()[0])["shard"]
    assert (claim["number"], claim["of"]) == (3, 3)


def test_a_shard_that_is_given_wins_over_the_index(gated, monkeypatch):
    plan()
    monkeypatch.setenv("JOB_COMPLETION_INDEX", "2")

    assert run(["collect", "--plan", PLAN, "--shard", "1/3"]) == 0
    assert shard_file(gated.root, 1).is_file()
    assert not shard_file(gated.root, 3).exists()


@pytest.mark.parametrize("index", ["3", "-1", "two", "1.0"])
def test_an_index_beyond_the_plan_is_refused(gated, monkeypatch, capsys, index: str):
    plan()
    monkeypatch.setenv("JOB_COMPLETION_INDEX", index)
    capsys.readouterr()

    assert run(["collect", "--plan", PLAN]) == 2
    assert "JOB_COMPLETION_INDEX" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--plan", PLAN], "--plan without --shard, and JOB_COMPLETION_INDEX is not set"),
        (["--plan", PLAN, "--shard", "3"], "it must be like 3/8"),
        (["--plan", PLAN, "--shard", "0/3"], "there is no such shard in a plan of 3"),
        (["--plan", PLAN, "--shard", "4/3"], "there is no such shard in a plan of 3"),
        (["--plan", PLAN, "--shard", "1/8"], "the plan has 3 shards"),
        (["--shard", "1/3"], "--shard without --plan"),
        (["--plan", PLAN, "--shard", "1/3", "--runs", "3"], "--runs beside --plan"),
        (
            ["--plan", PLAN, "--shard", "1/3", "--limit", "3", "--top-k", "2"],
            "--limit, --top-k beside --plan",
        ),
    ],
)
def test_options_that_make_no_shard_are_refused(gated, capsys, arguments: list[str], said: str):
    plan()
    capsys.readouterr()

    assert run(["collect", *arguments]) == 2
    assert said in capsys.readouterr().err


def test_without_files_all_shards_of_the_state_folder_are_judged(gated):
    collect_all()

    assert run(["decide", "--plan", PLAN]) == 0


def test_without_any_shard_decide_says_how_to_make_them(gated, capsys):
    plan()
    capsys.readouterr()

    assert run(["decide", "--plan", PLAN]) == 2
    assert "there are no shards to decide on" in capsys.readouterr().err


def test_an_empty_shard_is_collected_and_judged_like_any_other(gated):
    collect_all(shards=100)

    assert run(["decide", "--plan", PLAN]) == 0


def test_each_shard_stops_at_its_part_of_the_caps(gated, monkeypatch):
    seen: list[int] = []

    def stop(config: Config, *_arguments: object, **_options: object) -> None:
        seen.append(config.policy.max_calls)
        raise UsageError("seen")

    monkeypatch.setattr("ragate.run.sources.open_ready_system", stop)
    gated.configure(policy="max_calls = 10")
    plan()
    for number in (1, 2, 3):
        run(["collect", "--plan", PLAN, "--shard", f"{number}/3"])

    assert seen == [4, 3, 3]
