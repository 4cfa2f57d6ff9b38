"""`ragate calibrate`: labels of people beside scores of a judge."""

from __future__ import annotations

import asyncio
import json
import sys
import types
from collections.abc import Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from ragate.contrib.labels.calibrate import command
from ragate.core.judging.own_criterion import OwnCriterion, identity
from ragate.errors import BudgetError, ConfigError, DatasetError, ProviderError
from ragate.models import Sample, Score, SystemOutput, unscored

PAGE = Path(__file__).parents[3] / "docs" / "calibrate.md"
CONFIG = """
[policy]
dataset = "golden.jsonl"
baseline = "baseline.json"
systems = ["replay"]
replay_paths = ["outputs/*.jsonl"]

[policy.judge]
use = "fakejudge"
model = "judge-1"

[policy.metrics.error_rate]
level = "warn"

[system]
use = "replay"
paths = ["outputs/*.jsonl"]
"""


class FakeJudge:
    """Reads its scores out of the answer: ``0.5 1.0`` is 0.5 first, 1.0 the second time."""

    fingerprint = "x"
    criteria = frozenset({"faithfulness", "correctness"})

    def __init__(self) -> None:
        self.calls: list[tuple[str, ...]] = []
        self._seen: dict[str, int] = {}

    async def __call__(
        self, criteria: Sequence[str], sample: Sample, output: SystemOutput
    ) -> dict[str, Score]:
        self.calls.append(tuple(criteria))
        if output.answer == "capped":
            raise BudgetError("[policy] max_calls = 1 is reached", remedy="use --limit")
        if output.answer == "slow":
            await asyncio.sleep(60)
        if output.answer == "out":
            raise ProviderError("h: HTTP 401", fatal=True)
        number = self._seen[sample.id] = self._seen.get(sample.id, -1) + 1
        words = (output.answer or "").split()
        word = words[number % len(words)]
        if word == "-":
            return {name: unscored(name, "judge: timeout") for name in criteria}
        return {name: Score(metric=name, value=float(word)) for name in criteria}


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> FakeJudge:
    made = FakeJudge()
    module: Any = types.ModuleType("fakejudge_module")

    @asynccontextmanager
    async def create(_settings: Any, _resources: Any) -> Any:
        yield made

    module.create = create
    monkeypatch.setitem(sys.modules, "fakejudge_module", module)
    return made


def label(
    answer: str, value: Any, criterion: str = "faithfulness", **fields: Any
) -> dict[str, Any]:
    row = {"query": "Q?", "answer": answer, "criterion": criterion, "label": value}
    return row | fields


def calibrate(
    folder: Path, rows: list[dict[str, Any]], *options: str, config: str = CONFIG
) -> Result:
    (folder / "ragate.toml").write_text(config.replace('"fakejudge"', '"fakejudge_module:create"'))
    (folder / "labels.jsonl").write_text("\n".join(map(json.dumps, rows)))
    arguments = ["--config", str(folder / "ragate.toml"), "--labels", str(folder / "labels.jsonl")]
    return CliRunner().invoke(command, [*arguments, *options], standalone_mode=False)


ROWS = [label("1.0", True), label("0.9", True), label("0.2", False), label("0.8", False)]


def test_the_table_holds_the_figures(tmp_path: Path, judge: FakeJudge) -> None:
    result = calibrate(tmp_path, ROWS)

    assert result.return_value == 0
    lines = result.stdout.splitlines()
    assert lines[0] == "Judge fakejudge_module:create judge-1 against 4 labels, 1 judgements each"
    assert lines[3].split() == [
        "faithfulness", "4", "0.750", "0.500", "-", "0.750", "-", "0.500", "-",
    ]  # fmt: skip
    assert "no other pass mark is shown to do better" in result.stdout
    assert "4 labels: too few" in result.stdout
    assert result.stderr.startswith("judging: 4/4 judgements")


def test_enough_labels_have_an_interval_and_a_mark_that_helps_on_others(
    tmp_path: Path, judge: FakeJudge
) -> None:
    rows = [
        label(score, score == "0.9", query=f"Q{number}?")
        for number in range(20)
        for score in ("0.9", "0.8", "0.2")
    ]

    output = calibrate(tmp_path, rows).stdout

    cells = output.splitlines()[3].split()
    assert cells[4:7] == [cells[4], "to", cells[6]]
    assert float(cells[4]) < float(cells[3]) < float(cells[6])
    assert cells[-1] == "0.900"
    assert "pass_at = 0.900 in [policy.metrics.faithfulness]" in output


def test_other_labels_of_an_equal_answer_are_refused_with_both_lines(
    tmp_path: Path, judge: FakeJudge
) -> None:
    result = calibrate(tmp_path, [label("1.0", True), label("0.5", True), label("1.0", False)])

    assert isinstance(result.exception, DatasetError)
    assert "labels.jsonl:3" in str(result.exception)
    assert "labels.jsonl:1" in str(result.exception)


OWN = """
[policy.metrics."criterion.tone"]
ask = "Is the answer polite and plain?"
scale = [1, 5]
"""


@pytest.mark.parametrize("grade", [3.5, 0, 6])
def test_a_label_off_the_scale_of_ones_own_criterion_is_an_error(
    tmp_path: Path, judge: FakeJudge, grade: float
) -> None:
    config = CONFIG + OWN

    result = calibrate(tmp_path, [label("1", grade, "criterion.tone")], config=config)

    assert isinstance(result.exception, DatasetError)
    assert "whole numbers from 1 to 5" in str(result.exception)


