"""A judge that reads on a date is in everything else the judge that it was."""

from __future__ import annotations

import asyncio
from dataclasses import fields, replace
from typing import Any, ClassVar

import pytest

from ragate.answers.relative_dates import judged_on, noted_date
from ragate.judges._canaries.questions import canaries_for
from ragate.models import ExpectedCall, Sample, Score, SystemOutput
from ragate.protocols import JudgeAbilities, judge_abilities

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
    counted = True
    criteria = frozenset({"faithfulness", "relevancy", "correctness"})
    grounded = frozenset({"faithfulness"})
    own_rules = frozenset({"guideline"})
    planted: ClassVar = {"criterion.tone": "criterion.tone_planted"}
    identity = "i"

    def adopt(self, fingerprint: str) -> None:
        self.read.append(fingerprint)

    def asks(self, criteria: Any, sample: Sample, output: SystemOutput) -> bool:
        return bool(output.answer)

    def most_calls(self, criteria: Any, sample: Sample, output: SystemOutput) -> int:
        return len(criteria)

    async def compare(self, sample: Sample, output: Any, other: Any) -> Score:
        self.read.append(sample.query)
        return Score(metric="pairwise", value=0.5)


class Apart(Plain):
    """It says that it asks one by one, and not what reads the contexts."""

    apart = True
    criteria = Full.criteria


class Declared(Plain):
    """It declares what it may have as one value."""

    abilities = JudgeAbilities(apart=True, grounded=frozenset({"faithfulness"}))


def test_what_it_is_asked_names_the_date():
    judge = Full()
    dated = judged_on(judge, DATE, [SAMPLE])
    compare = judge_abilities(dated).compare
    assert compare is not None

    asyncio.run(dated(["faithfulness"], SAMPLE, SystemOutput()))
    asyncio.run(compare(SAMPLE, SystemOutput(), SystemOutput()))

    assert judge.read == [f"Is it open on {DATE}?"] * 2


@pytest.mark.parametrize("judge", [Full(), Plain(), Apart(), Declared()])
def test_whatever_a_judge_may_have_as_well_is_handed_on_whole(judge: Plain):
    dated = judged_on(judge, DATE, [SAMPLE])
    own, told = judge_abilities(judge), judge_abilities(dated)

    assert (dated.fingerprint, dated.criteria) == ("f", judge.criteria)
    assert replace(told, compare=own.compare) == own
    assert (told.compare is None) == (own.compare is None)
    assert canaries_for(dated) == canaries_for(judge)


def test_attributes_of_a_plugin_are_what_it_declares():
    own = judge_abilities(Full())

    assert {one.name for one in fields(own) if not getattr(own, one.name)} == set()


def test_where_no_question_names_a_date_the_judge_stays_itself():
    judge = Plain()

    assert judged_on(judge, "", [Sample(id="s", query="Is it open?")]) is judge


def test_a_run_notes_its_date_where_a_right_call_rests_on_it():
    rests = ExpectedCall(name="news", alternatives={"since": ("{today-7d}", "last week")})
    calls = Sample(id="s", query="What is new?", expected_calls=(rests,))

    assert noted_date("", [calls])
    assert not noted_date("", [calls.amended(expected_calls=(ExpectedCall(name="news"),))])
