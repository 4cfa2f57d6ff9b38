"""The means of a baseline file, without its records: many versions of it are read in a row."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

from pydantic import ValidationError

from ragate.baseline.read import parse_baseline
from ragate.baseline.schema import READABLE, BaselineFile
from ragate.errors import BaselineError
from ragate.models import Acceptance, MetricInfo
from ragate.support.strict_json import loads

_START, _END = b'\n"samples":{\n', b"\n}\n}\n"
Sums = tuple[tuple[str, float, int], ...]


@dataclass(frozen=True)
class BaselineMeans:
    """What one version of the file says of main.

    Attributes:
        means: Over samples and passes, by metric.
        samples: How many the file holds.
    """

    means: Mapping[str, float]
    samples: int
    judge: str | None
    metrics: Mapping[str, MetricInfo]
    accepted: tuple[Acceptance, ...]


class MeansReader:
    """Reads version after version; a sample's line that it has seen is not read again.

    From one commit to the next few samples move, so nearly every line has been seen.
    """

    def __init__(self) -> None:
        self._lines: dict[bytes, Sums] = {}

    def read(self, content: bytes, *, where: str) -> BaselineMeans:
        """Return what the file says.

        Raises:
            BaselineError: it is no baseline that this ragate reads.
        """
        start = content.find(_START)
        if start < 0 or not content.endswith(_END) or start + len(_START) >= len(content):
            return _laid_out_otherwise(content, where=where)
        data = loads(content[:start] + b'\n"samples":{}}', where=where, error=BaselineError)
        if not isinstance(data, dict) or data.get("schema_version") not in READABLE:
            raise BaselineError(f"{where}: not a baseline of a version that this ragate reads")
        lines = content[start + len(_START) : -len(_END)].split(b"\n")
        sums: dict[str, tuple[float, int]] = {}
        try:
            file = BaselineFile.model_validate(data | {"states": {}})  # word counts, thousands
            for line in lines:
                _add(sums, self._of_line(line.removesuffix(b",")))
        except ValidationError as error:
            problem = error.errors(include_url=False)[0]
            raise BaselineError(f"{where}: not a baseline: {problem['msg']}") from error
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            raise BaselineError(f"{where}: not a baseline: {error}") from error
        for scores in file.aggregates:
            _add(sums, _values(scores, 1))
        return BaselineMeans(_means(sums), len(lines), file.judge, file.metrics, file.accepted)

    def _of_line(self, line: bytes) -> Sums:
        key = blake2b(line, digest_size=16).digest()
        if key not in self._lines:
            self._lines[key] = tuple(_sums(line))
        return self._lines[key]


def _sums(line: bytes) -> Iterator[tuple[str, float, int]]:
    table: Any = loads(b"{" + line + b"}", where="a sample", error=BaselineError)
    (sample,) = table.values()
    for index, output in enumerate(sample["outputs"]):
        yield from _values(output.get("scores", {}), sample["runs"].count(index))


def _values(scores: Mapping[str, float | str], times: int) -> Iterator[tuple[str, float, int]]:
    for name, value in scores.items():
        if not isinstance(value, str):
            yield name, value * times, times


def _add(sums: dict[str, tuple[float, int]], values: Iterable[tuple[str, float, int]]) -> None:
    for name, value, count in values:
        total, number = sums.get(name, (0.0, 0))
        sums[name] = (total + value, number + count)


def _means(sums: Mapping[str, tuple[float, int]]) -> dict[str, float]:
    return {name: total / count for name, (total, count) in sorted(sums.items()) if count}


def _laid_out_otherwise(content: bytes, *, where: str) -> BaselineMeans:
    """Read a file that somebody laid out anew, which is right too."""
    run = parse_baseline(content, where=where)
    sums: dict[str, tuple[float, int]] = {}
    for scores in [*(record.scores for record in run.records), *run.aggregates]:
        _add(sums, ((n, s.value, 1) for n, s in scores.items() if s.value is not None))
    manifest = run.manifest
    samples = len({record.sample_id for record in run.records})
    return BaselineMeans(_means(sums), samples, manifest.judge, manifest.metrics, manifest.accepted)
