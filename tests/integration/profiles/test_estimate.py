"""What a run would cost."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from ragate.models import Sample, Score, SystemOutput
from ragate.protocols import ChatClient, ChatRequest
from tests.projects import write_docs_project

pytestmark = pytest.mark.integration


JUDGED = """
[policy.providers.local]
base_url = "http://127.0.0.1:9/v1"
[policy.judge]
use = "rubric"
provider = "local"
model = "judge-1"
[policy.metrics.faithfulness]
level = "error"
"""


PRICED = """
[policy.providers.local]
base_url = "http://127.0.0.1:9/v1"
[policy.providers.local.prices."judge-1"]
input_usd_per_million = 1000.0
[policy.judge]
use = "llamaindex"
provider = "local"
model = "judge-1"
[policy.metrics.relevancy]
"""


NAMED = """
[policy.judge]
use = "llamaindex"
llm = "tests.contrib.llamaindex_judge.llamaindex_llms:ChatModel"
llm_settings = { model = "gpt-4o-mini" }
[policy.metrics.relevancy]
"""


class PlainJudge:
    counted = True
    fingerprint = "plain-1"
    criteria = frozenset({"relevancy"})

    def __init__(self, client: ChatClient) -> None:
        self.client = client

    async def __aenter__(self) -> PlainJudge:
        return self

    async def __aexit__(self, *_: object) -> None:
        return None

    async def __call__(
        self, criteria: Sequence[str], _sample: Sample, output: SystemOutput
    ) -> dict[str, Score]:
        asked = (("user", f"Is it relevant? {output.answer}"),)
        reply = await self.client(ChatRequest("judge-1", asked))
        return {name: Score(metric=name, value=float(reply.text)) for name in criteria}


def create(_settings: object, resources: Any) -> PlainJudge:
    return PlainJudge(resources.chat("local"))


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, served: None) -> Path:
    """The configuration of a project whose judge is not there."""
    monkeypatch.chdir(tmp_path)
    write_docs_project(tmp_path)
    return tmp_path / "ragate.toml"


@pytest.mark.parametrize("judge", [PRICED, NAMED], ids=["provider", "llm"])
def test_an_estimate_prices_a_judge_that_sends_its_requests_by_ways_of_its_own(
    config: Path, capsys: pytest.CaptureFixture[str], judge: str
) -> None:
    config.write_text(config.read_text() + judge)

    assert run(["check", "--estimate"]) == 0

    assert re.search(r"cost about \$\d", capsys.readouterr().out)


def test_an_estimate_asks_a_judge_whose_calls_are_counted_whatever_its_name(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = []
    text = config.read_text()
    for name in ("rubric", "ragate.judges.rubric:create"):
        config.write_text(text + JUDGED.replace('"rubric"', f'"{name}"'))
        assert run(["check", "--estimate"]) == 0
        told.append(capsys.readouterr().out)

    assert told[0] == told[1]


def test_an_estimate_counts_what_a_plain_judge_of_ones_own_would_send(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mine = PRICED.replace('"llamaindex"', f'"{__name__}:create"')
    config.write_text(config.read_text() + mine)

    assert run(["check", "--estimate"]) == 0
    assert re.search(r"cost about \$\d", capsys.readouterr().out)


def test_an_estimate_does_not_count_what_is_skipped(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config.write_text(config.read_text() + JUDGED)

    assert run(["check", "--estimate"]) == 0
    calls = re.search(r"judgements: +(\d+) calls", capsys.readouterr().out)
    assert calls is not None
    assert int(calls[1]) >= 8
    assert run(["check", "--estimate", "--skip", "faithfulness"]) == 0
    assert re.search(r"judgements: +0 calls", capsys.readouterr().out)


CARD = """
[policy.scorecard]
{more}
[policy.scorecard.stages.retrieval]
metric = "recall@5"
pass_at = 0.5
required = true
[policy.scorecard.stages.relevancy]
pass_at = 1
"""


def test_an_estimate_does_not_count_what_a_failed_stage_spares(
    config: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    golden = config.with_name("golden.jsonl")
    rows = [json.loads(line) for line in golden.read_text().splitlines()]
    for row in rows[:3]:
        row["relevant"] = ["gone.md"]
    golden.write_text("".join(json.dumps(row) + "\n" for row in rows))
    plain = config.read_text() + JUDGED.partition("[policy.metrics")[0]
    calls = []
    for more in ("", "parallel = true"):
        config.write_text(plain + CARD.format(more=more))
        assert run(["check", "--estimate"]) == 0
        [found] = re.findall(r"judgements: +(\d+) calls", capsys.readouterr().out)
        calls.append(int(found))

    assert calls[1] - calls[0] == 3
