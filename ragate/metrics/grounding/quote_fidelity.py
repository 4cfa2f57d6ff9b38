"""quote_fidelity: are the quotations real?"""

import re

from ragate.core.text.segmentation import units
from ragate.core.text.words import without_markers
from ragate.metrics._checked_part import of_a_part
from ragate.metrics._sample_metric import SampleMetric, ValueOrReason
from ragate.metrics.grounding._grounding import NO_TEXTS, claim_metric, lacks_texts
from ragate.metrics.grounding._phrase_search import phrases_held
from ragate.models import Sample, SystemOutput
from ragate.protocols import MetricRequest

MIN_WORDS = 3
QUOTE = re.compile(r'"([^"\n]++)"|“([^“”\n]++)”|„([^„“”\n]++)[“”]|«([^«»\n]++)»')


def create(request: MetricRequest) -> SampleMetric:
    """Return quote_fidelity: the share of quoted spans that stand verbatim in a context.

    Formula: share of the spans of three words or more in quotation marks whose words stand, in
    this order and without a gap, in one retrieved chunk; case and punctuation do not count. Range
    [0, 1], a fraction, higher is better. Version 3.
    Edge cases: nothing retrieved 0; no such span: 1, and counted in quote_fidelity.checked; chunks
    without texts: unscored; unanswerable: not applicable.
    Source: this project.
    """
    metric = claim_metric(request, _fidelity, version=3)
    return of_a_part(metric, request, _quotes, called="quotes")


def _fidelity(_sample: Sample, output: SystemOutput) -> ValueOrReason:
    if lacks_texts(output):
        return NO_TEXTS
    quotes = _quotes(output)
    held = phrases_held(quotes, (units(chunk.text) for chunk in output.chunks))
    return sum(held) / len(quotes)


def _quotes(output: SystemOutput) -> list[list[str]]:
    answer = without_markers(output.answer or "")
    spans = ("".join(groups) for groups in QUOTE.findall(answer))
    return [quote for span in spans if len(quote := units(span)) >= MIN_WORDS]
