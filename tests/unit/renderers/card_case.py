"""A report with a scorecard."""

from __future__ import annotations

from typing import Any

from ragate.models import MetricVerdict, PassGroup, PassShare, Report, Verdict
from tests.factories import decision_factory, metric_row_factory, report_factory, sample_row_factory


def _group(
    kind: str, name: str, shares: tuple[float, float], *, mark: float = 1.0, **fields: Any
) -> PassGroup:
    before, after = shares
    ends = (round(after - 0.05, 3), round(min(after + 0.05, 1.0), 3))
    share = PassShare(mark=mark, n=200, baseline=before, candidate=after, interval=ends)
    return PassGroup(kind=kind, name=name, share=share, **fields)


def scorecard() -> Report:
    """Fewer samples pass the scorecard, those of one source above all."""
    share = PassShare(mark=1.0, n=200, baseline=0.81, candidate=0.7, interval=(0.633, 0.759))
    fell = metric_row_factory(
        "pass_rate", 0.81, 0.7, MetricVerdict.REGRESSED, blocks=True, better=2, worse=24,
        interval=(-0.15, -0.07), p=0.0006, allowed=0.01, pass_share=share,
        reason="pass_rate fell by 0.110 (0.810 -> 0.700)",
    )  # fmt: skip
    overall = metric_row_factory(
        "overall_score", 0.84, 0.79, MetricVerdict.CANNOT_TELL, level="warn", mde=0.06
    )
    return report_factory(
        decision_factory(
            Verdict.FAILED,
            [fell, overall],
            reasons=("pass_rate fell by 0.110 (0.810 -> 0.700)",),
            lines=("weights of the scorecard sum to 1.1: each counts by its share",),
        ),
        samples=(sample_row_factory(scores={"pass_rate": (1.0, 0.0), "recall@5": (1.0, 0.0)}),),
        pass_groups=(
            _group(
                "stage", "retrieval", (0.9, 0.78),
                mark=0.5, metric="recall@5", weight=0.5, required=True,
            ),
            _group("stage", "token_f1", (0.85, 0.8), mark=0.4, metric="token_f1", weight=0.6),
            _group("tag", "billing", (0.8, 0.6)),
            _group("source_type", "synthetic <b>", (0.81, 0.81)),
        ),
    )  # fmt: skip
