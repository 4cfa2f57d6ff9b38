"""`ragate baseline rejudge`: metrics of another version read the stored answers again."""

from __future__ import annotations

import json

import pytest

from ragate.cli.main import run
from tests.integration.rejudge.rejudged_projects import Gate

pytestmark = pytest.mark.integration

METRICS = """
[policy.metrics.lexical_support]
level = "error"
threshold = {threshold}

[policy.metrics.idf_f1]
level = "error"
"""


def recorded(gate: Gate, store: str) -> None:
    """Record a baseline, then make its scores those of older metrics."""
    gate.configure(policy=f'store = "{store}"', metrics=METRICS.format(threshold=0.8))
    assert run(["baseline", "update"]) == 0
    file = json.loads(gate.file.read_text())
    for name in ("idf_f1", "lexical_support"):
        file["metrics"][name] |= {"version": 1, "fingerprint": "0" * 16}
    for sample in file["samples"].values():
        for output in sample["outputs"]:
            output["scores"]["idf_f1"] = 0.25
    gate.file.write_text(json.dumps(file))


def test_stored_answers_are_scored_anew_where_check_names_the_command(gate, capsys):
    recorded(gate, "full")
    assert run(["check"]) == 0
    said = capsys.readouterr().out
    assert "ragate baseline rejudge" in said
    assert "left out until main is recorded anew" in " ".join(said.split())
    tables = json.loads(gate.file.read_text())["states"]

    assert run(["baseline", "rejudge"]) == 0

    assert "idf_f1" in capsys.readouterr().out
    assert 0.25 not in gate.scores("idf_f1")
    assert json.loads(gate.file.read_text())["states"] == tables
    assert run(["check"]) == 0
    assert "left out" not in capsys.readouterr().out
    assert run(["baseline", "rejudge"]) == 0
    assert "nothing to do" in capsys.readouterr().out


def test_what_reads_contexts_stays_where_the_baseline_holds_none(gate, capsys):
    recorded(gate, "answers")
    before = gate.scores("lexical_support")

    assert run(["baseline", "rejudge"]) == 0

    assert "lexical_support; checks leave them out" in capsys.readouterr().err
    assert gate.scores("lexical_support") == before
    assert (
        json.loads(gate.file.read_text())["metrics"]["lexical_support"]["fingerprint"] == "0" * 16
    )
    assert 0.25 not in gate.scores("idf_f1")


def test_a_baseline_without_answers_is_refused(gate, capsys):
    recorded(gate, "hashes")

    assert run(["baseline", "rejudge"]) == 2
    assert "holds hashes and no answers" in capsys.readouterr().err


def test_an_output_without_an_answer_stays_unscored_and_moves_no_mean(gate, capsys):
    recorded(gate, "full")
    file = json.loads(gate.file.read_text())
    first = next(iter(file["samples"].values()))
    for output in first["outputs"]:
        del output["answer"]
        output["scores"]["idf_f1"] = 0.99  # of a time when it had one
    gate.file.write_text(json.dumps(file))

    assert run(["baseline", "rejudge"]) == 0

    said = capsys.readouterr().out
    assert "idf_f1                      0.250 -> 1.000  (n 15)" in said  # of six in three passes
    assert "unscored, since they hold no answer: 3" in said


@pytest.mark.parametrize("has_key", [True, False])
def test_no_model_is_asked_where_only_metrics_without_one_changed(
    gate, server, monkeypatch, capsys, *, has_key: bool
):
    gate.judged_by(server, "relevancy", "idf_f1")
    assert run(["baseline", "update", "--runs", "1"]) == 0
    judged = gate.scores("relevancy")
    file = json.loads(gate.file.read_text())
    file["metrics"]["idf_f1"] |= {"version": 1, "fingerprint": "0" * 16}
    gate.file.write_text(json.dumps(file))
    server.requests.clear()
    if not has_key:
        monkeypatch.delenv("TEST_KEY")

    assert run(["baseline", "rejudge"]) == 0

    assert "scored on the stored answers; commit it" in capsys.readouterr().out
    assert server.requests == []
    assert gate.scores("relevancy") == judged
    monkeypatch.setenv("TEST_KEY", "sk-canary-0123456789abcdef")
    assert run(["check"]) == 0
