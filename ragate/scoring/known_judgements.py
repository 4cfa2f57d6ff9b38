"""Judgements that are there already: in the baseline, in the cache, or known without a judge."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ragate.answers.relative_dates import DatedJudge, names_today
from ragate.core.hashing import content_hash, digest, judgement_hash
from ragate.core.judging.applicability import PAIRWISE
from ragate.core.judging.criteria import Criterion, unasked_score
from ragate.core.lookup import Lookup, first_runs
from ragate.core.text.wording import listed
from ragate.models import Record, Run, Sample, Score, SystemOutput, not_applicable, unscored
from ragate.protocols import Judge, Judged, judge_abilities
from ragate.scoring.judgement_cache import CachedJudgements, Judgement, measured
from ragate.scoring.metric_records import key_of, key_of_record, same_metrics

TIE = 0.5
_SAMPLE = Criterion(PAIRWISE)
_LISTED = 5


# An answer beside the baseline's: whom it is compared with, and what needs no judge.


@dataclass(frozen=True)
class Opponents:
    """The baseline's first run by content of the sample.

    Attributes:
        itself: There is no baseline yet: what is to become one is compared with itself.
    """

    records: Mapping[str, Record] = field(default_factory=dict)
    itself: bool = False

    def settled(self, sample: Sample, output: SystemOutput) -> Score | None:
        """Return the score that needs no judgement, None where a judge has to be asked."""
        if self.itself:
            return _tie("a baseline beside itself")
        key = content_hash(sample)
        if key not in self.records:
            return not_applicable(PAIRWISE, "the baseline does not hold this sample")
        decided = unasked_score(_SAMPLE, sample, output)
        if decided is not None and decided.value is None:
            return decided
        opponent = self._answer(key)
        if opponent is None:
            return unscored(
                PAIRWISE, 'the baseline holds no answers: set [policy] store = "answers"'
            )
        answer = "" if decided is not None else (output.answer or "")
        if answer.strip() == opponent.strip():
            return _tie("the same answer")
        if not answer.strip() or not opponent.strip():
            return Score(metric=PAIRWISE, value=float(bool(answer.strip())), reason="one is empty")
        return None

    def other(self, sample: Sample) -> SystemOutput:
        """Return what a judge sees of the baseline's output."""
        return SystemOutput(answer=self._answer(content_hash(sample)))

    def _answer(self, key: str) -> str | None:
        """Return "" where the output failed, None where the baseline keeps no answers."""
        output = self.records[key].output
        return "" if output.error is not None else output.answer


def opponents_of(baseline: Run | None) -> Opponents:
    """Return the answers to compare with, those of a run itself without a baseline."""
    if baseline is None:
        return Opponents(itself=True)
    return Opponents(first_runs(baseline.records))


def bare(output: SystemOutput) -> SystemOutput:
    """Return what a comparison sees of an output: its answer."""
    return SystemOutput(answer=output.answer)


def losses(scores: Mapping[str, Score]) -> str:
    """Return one line on the samples whose answer the judge liked less, "" where there are none."""
    lost = [key for key, score in scores.items() if score.value is not None and score.value < TIE]
    if not lost:
        return ""
    won = sum(score.value is not None and score.value > TIE for score in scores.values())
    return f"{PAIRWISE}: {won} better, {len(lost)} worse: {listed(lost, most=_LISTED)}"


def _tie(reason: str) -> Score:
    return Score(metric=PAIRWISE, value=TIE, reason=reason)


class KnownJudgements:
    """What need not be asked of a judge: the baseline's scores, and those of the cache.

    Attributes:
        criteria: What the metrics want of each output by itself, sorted.
        apart: The judge is asked one criterion at a time.
        opponents: What an answer is compared with, None where no metric compares.
        cache: Where judgements outlive the run.
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
        self.apart = judge_abilities(judge).apart
        self.criteria = tuple(sorted(all_criteria - {PAIRWISE}))
        self.opponents = (opponents or Opponents()) if PAIRWISE in all_criteria else None
        if baseline is not None:
            adopt(judge, baseline.manifest.judge or "")
        # What it learns of its server while it is asked changes no key.
        self._identity = judge_abilities(judge).identity or judge.fingerprint
        self._recorded = RecordedJudgements(judge, metrics, baseline)
        self.cache = cache

    @property
    def any(self) -> bool:
        """Return False where neither the baseline nor the cache holds a judgement."""
        return self._recorded.any or self.cache.any

    def key(self, sample: Sample, output: SystemOutput) -> str:
        """Return the identity of the judgement on an output."""
        return judgement_hash(self._identity, self._seen(sample), output)

    def pair_key(self, opponents: Opponents, sample: Sample, output: SystemOutput) -> str:
        """Return the identity of the judgement on an answer beside its opponent."""
        answers = bare(output), opponents.other(sample)
        seen = self._seen(sample)
        return digest([PAIRWISE, *(judgement_hash(self._identity, seen, each) for each in answers)])

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
        self._same = same_metrics(metrics, baseline)
        rows: dict[str, int] = {}
        most: dict[str, int] = {}
        for row, record in enumerate(baseline.records):
            key = key_of_record(record)  # one text takes half as much as a pair
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
        record = self._records.get(key_of(sample, output))
        return {} if record is None else self._judgement(record)

    def _judgement(self, record: Record) -> Judgement:
        scores = {
            metric.criterion: record.scores[metric.info.name]
            for metric in self._same
            if metric.info.name in record.scores
        }
        return measured(scores)


def adopt(judge: Judge, fingerprint: str) -> None:
    """Have a judge send its parameters as an earlier run did, where that was this judge."""
    told = judge_abilities(judge).adopt
    if told is not None and fingerprint:
        told(fingerprint)


def is_same_judge(judge: Judge, baseline: Run) -> bool:
    """Return whether a baseline is of this judge, as its server takes its parameters today."""
    if judge.fingerprint == judge_abilities(judge).identity:  # nothing is known of its server
        adopt(judge, baseline.manifest.judge or "")
    return judge.fingerprint == baseline.manifest.judge


def asks(judge: Judge, criteria: Sequence[str], sample: Sample, output: SystemOutput) -> bool:
    """Return False where a judge says that it needs no model for a judgement."""
    needs_model = judge_abilities(judge).asks
    return needs_model is None or needs_model(criteria, sample, output)
