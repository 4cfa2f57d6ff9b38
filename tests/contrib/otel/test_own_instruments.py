"""Counters and histograms of plugins, and of the RAG under test in a process of its own."""

from __future__ import annotations

import sys
import uuid
from pathlib import Path
from typing import Any

import pytest

from ragate import spans
from ragate.cli.main import run
from ragate.contrib.otel.exporting import exporting
from ragate.contrib.otel.own_instruments import MOST_INSTRUMENTS
from ragate.errors import ConfigError
from ragate.plugin_kit import own_counter, own_histogram
from tests.contrib.otel.conftest import listen
from tests.servers.collector import Collector, attributes, collector

pytestmark = pytest.mark.integration

RAG = """
import time
from ragate.plugin_kit import own_counter, own_histogram

hits = own_counter("my_rag.cache.hits", "{hit}", "Answers out of the cache")
took = own_histogram("my_rag.rerank.duration", "s", "Seconds of reranking")


def answer(query):
    number = int(query.split()[-1].rstrip("?"))
    hits(1, cache="even" if number % 2 else "odd")
    took(0.25, model="tiny")
    return {"answer": f"It is {number}.", "contexts": [f"It is {number}."]}
"""
PLUGIN = """
from ragate.models import MetricInfo, Score
from ragate.plugin_kit import own_counter

looked = own_counter("my_metric.looked", "{answer}", "Answers that were looked at")


class Polite:
    state = {}

    def __init__(self, request):
        self.info = MetricInfo(name=request.name, fingerprint="polite 1")

    def score_samples(self, pairs):
        looked(len(pairs), language="en")
        return [Score(self.info.name, 1.0) for _ in pairs]


def polite(request):
    return Polite(request)
"""
CONFIG = """
[policy]
dataset = "golden.jsonl"
baseline = "baseline.json"
systems = ["python"]

[policy.metrics.token_f1]
[policy.metrics."{plugin}:polite"]

[system]
use = "python"
target = "{rag}:answer"
"""
QUESTIONS = 6


