"""retrieved_tokens: how much text is retrieved for a question?"""

from collections.abc import Sequence
from dataclasses import dataclass

from ragate.core.judging.applicability import gave_nothing, provider_failure
from ragate.core.text.words import token_count
from ragate.metrics._identity import unbounded_info
from ragate.metrics.grounding._grounding import NO_TEXTS, lacks_texts
from ragate.models import MetricInfo, Reads, Score, unscored
from ragate.protocols import MetricRequest, Pair


@dataclass(frozen=True)
class RetrievedTokens:
    """The mean length of what was retrieved, over the samples that did not fail."""

    info: MetricInfo

    def aggregate(self, pairs: Sequence[Pair]) -> Score:
        outputs = [o for _, o in pairs if not gave_nothing(o) and not provider_failure(o)]
        if not outputs:
            return unscored(self.info.name, "every sample failed")
        if any(map(lacks_texts, outputs)):
            return unscored(self.info.name, NO_TEXTS)
        total = sum(token_count(chunk.text) for output in outputs for chunk in output.chunks)
        return Score(metric=self.info.name, value=total / len(outputs))


def create(request: MetricRequest) -> RetrievedTokens:
    """Return retrieved_tokens: the mean number of tokens in the chunks of one sample.

    Formula: sum over chunks of words plus punctuation marks, averaged over samples. The count is
    no model's tokeniser: compare it with itself only. Range [0, unbounded), tokens, lower is
    better, over the whole run. Version 1.
    Edge cases: all chunks count, also of one document; failed samples are left out, so that
    failing does not look cheap; nothing retrieved 0; chunks without texts: unscored.
    Source: this project.
    """
    info = unbounded_info(request, version=1, reads=Reads.RETRIEVAL, unit="tokens", aggregate=True)
    return RetrievedTokens(info=info)
