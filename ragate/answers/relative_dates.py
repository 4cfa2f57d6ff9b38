"""Relative dates: what ``{today}`` in a question stands for when it is asked."""

import datetime
from collections.abc import Sequence
from dataclasses import replace

from ragate.answers.wrapped_system import WrappedSystem
from ragate.core.conversation import conversation
from ragate.models import Sample, Score, SystemOutput
from ragate.protocols import Judge, System, judge_abilities

TODAY = "{today}"
FIELD = "eval_date"
_SHIFTED = "{today"  # of right values, which may be days before or after
_VALUES = {"arguments", "alternatives"}


def date_of(eval_date: str) -> str:
    """Return the date of a run: the one that is given, else today's in UTC."""
    return eval_date or datetime.datetime.now(datetime.UTC).date().isoformat()


def noted_date(eval_date: str, samples: Sequence[Sample], *, read: bool = False) -> str:
    """Return the date that a run notes, "" where it does not count.

    Args:
        eval_date: As given, "" for today.
        read: The system or a metric reads the date without a question that names it.
    """
    counts = read or bool(eval_date) or any(names_today(sample) for sample in samples)
    return date_of(eval_date) if counts else ""


def names_today(sample: Sample) -> bool:
    """Return True where the question, a turn before it or a right call names the run's date."""
    calls = sample.expected_calls or ()
    return TODAY in conversation(sample) or any(
        _SHIFTED in call.model_dump_json(include=_VALUES) for call in calls
    )


def dated(sample: Sample, date: str) -> Sample:
    """Return the sample as it is asked on a date."""
    metadata = {FIELD: date, **sample.metadata}
    query = sample.query.replace(TODAY, date)
    if not sample.messages:
        return sample.amended(query=query, metadata=metadata)
    messages = tuple(
        turn.amended(content=turn.content.replace(TODAY, date)) for turn in sample.messages
    )
    return sample.amended(query=query, metadata=metadata, messages=messages)


class DatedSystem(WrappedSystem):
    """A system that is asked on a date."""

    def __init__(self, system: System, date: str) -> None:
        super().__init__(system)
        self._date = date

    async def answer(self, sample: Sample, *, run: int = 0) -> SystemOutput:
        """Return the output for the question as it reads on the date."""
        return await self.system.answer(dated(sample, self._date), run=run)


class DatedJudge:
    """A judge that reads questions as they were asked on a date."""

    def __init__(self, judge: Judge, date: str) -> None:
        self.judge = judge
        self.date = date
        own = judge_abilities(judge)
        self._compares = own.compare
        self.abilities = own if own.compare is None else replace(own, compare=self._compare)

    @property
    def fingerprint(self) -> str:
        return self.judge.fingerprint

    @property
    def criteria(self) -> frozenset[str]:
        return self.judge.criteria

    def seen(self, sample: Sample) -> Sample:
        """Return the sample as the judge reads it."""
        return dated(sample, self.date)

    async def __call__(
        self, criteria: Sequence[str], sample: Sample, output: SystemOutput
    ) -> dict[str, Score]:
        """Return the judge's scores."""
        return await self.judge(criteria, self.seen(sample), output)

    async def _compare(self, sample: Sample, output: SystemOutput, other: SystemOutput) -> Score:
        assert self._compares is not None
        return await self._compares(self.seen(sample), output, other)


def asked_on(system: System, eval_date: str) -> System:
    """Return the system as it is asked on the date of a run; recorded outputs stay as they are."""
    if system.max_runs is not None:
        return system
    return DatedSystem(system, date_of(eval_date))


def judged_on(judge: Judge, eval_date: str, samples: Sequence[Sample]) -> Judge:
    """Return the judge as it reads on the date of a run, where a question names one."""
    date = noted_date(eval_date, samples)
    if not date:
        return judge
    return DatedJudge(judge, date)
