"""A run's passes over the samples: which are whole, which repeat an earlier one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ragate.core.lookup import Pass, Tries, passes_of
from ragate.models import Record, Run


@dataclass(frozen=True)
class Passes:
    """The passes of one side over the wanted samples, in the order they were made.

    Attributes:
        whole: Passes that cover as many wanted samples as the fullest one; the others hold extra
            tries of must-pass samples.
        distinct: Those of `whole` that do not equal an earlier one byte for byte.
        tries: Every record of a sample, extra tries included, by sample id.
        repeats: Passes that the run was made of, those not stored (equal to another) included.
    """

    whole: tuple[Pass, ...]
    distinct: tuple[Pass, ...]
    tries: Mapping[str, tuple[Record, ...]]
    repeats: int

    @property
    def identical(self) -> int:
        """Number of passes that add nothing to an earlier one."""
        return self.repeats - len(self.distinct)


def read_passes(run: Run | None, wanted: Sequence[str]) -> Passes:
    """Return the passes of `run` over the samples `wanted`."""
    if run is None:
        return Passes((), (), {}, 0)
    passes = passes_of(run.records)
    whole = _whole(passes, wanted)
    left_out = run.manifest.runs - len(passes)  # equal passes that a file need not hold twice
    repeats = len(whole) + (left_out if 0 < left_out == run.manifest.identical else 0)
    return Passes(whole, _distinct(whole, wanted), Tries(passes), repeats)


def _whole(passes: Iterable[Pass], wanted: Sequence[str]) -> tuple[Pass, ...]:
    counted = [(sum(key in each for key in wanted), each) for each in passes]
    most = max((count for count, _ in counted), default=0)
    return tuple(each for count, each in counted if count == most > 0)


def _distinct(passes: Sequence[Pass], wanted: Sequence[str]) -> tuple[Pass, ...]:
    if len(passes) < 2:
        return tuple(passes)
    seen: dict[bytes, Pass] = {}
    for each in passes:
        outputs = hashlib.sha256()
        for key in wanted:
            output = each[key].output_hash if key in each else ""
            outputs.update(f"{output}\n".encode("utf-8", "surrogatepass"))
        seen.setdefault(outputs.digest(), each)
    return tuple(seen.values())
