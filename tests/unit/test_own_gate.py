"""The gate on our own manual: its golden set is sound, and it is harder than copied sentences."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
CONFIG = tomllib.loads((ROOT / "ragate.toml").read_text())
CORPUS = ROOT / CONFIG["system"]["corpus"]
LINES = (ROOT / CONFIG["policy"]["dataset"]).read_text().splitlines()
SAMPLES: list[dict[str, Any]] = [json.loads(line) for line in LINES]
LONGEST_COPY = 12


def words(text: str) -> list[str]:
    return re.findall(r"[\w@.-]+", text.lower())


def windows(text: str, length: int) -> set[tuple[str, ...]]:
    found = words(text)
    return {tuple(found[at : at + length]) for at in range(len(found) - length + 1)}


def test_it_asks_at_least_80_questions_12_of_them_without_an_answer() -> None:
    unanswerable = [one for one in SAMPLES if not one.get("answerable", True)]

    assert len(SAMPLES) - len(unanswerable) >= 60
    assert len(SAMPLES) >= 80
    assert len(unanswerable) >= 12


def test_ids_and_questions_are_unique() -> None:
    assert len({one["id"] for one in SAMPLES}) == len(SAMPLES)
    assert len({" ".join(words(one["query"])) for one in SAMPLES}) == len(SAMPLES)


def test_every_sample_is_complete() -> None:
    for sample in SAMPLES:
        assert sample["tags"], sample
        if sample.get("answerable", True):
            assert sample["references"], sample
            assert any(grade >= 1 for grade in sample["relevant"].values()), sample
        else:
            assert not sample.get("relevant"), sample
            assert not sample.get("must_pass"), sample


def test_expected_pages_exist() -> None:
    for page in {page for sample in SAMPLES for page in sample.get("relevant", {})}:
        assert (CORPUS / page).is_file(), page


def test_no_question_or_reference_is_copied_out_of_a_page() -> None:
    length = LONGEST_COPY + 1
    copied: set[tuple[str, ...]] = set()
    for page in CORPUS.rglob("*.md"):
        copied |= windows(page.read_text(), length)
    for sample in SAMPLES:
        for text in (sample["query"], *sample.get("references", [])):
            assert not windows(text, length) & copied, sample["id"]


def test_every_page_of_the_manual_is_expected_by_some_question() -> None:
    expected = {page for one in SAMPLES for page in one.get("relevant", {})}
    pages = {page.name for page in CORPUS.glob("*.md")} - {"index.md"}

    assert pages <= expected


def test_the_gate_can_fail_on_retrieval_and_on_answers() -> None:
    levels = {metric: rule["level"] for metric, rule in CONFIG["policy"]["metrics"].items()}

    assert levels["ndcg@10"] == levels["recall@10"] == levels["idf_f1"] == "error"


def test_a_must_pass_question_has_a_metric_with_a_pass_mark() -> None:
    marks = [rule for rule in CONFIG["policy"]["metrics"].values() if "pass_at" in rule]

    assert any(one.get("must_pass") for one in SAMPLES)
    assert marks
