"""A run as a scorecard sees it: computed where two runs are compared, by one rule for both.

What is stored are the scores as they were measured. So a new weight or pass mark needs no new
baseline, and a baseline that was recorded without a scorecard has one as soon as it is named.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import overload

from ragate.core.hashing import digest
from ragate.core.scorecard.stage_scores import ONE_SIDED, read_stages, sample_scores
from ragate.models import (
    OVERALL,
    PASSES,
    MetricInfo,
    Needs,
    Reads,
    Record,
    Run,
    Score,
    Scorecard,
    ScoreState,
    unscored,
)

_EVEN = 1e-6
Doubtful = Mapping[str, Collection[str]]
"""By sample, the metrics that apply to it in one pass and not in another."""


def staged(run: Run, card: Scorecard | None, *, doubtful: Doubtful | None = None) -> Run:
    """Return the run with its overall score and PASS or FAIL as scores of every record.

    The run itself where there is no scorecard, or a stage was not measured in it at all.

    Args:
        doubtful: What `one_sided` found in the runs that are compared.
    """
    metrics = run.manifest.metrics
    if card is None or any(stage.metric not in metrics for stage in card.stages):
        return run
    records = StagedRecords(run.records, card, metrics, doubtful or {})
    manifest = run.manifest.amended(metrics={**metrics, **_infos(card, metrics)})
    return run.amended(manifest=manifest, records=records)


def staged_runs(
    card: Scorecard | None, baseline: Run | None, candidate: Run, control: Run | None = None
) -> tuple[Run | None, Run, Run | None]:
    """Return the runs that are compared as the scorecard sees them."""
    if card is None:
        return baseline, candidate, control
    doubtful = one_sided([run for run in (baseline, candidate, control) if run is not None], card)
    viewed = [run and staged(run, card, doubtful=doubtful) for run in (baseline, control)]
    return viewed[0], staged(candidate, card, doubtful=doubtful), viewed[1]


def left_out_stages(run: Run, card: Scorecard) -> list[str]:
    """Return the metrics of stages that a run was told to leave out."""
    left_out = set(run.manifest.left_out)
    return [stage.metric for stage in card.stages if stage.metric in left_out]


def weight_note(card: Scorecard | None) -> tuple[str, ...]:
    """Return that the weights were normalised, where they do not sum to 1 as written."""
    if card is None or abs(card.weights - 1.0) < _EVEN:
        return ()
    return (f"weights of the scorecard sum to {card.weights:g}: each counts by its share",)


def one_sided(runs: Sequence[Run], card: Scorecard | None) -> Doubtful:
    """Return where a stage applies in one pass of a sample and not in another.

    That is decided from the sample alone, so it only happens to metrics of others. Such a stage is
    not measured there: an output that leaves nothing to measure must not raise the score.
    """
    metrics = [stage.metric for stage in card.stages] if card is not None else []
    silent: dict[str, set[str]] = {}
    valued: dict[str, set[str]] = {}
    for record in (record for run in runs for record in run.records) if metrics else ():
        for name in metrics:
            score = record.scores.get(name)
            if score is not None and score.state is ScoreState.NOT_APPLICABLE:
                silent.setdefault(record.sample_id, set()).add(name)
            elif score is not None and score.value is not None:
                valued.setdefault(record.sample_id, set()).add(name)
    both = {key: names & valued.get(key, set()) for key, names in silent.items()}
    return {key: names for key, names in both.items() if names}


def _infos(card: Scorecard, metrics: Mapping[str, MetricInfo]) -> dict[str, MetricInfo]:
    """Return what is known of the two metrics: they need, and read, what their stages do."""
    stages = [metrics[stage.metric] for stage in card.stages]
    identity = [[info.name, info.version, info.fingerprint] for info in stages]
    order = (Needs.JUDGE, Needs.MODEL, Needs.EMBEDDINGS, Needs.NOTHING)
    needs = next(each for each in order if any(info.needs is each for info in stages))
    widest = (Reads.RUN, Reads.ANSWER, Reads.RETRIEVAL)
    reads = next(each for each in widest if any(info.reads is each for info in stages))
    return {
        name: MetricInfo(name=name, reads=reads, needs=needs, fingerprint=digest(identity))
        for name in (OVERALL, PASSES)
    }


class StagedRecords(Sequence[Record]):
    """Records with the scores of a scorecard, made of each when it is looked at."""

    def __init__(
        self,
        records: Sequence[Record],
        card: Scorecard,
        metrics: Mapping[str, MetricInfo],
        doubtful: Doubtful,
    ) -> None:
        self._records = records
        self._card = card
        self._metrics = metrics
        self._doubtful = doubtful

    def __len__(self) -> int:
        return len(self._records)

    def __iter__(self) -> Iterator[Record]:
        return map(self._staged, self._records)

    @overload
    def __getitem__(self, row: int) -> Record: ...
    @overload
    def __getitem__(self, row: slice) -> list[Record]: ...
    def __getitem__(self, row: int | slice) -> Record | list[Record]:
        if isinstance(row, slice):
            return [self._staged(record) for record in self._records[row]]
        return self._staged(self._records[row])

    def _staged(self, record: Record) -> Record:
        scores: dict[str, Score] = dict(record.scores)
        for name in self._doubtful.get(record.sample_id, ()):
            if scores[name].state is ScoreState.NOT_APPLICABLE:
                scores[name] = unscored(name, ONE_SIDED)
        stages = read_stages(self._card, self._metrics, scores)
        # A metric with a table of its own is held as without a scorecard: the same value on both
        # sides would hide what became of it.
        shown = {each.stage.metric: each.score for each in stages if not each.stage.own_row}
        made = {each.metric: each for each in sample_scores(self._card, self._metrics, stages)}
        return record.amended(scores={**record.scores, **shown, **made})
