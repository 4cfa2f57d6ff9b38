"""A run sends what it does and measures as OTLP; the collector decodes it."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest

from ragate.cli.main import run
from tests.contrib.otel.conftest import KEY, Checked, ask_anew, listen
from tests.servers.collector import attributes, collector

pytestmark = pytest.mark.integration


def counted(checked: Checked, metric: str, attribute: str) -> dict[Any, int]:
    """Return the counts of a metric by one attribute."""
    return {seen[attribute]: point.as_int for seen, point in checked.seen.points(metric)}


def test_every_sample_has_a_span_below_the_runs(checked):
    (whole,) = checked.seen.named("ragate.run")
    samples = checked.seen.named("ragate.sample")

    assert {span.parent_span_id for span in samples} == {whole.span_id}
    assert {span.trace_id for span in checked.seen.spans} == {whole.trace_id}
    assert len(samples) == checked.report["facts"]["samples"]


def test_retrieval_and_model_calls_are_below_their_sample(checked):
    samples = {span.span_id for span in checked.seen.named("ragate.sample")}
    calls = checked.seen.named("chat answer-2")

    assert {span.parent_span_id for span in checked.seen.named("retrieval")} == samples
    assert {span.parent_span_id for span in calls} == samples
    assert attributes(calls[0])["gen_ai.operation.name"] == "chat"
    assert attributes(calls[0])["gen_ai.usage.input_tokens"] > 0


def test_judgements_say_of_which_sample_and_what_was_asked(checked):
    judged = [attributes(span) for span in checked.seen.named("ragate.judge")]

    assert {each["ragate.judge.criteria"] for each in judged} == {"faithfulness"}
    assert all(each["ragate.sample.id"] for each in judged)
    assert checked.seen.named("ragate.decide")


def test_every_score_is_an_evaluation_event_on_the_span_of_its_sample(checked):
    samples = checked.seen.named("ragate.sample")
    spans = {span.span_id: attributes(span)["ragate.sample.id"] for span in samples}
    events = checked.seen.events_named("gen_ai.evaluation.result")
    told = Counter(attributes(event)["gen_ai.evaluation.name"] for event in events)

    assert told == {row["metric"]: row["n"] for row in checked.report["decision"]["metrics"]}
    for event in events:
        assert spans[event.span_id] == attributes(event)["ragate.sample.id"]
        assert 0 <= attributes(event)["gen_ai.evaluation.score.value"] <= 1


def test_metrics_count_the_verdict_the_samples_and_the_calls(checked):
    facts, verdict = checked.report["facts"], checked.report["decision"]["verdict"]

    assert counted(checked, "ragate.verdicts", "ragate.verdict") == {verdict: 1}
    assert counted(checked, "ragate.model.calls", "ragate.reused") == {
        False: facts["model_calls"],
        True: facts["calls_reused"],
    }
    assert counted(checked, "ragate.samples", "ragate.state") == {
        "measured": facts["samples"],
        "failed": 0,
        "unscored": 0,
    }


def test_the_mean_of_each_metric_is_that_of_the_report(checked):
    means = {
        (seen["ragate.metric"], seen["ragate.side"]): getattr(point, point.WhichOneof("value"))
        for seen, point in checked.seen.points("ragate.metric.mean")
    }

    assert means == {
        (row["metric"], side): row[side]
        for row in checked.report["decision"]["metrics"]
        for side in ("baseline", "candidate")
    }


def test_tokens_and_seconds_of_calls_are_histograms_by_model(checked):
    tokens = checked.seen.points("gen_ai.client.token.usage")
    seconds = checked.seen.points("gen_ai.client.operation.duration")

    assert {seen["gen_ai.request.model"] for seen, _ in tokens} == {"answer-2", "judge-1"}
    assert {seen["gen_ai.token.type"] for seen, _ in tokens} == {"input", "output"}
    assert all(point.count and point.sum > 0 for _, point in seconds)


def test_counts_are_of_this_run_alone(checked):
    sums = [each.sum for each in checked.seen.metrics if each.WhichOneof("data") == "sum"]

    assert {each.aggregation_temporality for each in sums} == {1}  # delta


def test_no_text_of_a_sample_and_no_key_is_sent(checked):
    sent = b"".join(checked.seen.bodies)
    golden = (checked.project / "golden.jsonl").read_text().splitlines()

    assert checked.seen.headers[0]["x-api-key"] == KEY
    assert KEY.encode() not in sent
    for line in golden:
        assert json.loads(line)["query"].encode() not in sent


def test_texts_are_sent_where_they_are_asked_for(recorded, listening, monkeypatch):
    monkeypatch.setenv("RAGATE_TELEMETRY_TEXTS", "1")
    ask_anew(recorded)

    run(["check"])

    texts = [attributes(event) for event in listening.events_named("ragate.sample.texts")]
    assert any(each["ragate.sample.answer"] for each in texts)


def test_texts_stay_at_home_where_the_policy_publishes_none(recorded, listening, monkeypatch):
    config = recorded / "ragate.toml"
    config.write_text(config.read_text().replace("[policy]\n", '[policy]\npublish = "ids"\n', 1))
    monkeypatch.setenv("RAGATE_TELEMETRY_TEXTS", "1")
    ask_anew(recorded)

    run(["check"])

    assert listening.events_named("gen_ai.evaluation.result")
    assert not listening.events_named("ragate.sample.texts")
    for event in listening.events:
        assert "gen_ai.evaluation.explanation" not in attributes(event)


def test_a_recording_of_the_baseline_is_told_without_a_verdict(project, listening):
    assert run(["baseline", "update", "--runs", "1"]) == 0

    assert attributes(listening.named("ragate.run")[0])["ragate.command"] == "baseline update"
    assert listening.events
    assert not listening.points("ragate.verdicts")


def test_a_collector_that_is_down_changes_no_verdict(recorded, monkeypatch, capsys):
    monkeypatch.setenv("RAGATE_TELEMETRY", "1")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "1")

    assert run(["check"]) == 0

    error = capsys.readouterr().err
    assert "did not reach the collector: no connection (Connection refused)" in error
    assert "; the verdict stands\n  -> see OTEL_EXPORTER_OTLP_ENDPOINT" in error


def test_a_collector_that_refuses_changes_no_verdict(recorded, listening, capsys):
    listening.status = 401

    assert run(["check"]) == 0

    error = capsys.readouterr().err
    assert "did not reach the collector: it answered 401 Unauthorized" in error
    assert "-> see OTEL_EXPORTER_OTLP_HEADERS" in error
    assert KEY not in error


def test_collect_sends_nothing(recorded, listening):
    run(["collect"])

    assert not listening.bodies


def test_files_of_a_project_switch_nothing_on_and_name_no_collector(recorded, monkeypatch):
    with collector() as theirs, collector() as ours:
        (recorded / ".env").write_text(
            f"RAGATE_TELEMETRY=1\nRAGATE_TELEMETRY_TEXTS=1\nOTEL_EXPORTER_OTLP_ENDPOINT={theirs.url}\n"
        )
        assert run(["check"]) == 0
        assert not theirs.bodies

        listen(monkeypatch, ours)
        assert run(["check"]) == 0

    assert ours.bodies
    assert not theirs.bodies
    assert not ours.events_named("ragate.sample.texts")


@pytest.mark.parametrize(("command", "sends"), [("check", False), ("decide", True)])
def test_beside_the_code_of_a_fork_nothing_is_sent(
    recorded, listening, monkeypatch, tmp_path, command, sends
):
    assert run(["collect"]) == 0
    event = tmp_path / "event.json"
    pull = {"head": {"repo": {"id": 2}}, "base": {"repo": {"id": 1}}}
    event.write_text(json.dumps({"pull_request": pull}))
    monkeypatch.setenv("GITHUB_EVENT_NAME", "pull_request")
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(event))

    run([command])

    assert bool(listening.bodies) is sends


@pytest.mark.parametrize("name", ["RAGATE_TELEMETRY", "RAGATE_TELEMETRY_TEXTS"])
def test_a_wrong_word_is_a_usage_error(recorded, listening, monkeypatch, capsys, name):
    monkeypatch.setenv(name, "maybe")

    assert run(["check"]) == 2

    assert f"{name} = 'maybe': must be 1 or 0" in capsys.readouterr().err


def test_another_protocol_is_a_usage_error(recorded, listening, monkeypatch, capsys):
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json")

    assert run(["check"]) == 2

    error = capsys.readouterr().err
    assert "OTEL_EXPORTER_OTLP_PROTOCOL = 'http/json'" in error
    assert "as http/protobuf or grpc" in error
