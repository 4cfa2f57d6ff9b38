"""Verdicts that are there already: in the baseline, and in the cache."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from ragate.cache import Cache
from ragate.config import Config
from ragate.core.hashing import content_hash, digest, output_hash
from ragate.core.lookup import Lookup
from ragate.models import Record, Run, Sample, Score, ScoreState, SystemOutput
from ragate.pipeline.run.relative_dates import TODAY
from ragate.protocols import Judge, JudgeMetric
from ragate.runtime.resources import Opened

Verdict = Mapping[str, Score]


class CachedJudgements:
    """Verdicts in the cache; a write is on the disk when `put` returns.

    What arrives while one write is under way goes with the next: a write costs much more than a
    row.

    Args:
        address: Where the judge's model is: what another server said under the same name is not
            taken.
    """

    def __init__(self, cache: Cache, *, address: str = "") -> None:
        self._cache = cache
        self._address = address
        self._unwritten: dict[str, Verdict] = {}
        self._writing = asyncio.Lock()

    def get(self, key: str) -> Verdict | None:
        """Return the scores by criterion, None where there are none."""
        own = self._own(key)
        return self._cache.verdicts([own]).get(own)

    async def put(self, key: str, verdict: Verdict) -> None:
        """Keep the scores; unscored ones never are."""
        own = self._own(key)
        self._add(own, verdict)
        await self.flush(own)

    def _add(self, own: str, verdict: Verdict) -> None:
        # Its scores may come one by one, and two of them be waiting at once.
        self._unwritten[own] = {**self._unwritten.get(own, {}), **verdict}

    def _own(self, key: str) -> str:
        return digest([key, self._address]) if self._address else key

    async def flush(self, key: str = "") -> None:
        """Write what is still to be written; with a key only if that one is."""
        async with self._writing:
            if not self._unwritten or (key and key not in self._unwritten):
                return
            some, self._unwritten = self._unwritten, {}
            try:
                await asyncio.to_thread(self._cache.put_verdicts, some)
            except BaseException:
                newer, self._unwritten = self._unwritten, some  # others wait for it too
                for own, verdict in newer.items():
                    self._add(own, verdict)
                raise


def cached_judgements(config: Config, opened: Opened) -> CachedJudgements:
    """Return the cache's verdicts of the policy's judge, as far as its server gave them."""
    judge = config.policy.judge
    address = config.policy.address(judge.provider) if judge is not None else ""
    return CachedJudgements(opened.cache, address=address)


def measured(verdict: Verdict) -> Verdict:
    """Return the scores that could be measured; no other is kept."""
    return {
        name: score for name, score in verdict.items() if score.state is not ScoreState.UNSCORED
    }


class RecordedJudgements:
    """The baseline's verdicts of the same judge, by content hash and output hash."""

    def __init__(self, judge: Judge, metrics: Sequence[JudgeMetric], baseline: Run | None) -> None:
        self._same: list[JudgeMetric] = []
        self._records: Mapping[str, Record] = {}
        self._same_date = True
        if baseline is None or baseline.manifest.judge != judge.fingerprint:
            return
        self._same_date = baseline.manifest.eval_date == getattr(judge, "date", "")
        infos = baseline.manifest.metrics
        self._same = [
            metric
            for metric in metrics
            if metric.info.name in infos
            and infos[metric.info.name].fingerprint == metric.info.fingerprint
        ]
        rows: dict[str, int] = {}
        most: dict[str, int] = {}
        for row, record in enumerate(baseline.records):
            key, count = _key(record.content_hash, record.output_hash), len(self._verdict(record))
            if count > most.get(key, 0):
                most[key], rows[key] = count, row
        self._records = Lookup(baseline.records, rows)

    def __call__(self, sample: Sample, output: SystemOutput) -> Verdict:
        """Return the scores by criterion, none where the baseline has no such output."""
        if not self._records or (TODAY in sample.query and not self._same_date):
            return {}
        record = self._records.get(_key(content_hash(sample), output_hash(output)))
        return {} if record is None else self._verdict(record)

    def _verdict(self, record: Record) -> Verdict:
        scores = {
            metric.criterion: record.scores[metric.info.name]
            for metric in self._same
            if metric.info.name in record.scores
        }
        return measured(scores)


def _key(content: str, output: str) -> str:
    return f"{content} {output}"  # one text takes half as much as a pair
