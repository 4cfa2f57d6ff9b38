"""Judgements that are there already: in the baseline, and in the cache."""

from collections.abc import Mapping, Sequence

from ragate.core.hashing import content_hash, output_hash
from ragate.core.judging.criteria import PAIRWISE
from ragate.core.judging.judgement_hash import judgement_hash
from ragate.core.lookup import Lookup
from ragate.models import Record, Run, Sample, SystemOutput
from ragate.pipeline.run.relative_dates import DatedJudge, names_today
from ragate.pipeline.score.addressed_texts import AddressedTexts
from ragate.pipeline.score.judgement_cache import CachedJudgements, Judgement, measured
from ragate.pipeline.score.pairwise import Opponents, bare, pair_hash
from ragate.protocols import Judge, Judged, SeparateCriteria, SparingJudge


class KnownJudgements:
    """What need not be asked of a judge: the baseline's scores, and those of the cache.

    Attributes:
        criteria: What the metrics want of each output by itself, sorted.
        opponents: What an answer is compared with, None where no metric compares.
        cache: Where judgements outlive the run.
        addressed: Outputs that speak to a judge, of those that the baseline does not hold.
    """

    def __init__(
        self,
        judge: Judge,
        metrics: Sequence[Judged],
        *,
        baseline: Run | None,
        cache: CachedJudgements,
        opponents: Opponents | None = None,
    ) -> None:
        all_criteria = {metric.criterion for metric in metrics}
        self.judge = judge
        self.criteria = tuple(sorted(all_criteria - {PAIRWISE}))
        self.opponents = (opponents or Opponents()) if PAIRWISE in all_criteria else None
        self._recorded = RecordedJudgements(judge, metrics, baseline)
        self.cache = cache
        self.addressed = AddressedTexts()

    @property
    def apart(self) -> bool:
        """Return whether the judge is asked one criterion at a time."""
        return isinstance(self.judge, SeparateCriteria) and self.judge.apart

    @property
    def any(self) -> bool:
        """Return False where neither the baseline nor the cache holds a judgement."""
        return self._recorded.any or self.cache.any

    def key(self, sample: Sample, output: SystemOutput) -> str:
        """Return the identity of the judgement on an output."""
        return judgement_hash(self.judge.fingerprint, self._seen(sample), output)

    def pair_key(self, opponents: Opponents, sample: Sample, output: SystemOutput) -> str:
        """Return the identity of the judgement on an answer beside its opponent."""
        opponent = opponents.other(sample)
        return pair_hash(self.judge.fingerprint, self._seen(sample), bare(output), opponent)

    def sort_out(
        self, key: str, sample: Sample, output: SystemOutput
    ) -> tuple[Judgement, list[list[str]], list[str]]:
        """Return the scores that are there, and the criteria that need a model, and that do not.

        Those that need one are in lists: each is asked in one go.
        """
        scores = self._scores(key, sample, output)
        missing = [name for name in self.criteria if name not in scores]
        by_model = [name for name in missing if asks(self.judge, [name], sample, output)]
        ruled = [name for name in missing if name not in by_model]
        if self.apart:
            return scores, [[name] for name in by_model], ruled
        return scores, [by_model] if by_model else [], ruled

    def pair(self, key: str) -> Judgement:
        """Return the score of a comparison, none where it was not made yet."""
        return self.cache.get(key) or {}

    def covers(self, sample: Sample, output: SystemOutput) -> bool:
        """Return True where the judgement is there without asking the judge."""
        opponents = self.opponents
        if (
            opponents is not None
            and opponents.settled(sample, output) is None
            and not self.pair(self.pair_key(opponents, sample, output))
        ):
            return False
        return not self.sort_out(self.key(sample, output), sample, output)[1]

    def _seen(self, sample: Sample) -> Sample:
        """Return the sample as the judge reads it: another date is another question."""
        return self.judge.seen(sample) if isinstance(self.judge, DatedJudge) else sample

    def _scores(self, key: str, sample: Sample, output: SystemOutput) -> Judgement:
        recorded = self._recorded(sample, output)
        if all(name in recorded for name in self.criteria):
            return recorded
        self.addressed.look(sample, output)
        scores = {**(self.cache.get(key) or {}), **recorded}
        return {name: score for name, score in scores.items() if name in self.criteria}


class RecordedJudgements:
    """The baseline's judgements by the same judge, by content hash and output hash."""

    def __init__(self, judge: Judge, metrics: Sequence[Judged], baseline: Run | None) -> None:
        self._same: list[Judged] = []
        self._records: Mapping[str, Record] = {}
        self._same_date = True
        if baseline is None or baseline.manifest.judge != judge.fingerprint:
            return
        date = judge.date if isinstance(judge, DatedJudge) else ""
        self._same_date = baseline.manifest.eval_date == date
        infos = baseline.manifest.metrics
        self._same = [
            metric
            for metric in metrics
            if metric.info.name in infos
            and infos[metric.info.name].fingerprint == metric.info.fingerprint
        ]
        rows: dict[str, int] = {}
        most: dict[str, int] = {}
        for row, record in enumerate(baseline.records):
            key = _content_key(record.content_hash, record.output_hash)
            count = len(self._judgement(record))
            if count > most.get(key, 0):
                most[key], rows[key] = count, row
        self._records = Lookup(baseline.records, rows)

    @property
    def any(self) -> bool:
        return bool(self._records)

    def __call__(self, sample: Sample, output: SystemOutput) -> Judgement:
        """Return the scores by criterion, none where the baseline has no such output."""
        if not self._records or (names_today(sample) and not self._same_date):
            return {}
        record = self._records.get(_content_key(content_hash(sample), output_hash(output)))
        return {} if record is None else self._judgement(record)

    def _judgement(self, record: Record) -> Judgement:
        scores = {
            metric.criterion: record.scores[metric.info.name]
            for metric in self._same
            if metric.info.name in record.scores
        }
        return measured(scores)


def _content_key(content: str, output: str) -> str:
    return f"{content} {output}"  # one text takes half as much as a pair


def asks(judge: Judge, criteria: Sequence[str], sample: Sample, output: SystemOutput) -> bool:
    """Return False where a judge says that it needs no model for a judgement."""
    return not isinstance(judge, SparingJudge) or judge.asks(criteria, sample, output)
