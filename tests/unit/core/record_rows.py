"""Records of several passes."""

from __future__ import annotations

from ragate.models import Record, not_applicable, unscored
from tests.factories import output_factory, record_factory, sample_factory


def records(count: int, *, runs: int = 1) -> list[Record]:
    return [
        record_factory(
            sample_factory(f"q{number}"),
            output_factory(answer=f"{number} \u2028 of {run}"),
            run=run,
            scores={"m": number / 7, "n": not_applicable("n", "no"), "u": unscored("u", "lost")},
        )
        for number in range(count)
        for run in range(runs)
    ]
