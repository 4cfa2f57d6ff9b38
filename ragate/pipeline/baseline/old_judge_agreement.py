"""How a new judge agrees with the old one on the outputs that a baseline holds."""

from collections.abc import Sequence
from dataclasses import dataclass

from ragate.config import Config
from ragate.core.judging.kappa import kappa
from ragate.models import MetricInfo, Run

GRADE_PASS = 4.0


@dataclass(frozen=True)
class Agreement:
    """Old judge against new on one metric.

    Attributes:
        n: Distinct stored outputs that both scored.
        agreement: Share with the same pass or fail; kappa: the same beyond chance, None where one
            side always says the same.
        flips: Samples whose pass or fail changed.
    """

    metric: str
    n: int
    old_mean: float | None
    new_mean: float | None
    agreement: float | None
    kappa: float | None
    flips: tuple[str, ...]


def agreement_on(config: Config, info: MetricInfo, old: Run, new: Run) -> Agreement:
    """Compare the scores of one metric in a baseline before and after it was judged anew."""
    marks = {rule.metric: rule.pass_at for rule in config.policy.metrics}
    mark = _mark(info) if (own_mark := marks.get(info.name)) is None else own_mark
    pairs: dict[tuple[str, str], tuple[float, float]] = {}
    for before, after in zip(old.records, new.records, strict=True):
        old_score, new_score = before.scores.get(info.name), after.scores[info.name]
        if old_score is not None and old_score.value is not None and new_score.value is not None:
            pairs[before.sample_id, before.output_hash] = (old_score.value, new_score.value)
    passes = [(a >= mark - 1e-9, b >= mark - 1e-9) for a, b in pairs.values()]
    flips = [key[0] for key, (a, b) in zip(pairs, passes, strict=True) if a != b]
    return Agreement(
        metric=info.name,
        n=len(pairs),
        old_mean=_mean([a for a, _ in pairs.values()]),
        new_mean=_mean([b for _, b in pairs.values()]),
        agreement=_mean([float(a == b) for a, b in passes]),
        kappa=kappa([a for a, _ in passes], [b for _, b in passes]) if passes else None,
        flips=tuple(dict.fromkeys(flips)),
    )


def _mark(info: MetricInfo) -> float:
    return GRADE_PASS if info.unit == "grade" else (info.high or 1.0)


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
