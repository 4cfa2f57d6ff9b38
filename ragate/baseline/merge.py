"""Two baselines of one ancestor as one: sample by sample, and nothing that both changed.

Neither side was recorded on the merged system. What only one side changed is what that side
measured; what both changed is known of neither, so that it is left out and named. The result says
that it was merged, and is to be recorded anew.
"""

from dataclasses import dataclass
from typing import Any

from ragate.baseline.bounded import REMEDY
from ragate.baseline.merge_head import merged_head, refuse_unlike
from ragate.baseline.merge_samples import MergedSamples
from ragate.baseline.read import parse_baseline
from ragate.baseline.write import file_lines
from ragate.errors import BaselineError
from ragate.support.strict_json import loads


@dataclass(frozen=True)
class MergedBaseline:
    """What became of two baselines.

    Attributes:
        content: The file.
        ours, theirs: Number of samples that only this side changed.
        neither: Samples that both changed, which are left out, sorted.
        figures: Figures over whole runs that are left out, since both sides hold others.
        unmeasured: Metrics that are left out, since their tables are of another golden set.
    """

    content: bytes
    ours: int = 0
    theirs: int = 0
    neither: tuple[str, ...] = ()
    figures: tuple[str, ...] = ()
    unmeasured: tuple[str, ...] = ()


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
    refuse_unlike(a, b, name)
    merge = MergedSamples(old, a, b)
    head, figures = merged_head(old, a, b, merge)
    content = b"".join(file_lines(head, merge.samples.items()))
    parse_baseline(content, where=f"{name} (merged)")
    return MergedBaseline(
        content, merge.ours, merge.theirs, tuple(merge.neither), figures, merge.unmeasured
    )


def _read(content: bytes, where: str) -> dict[str, Any]:
    try:
        merged = parse_baseline(content, where=where).manifest.merged
        data: Any = loads(content, where=where, error=BaselineError)
    except BaselineError as error:
        raise BaselineError(error.message, remedy=error.remedy or REMEDY) from error
    # What a hand left out stands there as it is read.
    return {"samples": {}, **data, "merged": {} if merged is None else merged.written()}
