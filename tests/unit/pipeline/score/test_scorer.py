"""What a run's scorer gives the judge."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from ragate.models import Sample, SystemOutput
from ragate.pipeline.score.scorer import Scorer
from tests.factories import output_factory, sample_factory


class Heard:
    """A judging that counts what it is given."""

    def __init__(self, *, holds_back: bool) -> None:
        self.heard = self.submitted = 0
        self.holds_back = holds_back
        self.queue = self

    def submit(self, _sample: Sample, _output: SystemOutput) -> None:
        self.submitted += 1

    async def room(self) -> None: ...

    async def settle(self, _heard: object) -> None: ...

    async def measure(self, *_passes: object, **_settings: object) -> None: ...


@pytest.mark.parametrize(("as_it_came", "holds_back", "times"), [(1, 0, 1), (1, 1, 2), (0, 0, 1)])
def test_an_output_is_submitted_once_unless_it_was_held_back(
    as_it_came: int, holds_back: int, times: int
) -> None:
    judging: Any = Heard(holds_back=bool(holds_back))
    sample, output = sample_factory("q"), output_factory(answer="Yes.")
    plan: Any = SimpleNamespace(samples=[sample], judge_last=False)
    scorer = Scorer(plan, [], {}, judging, judging)
    collected: Any = SimpleNamespace(passes=[{"q": output}])

    if as_it_came:
        scorer.submit(sample, output)
    asyncio.run(scorer._ask(collected))

    assert judging.submitted == times
