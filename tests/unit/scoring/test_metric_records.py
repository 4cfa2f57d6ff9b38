"""From outputs to records, a few at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from ragate.answers.collected_outputs import Collected
from ragate.answers.output_spool import Spool
from ragate.models import MetricInfo, RunManifest, Score
from ragate.scoring.metric_records import BATCH, evaluate
from tests.factories import output_factory, sample_factory, system_factory


class Longest:
    """A metric that tells how many pairs it saw at once."""

    info = MetricInfo(name="seen", high=None)
    state: dict[str, float] = {}

    def score_samples(self, pairs: Any) -> list[Score]:
        assert all(output.chunks[0].text for _, output in pairs)
        return [Score(metric="seen", value=float(len(pairs)))] * len(pairs)


def test_samples_are_scored_a_few_at_a_time_with_texts_and_kept_without() -> None:
    samples = [sample_factory(f"q{number}") for number in range(BATCH + 3)]
    outputs = Spool()
    for sample in samples[::-1]:
        outputs[sample.id] = output_factory(docs=(f"{sample.id}.md", "shared.md"))

    run = evaluate([outputs], samples, [Longest()], manifest=RunManifest(system=system_factory()))

    assert [record.sample_id for record in run.records] == [sample.id for sample in samples]
    assert {record.scores["seen"].value for record in run.records} == {float(BATCH), 3.0}
    assert all(chunk.text == "" for record in run.records for chunk in record.output.chunks)
    assert run.records[5].output.chunks[1] is run.records[6].output.chunks[1]
    collected = Collected(run.manifest, [outputs])
    assert collected.whole(run.records[5]).output == outputs["q5"]


class Careless:
    """A metric of somebody else, whose scores hold what a type checker would not let them hold."""

    info = MetricInfo(name="seen", high=None)
    state: dict[str, float] = {}

    def score_samples(self, pairs: Any) -> list[Score]:
        made: Any = Score
        return [made(metric="seen", value=np.float32(0.5), reason=None) for _ in pairs]
