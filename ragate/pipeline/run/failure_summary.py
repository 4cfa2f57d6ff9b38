"""Why outputs failed, said once for all that failed alike."""

from collections import Counter
from collections.abc import Iterable, Iterator

from ragate.models import SystemOutput
from ragate.support.escape import one_line

REASONS = 3
LIMIT = 2000  # characters of one reason: the first lines of a service's reply


def failure_lines(outputs: Iterable[SystemOutput]) -> Iterator[str]:
    """Yield ``12 × the service answered 422: …``, the most frequent reason first."""
    reasons = Counter(output.error.message for output in outputs if output.error is not None)
    for reason, count in reasons.most_common(REASONS):
        yield f"{count} × {one_line(reason, LIMIT)}"
    if len(reasons) > REASONS:
        yield f"{len(reasons) - REASONS} further reasons: `ragate collect --format json` has each"
