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
        self._made = _Made(None, {})
        self._of_lines: dict[bytes, Means] = {}

    def read(self, content: bytes, *, where: str) -> BaselineMeans:
        """Return what the file says.

        Raises:
            BaselineError: it is no baseline that this ragate reads.
        """
        start = content.find(_START)
        if start < 0 or not content.endswith(_END) or start + len(_START) >= len(content):
            return _laid_out_otherwise(content, self._card, where=where)
        data = loads(content[:start] + b'\n"samples":{}}', where=where, error=BaselineError)
        if not isinstance(data, dict) or data.get("schema_version") not in READABLE:
            raise BaselineError(f"{where}: not a baseline of a version that this ragate reads")
        lines = content[start + len(_START) : -len(_END)].split(b"\n")
        try:
            file = BaselineFile.model_validate(data | {"states": {}})  # word counts, thousands
            made = _made_of(self._card, file.metrics)
            samples = self._read_lines([line.removesuffix(b",") for line in lines], made)
        except ValidationError as error:
            raise BaselineError(f"{where}: not a baseline: {first_fault(error)}") from error
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise BaselineError(f"{where}: not a baseline: {error}") from error
        totals = [_values(read_scores(scores)) for scores in file.aggregates]
        return BaselineMeans(
            _mean([*samples, *totals]),
            len(lines),
            file.judge,
            made.infos,
            file.accepted,
            file.dataset,
        )

    def _read_lines(self, lines: Sequence[bytes], made: "_Made") -> Iterable[Means]:
        known = self._of_lines if made == self._made else {}
        read = {line: known.get(line) or _of_line(line, made) for line in lines}
        if len(read) != len(lines):
            raise ValueError("a sample stands in it twice")
        self._made, self._of_lines = made, read
        return read.values()


@dataclass(frozen=True)
class _Made:
    """What a scorecard makes of the metrics of a file: nothing where there is none."""

    card: Scorecard | None
    infos: Mapping[str, MetricInfo]

    def values(self, scores: Scores) -> Means:
        """Return the values of one output, and what they come to."""
        made = {} if self.card is None else made_scores(self.card, self.infos, scores)
        return _values({**scores, **made})


def _made_of(card: Scorecard | None, metrics: Mapping[str, MetricInfo]) -> _Made:
    if card is None or any(stage.metric not in metrics for stage in card.stages):
        return _Made(None, metrics)
    return _Made(card, {**metrics, **made_infos(card, metrics)})


def _of_line(line: bytes, made: _Made) -> Means:
    """Return the means over one sample's passes."""
    table: Any = loads(b"{" + line + b"}", where="a sample", error=BaselineError)
    (sample,) = table.values()
    outputs = [made.values(read_scores(each.get("scores", {}))) for each in sample["outputs"]]
    runs = sample["runs"]
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
    made = _made_of(card, manifest.metrics)
    passes: dict[str, list[Means]] = {}
    for record in run.records:
        passes.setdefault(record.sample_id, []).append(made.values(record.scores))
    rows = [*map(_mean, passes.values()), *map(_values, run.aggregates)]
    return BaselineMeans(
        _mean(rows), len(passes), manifest.judge, made.infos, manifest.accepted, manifest.dataset
    )
