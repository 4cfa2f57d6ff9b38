"""Metrics that ask a model: each distinct output once, beside no more others than a run allows.

Those on embeddings are asked together: a text that several of them read is embedded once.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, cast

from ragate.core.judging.applicability import NO_ANSWER, failed, gave_nothing, provider_failure
from ragate.errors import ProviderError
from ragate.metrics._sample_metric import worst
from ragate.models import ASKED, Reads, Run, Sample, Score, ScoreState, SystemOutput, unscored
from ragate.protocols import Aggregate, AskingMetric, Embedder, EmbeddingMetric, Metric
from ragate.scoring.metric_records import (
    AskedMetric,
    OpenQuestion,
    key_of,
    key_of_record,
    raised,
    same_metrics,
)
from ragate.task_groups import task_group

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


MOST_BYTES = 512 * 1024**2  # held at once; beyond it the oldest are asked for again
Outputs = Mapping[str, SystemOutput]
Spared = Callable[[Sample, SystemOutput], Collection[str]]
TOGETHER = 1_000  # scores whose texts are embedded in one call


class AskedMetrics:
    """Asks, and takes what the baseline holds of the same output by the same metric.

    Attributes:
        metrics: All metrics of a run, those that ask in the form that is scored.

    Args:
        concurrency: Questions under way at once.
        timeout_s: Seconds for one output.
    """

    def __init__(
        self,
        metrics: Sequence[Metric | Aggregate],
        *,
        baseline: Run | None,
        concurrency: int,
        timeout_s: float,
    ) -> None:
        self.metrics: list[Metric | Aggregate] = [
            AskedMetric(metric)
            if metric.info.needs in ASKED and isinstance(metric, AskingMetric | EmbeddingMetric)
            else metric
            for metric in metrics
        ]
        self._asked = [metric for metric in self.metrics if isinstance(metric, AskedMetric)]
        self._gate = asyncio.Semaphore(concurrency)
        self._timeout_s = timeout_s
        self._vectors: dict[str, RunVectors] = {}
        if baseline is not None and self._asked:
            self._take(baseline)

    async def measure(
        self,
        passes: Sequence[Outputs],
        samples: Sequence[Sample],
        *,
        spared: Spared = lambda *_: (),
        only: str = "",
    ) -> None:
        """Ask about every output that has no score yet.

        Args:
            spared: The metrics that need not be asked about an output, by what is measured so far.
            only: The metric that is measured; "" for all.
        """
        waiting = {
            (number, key): OpenQuestion(metric, key, sample, outputs[sample.id])
            for outputs in (passes if self._asked else ())
            for sample in samples
            if sample.id in outputs
            for number, metric in enumerate(self._asked)
            if only in ("", metric.info.name)
            and (key := key_of(sample, outputs[sample.id])) not in metric.scores
            and metric.info.name not in spared(sample, outputs[sample.id])
        }
        embedded = [one for one in waiting.values() if one.of_vectors]
        for start in range(0, len(embedded), TOGETHER):
            await self._embed(embedded[start : start + TOGETHER])
        async with task_group() as group:
            for question in waiting.values():
                if not question.of_vectors:
                    group.create_task(self._ask(question))

    def forget_unscored(self) -> bool:
        """Forget which outputs got no score, so that they are asked about again.

        Returns:
            Whether there are any; where half of a metric's outputs have none it mends nothing.
        """
        forgotten = False
        for metric in self._asked:
            states = {key: score.state for key, score in metric.scores.items()}
            missing = [key for key, state in states.items() if state is ScoreState.UNSCORED]
            if len(missing) * 2 <= len(states) + 1:
                for key in missing:
                    del metric.scores[key]
                forgotten = forgotten or bool(missing)
        return forgotten

    async def _embed(self, questions: Sequence[OpenQuestion]) -> None:
        """Score outputs by metrics on embeddings, each embedder asked once for all texts."""
        by_embedder: dict[str, list[tuple[OpenQuestion, Sequence[str]]]] = {}
        for one in questions:
            metric = cast("EmbeddingMetric", one.metric.asking)
            try:
                texts, embedder = metric.texts(one.sample, one.output), metric.embedder
                name = embedder.fingerprint
            except (Exception, SystemExit) as error:  # noqa: BLE001 - a metric may be foreign code
                one.settle(raised(one.metric.info, error))
                continue
            self._vectors.setdefault(name, RunVectors(embedder))
            by_embedder.setdefault(name, []).append((one, texts))
        for name, asked in by_embedder.items():
            await self._score(self._vectors[name], asked)

    async def _score(
        self, run_vectors: RunVectors, asked: Sequence[tuple[OpenQuestion, Sequence[str]]]
    ) -> None:
        try:
            vectors = await run_vectors.of(text for _, texts in asked for text in texts)
        except (Exception, SystemExit) as error:  # noqa: BLE001
            for one, texts in asked:
                one.settle(raised(one.metric.info, error) if texts else one.score({}))
            return
        for one, texts in asked:
            one.settle(one.score({text: vectors[text] for text in texts}))

    def _take(self, baseline: Run) -> None:
        same = same_metrics(self._asked, baseline)
        for record in baseline.records if same else ():
            key = key_of_record(record)
            for metric in same:
                score = record.scores.get(metric.info.name)
                if score is not None and score.state is not ScoreState.UNSCORED:
                    metric.scores.setdefault(key, score)

    async def _ask(self, question: OpenQuestion) -> None:
        metric, output = question.metric, question.output
        info = metric.info
        if info.reads is Reads.RETRIEVAL and output.chunks:
            question.settle(await self._gated(metric, question.sample, output))
        elif reason := provider_failure(output):
            question.settle(unscored(info.name, reason))
        elif failed(output) if info.reads is Reads.ANSWER else gave_nothing(output):
            question.settle(Score(metric=info.name, value=worst(info)))
        elif info.reads is Reads.ANSWER and output.answer is None:
            question.settle(unscored(info.name, NO_ANSWER))
        else:
            question.settle(await self._gated(metric, question.sample, output))

    async def _gated(self, metric: AskedMetric, sample: Sample, output: SystemOutput) -> Score:
        name = metric.info.name
        try:
            async with self._gate, asyncio.timeout(self._timeout_s):
                return await cast("AskingMetric", metric.asking).ask(sample, output)
        except TimeoutError:
            return unscored(name, f"no score within {self._timeout_s:g} s")
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a metric may be foreign code
            return raised(metric.info, error)


# The vectors of a run: every distinct text is embedded once, in batches.


class RunVectors:
    """The texts of a run that one embedder has embedded."""

    def __init__(self, embedder: Embedder, *, most_bytes: int = MOST_BYTES) -> None:
        self._embedder = embedder
        self._most_bytes = most_bytes
        self._held: dict[bytes, npt.NDArray[np.float32]] = {}
        self._bytes = 0

    async def of(self, texts: Iterable[str]) -> dict[str, npt.NDArray[np.float64]]:
        """Return the vector of each text; those that are not known yet are embedded in one call.

        Raises:
            ProviderError: the embedder failed, or gave no vector for a text.
        """
        distinct = {text: _key(text) for text in texts}
        unknown = [text for text, key in distinct.items() if key not in self._held]
        fresh = await self._embed(unknown) if unknown else {}
        vectors = {
            text: (fresh[text] if text in fresh else self._held[key]).astype("float64")
            for text, key in distinct.items()
        }
        for text, vector in fresh.items():
            self._hold(distinct[text], vector)
        return vectors

    async def _embed(self, texts: list[str]) -> dict[str, npt.NDArray[np.float32]]:
        import numpy as np

        rows = np.asarray(await self._embedder(texts), dtype=np.float32)
        if rows.ndim != 2 or len(rows) != len(texts) or not rows.shape[1]:
            shape = "x".join(map(str, rows.shape))
            raise ProviderError(f"the embedder gave {shape} numbers for {len(texts)} texts")
        if not np.isfinite(rows).all():
            raise ProviderError("the embedder gave a vector that holds no finite numbers")
        return {text: row.copy() for text, row in zip(texts, rows, strict=True)}

    def _hold(self, key: bytes, vector: npt.NDArray[np.float32]) -> None:
        self._held[key] = vector
        self._bytes += vector.nbytes
        while self._bytes > self._most_bytes:
            self._bytes -= self._held.pop(next(iter(self._held))).nbytes


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest()
