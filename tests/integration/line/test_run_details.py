"""What a page shows beside its report, from the files of a run."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from ragate.contrib.labels.labels import read_review_labels
from tests.integration.line.line_projects import lost

pytestmark = pytest.mark.integration


def data_of(path: Path) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', path.read_text())
    assert found is not None
    data: dict[str, Any] = json.loads(found.group(1))
    return data


@pytest.mark.parametrize("command", ["check", "decide", "report"])
def test_a_page_holds_every_question_and_the_texts_of_both_sides(project, command):
    gated = project
    gated.configure(policy='store = "full"')
    run(["baseline", "update"])
    gated.record(lost(2), runs=3)
    page = gated.root / "page.html"
    run(["check"] if command == "report" else ["collect", "--runs", "3"])

    assert run([command, "--format", "html", "--output", str(page)]) == 1

    text = page.read_text()
    assert len(data_of(page)["rows"]) == gated.samples
    assert "Other." in text
    assert "Something else." in text


def test_what_is_shown_of_a_run_that_was_just_made_is_not_read_again(gated, monkeypatch):
    def refuse(*_arguments: object) -> None:
        raise AssertionError("the run is in memory twice")

    monkeypatch.setattr("ragate.stores.local.LocalStore.load", refuse)
    shown = ["--format", "html", "--output", "page.html", "--format", "json", "--output", "r.json"]

    assert run(["check", *shown]) == 0
    assert len(json.loads((gated.root / "r.json").read_text())["questions"]) == gated.samples


def test_the_stored_report_is_the_same_with_and_without_a_page(gated):
    run(["check"])
    without = gated.report()
    run(["check", "--format", "html", "--output", "page.html"])

    assert gated.report().keys() == without.keys()
    assert "details" not in without


def test_a_baseline_that_moved_on_is_said_and_its_texts_are_left_out(gated):
    gated.record(lost(2), runs=3)
    run(["check"])
    baseline = gated.root / "baselines/gate.json"
    baseline.write_text(re.sub(r'"date": ?"\d{4}', '"date":"1999', baseline.read_text()))

    assert run(["report", "--format", "html", "--output", "page.html"]) == 1

    page = gated.root / "page.html"
    assert "the baseline was recorded again" in page.read_text()
    assert "Something else." not in page.read_text()


def test_files_of_a_run_that_are_gone_are_said_and_the_verdict_stays(gated):
    run(["check"])
    for path in (gated.root / ".ragate/runs").glob("*/scores.jsonl"):
        path.write_text("no record\n")

    assert run(["report", "--format", "html", "--output", "page.html"]) == 0

    assert "no record of this ragate" in (gated.root / "page.html").read_text()


def test_collect_has_no_verdict_for_a_page(gated, capsys):
    assert run(["collect", "--format", "html"]) == 2

    assert "collect has no verdict for --format html" in capsys.readouterr().err


def test_a_changed_answer_carries_the_hashes_that_a_review_of_it_names(gated, monkeypatch):
    gated.record(lost(10))
    run(["check", "--format", "html", "--output", "page.html"])
    monkeypatch.delenv("CI", raising=False)
    typed = io.TextIOWrapper(io.BytesIO(b"1\n\n" * 4), encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", typed)
    run(["review", "--who", "Ada"])

    labels = read_review_labels(gated.root / "review-labels.jsonl")
    rows = data_of(gated.root / "page.html")["rows"]
    assert {row[1]: row[8] for row in rows if len(row) > 8} == {
        label.id: [label.sample, label.before, label.after] for label in labels
    }
    assert len(labels) == 4


def test_a_changed_question_has_what_came_of_it_in_earlier_runs(gated):
    gated.record(lost(2))
    run(["check"])
    gated.record(lost(10))
    run(["check"])
    run(["check", "--format", "html", "--output", "page.html"])

    shown = (gated.root / "page.html").read_text().split('id="s1"')[1].split("<details")[0]
    earlier = re.findall(r'class="figure">([^<]*)</span></li>', shown.split("Earlier runs")[1])
    assert len(earlier) == 2
    assert all("hit_rate@5 0" in each for each in earlier)


def test_a_run_that_came_later_is_no_earlier_one_of_a_stored_run(gated):
    gated.record(lost(2))
    run(["check"])
    first = max(path.name for path in (gated.root / ".ragate/runs").iterdir() if path.is_dir())
    run(["check"])

    run(["report", first, "--format", "html", "--output", "page.html"])

    shown = (gated.root / "page.html").read_text().split('id="s1"')[1].split("<details")[0]
    assert "hit_rate@5" in shown
    assert "Earlier runs" not in shown


def test_runs_without_a_verdict_take_no_place_among_the_earlier_ones(gated):
    gated.record(lost(2))
    run(["check"])
    for _ in range(6):
        run(["baseline", "update", "--accept", "hit_rate@5", "--accept", "token_f1"])
    gated.record(lost(10))
    run(["check", "--format", "html", "--output", "page.html"])

    shown = (gated.root / "page.html").read_text().split('id="s1"')[1].split("<details")[0]
    assert "Earlier runs" in shown
