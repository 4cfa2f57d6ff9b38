"""The ids of one run beside those that its samples expect."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ragate.core.doc_ids.mismatch import IdMismatch, find_mismatch
from ragate.core.lookup import samples_by_id
from ragate.models import Record, Sample


def run_mismatch(samples: Sequence[Sample], records: Iterable[Record]) -> IdMismatch | None:
    """Return what keeps expected and retrieved ids from fitting, None where nothing speaks of it.

    Outputs that failed have no documents to compare.

    Args:
        records: In order of their passes; the first pass is enough.
    """
    return find_mismatch(_pairs(samples_by_id(samples), records))


def _pairs(
    samples: Mapping[str, Sample], records: Iterable[Record]
) -> Iterator[tuple[frozenset[str], frozenset[str]]]:
    first_run = None
    for record in records:
        first_run = record.run if first_run is None else first_run
        if record.run != first_run:
            return
        sample = samples.get(record.sample_id) if record.output.error is None else None
        if sample is not None:
            yield sample.expected, frozenset(chunk.doc_id for chunk in record.output.chunks)
