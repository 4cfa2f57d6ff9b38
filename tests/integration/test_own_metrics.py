"""A criterion that the configuration words, and a metric of the user's with a chat client."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from tests.projects import ReplayProject, right
from tests.servers.openai_server import FakeOpenAI
from tests.unit.judges.judge_factories import honest
from tests.unit.judges.own_replies import judge_with_own

pytestmark = pytest.mark.integration

SAMPLES = 12
METRICS = """
[policy.providers.local]
base_url = "{url}"
key_env = "TEST_KEY"

[policy.judge]
use = "rubric"
provider = "local"
model = "judge-1"

[policy.metrics."criterion.tone"]
level = "error"
ask   = "{ask}"
scale = [1, 5]

[policy.metrics."kindness:kind"]
level = "error"
{more}
"""
ASK = "Is the answer polite? 1: it insults the reader. 5: it is friendly."
PLUGIN = """
from ragate.models import MetricInfo, Needs, Score
from ragate.protocols import ChatRequest


class Kind:
    state = {}

    def __init__(self, request):
        self.info = MetricInfo(name=request.name, needs=Needs.MODEL, fingerprint="kind 1")
        self.client = request.clients.chat("local")

    async def ask(self, sample, output):
        request = ChatRequest("small", (("user", f"Is this kind? {output.answer}"),))
        reply = await self.client(request)
        return Score(metric=self.info.name, value={value})


def kind(request):
    return Kind(request)
"""


def reply(body: dict[str, Any]) -> str:
    """Judge politeness by one word, all else honestly."""
    if "response_format" not in body:
        return "0" if "fool" in str(body["messages"]) else "1"
    return judge_with_own(body, honest(), lambda text: 1 if "fool" in text else 5)


@pytest.fixture
def gate(tmp_path: Path, server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch) -> ReplayProject:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TEST_KEY", "k")
    server.reply = reply
    monkeypatch.syspath_prepend(tmp_path / "plugins")
    monkeypatch.delitem(sys.modules, "kindness", raising=False)
    project = ReplayProject(tmp_path, samples=SAMPLES)
    write_plugin(tmp_path)
    configure(project, server)
    return project


def write_plugin(root: Path, value: str = "float(reply.text)") -> None:
    (root / "plugins").mkdir(exist_ok=True)
    (root / "plugins" / "kindness.py").write_text(PLUGIN.replace("{value}", value))


def configure(
    project: ReplayProject, server: FakeOpenAI, *, ask: str = ASK, more: str = ""
) -> None:
    project.configure(metrics=METRICS.format(url=server.base_url, ask=ask, more=more))


def rude(number: int, pass_number: int) -> dict[str, Any]:
    plain = right(number, pass_number)
    return {**plain, "answer": f"{plain['answer']} You fool."}


def rows(project: ReplayProject) -> dict[str, Any]:
    return {row["metric"]: row for row in project.report()["decision"]["metrics"]}


def test_both_are_in_the_baseline_and_fail_a_change_in_the_gate_and_its_comment(
    gate: ReplayProject, server: FakeOpenAI, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["baseline", "update", "--runs", "3"]) == 0
    recorded = (gate.root / "baselines" / "gate.json").read_text()
    assert "criterion.tone" in recorded
    assert "kindness:kind" in recorded
    gate.record(rude, runs=3)

    assert run(["check"]) == 1

    found = rows(gate)
    assert found["criterion.tone"]["candidate"] == 1.0
    assert found["criterion.tone"]["verdict"] == "regressed"
    assert found["kindness:kind"]["verdict"] == "regressed"
    capsys.readouterr()
    assert run(["report", "latest", "--format", "markdown"]) == 1
    comment = capsys.readouterr().out
    assert "criterion.tone" in comment
    assert "kindness:kind" in comment
    assert "no known answer fits" in comment


def test_nothing_is_asked_where_nothing_changed(gate: ReplayProject, server: FakeOpenAI) -> None:
    assert run(["baseline", "update", "--runs", "1"]) == 0
    (gate.root / ".ragate" / "cache.sqlite").unlink()
    server.requests.clear()

    assert run(["check"]) == 0

    assert server.requests == []


def test_other_words_make_the_criterion_not_comparable_and_no_other(
    gate: ReplayProject, server: FakeOpenAI
) -> None:
    more = '[policy.metrics.relevancy]\nlevel = "error"\n'
    configure(gate, server, more=more)
    assert run(["baseline", "update", "--runs", "1"]) == 0
    configure(gate, server, more=more, ask=f"{ASK} Judge strictly.")

    run(["check"])

    assert rows(gate)["criterion.tone"]["verdict"] == "not_comparable"
    assert rows(gate)["relevancy"]["verdict"] != "not_comparable"


def test_calls_of_a_metric_are_counted_and_capped(gate: ReplayProject, server: FakeOpenAI) -> None:
    assert run(["baseline", "update", "--runs", "1"]) == 0
    gate.record(rude)
    config = gate.root / "ragate.toml"
    config.write_text(config.read_text().replace("[policy]\n", "[policy]\nmax_calls = 5\n", 1))
    server.requests.clear()

    assert run(["check"]) in (1, 3)

    assert rows(gate)["kindness:kind"]["verdict"] == "not_measured"
    assert len(server.requests) <= 5


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ('float("nan")', "ValueError"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ('exit("over")', "SystemExit: over"),
        ("7.0", "7.0 is outside 0.0 to 1.0"),
        ("reply", "TypeError"),
    ],
)
def test_a_plugin_that_fails_is_named_and_unscored_and_takes_no_other_with_it(
    gate: ReplayProject, server: FakeOpenAI, value: str, said: str
) -> None:
    assert run(["baseline", "update", "--runs", "1"]) == 0
    gate.record(rude)
    write_plugin(gate.root, value)
    del sys.modules["kindness"]

    assert run(["check"]) in (1, 3)

    found = rows(gate)
    assert found["kindness:kind"]["verdict"] == "not_measured"
    assert said in json.dumps(found["kindness:kind"]["unscored_reasons"])
    assert found["criterion.tone"]["candidate"] == 1.0


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('ask = "x"', "ask = "),
        ("scale = [5, 1]", "scale goes from a lower to a higher whole number"),
        ("scale = [1, 2, 3]", "scale"),
        ("tone = 3", "unknown key 'tone'"),
    ],
)
def test_a_wrong_key_of_a_criterion_is_an_error_that_names_it(
    gate: ReplayProject, capsys: pytest.CaptureFixture[str], line: str, said: str
) -> None:
    config = gate.root / "ragate.toml"
    text = config.read_text()
    key = line.partition(" ")[0]
    kept = [
        one
        for one in text.splitlines()
        if not one.replace(" ", "").startswith(f"{key}=") or one.startswith("use")
    ]
    at = kept.index('[policy.metrics."criterion.tone"]')
    config.write_text("\n".join([*kept[: at + 1], line, *kept[at + 1 :]]))

    assert run(["check"]) == 2

    shown = capsys.readouterr().err
    assert said in shown
    assert "criterion.tone" in shown


def test_a_judge_that_takes_no_words_of_ones_own_says_so(
    gate: ReplayProject, capsys: pytest.CaptureFixture[str]
) -> None:
    config = gate.root / "ragate.toml"
    config.write_text(config.read_text().replace('"rubric"', '"llamaindex"'))

    assert run(["check"]) == 2

    assert "takes no criterion of your own" in capsys.readouterr().err
