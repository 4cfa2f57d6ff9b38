"""Whether two runs hold the same outputs, byte for byte."""

from __future__ import annotations

from collections.abc import Iterable

from ragate.core.comparison.run_passes import Passes
from ragate.models import Record


def same_outputs(then: Passes, now: Passes, ids: Iterable[str]) -> bool:
    """Return True where every whole pass of both sides holds the same output for every sample.

    A provider's failure is no output.
    """
    if len(then.distinct) != 1 or len(now.distinct) != 1:
        return False
    [before], [after] = then.distinct, now.distinct
    return all(key in before and key in after and _same(before[key], after[key]) for key in ids)


def _same(before: Record, after: Record) -> bool:
    error = after.output.error
    provider = error is not None and error.kind == "provider"
    return before.output_hash == after.output_hash and not provider
