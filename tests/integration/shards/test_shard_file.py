"""Shards that are refused, each with its file, what is wrong and what to do."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from tests.integration.shards.sharded import PLAN, collect, collect_all, plan, shard_file
from tests.projects import right
from tests.repositories import git

pytestmark = pytest.mark.integration


@pytest.fixture
def sharded(gated):
    collect_all()
    return gated


def rewrite_head(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    head, *rest = path.read_text().splitlines(keepends=True)
    value = json.loads(head)
    change(value)
    path.write_text(json.dumps(value) + "\n" + "".join(rest))


def refusal(capsys) -> str:
    capsys.readouterr()
    assert run(["decide", "--plan", PLAN]) == 2
    return " ".join(capsys.readouterr().err.split())


def test_half_a_shard_is_refused(sharded, capsys):
    path = shard_file(sharded.root, 2)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:-2]))

    said = refusal(capsys)

    assert f"shard-2-of-3.jsonl: half a shard: {len(lines) - 3} outputs, and its head says" in said
    assert f"ragate collect --plan {PLAN} --shard 2/3" in said


def test_a_shard_that_was_cut_within_a_line_is_refused(sharded, capsys):
    path = shard_file(sharded.root, 2)
    path.write_bytes(path.read_bytes()[:-20])

    assert "half a shard: its outputs are not those that its head was written for" in refusal(
        capsys
    )


def test_an_answer_that_was_changed_afterwards_is_refused(sharded, capsys):
    path = shard_file(sharded.root, 1)
    path.write_text(path.read_text().replace("apples", "pears!"))

    assert "shard-1-of-3.jsonl: half a shard: its outputs are not those" in refusal(capsys)


def test_a_shard_of_another_version_is_refused(sharded, capsys):
    rewrite_head(
        shard_file(sharded.root, 3), lambda head: head["manifest"].update(ragate_version="0.0.1")
    )

    assert "shard-3-of-3.jsonl: collected by ragate 0.0.1, and this is" in refusal(capsys)


def test_shards_of_two_plans_are_refused(sharded, capsys):
    kept = shard_file(sharded.root, 2).read_bytes()
    collect_all("--top-k", "3")
    shard_file(sharded.root, 2).write_bytes(kept)

    assert "shard-2-of-3.jsonl: shard 2/3 of another plan" in refusal(capsys)


def test_a_shard_that_comes_twice_is_refused(sharded, capsys):
    (sharded.root / ".ragate/shards/again.jsonl").write_bytes(
        shard_file(sharded.root, 2).read_bytes()
    )

    said = refusal(capsys)

    assert "shard 2/3 a second time, after" in said
    assert "another draw of the same questions is not added" in said


def test_a_plain_outputs_file_is_no_shard(sharded, capsys):
    assert run(["collect", "--save-outputs", ".ragate/shards/whole.jsonl"]) == 0

    assert "whole.jsonl: no shard: it does not say which part of a plan it is" in refusal(capsys)


def test_a_forged_shard_with_the_samples_of_another_is_refused(sharded, capsys):
    other = json.loads(shard_file(sharded.root, 1).read_text().splitlines()[0])["shard"]
    path = shard_file(sharded.root, 2)
    head, *rest = path.read_text().splitlines(keepends=True)
    value = json.loads(head)
    value["shard"]["number"] = other["number"]
    path.write_text(json.dumps(value) + "\n" + "".join(rest))
    shard_file(sharded.root, 1).unlink()

    said = refusal(capsys)

    assert "is of shard 2/3, and this is shard 1/3" in said


def test_a_forged_shard_that_leaves_a_sample_out_is_refused(sharded, capsys):
    import hashlib

    path = shard_file(sharded.root, 2)
    head, *rest = path.read_text().splitlines(keepends=True)
    value = json.loads(head)
    gone = json.loads(rest.pop())["id"]
    content = hashlib.sha256("".join(rest).encode()).hexdigest()
    value["shard"].update(lines=len(rest), content=content)
    path.write_text(json.dumps(value) + "\n" + "".join(rest))

    assert f"shard-2-of-3.jsonl: half a shard: no output of '{gone}'" in refusal(capsys)


def test_a_shard_of_another_commit_is_refused(sharded, capsys):
    rewrite_head(shard_file(sharded.root, 3), lambda head: head["manifest"].update(commit="f" * 40))

    assert (
        f"shard-3-of-3.jsonl: collected at commit {'f' * 40}, and the plan is of none"
        in refusal(capsys)
    )


def test_a_plan_of_another_commit_collects_nothing(gated, capsys):
    git(gated.root, "init", "--quiet")
    git(gated.root, "commit", "--quiet", "--allow-empty", "--message", "one")
    assert plan() == 0
    git(gated.root, "commit", "--quiet", "--allow-empty", "--message", "two")
    capsys.readouterr()

    assert collect(1) == 2
    assert "made for another commit" in capsys.readouterr().err


def test_a_file_that_was_edited_since_is_named(gated, capsys):
    code = gated.root / "rag.py"
    code.write_text("TOP_K = 3")
    git(gated.root, "init", "--quiet")
    git(gated.root, "add", "rag.py")
    git(gated.root, "commit", "--quiet", "--message", "one")
    assert plan() == 0
    (gated.root / "build.log").write_text("a file that git does not track")
    assert collect(1) == 0
    code.write_text("TOP_K = 1")
    capsys.readouterr()

    assert collect(2) == 2
    assert "another work tree: not as it was: rag.py" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda project: project.configure(policy="min_drop = 0.1"), "another [policy]"),
        (lambda project: project.write_golden(range(39)), "golden set: it has besides q39"),
        (
            lambda project: project.write_golden(range(40), references=["x"]),
            "golden set: it has otherwise q0, q1",
        ),
    ],
)
def test_what_changed_since_the_plan_was_made_is_named(gated, capsys, change, said: str):
    assert plan() == 0
    change(gated)
    capsys.readouterr()

    assert collect(1) == 2
    assert said in capsys.readouterr().err


def test_a_shard_is_not_judged_without_its_plan(sharded, capsys):
    capsys.readouterr()

    assert run(["decide", str(shard_file(sharded.root, 1)), str(shard_file(sharded.root, 3))]) == 2
    assert "shard-1-of-3.jsonl: shard 1/3 of a plan, not a whole run" in capsys.readouterr().err


def test_a_page_of_shards_shows_the_texts_of_changed_samples(sharded, capsys):
    page = sharded.root / "report.html"
    run(["decide", "--plan", PLAN, "--format", "html", "--output", str(page)])

    assert "a plan, not a whole run" not in page.read_text()


def test_samples_that_the_plan_leaves_out_are_unmeasured(gated, capsys):
    gated.write_golden(range(20))
    collect_all()
    gated.write_golden(range(40))
    capsys.readouterr()

    assert run(["decide", "--plan", PLAN]) == 3
    assert "the plan does not hold it" in capsys.readouterr().out


def test_another_policy_than_the_plans_is_told_and_the_own_one_counts(sharded, capsys):
    sharded.configure(metrics='[policy.metrics."recall@5"]\nminimum = 1.0\n')
    capsys.readouterr()

    run(["decide", "--plan", PLAN])

    said = capsys.readouterr()
    assert "made under another [policy]; the one that is checked out counts" in said.err
    assert "recall@5" in said.out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "no plan"),
        ("{", "not JSON"),
        ('{"ragate_plan": 2}', "a plan of format 2; this ragate reads 1"),
        ('{"ragate_plan": 1}', "Field required"),
    ],
)
def test_a_file_that_is_no_plan_is_refused(gated, capsys, text: str, said: str):
    Path("plan.json").write_text(text)

    assert run(["collect", "--plan", "plan.json", "--shard", "1/3"]) == 2
    assert said in capsys.readouterr().err


def test_a_shard_leaves_what_was_there_when_it_is_interrupted(sharded, monkeypatch):
    before = shard_file(sharded.root, 1).read_bytes()
    sharded.record(right, runs=1)
    monkeypatch.setattr("ragate.pipeline.shards.shard.header_line", _broken)

    assert collect(1) == 3
    assert shard_file(sharded.root, 1).read_bytes() == before


def _broken(_header: object) -> str:
    raise OSError(28, "No space left on device")
