"""The ids of one run beside those that its samples expect."""

from collections.abc import Iterable, Iterator

from ragate.core.doc_ids.mismatch import IdMismatch, find_mismatch
from ragate.models import Record, Sample


def run_mismatch(samples: Iterable[Sample], records: Iterable[Record]) -> IdMismatch | None:
    """Return what keeps expected and retrieved ids from fitting, None where nothing speaks of it.

    Outputs that failed have no documents to compare.

    Args:
        records: In order of their passes; the first pass is enough.
    """
    expected = {sample.id: sample.expected for sample in samples if sample.expected}
    return find_mismatch(_pairs(expected, records)) if expected else None


def _pairs(
    expected: dict[str, frozenset[str]], records: Iterable[Record]
) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    first_run = None
    for record in records:
        first_run = record.run if first_run is None else first_run
        if record.run != first_run:
            return
        if record.sample_id in expected and record.output.error is None:
            retrieved = frozenset(chunk.doc_id for chunk in record.output.chunks)
            yield expected[record.sample_id], retrieved
