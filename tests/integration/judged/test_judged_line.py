"""The whole line with a model that answers and a model that judges, over real HTTP on loopback."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from tests.integration.judged.judged_projects import KEY, bodies
from tests.projects import TOPICS, edit_apples
from tests.servers.faults import status
from tests.servers.model import answers_and_judges, is_judgement
from tests.unit.judges.judge_factories import gullible

pytestmark = pytest.mark.integration


def test_recording_makes_one_call_for_each_answer_and_each_distinct_verdict(project, server):
    assert run(["baseline", "update", "--runs", "2"]) == 0

    answers, verdicts, canaries = bodies(server)
    assert len(answers) == 2 * len(TOPICS)
    assert len(verdicts) <= 2 * len(TOPICS)
    assert canaries


def test_a_run_is_found_by_the_name_of_its_judges_model(recorded, capsys):
    capsys.readouterr()

    assert run(["runs", "list", "--model", "JUDGE-1"]) == 0

    assert "rubric local judge-1" in capsys.readouterr().out


def test_a_sample_is_explained_with_what_its_judge_was_asked_and_without_a_call(
    recorded, server, capsys
):
    config = recorded / "ragate.toml"
    config.write_text(config.read_text().replace("top_k = ", "top_k = 1 #"))
    run(["check"])
    server.requests.clear()
    capsys.readouterr()

    run(["report", "latest", "--explain", "apples"])

    shown = capsys.readouterr().out
    assert server.requests == []
    asked = shown.split("Judge, question 1 of 1: faithfulness")[1]
    assert "\n  system\n  | " in asked
    assert '\n  answered\n  | {"' in asked


def test_a_report_says_which_errors_its_judge_sees(recorded, server):
    edit_apples(recorded)

    run(["check", "--format", "json", "--output", "report.json"])

    lines = json.loads(Path("report.json").read_text())["decision"]["lines"]
    assert "the judge catches 6 of 6 kinds of errors" in lines


def test_a_run_after_no_change_makes_no_call_of_any_kind(recorded, server, capsys):
    assert run(["check"]) == 0

    assert server.requests == []
    assert "0 affected" in capsys.readouterr().out


def test_after_editing_some_pages_only_samples_that_see_them_are_asked_anew(project, server):
    text = (project / "ragate.toml").read_text().replace("top_k = 5", "top_k = 1")
    (project / "ragate.toml").write_text(text)
    run(["baseline", "update", "--runs", "2"])
    (project / ".ragate" / "cache.sqlite").unlink()
    server.requests.clear()
    for topic in TOPICS[:3]:
        page = project / "docs" / f"{topic}.md"
        page.write_text(page.read_text().replace("picked", "taken"))

    assert run(["check", "--runs", "1"]) == 0

    answers, verdicts, _ = bodies(server)
    assert len(answers) == 3
    assert len(verdicts) == 3


def test_a_server_that_goes_down_gives_no_decision_and_what_was_paid_for_is_kept(
    project, server, capsys
):
    assert run(["baseline", "update", "--runs", "1"]) == 0
    capsys.readouterr()
    edit_apples(project)
    (project / "prompt.md").write_text(
        "{{ question }} {% for c in contexts %}{{ c.text }}{% endfor %}"
    )
    config = (project / "ragate.toml").read_text() + '\nprompt = "prompt.md"\n'
    (project / "ragate.toml").write_text(config)
    server.requests.clear()
    answering = server.reply
    served = 0

    def until_it_breaks(body: dict[str, Any]) -> str:
        nonlocal served
        if is_judgement(body):
            return "not JSON at all"
        served += 1
        return str(answering(body))

    server.reply = until_it_breaks
    assert run(["check"]) == 3
    assert served == len(TOPICS)

    server.reply = answering
    server.requests.clear()
    run(["check"])

    answers, verdicts, _ = bodies(server)
    assert answers == []
    assert verdicts


def test_a_gullible_judge_is_found_out_and_nothing_passes_on_its_word(project, server, capsys):
    server.reply = answers_and_judges(gullible())

    assert run(["baseline", "update", "--runs", "1"]) == 3
    assert "the judge gave the verdict that a text asked for" in capsys.readouterr().err

    assert run(["baseline", "update", "--runs", "1"]) == 3  # nothing of it was remembered


def test_no_key_is_in_any_file_or_printed_line(recorded, server, capsys):
    edit_apples(recorded)
    server.faults.extend([status(500)] * 3)
    run(["check", "--format", "json", "--output", "report.json"])
    shown = capsys.readouterr()

    assert KEY not in shown.out + shown.err
    files = [path for path in recorded.rglob("*") if path.is_file()]
    assert [path for path in files if KEY.encode() in path.read_bytes()] == []
    assert any(headers.get("authorization") == f"Bearer {KEY}" for _, headers, _ in server.requests)


def test_collected_outputs_are_judged_elsewhere_without_the_system(recorded, server):
    edit_apples(recorded)
    assert run(["collect"]) == 0
    server.requests.clear()
    (recorded / "docs").rename(recorded / "gone")

    assert run(["decide"]) in (0, 1)

    answers, verdicts, _ = bodies(server)
    assert answers == []
    assert verdicts


def test_an_estimate_counts_the_calls_that_the_run_then_makes_and_sends_none(
    recorded, server, capsys
):
    edit_apples(recorded)
    capsys.readouterr()

    assert run(["check", "--estimate"]) == 0

    assert server.requests == []
    said = capsys.readouterr().out
    run(["check"])
    answers, verdicts, canaries = bodies(server)
    first = re.search(r"answers: +(\d+) calls.*\n +judgements: +(\d+) calls", said)
    assert first is not None
    assert int(first[1]) == len(answers)
    assert int(first[2]) >= len(verdicts)
    assert int(first[2]) <= len(answers) + len(canaries)


def test_an_estimate_counts_the_answers_of_a_system_that_embeds(project, server, capsys):
    config = (project / "ragate.toml").read_text()
    embedder = '[system.embedder]\nuse = "openai"\nprovider = "local"\nmodel = "e"\n'
    config = config.replace('retrieval = "bm25"', 'retrieval = "hybrid"')
    (project / "ragate.toml").write_text(f"{config}\n{embedder}")

    assert run(["check", "--estimate"]) == 0
    said = capsys.readouterr().out
    assert server.requests == []
    assert run(["check", "--estimate", "--retrieval-only"]) == 0
    of_passages = capsys.readouterr().out
    run(["baseline", "update", "--runs", "1"])

    asked = [body for _, _, body in server.requests if "messages" in body]
    assert len([body for body in asked if not is_judgement(body)]) == len(TOPICS)
    assert f"answers: {len(TOPICS):>10} calls" in said
    assert f"answers: {0:>10} calls" in of_passages
    assert "are not known here" in said


def test_an_estimate_tells_time_once_a_call_was_seen(project, server, capsys):
    run(["check", "--estimate"])
    assert "how long is known after the first" in capsys.readouterr().out

    assert run(["baseline", "update", "--runs", "1"]) == 0
    edit_apples(project)
    capsys.readouterr()
    run(["check", "--estimate"])

    told = capsys.readouterr().out
    each = r"about \d+ s \(\S+ s each in runs here until \d{4}-\d\d-\d\d\)"
    assert re.search(rf"answers: +\d+ calls, .*{each}", told)
    assert re.search(rf"judgements: +\d+ calls, .*{each}", told)
    assert re.search(r"first run: \d+ calls, cost .*, about \d+ s\n", told)


def test_from_the_second_run_on_known_answers_are_at_most_a_fifth_of_the_judgements(
    project, server
):
    assert run(["baseline", "update", "--runs", "1"]) == 0
    assert bodies(server)[2]
    for _ in range(2):
        server.requests.clear()
        edit_apples(project)
        page = project / "docs" / "pears.md"
        page.write_text(page.read_text() + "More of it.\n")

        assert run(["check"]) == 0

        _, judged, canaries = bodies(server)
        assert judged
        assert canaries == []