@pytest.fixture
def asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with a RAG and a metric of its own, and a baseline."""
    # A module stays imported: each test has files of other names.
    rag, plugin = (f"{name}_{uuid.uuid4().hex}" for name in ("rag", "plugin"))
    (tmp_path / f"{rag}.py").write_text(RAG)
    (tmp_path / f"{plugin}.py").write_text(PLUGIN)
    (tmp_path / "ragate.toml").write_text(CONFIG.format(rag=rag, plugin=plugin))
    lines = [
        f'{{"id": "q{n}", "query": "What is {n}?", "references": ["It is {n}."]}}\n'
        for n in range(QUESTIONS)
    ]
    (tmp_path / "golden.jsonl").write_text("".join(lines))
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    assert run(["baseline", "update", "--runs", "1"]) == 0
    return tmp_path


def counted(seen: Collector, metric: str) -> dict[str, Any]:
    return {
        str(next(iter(told.values()))): getattr(point, point.WhichOneof("value"))
        for told, point in seen.points(metric)
    }


def test_what_rag_and_plugin_measure_goes_out_with_ours(asked, monkeypatch, capsys):
    with collector() as seen:
        listen(monkeypatch, seen)
        assert run(["check"]) == 0

    assert counted(seen, "my_rag.cache.hits") == {"odd": 3, "even": 3}
    ((told, point),) = seen.points("my_rag.rerank.duration")
    assert told == {"model": "tiny"}
    assert (point.count, point.sum) == (QUESTIONS, QUESTIONS * 0.25)
    assert counted(seen, "my_metric.looked") == {"en": QUESTIONS}
    (metric,) = {
        each.name: each for each in seen.metrics if each.name == "my_rag.cache.hits"
    }.values()
    assert (metric.unit, metric.description) == ("{hit}", "Answers out of the cache")
    assert seen.points("ragate.verdicts")
    assert "left out" not in capsys.readouterr().err


def test_an_answer_is_the_same_with_and_without(asked, monkeypatch):
    baseline = (asked / "baseline.json").read_bytes()
    with collector() as seen:
        listen(monkeypatch, seen)
        assert run(["baseline", "update", "--runs", "1"]) == 0

    assert seen.points("my_rag.cache.hits")
    assert (asked / "baseline.json").read_bytes() == baseline


def test_where_nobody_listens_no_reply_carries_it_and_memory_is_bounded(asked, monkeypatch):
    told: list[Any] = []
    monkeypatch.setattr("ragate.systems._worker_target.tell_values", told.append)
    spans.unheard_values()

    assert run(["check"]) == 0
    for _ in range(5000):
        own_counter("a.b")(1)

    assert set(map(str, told)) == {"None"}
    assert len(spans.unheard_values()) == 1000
    assert spans.unheard_values() == []


@pytest.mark.parametrize(
    "name",
    [
        "ragate.verdicts",
        "gen_ai.client.token.usage",
        "hits",
        "My.Hits",
        "a..b",
        "a.b\n",
        "",
        "a." * 60,
    ],
)
def test_a_name_that_cannot_be_used_is_told_at_once(name):
    with pytest.raises(ConfigError, match="no name for an instrument of your own") as raised:
        own_histogram(name)

    assert "my_rag.cache.hits" in raised.value.remedy


def sent(monkeypatch: pytest.MonkeyPatch, measure: Any) -> tuple[Collector, list[str]]:
    said: list[str] = []
    with collector() as seen:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", seen.url)
        with exporting({}, texts=False, say=said.append):
            measure()
    return seen, said


@pytest.mark.parametrize("value", [float("nan"), float("inf"), -1, "1", None, True, 1j])
def test_what_is_no_count_is_left_out_and_told(monkeypatch, value):
    def measure() -> None:
        own_counter("my.count")(value)
        own_counter("my.count")(2)

    seen, said = sent(monkeypatch, measure)

    ((_, point),) = seen.points("my.count")
    assert getattr(point, point.WhichOneof("value")) == 2
    assert "values of your own instruments were left out: my.count" in said[0]
    assert "-> " in said[0]


def test_one_name_has_one_kind_and_unit(monkeypatch):
    def measure() -> None:
        own_counter("my.thing", "s")(1)
        own_histogram("my.thing", "s")(1)
        own_counter("my.thing", "By")(1)

    seen, said = sent(monkeypatch, measure)

    assert [each.WhichOneof("data") for each in seen.metrics] == ["sum"]
    assert "my.thing" in said[0]


def test_too_many_names_and_long_texts_flood_no_collector(monkeypatch):
    def measure() -> None:
        for number in range(MOST_INSTRUMENTS + 50):
            own_counter(f"my.count_{number}")(1, text="x" * 100_000)
        own_counter("my.count_0")(1, **{f"a{number}": 1 for number in range(50)})

    seen, said = sent(monkeypatch, measure)

    assert len({each.name for each in seen.metrics}) == MOST_INSTRUMENTS
    ((told, _),) = seen.points("my.count_0")
    assert len(told["text"]) == 200
    assert "left out" in said[0]


@pytest.mark.parametrize(
    "values",
    [
        "text",
        7,
        {"a": 1},
        [1, None, "x"],
        [["counter", "ragate.verdicts", "1", "", 1, {}]],
        [["gauge"]],
        [["counter", "my.count", "1", "", 1, "attributes"]],
        [["counter", "my.count", "1", "", 1, {"value": 1, 2: 3}]],
        [["counter", "my.count", "1", "", [1], {}]],
    ],
)
def test_what_a_process_of_strangers_sends_breaks_nothing(monkeypatch, values):
    def measure() -> None:
        spans.tell_values(values)
        spans.tell_values([["histogram", "my.other", "s", "", 3, {"a": "b\ud800"}]])

    seen, _ = sent(monkeypatch, measure)

    ((told, point),) = seen.points("my.other")
    assert (told, point.sum) == ({"a": "b?"}, 3)
    assert not seen.points("ragate.verdicts")


def test_spans_of_both_sides_stand_in_one_trace(asked, monkeypatch):
    with collector() as seen:
        listen(monkeypatch, seen)
        assert run(["check"]) == 0

    assert sys.modules["ragate.spans"] is spans  # the RAG has one of its own
    assert len({each.trace_id for each in seen.spans}) == 1
    assert all(attributes(each)["ragate.sample.id"] for each in seen.named("ragate.sample"))
