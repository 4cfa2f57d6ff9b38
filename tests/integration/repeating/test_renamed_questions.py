"""A question with another id than the baseline has, and the same content, keeps its "before"."""

from __future__ import annotations

import io
import json
import re
import sys

import pytest

from ragate.baseline import load_baseline
from ragate.cli.main import run
from ragate.config import load_config
from ragate.contrib.labels.answers_to_review import labels_of_ids, reviewed_scores
from ragate.contrib.labels.labels import read_review_labels
from ragate.contrib.labels.review_label import ReviewVerdict
from ragate.stores.local import LocalStore

pytestmark = pytest.mark.integration

RENAMED = (1, 5, 9, 13)
WRONG = {f"_{number}": f"The price of item {number} was 7 euros." for number in RENAMED}


@pytest.fixture(autouse=True)
def lost(declared):
    """Four questions get new ids and wrong answers."""
    golden = declared.root / "golden.jsonl"
    text = golden.read_text()
    for number in RENAMED:
        text = text.replace(f'"q{number:02}"', f'"prices-{number}"')
    golden.write_text(text)
    declared.answer(**WRONG)


def test_losses_of_renamed_questions_are_proven(project):
    assert run(["check"]) == 1

    assert project.asked().count("What was the price of item 5?") == 5
    rows = {row["metric"]: row for row in project.decision()["metrics"]}
    assert "provisional" not in rows["number_recall"]["reason"]


def test_the_answer_before_stands_beside_that_of_now(capsys):
    run(["check"])
    capsys.readouterr()

    assert run(["report", "latest", "--explain", "prices-5"]) == 0
    text = capsys.readouterr().out

    assert "Answer before\n  The price of item 5 was 105 euros." in text
    assert "number_recall  1.00 1.00 1.00 → 0.50 0.50 0.50" in text


def test_the_page_has_the_scores_of_before(project):
    run(["check", "--format", "html", "--output", "page.html"])

    page = (project.root / "page.html").read_text()
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', page)
    assert data is not None
    rows = {row[1]: row for row in json.loads(data.group(1))["rows"]}
    assert rows["prices-5"][7][0] == [1.0, 0.5]
    assert [len(rows[f"prices-{number}"]) > 8 for number in RENAMED] == [True] * 4


def test_both_answers_are_shown_for_review_and_labelled(project, capsys, monkeypatch):
    run(["check"])
    capsys.readouterr()
    monkeypatch.delenv("CI", raising=False)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"1\n\n" * 4), encoding="utf-8"))

    assert run(["review", "--who", "Ada"]) == 0

    labels = read_review_labels(project.root / "review-labels.jsonl")
    assert [label.id for label in labels] == [f"prices-{number}" for number in RENAMED]
    config, store = load_config(project.root / "ragate.toml"), LocalStore(project.root / ".ragate")
    baseline, stored = load_baseline(config.baseline), store.load(store.find("latest"))
    assert reviewed_scores(baseline, stored, labels).labels == 4
    said = labels_of_ids(
        config, stored, ["prices-5"], ReviewVerdict.WORSE, who="Ada", reason="", commit=""
    )
    assert said[0].before == labels[1].before
