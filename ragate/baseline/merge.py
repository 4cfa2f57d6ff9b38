"""Two baselines of one ancestor as one: sample by sample, and nothing that both changed.

Neither side was recorded on the merged system. What only one side changed is what that side
measured; what both changed is known of neither, so that it is left out and named. The result says
that it was merged, and is to be recorded anew.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ragate.baseline.bounded import REMEDY
from ragate.baseline.merge_head import merged_head
from ragate.baseline.read import parse_baseline
from ragate.baseline.write import file_lines
from ragate.errors import BaselineError
from ragate.support.strict_json import loads

Table = Mapping[str, Any]


@dataclass(frozen=True)
class MergedBaseline:
    """What became of two baselines.

    Attributes:
        content: The file.
        ours, theirs: Number of samples that only this side changed.
        neither: Samples that both changed, which are left out, sorted.
        figures: Figures over whole runs that are left out, since both sides hold others.
    """

    content: bytes
    ours: int = 0
    theirs: int = 0
    neither: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()


def merge_baselines(before: bytes, ours: bytes, theirs: bytes, *, name: str) -> MergedBaseline:
    """Return the baseline of two that came from one; the sides may change places.

    Args:
        before: What both came from, empty where there was none.
        name: The file, for messages.

    Raises:
        BaselineError: one cannot be read, or the two were measured otherwise: by another judge,
            metrics or number of passes. Nothing is taken then.
    """
    if ours == theirs or before == theirs:
        return MergedBaseline(ours)
    if before == ours:
        return MergedBaseline(theirs)
    old = _read(before, f"{name} (before)") if before.strip() else {}
    a, b = _read(ours, f"{name} (ours)"), _read(theirs, f"{name} (theirs)")
    merge = _Samples(old.get("samples", {}), a["samples"], b["samples"])
    head, figures = merged_head(old, a, b, merge.samples, merge.neither, name=name)
    content = b"".join(file_lines(head, merge.samples.items()))
    parse_baseline(content, where=f"{name} (merged)")
    return MergedBaseline(content, merge.ours, merge.theirs, tuple(merge.neither), figures)


class _Samples:
    """The samples of both sides, three-way.

    Attributes:
        samples: What is taken, in order of id.
        neither: What both changed, each otherwise.
    """

    def __init__(self, before: Table, ours: Table, theirs: Table) -> None:
        self.samples: dict[str, Any] = {}
        self.neither: list[str] = []
        self.ours = self.theirs = 0
        for key in sorted({*before, *ours, *theirs}):
            old, a, b = before.get(key), ours.get(key), theirs.get(key)
            if a != b and a != old and b != old:
                self.neither.append(key)
                continue
            self.ours += a not in (b, old)
            self.theirs += b not in (a, old)
            taken = b if a == old else a
            if taken is not None:
                self.samples[key] = taken


def _read(content: bytes, where: str) -> dict[str, Any]:
    try:
        parse_baseline(content, where=where)
        data: Any = loads(content, where=where, error=BaselineError)
    except BaselineError as error:
        raise BaselineError(error.message, remedy=error.remedy or REMEDY) from error
    return dict(data)
