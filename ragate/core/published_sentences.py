"""Sentences of a verdict without the words of others: messages of providers, judges and metrics.

Words are cut where a sentence quotes them, not wherever they stand: else an answer that reads
"fell by" would blank a verdict.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from ragate.models import MetricRow, MetricVerdict

NONE_MEASURED = "no affected sample could be measured"
JUDGE_STOPPED = "the judge stopped"
SCORES_MISSING = "scores are missing"
UNMEASURED_SYMPTOM = "much was not measured"
OVER_THE_RUN = "over the whole run: held against its limit only"  # a metric's own words may follow
WITHHELD = "(not published)"
_SHORTEST = 4  # a shorter text stands in too many words to be known again
_OF_OTHERS = re.compile(
    rf"({NONE_MEASURED}|{JUDGE_STOPPED}|{SCORES_MISSING}; [\d.]+% is allowed): .*", re.DOTALL
)
_OF_A_METRIC = re.compile(rf"({OVER_THE_RUN}); .*", re.DOTALL)


class PublishedSentences:
    """Cleans the sentences that stand beside the rows of one verdict.

    Args:
        rows: Of all metrics. What is said of one that blocks, or was accepted, quotes nobody.
        texts: What may not stand there as a quotation either, beyond the phrases that are known.
    """

    def __init__(self, rows: Sequence[MetricRow], texts: Iterable[str]) -> None:
        self._own = tuple(row.reason for row in rows if row.reason and _is_own(row))
        self._of_metrics = {row.reason: _unmeasured(row) for row in rows if _is_of_metric(row)}
        names = {name for row in rows for name in (row.metric, row.key)}
        longest = sorted(set(texts) - names, key=len, reverse=True)
        self._texts = [text for text in longest if len(text) >= _SHORTEST]

    def all_of(self, sentences: Collection[str]) -> tuple[str, ...]:
        return tuple(map(self.clean, sentences))

    def clean(self, sentence: str) -> str:
        """Return the sentence; one of our own stays word by word."""
        sentence = _OF_OTHERS.sub(rf"\1: {WITHHELD}", _OF_A_METRIC.sub(r"\1", sentence))
        if sentence.startswith("must-pass ") or sentence.endswith(self._own):
            return sentence
        if sentence in self._of_metrics:
            return self._of_metrics[sentence]
        for text in self._texts:
            if sentence.endswith(f": {text}"):
                sentence = sentence.removesuffix(text) + WITHHELD
            for quoted in (repr(text), f'"{text}"', f"'{text}'"):
                sentence = sentence.replace(quoted, WITHHELD)
        return sentence

    def row(self, row: MetricRow) -> Any:
        """Return the row with its figures, and without why samples have no score."""
        count = sum(row.unscored_reasons.values())
        reasons = {WITHHELD: count} if count else {}
        return row.amended(reason=self.clean(row.reason), unscored_reasons=reasons)


def _unmeasured(row: MetricRow) -> str:
    """Return what is said of a metric over the whole run in place of its own reason."""
    said = f"{row.metric} was not measured"
    return said if row.reason == said else f"{said}: {WITHHELD}"


def _is_own(row: MetricRow) -> bool:
    return row.blocks or row.accepted


def _is_of_metric(row: MetricRow) -> bool:
    """Whether its reason was given by the metric itself."""
    return row.aggregate and row.verdict is MetricVerdict.NOT_MEASURED
