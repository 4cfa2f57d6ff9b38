"""allowed_sources: does only come back what the sample's source policy lets through?"""

from collections.abc import Sequence

from ragate.core.ranking import ranked_doc_ids
from ragate.core.text.listed_names import listed
from ragate.metrics._identity import metric_info, no_cut_off
from ragate.metrics._sample_metric import Explained, SampleMetric
from ragate.models import Reads, Sample, SystemOutput
from ragate.protocols import MetricRequest

_MOST_NAMED = 5


def create(request: MetricRequest) -> SampleMetric:
    """Return allowed_sources: 1 where no retrieved document is forbidden, nor outside the allowed.

    Formula: 1[every retrieved document fits a pattern of ``allowed``, where there is one, and none
    of ``forbidden``]; a star in a pattern stands for any characters. All that was retrieved counts,
    cited or not, also what a reranker then dropped: the answer's model may have read it. Range
    {0, 1}, a fraction, higher is better. Version 1.
    Edge cases: nothing retrieved 1, since nothing came through; neither allowed nor forbidden
    documents: not applicable; an unanswerable question counts.
    Source: this project.
    """
    no_cut_off(request)
    return SampleMetric(
        info=metric_info(request, version=1, reads=Reads.RETRIEVAL),
        formula=_lets_through,
        exclude=_without_sources,
    )


def _without_sources(sample: Sample) -> str:
    policy = sample.source_policy
    named = policy is not None and (policy.allowed or policy.forbidden)
    return "" if named else "no allowed or forbidden sources"


def _lets_through(sample: Sample, output: SystemOutput) -> Explained:
    policy = sample.source_policy
    assert policy is not None, "excluded otherwise"
    found = dict.fromkeys([*ranked_doc_ids(output.chunks), *(output.first_stage or ())])
    banned = [doc_id for doc_id in found if _fits_any(policy.forbidden, doc_id)]
    foreign = [
        doc_id for doc_id in found if policy.allowed and not _fits_any(policy.allowed, doc_id)
    ]
    reasons = [
        f"{what}: {listed(docs, most=_MOST_NAMED)}"
        for what, docs in (("forbidden", banned), ("not among the allowed", foreign))
        if docs
    ]
    return Explained(float(not reasons), "; ".join(reasons))


def _fits_any(patterns: Sequence[str], doc_id: str) -> bool:
    return any(_fits(pattern, doc_id) for pattern in patterns)


def _fits(pattern: str, doc_id: str) -> bool:
    """Tell whether an id fits; each part is looked for once, so that many stars cost nothing."""
    first, *rest = pattern.split("*")
    if not rest:
        return doc_id == pattern
    *inner, last = rest
    if not doc_id.startswith(first):
        return False
    at = len(first)
    for part in inner:
        at = doc_id.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return len(doc_id) - at >= len(last) and doc_id.endswith(last)
