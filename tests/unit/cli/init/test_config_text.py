"""The text of a new configuration."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from ragate.cli.init.action_workflows import plain_text
from ragate.cli.init.config_text import Choice, RecordedParts, config_text
from ragate.config import parse_config
from ragate.models import Sample
from tests.unit.cli.init.init_factories import PGVECTOR, REPLAY

JUDGED = Sample(id="q1", query="Which?", relevant={"a.md": 1})


def config_of(text: str, root: Path) -> dict[str, Any]:
    """Return the tables; what ragate itself could not read fails."""
    parse_config(text, where="ragate.toml", root=root)
    return tomllib.loads(text)


@pytest.mark.parametrize(
    "choice",
    [PGVECTOR, REPLAY],
    ids=lambda choice: choice.system,
)
def test_every_key_of_a_new_configuration_is_explained(tmp_path: Path, choice: Choice) -> None:
    text = config_text(choice, [JUDGED])

    tables = config_of(text, tmp_path)
    assert tables["system"]["use"] == choice.system
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert len(lines) > 10
    for line in lines:
        assert re.search(r"  # \S.{2,}$", line), line
        assert len(line) <= 100, line


def test_the_metrics_are_the_ones_that_the_samples_allow(tmp_path: Path) -> None:
    answered = Sample(id="q2", query="And?", references=("So.",))
    refused = Sample(id="q3", query="Not?", answerable=False)

    def metrics(*samples: Sample, recorded: RecordedParts | None = None) -> set[str]:
        text = config_text(REPLAY, samples, recorded)
        return set(config_of(text, tmp_path)["policy"]["metrics"])

    assert "ndcg@10" in metrics(JUDGED)
    assert "idf_f1" not in metrics(JUDGED)
    assert "idf_f1" in metrics(answered)
    assert "ndcg@10" not in metrics(answered)
    sees_what_is_false = {"entity_support", "number_unit_support", "polarity", "word_precision"}
    assert sees_what_is_false <= metrics(answered)
    assert not sees_what_is_false & metrics(answered, recorded=RecordedParts(texts=False))
    assert "refusal_recall" in metrics(refused)
    assert "ndcg@10" not in metrics(JUDGED, recorded=RecordedParts(ids=False))
    bare = metrics(answered, recorded=RecordedParts(answers=False, texts=False, ids=False))
    assert bare == {"error_rate", "latency_p95"}


def test_at_most_eight_metrics_can_fail_a_new_gate_by_what_there_is(
    tmp_path: Path,
) -> None:
    answered = JUDGED.model_copy(update={"references": ("So.",)})

    def gated(cites: bool, *samples: Sample) -> set[str]:
        text = config_text(REPLAY, samples, RecordedParts(cites=cites))
        tables = config_of(text, tmp_path)["policy"]["metrics"]
        names = {name for name, table in tables.items() if table["level"] == "error"}
        return names - {"error_rate"}  # a ceiling, and no test

    of_answers = {"word_precision", "number_unit_support", "entity_support"}
    of_documents = {"recall@10", "ndcg@10"}
    refused = Sample(id="q3", query="Not?", answerable=False)
    refusals = {"refusal_recall", "false_refusal"}
    every = {*of_documents, "idf_f1", *of_answers}
    assert gated(True, answered, refused) == {*every, *refusals}
    assert gated(True, answered) == {*every, "false_refusal", "citation_support"}
    assert gated(False, answered) == {*every, "false_refusal", "complete_answer"}
    asked = Sample(id="q2", query="And?")
    assert gated(False, asked) == {*of_answers, "false_refusal", "complete_answer"}
    untold = config_text(REPLAY, [JUDGED], RecordedParts(texts=False))
    assert config_of(untold, tmp_path)["policy"]["metrics"]["false_refusal"]["level"] == "error"
    bare = config_text(REPLAY, [JUDGED], RecordedParts(answers=False, texts=False))
    tables = config_of(bare, tmp_path)["policy"]["metrics"]
    assert all(tables[name]["level"] == "error" for name in ("recall@10", "ndcg@10"))
    assert tables["hit_rate@5"]["level"] == "warn"


@pytest.mark.parametrize("folder", ['my "docs"', "döcs", "back\\slash", "a'b", "del\x7f"])
def test_a_folder_with_an_odd_name_is_written_so_that_it_reads_back(
    tmp_path: Path, folder: str
) -> None:
    choice = Choice("pgvector", folder)

    assert config_of(config_text(choice, [JUDGED]), tmp_path)["system"]["corpus"] == folder
    if folder.isprintable():
        assert yaml.safe_load(plain_text(choice, folder=folder))["jobs"]["gate"]["steps"]
