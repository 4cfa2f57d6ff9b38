"""refusal_f1: refusals over the whole run, the right ones against the wrong ones."""

from collections.abc import Sequence
from dataclasses import dataclass

from ragate.core.judging.applicability import NO_ANSWER, failed, provider_failure
from ragate.metrics._identity import metric_info, no_cut_off, own_settings
from ragate.metrics.refusal._refusal import Refusals, RefusalSettings
from ragate.models import MetricInfo, Reads, Sample, Score, SystemOutput, not_applicable, unscored
from ragate.protocols import MetricRequest, Pair

Settings = RefusalSettings


@dataclass(frozen=True)
class RefusalF1:
    """F1 of refusing, with the unanswerable questions as the ones to be refused."""

    info: MetricInfo
    refuses: Refusals

    def aggregate(self, pairs: Sequence[Pair]) -> Score:
        name = self.info.name
        if all(sample.answerable for sample, _ in pairs):
            return not_applicable(name, "no unanswerable question")
        measured = [pair for pair in pairs if not provider_failure(pair[1])]
        if all(sample.answerable for sample, _ in measured):
            return unscored(name, "a provider failed on every unanswerable question")
        if all(output.answer is None and output.error is None for _, output in measured):
            return unscored(name, NO_ANSWER)
        reason = _left_out(len(pairs) - len(measured))
        return Score(metric=name, value=self._f1(measured), reason=reason)

    def _f1(self, pairs: Sequence[Pair]) -> float:
        right = sum(self._refused(*pair) for pair in pairs if not pair[0].answerable)
        wrong = sum(self._refused(*pair) for pair in pairs if pair[0].answerable)
        to_refuse = sum(not sample.answerable for sample, _ in pairs)
        return 2 * right / (right + wrong + to_refuse)

    def _refused(self, sample: Sample, output: SystemOutput) -> bool:
        """Tell whether the output counts as a refusal; a failed one is wrong either way."""
        if failed(output):
            return sample.answerable
        return self.refuses(output.answer or "")


def _left_out(count: int) -> str:
    return f"{count} sample{'s' * (count > 1)} left out: provider failures" if count else ""


def create(request: MetricRequest) -> RefusalF1:
    """Return refusal_f1: the harmonic mean of precision and recall of refusals.

    Formula: 2 tp / (refusals + unanswerable questions), tp the unanswerable questions that were
    refused. Range [0, 1], a fraction, higher is better, over the whole run. Version 2.
    Edge cases: a failed sample is a mistake on either side; samples that a provider's failure
    ended are left out, and the score's reason counts them; no unanswerable question: not
    applicable.
    Source: this project; F1 of van Rijsbergen, 1979.
    """
    no_cut_off(request)
    settings = own_settings(request, RefusalSettings)
    info = metric_info(request, version=2, reads=Reads.ANSWER, settings=settings)
    return RefusalF1(info=info.amended(aggregate=True), refuses=Refusals(settings))
