"""An answer beside the baseline's: whom it is compared with, and what needs no judge."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from ragate.core.hashing import content_hash, digest
from ragate.core.judging.criteria import PAIRWISE, Criterion, unasked_score
from ragate.core.judging.judgement_hash import judgement_hash
from ragate.core.lookup import first_runs
from ragate.core.text.listed_names import listed
from ragate.models import Record, Run, Sample, Score, SystemOutput, not_applicable, unscored

TIE = 0.5
_SAMPLE = Criterion(PAIRWISE)
_LISTED = 5


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


def pair_hash(judge: str, sample: Sample, output: SystemOutput, opponent: SystemOutput) -> str:
    """Return the identity of a judgement over two answers, the candidate's first."""
    return digest(
        [PAIRWISE, *(judgement_hash(judge, sample, answer) for answer in (output, opponent))]
    )


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
