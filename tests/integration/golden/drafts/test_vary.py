"""Variants of questions: drafts, and without a model but for paraphrases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragate.cli.dataset.vary import KINDS as OFFERED
from ragate.cli.main import run
from ragate.dataset import Entry, read_dataset, read_entries
from ragate.pipeline.golden.vary import KINDS
from tests.integration.golden.drafts.draft_projects import golden
from tests.integration.golden.tool_projects import write
from tests.projects import TOPICS
from tests.servers.openai_server import FakeOpenAI

pytestmark = pytest.mark.integration
FREE = [kind for kind in KINDS if kind != "paraphrase"]
MODEL = ("--provider", "local", "--model", "drafter-1")


def vary(*options: str) -> int:
    return run(["dataset", "vary", *options])


def of_kinds(*kinds: str) -> list[str]:
    return [option for kind in kinds for option in ("--kind", kind)]


def variants(path: Path) -> dict[str, Entry]:
    return {entry.sample.id: entry for entry in read_entries(path)}


def test_the_command_offers_the_kinds_of_the_pipeline() -> None:
    assert OFFERED == KINDS


def test_variants_are_drafts_that_name_their_question(project: Path, server: FakeOpenAI) -> None:
    before = golden(project)

    assert vary(*of_kinds(*FREE), "--append") == 0

    assert golden(project).startswith(before)
    assert server.requests == []
    assert len(read_dataset(project / "golden.jsonl")) == len(TOPICS)
    originals = {sample.id: sample for sample in read_dataset(project / "golden.jsonl")}
    drafts = [entry for entry in read_entries(project / "golden.jsonl") if entry.draft]
    assert len(drafts) == len(TOPICS) * len(FREE)
    for entry in drafts:
        sample, kind = entry.sample, str(entry.sample.metadata["variant"])
        original = originals[str(sample.metadata["variant_of"])]
        assert sample.id == f"{original.id}-{kind}"
        assert (sample.references, sample.relevant) == (original.references, original.relevant)
        assert (sample.query == original.query) == bool(sample.arrange)
    assert {entry.sample.arrange for entry in drafts} == {
        "", "reversed", "shuffled", "distractors:3",
    }  # fmt: skip


def test_accepted_variants_are_a_clean_golden_set(project: Path) -> None:
    assert vary(*of_kinds(*FREE), "--append") == 0
    assert run(["dataset", "accept", "--all"]) == 0

    assert run(["dataset", "validate", "--strict"]) == 0


def test_what_is_there_is_not_written_twice_and_variants_are_not_varied(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert vary(*of_kinds("case"), "--append") == 0
    first = golden(project)
    capsys.readouterr()

    assert vary(*of_kinds("case"), "--append") == 0
    assert golden(project) == first
    assert f"left out: {len(TOPICS)} (there already)" in capsys.readouterr().out


def test_the_same_seed_makes_the_same_and_another_one_others(project: Path) -> None:
    texts = []
    for seed in ("0", "0", "1"):
        options = ["--seed", seed, "--output", "new.jsonl", "--force"]
        assert vary(*of_kinds("typos", "word-order"), *options) == 0
        texts.append((project / "new.jsonl").read_bytes())

    assert texts[0] == texts[1] != texts[2]


def test_a_variant_keeps_what_is_expected_and_is_no_must_pass_sample(project: Path) -> None:
    row = {
        "id": "a",
        "query": "Which orchard grows the pears?",
        "messages": [{"role": "user", "content": "Hi"}],
        "must_pass": True,
        "tags": ["x"],
        "tools": [{"name": "grow", "parameters": {"type": "object", "properties": {}}}],
        "expected_calls": [],
        "keywords": ["pears"],
        "evidence": {"pears.md": "Our pears"},
        "relevant": {"pears.md": 2},
    }
    write(project, row)

    assert vary(*of_kinds("distractors"), "--distractors", "5", "--output", "new.jsonl") == 0

    original = read_entries(project / "golden.jsonl")[0].sample
    varied = variants(project / "new.jsonl")["a-distractors"].sample
    changed = {"id", "metadata", "arrange", "must_pass", "evidence"}
    assert varied.arrange == "distractors:5"
    assert not varied.must_pass
    assert varied.model_dump(exclude=changed) == original.model_dump(exclude=changed)


def test_a_model_words_paraphrases_and_what_is_none_is_left_out(
    project: Path, server: FakeOpenAI, capsys: pytest.CaptureFixture[str]
) -> None:
    write(
        project,
        {"id": "a", "query": "Which orchard grows pears since 1990?", "relevant": ["pears.md"]},
        {"id": "b", "query": "Which orchard grows kiwis since 1990?", "relevant": ["pears.md"]},
        {"id": "c", "query": "Which orchard grows figs?", "relevant": ["pears.md"]},
    )

    def reply(body: dict[str, object]) -> str:
        text = json.dumps(body)
        if "pears" in text:
            return "Since 1990,\nwhere have pears been grown?"
        return "Who has kiwis?" if "kiwis" in text else "which orchard grows figs"

    server.reply = reply

    assert vary(*of_kinds("paraphrase"), *MODEL, "--output", "new.jsonl") == 0

    said = capsys.readouterr().out
    [(name, entry)] = variants(project / "new.jsonl").items()
    assert name == "a-paraphrase"
    assert entry.draft
    assert entry.sample.query == "Since 1990, where have pears been grown?"
    assert "left out: 1 (paraphrase: the reply lost a number of the question)" in said
    assert "left out: 1 (paraphrase: the reply says it in the same words)" in said
    assert "3 model calls" in said
    assert "a variant counts only in one file with the question that it varies" in said


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--kind", "typos"], "where do the drafts go?"),
        (["--kind", "typo", "--append"], "typo"),
        (["--kind", "typos", "--append", "--model", "m"], "are for the kind paraphrase"),
        (["--kind", "typos", "--append", "--ids", "nobody"], "no sample has the id 'nobody'"),
        (["--append"], "--kind"),
    ],
)
def test_a_wrong_option_writes_nothing(
    project: Path, options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = golden(project)

    assert vary(*options) == 2
    assert message in capsys.readouterr().err
    assert golden(project) == before


def test_samples_without_ids_cannot_be_named_by_a_variant(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(project, {"query": "Which orchard has the pears?", "relevant": ["pears.md"]})

    assert vary(*of_kinds("case"), "--append") == 2
    assert "a variant names its question by id" in capsys.readouterr().err
