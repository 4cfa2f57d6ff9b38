"""Relative dates: what ``{today}`` in a question stands for when it is asked."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from typing import Any, cast

from ragate.models import Sample, Score, SystemOutput
from ragate.protocols import Judge, System

TODAY = "{today}"
FIELD = "eval_date"


def date_of(eval_date: str) -> str:
    """Return the date of a run: the one that is given, else today's in UTC."""
    return eval_date or datetime.datetime.now(datetime.UTC).date().isoformat()


def noted_date(eval_date: str, samples: Sequence[Sample], *, read: bool = False) -> str:
    """Return the date that a run notes, "" where it does not count.

    Args:
        eval_date: As given, "" for today.
        read: The system reads the date without a question that names it.
    """
    counts = read or bool(eval_date) or any(TODAY in sample.query for sample in samples)
    return date_of(eval_date) if counts else ""


def dated(sample: Sample, date: str) -> Sample:
    """Return the sample as it is asked on a date."""
    return sample.model_copy(
        update={
            "query": sample.query.replace(TODAY, date),
            "metadata": {FIELD: date, **sample.metadata},
        }
    )


class DatedSystem:
    """A system that is asked on a date; everything else about it is as it was."""

    def __init__(self, system: System, date: str) -> None:
        self._system = system
        self._date = date

    def __getattr__(self, name: str) -> Any:
        return getattr(self._system, name)

    async def answer(self, sample: Sample, *, run: int = 0) -> SystemOutput:
        """Return the output for the question as it reads on the date."""
        return await self._system.answer(dated(sample, self._date), run=run)


class DatedJudge:
    """A judge that reads questions as they were asked on a date."""

    def __init__(self, judge: Judge, date: str) -> None:
        self._judge = judge
        self._date = date

    def __getattr__(self, name: str) -> Any:
        attribute = getattr(self._judge, name)
        if name != "compare":
            return attribute

        async def compare(sample: Sample, output: SystemOutput, other: SystemOutput) -> Score:
            score: Score = await attribute(self.seen(sample), output, other)
            return score

        return compare

    @property
    def date(self) -> str:
        return self._date

    def seen(self, sample: Sample) -> Sample:
        """Return the sample as the judge reads it."""
        return dated(sample, self._date)

    async def __call__(
        self, criteria: Sequence[str], sample: Sample, output: SystemOutput
    ) -> dict[str, Score]:
        """Return the judge's scores."""
        return await self._judge(criteria, self.seen(sample), output)


def asked_on(system: System, eval_date: str) -> System:
    """Return the system as it is asked on the date of a run; recorded outputs stay as they are."""
    if system.max_runs is not None:
        return system
    return cast("System", DatedSystem(system, date_of(eval_date)))


def judged_on(judge: Judge, eval_date: str, samples: Sequence[Sample]) -> Judge:
    """Return the judge as it reads on the date of a run, where a question names one."""
    date = noted_date(eval_date, samples)
    return cast("Judge", DatedJudge(judge, date)) if date else judge
