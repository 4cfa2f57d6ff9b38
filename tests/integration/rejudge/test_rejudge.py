"""`ragate baseline rejudge`: what a new judge can read of a stored baseline, and what it cannot."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ragate.cli.main import run
from tests.contrib.llamaindex_judge.known_answers import is_known, sound
from tests.integration.rejudge.rejudged_projects import SAMPLES, ours, recorded
from tests.projects import right
from tests.servers.faults import status
from tests.servers.model import answers_and_judges
from tests.unit.judges.judge_factories import gullible

pytestmark = pytest.mark.integration


def test_a_verdict_without_contexts_is_none_on_the_contexts(gate, server):
    recorded(gate, server, "relevancy")
    assert run(["baseline", "rejudge"]) == 0
    gate.file.unlink()
    server.requests.clear()

    assert run(["baseline", "update", "--runs", "1"]) == 0

    assert len(ours(server)) == SAMPLES
    assert all("Something else." in text for text in ours(server))


def test_full_after_the_recording_brings_no_contexts_back(gate, server, capsys):
    recorded(gate, server, "faithfulness", "relevancy")
    gate.judged_by(server, "faithfulness", "relevancy", store="full", model="judge-2")

    assert run(["baseline", "rejudge"]) == 2

    assert json.loads(gate.file.read_text())["store"] == "answers"
    assert not list(gate.file.parent.glob("*.contexts.jsonl.gz"))


def test_what_no_judge_can_score_stays_unscored(gate, server):
    """An answer without citations needs no judge, and one has too many characters."""

    def answer(number: int, run: int) -> dict[str, Any]:
        texts = {0: "The value of 0 is 0 apples.", 1: "The value of 1 is 1 apples. [1] " * 2_000}
        return {**right(number, run), **({"answer": texts[number]} if number in texts else {})}

    gate.record(answer)
    recorded(gate, server, "citation_precision", store="full")
    unscored = [isinstance(score, str) for score in gate.scores("citation_precision")]
    assert unscored == [False, True, *[False] * (SAMPLES - 2)]

    assert run(["baseline", "rejudge"]) == 0

    assert [isinstance(score, str) for score in gate.scores("citation_precision")] == unscored


@pytest.mark.parametrize("store", ["answers", "full"])
def test_a_judge_that_stops_loses_no_score(gate, server, capsys, store: str):
    recorded(gate, server, "relevancy", store=store)
    before = gate.file.read_bytes()
    server.faults.extend([status(401)] * 100)

    assert run(["baseline", "rejudge"]) == 3

    assert gate.file.read_bytes() == before
    assert "the baseline is as it was" in capsys.readouterr().err


def test_the_time_that_the_policy_gives_ends_it_and_what_was_finished_is_kept(gate, server, capsys):
    recorded(gate, server, "relevancy")
    before = gate.file.read_bytes()
    config = gate.root / "ragate.toml"
    given = config.read_text()
    config.write_text(given.replace("[policy]\n", "[policy]\nmax_minutes = 0.015\n", 1))
    server.latency_s = 2.0

    assert run(["baseline", "rejudge"]) == 3

    assert gate.file.read_bytes() == before
    assert "max_minutes = 0.015 is reached" in capsys.readouterr().err
    server.latency_s = 0.0
    config.write_text(given)
    assert run(["baseline", "rejudge"]) == 0
    assert None not in gate.scores("relevancy")


def test_a_gullible_judge_writes_nothing_even_where_nothing_was_scored(gate, server):
    gate.judged_by(server)
    assert run(["baseline", "update", "--runs", "1"]) == 0
    gate.judged_by(server, "relevancy")
    before = gate.file.read_bytes()
    server.reply = answers_and_judges(gullible())

    assert run(["baseline", "rejudge"]) == 3

    assert gate.file.read_bytes() == before


def test_values_over_the_whole_run_stay(gate, server):
    recorded(gate, server, "relevancy")
    before = json.loads(gate.file.read_text())["aggregates"]
    assert "retrieved_tokens" in before[0]

    assert run(["baseline", "rejudge"]) == 0

    assert json.loads(gate.file.read_text())["aggregates"] == before


def test_llamaindex_is_asked_for_what_needs_no_contexts(gate, server, capsys):
    def reply(body: dict[str, Any]) -> str:
        text = body["messages"][0]["content"]
        good = sound("answer_relevancy", text) or not is_known(text)
        return "Good.\n[RESULT] " + ("2" if good else "0")

    server.reply = reply
    gate.judged_by(server, "answer_relevancy", use="llamaindex")
    assert run(["baseline", "update", "--runs", "1"]) == 0
    gate.judged_by(server, "answer_relevancy", use="llamaindex", model="judge-2")

    assert run(["baseline", "rejudge"]) == 0

    assert gate.scores("answer_relevancy") == [1.0] * SAMPLES
    assert f"{SAMPLES} stored outputs judged anew" in capsys.readouterr().out


def test_a_question_is_judged_as_it_was_asked_on_its_date(gate, server):
    gate.write_golden(range(SAMPLES), query="What is the value on {today}?")
    gate.judged_by(server, "relevancy")
    assert run(["baseline", "update", "--runs", "1", "--eval-date", "2024-02-29"]) == 0
    gate.judged_by(server, "relevancy", model="judge-2")
    server.requests.clear()

    assert run(["baseline", "rejudge"]) == 0

    assert len(ours(server)) == SAMPLES
    assert all("What is the value on 2024-02-29?" in text for text in ours(server))


def test_a_verdict_on_another_days_question_is_none_on_this(gate, server):
    gate.write_golden(range(SAMPLES), query="What is the value on {today}?")
    gate.judged_by(server, "relevancy")
    assert run(["baseline", "update", "--runs", "1", "--eval-date", "2024-02-29"]) == 0
    server.requests.clear()

    run(["check", "--eval-date", "2024-02-29"])
    assert ours(server) == []
    run(["check", "--eval-date", "2024-03-01"])  # neither the baseline's verdicts nor the cache's
    assert len(ours(server)) == SAMPLES
    server.requests.clear()

    gate.judged_by(server, "relevancy", model="judge-2")
    run(["check", "--eval-date", "2024-03-01"])
    server.requests.clear()
    assert run(["baseline", "rejudge"]) == 0
    assert len(ours(server)) == SAMPLES
    assert all("on 2024-02-29?" in text for text in ours(server))