def test_a_criterion_of_ones_own_is_compared_under_its_name(
    tmp_path: Path, judge: FakeJudge
) -> None:
    words = {"ask": "Is the answer polite and plain?", "scale": [1, 5]}
    asked = identity("criterion.tone", OwnCriterion.model_validate(words))
    judge.criteria = frozenset({asked})

    rows = [label("5", 5, "criterion.tone"), label("1", 2, "criterion.tone")]
    result = calibrate(tmp_path, rows, "--format", "json", config=CONFIG + OWN)

    found = json.loads(result.stdout)["criterion.tone"]
    assert (found["pass_at"], found["agreement"]) == (4.0, 1.0)
    assert set(judge.calls) == {(asked,)}


def test_repeats_show_how_often_the_judge_contradicts_itself(
    tmp_path: Path, judge: FakeJudge
) -> None:
    rows = [label("1.0 0.0", True), label("0.0", False)]

    result = calibrate(tmp_path, rows, "--repeats", "2", "--format", "json")

    found = json.loads(result.stdout)["faithfulness"]
    assert found["flips"] == 0.5
    assert len(judge.calls) == 4


def test_one_call_serves_all_criteria_of_an_answer(tmp_path: Path, judge: FakeJudge) -> None:
    rows = [label("1.0", True, id="a"), label("1.0", 2, "correctness", id="a")]

    result = calibrate(tmp_path, rows, "--format", "json")

    assert judge.calls == [("correctness", "faithfulness")]
    assert json.loads(result.stdout)["correctness"]["pass_at"] == 4.0


def test_the_labels_of_the_page_cost_one_call_an_answer(tmp_path: Path, judge: FakeJudge) -> None:
    block = PAGE.read_text().partition("```json\n")[2].partition("```")[0]
    scores = {"a1": "1.0", "a2": "0.0"}
    rows = [json.loads(line) for line in block.splitlines()]

    calibrate(tmp_path, [row | {"answer": scores[row["id"]]} for row in rows])

    assert sorted(judge.calls) == [("correctness", "faithfulness"), ("faithfulness",)]


def test_the_pass_mark_of_the_metric_counts(tmp_path: Path, judge: FakeJudge) -> None:
    config = f"{CONFIG}\n[policy.metrics.faithfulness]\npass_at = 0.85\n"

    result = calibrate(tmp_path, ROWS, "--format", "json", config=config)

    found = json.loads(result.stdout)["faithfulness"]
    assert (found["pass_at"], found["agreement"]) == (0.85, 1.0)


def test_what_was_not_scored_is_said_and_nothing_scored_is_no_success(
    tmp_path: Path, judge: FakeJudge
) -> None:
    result = calibrate(tmp_path, [label("-", True), label("-", False, query="P?")])

    assert result.return_value == 3
    assert "2 x judge: timeout" in result.stdout


def test_labels_of_one_kind_cannot_tell_a_judge_from_a_yes_man(
    tmp_path: Path, judge: FakeJudge
) -> None:
    assert "all labels say the same" in calibrate(tmp_path, ROWS[:2]).stdout


@pytest.mark.parametrize("answers", [("0.0", "0.0"), ("0.2", "0.9")])
def test_no_mark_is_advised_where_none_is_better_than_chance(
    tmp_path: Path, judge: FakeJudge, answers: tuple[str, str]
) -> None:
    good, bad = answers

    output = calibrate(tmp_path, [label(good, True), label(bad, False, query="P?")]).stdout

    assert "pass_at" not in output
    assert "no pass mark tells good from bad better than chance" in output
    assert output.splitlines()[3].split()[-1] == "-"


def test_a_cap_says_that_nothing_is_kept_and_names_no_option_of_another_command(
    tmp_path: Path, judge: FakeJudge
) -> None:
    found = calibrate(tmp_path, [*ROWS, label("capped", True)]).exception

    assert isinstance(found, BudgetError)
    assert found.message == "[policy] max_calls = 1 is reached"
    assert "no verdict is kept" in found.remedy
    assert "--limit" not in found.remedy


def test_the_time_that_the_policy_gives_ends_it(tmp_path: Path, judge: FakeJudge) -> None:
    short = CONFIG.replace("[policy]\n", "[policy]\nmax_minutes = 0.001\n", 1)

    found = calibrate(tmp_path, [*ROWS, label("slow", True)], config=short).exception

    assert isinstance(found, BudgetError)
    assert "max_minutes = 0.001 is reached" in found.message
    assert "no verdict is kept" in found.remedy


def test_a_criterion_that_the_judge_does_not_know(tmp_path: Path, judge: FakeJudge) -> None:
    result = calibrate(tmp_path, [label("1.0", True, "faithfullness")])

    assert isinstance(result.exception, DatasetError)
    assert "did you mean 'faithfulness'?" in str(result.exception)


def test_a_judge_that_cannot_be_asked_is_one_error(tmp_path: Path, judge: FakeJudge) -> None:
    result = calibrate(tmp_path, [*ROWS, label("out", True)])

    assert isinstance(result.exception, ProviderError)


def test_without_a_judge_there_is_nothing_to_calibrate(tmp_path: Path) -> None:
    config = CONFIG.replace('[policy.judge]\nuse = "fakejudge"\nmodel = "judge-1"\n', "")

    result = calibrate(tmp_path, ROWS, config=config)

    assert isinstance(result.exception, ConfigError)
