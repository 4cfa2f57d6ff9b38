"""Questions whose output failed, whatever failed them: with too many of them nothing passes."""

import math
from collections import Counter
from collections.abc import Sequence

from ragate.core.comparison.compare import Comparison
from ragate.core.lookup import Pass
from ragate.core.publishable import QUESTIONS_FAILED
from ragate.core.statistics.score_columns import SLACK
from ragate.core.text.wording import count

MOST = 0.05  # share of the questions that may fail although fewer did before


def failed_outputs(comparison: Comparison) -> str:
    """Return how many of all questions failed, with the most frequent error; "" where few did.

    Of several passes it is their mean. Not too many are those that the baseline's share holds too.
    """
    ids = (*comparison.ids, *comparison.added)
    causes = _causes(comparison.candidate.whole, ids)
    asked = len(ids) * len(comparison.candidate.whole)
    share = causes.total() / max(asked, 1)
    before = _causes(comparison.baseline.whole, comparison.ids).total()
    usual = before / max(len(comparison.ids) * len(comparison.baseline.whole), 1)
    if share <= max(MOST, usual) + SLACK:
        return ""
    failed = math.ceil(share * len(ids) - SLACK)
    (message, _), *others = causes.most_common(4)
    more = f" (and {count(len(causes) - 1, 'other error')})" if others else ""
    return f"{failed:,} of {len(ids):,} {QUESTIONS_FAILED}: {message}{more}"


def _causes(passes: Sequence[Pass], ids: Sequence[str]) -> Counter[str]:
    return Counter(
        error.message
        for each in passes
        for key in ids
        if key in each and (error := each[key].output.error) is not None
    )
