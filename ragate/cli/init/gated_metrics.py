"""Which metrics a first ragate.toml lets fail the gate, by what there is to measure them on."""

from collections.abc import Iterator

from ragate.models import Sample

MOST_GATED = 8


def gated_metrics(
    samples: list[Sample], *, answers: bool, texts: bool, ids: bool, cites: bool
) -> list[str]:
    """Return the metrics that can fail the gate, in the order in which they agree with people.

    At most eight, fewer where something is missing; what sees much the same is shown only.

    Args:
        samples: The golden set.
        answers: Outputs hold answers. texts: And passages with their texts. ids: And the names of
            their documents. cites: Answers cite their passages.
    """
    found = _measurable(samples, answers=answers, texts=texts, ids=ids, cites=cites)
    return list(found)[:MOST_GATED]


def _measurable(
    samples: list[Sample], *, answers: bool, texts: bool, ids: bool, cites: bool
) -> Iterator[str]:
    if ids and any(sample.expected for sample in samples):
        yield from ("recall@10", "ndcg@10")
    if not answers:
        return
    if any(sample.references for sample in samples):
        yield "idf_f1"
    if texts:
        yield from ("word_precision", "number_unit_support", "entity_support")
    if any(not sample.answerable for sample in samples):
        yield "refusal_recall"
    yield "false_refusal"  # what else sees that every answer is a refusal may start too low to fall
    if texts and cites:
        yield "citation_support"
    yield "complete_answer"
