"""Shards that are refused, each with its file, what is wrong and what to do."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from tests.integration.shards.sharded import collect, collect_all, head_of, shard_file, shard_files
from tests.projects import right
from tests.repositories import git

pytestmark = pytest.mark.integration


@pytest.fixture
def sharded(gated):
    collect_all()
    return gated


def rewrite_head(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    _, *rest = path.read_text().splitlines(keepends=True)
    value = head_of(path)
    change(value)
    path.write_text(json.dumps(value) + "\n" + "".join(rest))


def refusal(sharded, capsys, *more: str) -> str:
    capsys.readouterr()
    assert run(["decide", *shard_files(sharded.root), *more]) == 2
    return " ".join(capsys.readouterr().err.split())


def test_the_head_says_which_part_of_which_run_it_is(sharded):
    claims = [head_of(shard_file(sharded.root, number))["shard"] for number in (1, 2, 3)]

    assert [(claim["number"], claim["of"]) for claim in claims] == [(1, 3), (2, 3), (3, 3)]
    assert claims[0]["run"] == claims[1]["run"] == claims[2]["run"]
    assert claims[0]["run"]["number of --runs"] == "1"


def test_a_missing_shard_is_named(sharded, capsys):
    shard_file(sharded.root, 2).unlink()

    said = refusal(sharded, capsys)

    assert "1 shard is missing: 2/3" in said
    assert "ragate collect --shard 2/3" in said


def test_a_shard_alone_is_no_whole_run(sharded, capsys):
    for number in (1, 3):
        shard_file(sharded.root, number).unlink()

    assert "2 shards are missing: 1/3, 3/3" in refusal(sharded, capsys)


def test_a_shard_that_comes_twice_is_refused(sharded, capsys):
    again = sharded.root / ".ragate/shards/again.jsonl"
    again.write_bytes(shard_file(sharded.root, 2).read_bytes())

    assert "shard 2/3 a second time, after" in refusal(sharded, capsys)


def test_a_file_without_a_head_beside_shards_is_refused(sharded, capsys):
    theirs = sharded.root / "theirs.jsonl"
    theirs.write_text(json.dumps({"id": "q1", "answer": "x"}) + "\n")

    said = refusal(sharded, capsys, str(theirs))

    assert "theirs.jsonl: no shard, and" in said
    assert "give `decide` all shards of one run, or runs that are whole" in said


def test_a_whole_run_beside_shards_is_refused(sharded, capsys):
    assert run(["collect", "--save-outputs", "whole.jsonl"]) == 0

    assert "whole.jsonl: no shard, and" in refusal(sharded, capsys, "whole.jsonl")


def test_files_without_a_shard_are_runs_as_before(gated, capsys):
    assert run(["collect", "--save-outputs", "a.jsonl"]) == 0
    assert run(["collect", "--save-outputs", "b.jsonl"]) == 0

    assert run(["decide", "a.jsonl", "b.jsonl", "--format", "json", "--output", "r.json"]) == 0
    assert json.loads(Path("r.json").read_text())["decision"]["runs_candidate"] == 2


def test_a_forged_shard_with_the_samples_of_another_overlaps(sharded, capsys):
    head = shard_file(sharded.root, 1).read_text().splitlines(keepends=True)[0]
    rest = shard_file(sharded.root, 2).read_text().splitlines(keepends=True)[1:]
    value = json.loads(head)
    content = hashlib.sha256("".join(rest).encode()).hexdigest()
    value["shard"].update(lines=len(rest), content=content)
    shard_file(sharded.root, 1).write_text(json.dumps(value) + "\n" + "".join(rest))

    assert "shard-1-of-3.jsonl as well: the shards overlap" in refusal(sharded, capsys)


def test_a_forged_output_of_a_pass_that_never_was_is_refused(sharded, capsys):
    path = shard_file(sharded.root, 1)
    head, *rest = path.read_text().splitlines(keepends=True)
    rest[0] = json.dumps({**json.loads(rest[0]), "run": 7}) + "\n"
    value = json.loads(head)
    value["shard"]["content"] = hashlib.sha256("".join(rest).encode()).hexdigest()
    path.write_text(json.dumps(value) + "\n" + "".join(rest))

    assert "shard-1-of-3.jsonl:2: no id, or no run that there was" in refusal(sharded, capsys)


def test_half_a_shard_is_refused(sharded, capsys):
    path = shard_file(sharded.root, 2)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:-2]))

    said = refusal(sharded, capsys)

    assert f"shard-2-of-3.jsonl: half a shard: {len(lines) - 3} outputs, and its head says" in said
    assert "ragate collect --shard 2/3" in said


def test_an_answer_that_was_changed_afterwards_is_refused(sharded, capsys):
    path = shard_file(sharded.root, 1)
    path.write_text(path.read_text().replace("apples", "pears!"))

    assert "half a shard: its outputs are not those that its head was" in refusal(sharded, capsys)


def test_shards_that_were_split_otherwise_are_no_run(sharded, capsys):
    assert collect(1, shards=4) == 0

    assert "another number of shards, 4 and 3" in refusal(sharded, capsys)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--top-k", "3"), "another choice of samples or depth"),
        (("--limit", "9"), "another choice of samples or depth"),
        (("--runs", "2"), "another number of --runs, "),
    ],
)
def test_a_shard_with_other_options_is_of_another_run(sharded, capsys, options, said: str):
    sharded.record(right, runs=2)
    assert collect(2, *options) == 0

    assert f"of another run than {shard_file(sharded.root, 3)}: {said}" in refusal(sharded, capsys)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda project: project.configure(policy="alpha = 0.01"), "another [policy]"),
        (lambda project: project.write_golden(range(39)), "another golden set"),
    ],
)
def test_a_shard_of_another_state_is_of_another_run(sharded, capsys, change, said: str):
    change(sharded)
    assert collect(2) == 0

    assert said in refusal(sharded, capsys)


def test_a_shard_of_another_commit_or_of_an_edited_file_is_of_another_run(gated, capsys):
    code = gated.root / "rag.py"
    code.write_text("TOP_K = 3")
    git(gated.root, "init", "--quiet")
    git(gated.root, "add", "rag.py")
    git(gated.root, "commit", "--quiet", "--message", "one")
    collect_all()
    code.write_text("TOP_K = 1")
    assert collect(2) == 0
    assert "another work tree" in (edited := refusal(gated, capsys))
    assert "rag.py as" in edited

    git(gated.root, "commit", "--quiet", "--all", "--message", "two")
    assert collect(2) == 0
    assert "another commit" in refusal(gated, capsys)


def test_a_shard_of_another_version_is_refused(sharded, capsys):
    rewrite_head(
        shard_file(sharded.root, 3),
        lambda head: head["shard"]["run"].update({"version of ragate": "0.0.1"}),
    )

    assert "another version of ragate, " in refusal(sharded, capsys)


def test_a_shard_whose_system_says_that_it_is_another_is_refused(sharded, capsys):
    rewrite_head(
        shard_file(sharded.root, 3),
        lambda head: head["manifest"]["system"].update(fingerprint="another"),
    )

    assert "shard-3-of-3.jsonl: collected from another system than" in refusal(sharded, capsys)


def test_a_shard_leaves_what_was_there_when_it_is_interrupted(sharded, monkeypatch):
    before = shard_file(sharded.root, 1).read_bytes()
    sharded.record(right, runs=1)
    monkeypatch.setattr("ragate.run.shard.header_line", _broken)

    assert collect(1) == 3
    assert shard_file(sharded.root, 1).read_bytes() == before


def _broken(_header: object) -> str:
    raise OSError(28, "No space left on device")
