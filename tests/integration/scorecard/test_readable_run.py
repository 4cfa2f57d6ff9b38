"""What a person and a program read of every sample of a run."""

from __future__ import annotations

import json

import pytest

from ragate.cli.main import run
from tests.integration.line.line_projects import lost
from tests.projects import right, write_docs_project

pytestmark = pytest.mark.integration


def test_the_json_report_holds_every_sample_with_its_word_scores_and_latency(carded, tmp_path):
    carded.record(lambda n, _: {**lost(4)(n, 0), "latency_s": 0.5})
    run(["check", "--format", "json", "--output", "report.json"])

    outcomes = json.loads((tmp_path / "report.json").read_text())["outcomes"]

    assert len(outcomes) == 40
    assert [each["passes"] for each in outcomes[:11]] == [False] * 10 + [True]
    assert outcomes[0]["scores"]["token_f1"] == 0.0
    assert outcomes[0]["passed"] is True
    assert outcomes[0]["latency_s"] == 0.5


def test_the_console_lists_every_sample_on_request(carded, capsys):
    carded.record(lost(4))
    run(["check"])
    assert "FAIL (was PASS) q0" not in capsys.readouterr().out

    run(["report", "latest", "--verbose"])

    shown = capsys.readouterr().out
    assert shown.count("FAIL (was PASS) q") == 10
    assert shown.count("  PASS q") == 30


def test_without_a_scorecard_the_marks_of_metrics_say_who_passes(carded):
    carded.configure(metrics="pass_at = 0.5")
    carded.record(right)
    run(["check"])

    assert {each["passes"] for each in carded.report()["outcomes"]} == {True}


@pytest.mark.usefixtures("served")
def test_the_header_names_top_k_and_the_settings_of_the_system(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_docs_project(tmp_path)

    run(["check"])

    shown = " ".join(capsys.readouterr().out.split())
    assert "System: pgvector · top_k 5 · retrieval bm25 · chunk_size 128" in shown


@pytest.mark.usefixtures("served")
@pytest.mark.parametrize("publish", ["full", "answers", "ids"])
def test_the_settings_of_a_run_hold_no_free_text(tmp_path, monkeypatch, publish):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CI", "1")
    write_docs_project(tmp_path)
    config = (tmp_path / "ragate.toml").read_text()
    config = config.replace("[policy]\n", f'[policy]\npublish = "{publish}"\n', 1)
    (tmp_path / "ragate.toml").write_text(f'{config}\n[system.answer]\nrefusal = "CANARY"\n')
    formats = ("markdown", "json", "html", "junit")

    run(["check", *(word for name in formats for word in ("--format", name, "--output", name))])

    report = json.loads((tmp_path / "json").read_text())
    texts = [(tmp_path / name).read_text() for name in formats if name != "json"]
    assert report["publish"] == publish
    assert report["settings"]["top_k"] == "5"
    assert "CANARY" not in str(report["settings"])
    assert not [text for text in texts if "CANARY" in text]
    assert ("CANARY" in json.dumps(report)) == (publish == "full")  # of the whole system
