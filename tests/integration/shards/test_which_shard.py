"""Which shard a process collects, with which part of the caps."""

from __future__ import annotations

import shlex

import pytest

from ragate.cli.main import run
from ragate.config import Config
from ragate.errors import UsageError
from tests.integration.shards.sharded import collect, head_of, shard_file

pytestmark = pytest.mark.integration


def test_the_index_of_a_kubernetes_job_counts_from_zero(gated, monkeypatch):
    monkeypatch.setenv("JOB_COMPLETION_INDEX", "2")

    assert run(["collect", "--shard", "/3"]) == 0

    claim = head_of(shard_file(gated.root, 3))["shard"]
    assert (claim["number"], claim["of"]) == (3, 3)


def test_a_shard_that_is_given_wins_over_the_index(gated, monkeypatch):
    monkeypatch.setenv("JOB_COMPLETION_INDEX", "2")

    assert collect(1) == 0
    assert shard_file(gated.root, 1).is_file()
    assert not shard_file(gated.root, 3).exists()


@pytest.mark.parametrize("index", ["3", "-1", "two", "1.0", ""])
def test_an_index_that_names_no_shard_is_refused(gated, monkeypatch, capsys, index: str):
    monkeypatch.setenv("JOB_COMPLETION_INDEX", index)

    assert run(["collect", "--shard", "/3"]) == 2
    assert "JOB_COMPLETION_INDEX" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("shard", "said"),
    [
        ("3", "it must be like 2/4"),
        ("0/3", "--shard 0/3: there is no such shard"),
        ("4/3", "--shard 4/3: there is no such shard"),
        ("1/0", "it must be of 1 to 1000"),
        ("1/1001", "it must be of 1 to 1000"),
        ("/3", "JOB_COMPLETION_INDEX is not set"),
    ],
)
def test_what_names_no_shard_is_refused(gated, capsys, shard: str, said: str):
    assert run(["collect", "--shard", shard]) == 2
    assert said in capsys.readouterr().err


def test_the_next_command_works_as_it_is_printed(gated, capsys):
    assert run(["collect", "--shard", "1/1"]) == 0
    decide = capsys.readouterr().out.partition("then ")[2].splitlines()[0]
    *command, pattern = shlex.split(decide)[1:]

    assert pattern.endswith("/.ragate/shards/*.jsonl")
    assert run([*command, str(shard_file(gated.root, 1, 1))]) == 0


def test_collected_outputs_are_named_in_the_next_command(gated, capsys):
    assert run(["collect", "--save-outputs", "my outputs.jsonl"]) == 0

    assert "next: ragate decide 'my outputs.jsonl'" in capsys.readouterr().out


def test_each_shard_stops_at_its_part_of_the_caps(gated, monkeypatch):
    seen: list[int] = []

    def stop(config: Config, *_arguments: object, **_options: object) -> None:
        seen.append(config.policy.max_calls)
        raise UsageError("seen")

    monkeypatch.setattr("ragate.run.sources.open_ready_system", stop)
    gated.configure(policy="max_calls = 10")
    for number in (1, 2, 3):
        collect(number)

    assert seen == [4, 3, 3]
