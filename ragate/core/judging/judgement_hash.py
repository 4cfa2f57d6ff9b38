"""The identity of a judgement: equal hashes share one, whatever run they come from."""

from ragate.core.conversation import conversation
from ragate.core.hashing import digest
from ragate.models import Sample, SystemOutput


def judgement_hash(judge_fingerprint: str, sample: Sample, output: SystemOutput) -> str:
    """Return a hash over the judge and everything of the sample and its output that it can see.

    Ids, tags, latency, scores of chunks and names of documents are left out: no judge reads them.
    """
    failure = output.error.kind if output.error else None
    texts = [chunk.text for chunk in output.chunks]
    return digest(
        [
            judge_fingerprint,
            conversation(sample),
            sample.references,
            sample.answerable,
            output.answer,
            texts,
            output.citations,
            failure,
        ]
    )
