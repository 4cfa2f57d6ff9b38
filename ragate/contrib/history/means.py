"""The means of a baseline file, without its records: many versions of it are read in a row."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum
from typing import Any

from pydantic import ValidationError

from ragate.baseline.read import parse_baseline, read_scores
from ragate.baseline.schema import READABLE, BaselineFile
from ragate.core.decision.scorecard import made_infos, made_scores
from ragate.errors import BaselineError
from ragate.files.strict_json import loads
from ragate.models import Acceptance, MetricInfo, Score, Scorecard
from ragate.settings import first_fault

# As ragate writes a baseline, its samples stand last, one to a line.
_START, _END = b'\n"samples":{\n', b"\n}\n}\n"
Means = Mapping[str, float]  # by metric
Scores = Mapping[str, Score]  # of one output, by metric


@dataclass(frozen=True)
class BaselineMeans:
    """What one version of the file says of main.

    Attributes:
        means: Over the samples, each with the mean of its passes, by metric.
        samples: How many the file holds.
        dataset: The name of the golden set.
    """

    means: Means
    samples: int
    judge: str | None
    metrics: Mapping[str, MetricInfo]
    accepted: tuple[Acceptance, ...]
    dataset: str = ""


class MeansReader:
    """Reads version after version, of each only the samples that the one before did not hold.

    From one commit to the next few samples move.

    Args:
        card: What it makes of the metrics is read too, where a file holds all its stages.
    """

    def __init__(self, card: Scorecard | None = None) -> None:
        self._card = card
        self._metrics = _FileMetrics(None, {})
        self._of_lines: dict[bytes, Means] = {}

    def read(self, content: bytes, *, where: str) -> BaselineMeans:
        """Return what the file says.

        Raises:
            BaselineError: it is no baseline that this ragate reads.
        """
        parts = _head_and_lines(content)
        if parts is None:
            return _laid_out_otherwise(content, self._card, where=where)

        head, lines = parts
        data = loads(head, where=where, error=BaselineError)
        if not isinstance(data, dict) or data.get("schema_version") not in READABLE:
            raise BaselineError(f"{where}: not a baseline of a version that this ragate reads")
        try:
            # `states` may hold thousands of counts of words, which no mean needs.
            file = BaselineFile.model_validate(data | {"states": {}})
            metrics = _metrics_of(self._card, file.metrics)
            samples = self._read_lines(lines, metrics)
        except ValidationError as error:
            raise BaselineError(f"{where}: not a baseline: {first_fault(error)}") from error
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise BaselineError(f"{where}: not a baseline: {error}") from error

        totals = [_values(read_scores(scores)) for scores in file.aggregates]
        return BaselineMeans(
            means=_mean([*samples, *totals]),
            samples=len(lines),
            judge=file.judge,
            metrics=metrics.infos,
            accepted=file.accepted,
            dataset=file.dataset,
        )

    def _read_lines(self, lines: Sequence[bytes], metrics: "_FileMetrics") -> Iterable[Means]:
        earlier = self._of_lines if metrics == self._metrics else {}
        means = {line: earlier.get(line) or _of_line(line, metrics) for line in lines}
        if len(means) != len(lines):
            raise ValueError("a sample stands in it twice")
        self._metrics, self._of_lines = metrics, means
        return means.values()


def _head_and_lines(content: bytes) -> tuple[bytes, list[bytes]] | None:
    """Return a file without its samples, and a line for each; None for another layout."""
    start = content.find(_START)
    first_line = start + len(_START)
    if start < 0 or not content.endswith(_END) or first_line >= len(content):
        return None
    lines = content[first_line : -len(_END)].split(b"\n")
    return content[:start] + b'\n"samples":{}}', [line.removesuffix(b",") for line in lines]


@dataclass(frozen=True)
class _FileMetrics:
    """The metrics of a file and, where there is a scorecard, what it makes of them."""

    card: Scorecard | None
    infos: Mapping[str, MetricInfo]

    def values(self, scores: Scores) -> Means:
        """Return the values of one output, and what they come to."""
        if self.card is None:
            return _values(scores)
        return _values({**scores, **made_scores(self.card, self.infos, scores)})


def _metrics_of(card: Scorecard | None, infos: Mapping[str, MetricInfo]) -> _FileMetrics:
    if card is None or any(stage.metric not in infos for stage in card.stages):
        return _FileMetrics(None, infos)
    return _FileMetrics(card, {**infos, **made_infos(card, infos)})


def _of_line(line: bytes, metrics: _FileMetrics) -> Means:
    """Return the means over one sample's passes."""
    table: Any = loads(b"{" + line + b"}", where="a sample", error=BaselineError)
    (sample,) = table.values()
    all_scores = [read_scores(output.get("scores", {})) for output in sample["outputs"]]
    outputs = [metrics.values(scores) for scores in all_scores]
    runs = sample["runs"]  # of each pass, the index of its output
    if not all(0 <= index < len(outputs) for index in runs):
        raise BaselineError(f"runs = {runs}: there are outputs 0 to {len(outputs) - 1}")
    return _mean([outputs[index] for index in runs])


def _values(scores: Scores) -> Means:
    return {name: score.value for name, score in scores.items() if score.value is not None}


def _mean(rows: Sequence[Means]) -> Means:
    """Return the mean of each metric over the rows that have it."""
    columns: dict[str, list[float]] = {}
    for row in rows:
        for name, value in row.items():
            columns.setdefault(name, []).append(value)
    return {name: fsum(values) / len(values) for name, values in sorted(columns.items())}


def _laid_out_otherwise(content: bytes, card: Scorecard | None, *, where: str) -> BaselineMeans:
    """Read a file that somebody laid out anew, which is right too."""
    run = parse_baseline(content, where=where)
    manifest = run.manifest
    metrics = _metrics_of(card, manifest.metrics)
    passes: dict[str, list[Means]] = {}
    for record in run.records:
        passes.setdefault(record.sample_id, []).append(metrics.values(record.scores))

    samples, totals = map(_mean, passes.values()), map(_values, run.aggregates)
    return BaselineMeans(
        means=_mean([*samples, *totals]),
        samples=len(passes),
        judge=manifest.judge,
        metrics=metrics.infos,
        accepted=manifest.accepted,
        dataset=manifest.dataset,
    )
