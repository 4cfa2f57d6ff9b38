"""The means of a baseline file, without its records: many versions of it are read in a row."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
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
_BITS = 60  # behind the point, of which six decimals need twenty
Sums = dict[str, tuple[int, int]]  # metric -> sum in units of 2**-60, and how many
Values = tuple[str, int, int]  # metric, sum, and how many


@dataclass(frozen=True)
class BaselineMeans:
    """What one version of the file says of main.

    Attributes:
        means: Over the samples, each with the mean of its passes, by metric.
        samples: How many the file holds.
        dataset: The name of the golden set.
    """

    means: Mapping[str, float]
    samples: int
    judge: str | None
    metrics: Mapping[str, MetricInfo]
    accepted: tuple[Acceptance, ...]
    dataset: str = ""


class MeansReader:
    """Reads version after version, of each only the samples that the one before did not hold.

    From one commit to the next few samples move. Sums are whole numbers, so that adding and
    taking away leaves no rounding behind.
    """

    def __init__(self, card: Scorecard | None = None) -> None:
        """Read nothing yet.

        Args:
            card: What it makes of the metrics is read too, where a file holds all its stages.
        """
        self._card = card
        self._made = _Made(None, {})
        self._lines: frozenset[bytes] = frozenset()
        self._sums: Sums = {}

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
            if made != self._made:  # the same lines say something else now
                self._made, self._lines, self._sums = made, frozenset(), {}
            sums = dict(self._of_lines([line.removesuffix(b",") for line in lines]))
        except ValidationError as error:
            raise BaselineError(f"{where}: not a baseline: {first_fault(error)[1]}") from error
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise BaselineError(f"{where}: not a baseline: {error}") from error
        for scores in file.aggregates:
            _add(sums, _Made(None, {}).values(read_scores(scores), 1))
        return BaselineMeans(
            _means(sums), len(lines), file.judge, made.infos, file.accepted, file.dataset
        )

    def _of_lines(self, lines: Sequence[bytes]) -> Sums:
        now = frozenset(lines)
        if len(now) != len(lines):
            raise ValueError("a sample stands in it twice")
        sums = dict(self._sums)
        for line in self._lines - now:
            _add(sums, _scores(line, self._made), sign=-1)
        for line in now - self._lines:
            _add(sums, _scores(line, self._made))
        self._lines, self._sums = now, sums
        return sums


@dataclass(frozen=True)
class _Made:
    """What a scorecard makes of the metrics of a file: nothing where there is none."""

    card: Scorecard | None
    infos: Mapping[str, MetricInfo]

    def values(self, scores: Mapping[str, Score], times: int) -> Iterator[Values]:
        """Yield the values of one output, and what they come to."""
        made = {} if self.card is None else made_scores(self.card, self.infos, scores)
        for name, score in {**scores, **made}.items():
            if score.value is not None:
                above, below = score.value.as_integer_ratio()
                yield name, (above << _BITS) // below * times, times


def _made_of(card: Scorecard | None, metrics: Mapping[str, MetricInfo]) -> _Made:
    if card is None or any(stage.metric not in metrics for stage in card.stages):
        return _Made(None, metrics)
    return _Made(card, {**metrics, **made_infos(card, metrics)})


def _scores(line: bytes, made: _Made) -> Iterator[Values]:
    table: Any = loads(b"{" + line + b"}", where="a sample", error=BaselineError)
    (sample,) = table.values()
    sums: Sums = {}
    for index, output in enumerate(sample["outputs"]):
        if times := sample["runs"].count(index):
            _add(sums, made.values(read_scores(output.get("scores", {})), times))
    yield from _averaged(sums)


def _averaged(sums: Sums) -> Iterator[Values]:
    """Yield what one sample counts for, whose passes are summed."""
    for name, (total, count) in sums.items():
        yield name, total // count, 1


def _add(sums: Sums, values: Iterable[Values], sign: int = 1) -> None:
    for name, value, count in values:
        total, number = sums.get(name, (0, 0))
        sums[name] = (total + sign * value, number + sign * count)


def _means(sums: Sums) -> dict[str, float]:
    return {
        name: total / (count << _BITS) for name, (total, count) in sorted(sums.items()) if count
    }


def _laid_out_otherwise(content: bytes, card: Scorecard | None, *, where: str) -> BaselineMeans:
    """Read a file that somebody laid out anew, which is right too."""
    run = parse_baseline(content, where=where)
    made = _made_of(card, run.manifest.metrics)
    of_samples: dict[str, Sums] = {}
    for record in run.records:
        _add(of_samples.setdefault(record.sample_id, {}), made.values(record.scores, 1))
    sums: Sums = {}
    for passes in of_samples.values():
        _add(sums, _averaged(passes))
    for scores in run.aggregates:
        _add(sums, _Made(None, {}).values(scores, 1))
    manifest = run.manifest
    return BaselineMeans(
        _means(sums),
        len(of_samples),
        manifest.judge,
        made.infos,
        manifest.accepted,
        manifest.dataset,
    )
