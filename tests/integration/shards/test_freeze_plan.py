"""What a plan freezes."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from ragate.cli.main import run
from ragate.config import load_config
from ragate.core.hashing import content_hash
from ragate.dataset import read_dataset
from ragate.pipeline.run.run_profile import Selection
from ragate.pipeline.shards.shard_plan import freeze_plan
from tests.integration.shards.sharded import PLAN, plan
from tests.projects import write_docs_project

pytestmark = pytest.mark.integration


def test_a_plan_holds_every_question_with_its_hash(gated, capsys):
    assert plan(shards=8) == 0

    held = json.loads((gated.root / PLAN).read_text())["samples"]
    samples = read_dataset(gated.root / "golden.jsonl")
    assert {key: row[0] for key, row in held.items()} == {
        sample.id: content_hash(sample) for sample in samples
    }
    assert "40 samples in 8 shards of" in capsys.readouterr().out


def test_the_next_command_works_as_it_is_printed(gated, capsys):
    out = str(gated.root / "my plan.json")
    assert run(["plan", "--out", out, "--shards", "1"]) == 0
    collect = capsys.readouterr().out.partition("next: ")[2]
    assert run(shlex.split(collect)[1:]) == 0
    decide = capsys.readouterr().out.partition("then ")[2]

    assert run(shlex.split(decide)[1:]) == 0


def test_collected_outputs_are_named_in_the_next_command(gated, capsys):
    assert run(["collect", "--save-outputs", "my outputs.jsonl"]) == 0

    assert "next: ragate decide 'my outputs.jsonl'" in capsys.readouterr().out


def test_two_plans_of_one_checkout_are_equal(gated):
    plan()
    first = (gated.root / PLAN).read_bytes()
    plan()

    assert (gated.root / PLAN).read_bytes() == first


def test_a_plan_freezes_the_documents_of_a_system_that_tells_them(here: Path):
    write_docs_project(here)
    config = load_config(here / "ragate.toml")
    before = freeze_plan(config, Selection(), shards=3, commit="")
    document = min((here / "docs").rglob("*.md"))
    document.write_text(document.read_text() + "\nAnother sentence.\n")

    after = freeze_plan(config, Selection(), shards=3, commit="")

    assert before.corpus
    assert before.corpus != after.corpus
    assert before.system == after.system


def test_questions_with_a_date_are_asked_as_of_the_day_of_the_plan(gated):
    gated.write_golden(range(40), query="What is open on {today}?")
    plan()

    assert json.loads((gated.root / PLAN).read_text())["eval_date"]


def test_questions_without_a_date_have_none(gated):
    plan()

    assert json.loads((gated.root / PLAN).read_text())["eval_date"] == ""


def test_a_golden_set_that_cannot_be_read_makes_no_plan(gated):
    (gated.root / "golden.jsonl").write_text("{")

    assert run(["plan"]) == 2
    assert not (gated.root / PLAN).exists()
