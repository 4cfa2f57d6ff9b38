"""A judge that reads on a date is in everything else the judge that it was."""

from __future__ import annotations

import asyncio
from typing import Any, ClassVar

from ragate.models import ExpectedCall, Sample, Score, SystemOutput
from ragate.pipeline.run.relative_dates import judged_on, noted_date
from ragate.protocols import (
    ComparingJudge,
    OwnRules,
    PlantedGuidelines,
    SeparateCriteria,
    SparingJudge,
)

DATE = "2026-11-18"
SAMPLE = Sample(id="s", query="Is it open on {today}?")


class Plain:
    fingerprint = "f"
    criteria = frozenset({"faithfulness"})

    def __init__(self) -> None:
        self.read: list[str] = []

    async def __call__(self, criteria: Any, sample: Sample, output: Any) -> dict[str, Score]:
        self.read.append(sample.query)
        return {name: Score(metric=name, value=1.0) for name in criteria}


class Full(Plain):
    apart = True
    own_rules = frozenset({"guideline"})
    planted: ClassVar = {"criterion.tone": "criterion.tone_planted"}

    def asks(self, criteria: Any, sample: Sample, output: SystemOutput) -> bool:
        return bool(output.answer)

    async def compare(self, sample: Sample, output: Any, other: Any) -> Score:
        self.read.append(sample.query)
        return Score(metric="pairwise", value=0.5)


def test_what_it_is_asked_names_the_date():
    judge = Full()
    dated = judged_on(judge, DATE, [SAMPLE])
    assert isinstance(dated, ComparingJudge)

    asyncio.run(dated(["faithfulness"], SAMPLE, SystemOutput()))
    asyncio.run(dated.compare(SAMPLE, SystemOutput(), SystemOutput()))

    assert judge.read == [f"Is it open on {DATE}?"] * 2


def test_what_a_judge_may_have_as_well_is_kept():
    dated = judged_on(Full(), DATE, [SAMPLE])

    assert (dated.fingerprint, dated.criteria) == ("f", Plain.criteria)
    assert isinstance(dated, SeparateCriteria)
    assert dated.apart
    assert isinstance(dated, OwnRules)
    assert dated.own_rules == {"guideline"}
    assert isinstance(dated, PlantedGuidelines)
    assert dated.planted == Full.planted
    assert isinstance(dated, SparingJudge)
    assert not dated.asks(["faithfulness"], SAMPLE, SystemOutput(answer=""))


def test_what_a_judge_does_not_have_is_not_made_up():
    dated = judged_on(Plain(), DATE, [SAMPLE])

    assert not isinstance(dated, ComparingJudge)
    assert isinstance(dated, SeparateCriteria)
    assert not dated.apart
    assert isinstance(dated, OwnRules)
    assert not dated.own_rules
    assert isinstance(dated, PlantedGuidelines)
    assert not dated.planted
    assert isinstance(dated, SparingJudge)
    assert dated.asks(["faithfulness"], SAMPLE, SystemOutput(answer=""))


def test_where_no_question_names_a_date_the_judge_stays_itself():
    judge = Plain()

    assert judged_on(judge, "", [Sample(id="s", query="Is it open?")]) is judge


def test_a_run_notes_its_date_where_a_right_call_rests_on_it():
    rests = ExpectedCall(name="news", alternatives={"since": ("{today-7d}", "last week")})
    calls = Sample(id="s", query="What is new?", expected_calls=(rests,))

    assert noted_date("", [calls])
    assert not noted_date("", [calls.amended(expected_calls=(ExpectedCall(name="news"),))])
