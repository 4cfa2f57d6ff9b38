"""quote_fidelity: are the quotations real?"""

import re

from ragate.core.judging.applicability import NO_TEXTS, lacks_texts
from ragate.core.text.segmentation import units
from ragate.metrics._checked_part import of_a_part
from ragate.metrics._identity import own_settings
from ragate.metrics._sample_metric import SampleMetric, ValueOrReason
from ragate.metrics.grounding._grounding import ClaimSettings, claim_metric
from ragate.metrics.grounding._phrase_search import phrases_held
from ragate.models import Sample, SystemOutput
from ragate.protocols import MetricRequest

MIN_WORDS = 3
QUOTE = re.compile(r'"([^"\n]++)"|“([^“”\n]++)”|„([^„“”\n]++)[“”]|«([^«»\n]++)»')


Settings = ClaimSettings


def create(request: MetricRequest) -> SampleMetric:
    """Return quote_fidelity: the share of quoted spans that stand verbatim in a context.

    Formula: share of the spans of three words or more in quotation marks whose words stand, in
    this order and without a gap, in one retrieved chunk; case and punctuation do not count. Range
    [0, 1], a fraction, higher is better. Version 4.
    Edge cases: nothing retrieved 0; no such span: 1, and counted in quote_fidelity.checked; chunks
    without texts: unscored; unanswerable: not applicable.
    Source: this project.
    """
    settings = own_settings(request, ClaimSettings)

    def claimed(output: SystemOutput) -> list[list[str]]:
        return _quotes(settings.said(output))

    def formula(sample: Sample, output: SystemOutput) -> ValueOrReason:
        return NO_TEXTS if lacks_texts(output) else _fidelity(claimed(output), sample, output)

    metric = claim_metric(request, formula, version=4, settings=settings)
    return of_a_part(metric, request, claimed, called="quotes")


def _fidelity(quotes: list[list[str]], _sample: Sample, output: SystemOutput) -> float:
    held = phrases_held(quotes, (units(chunk.text) for chunk in output.chunks))
    return sum(held) / len(quotes)


def _quotes(answer: str) -> list[list[str]]:
    spans = ("".join(groups) for groups in QUOTE.findall(answer))
    return [quote for span in spans if len(quote := units(span)) >= MIN_WORDS]
