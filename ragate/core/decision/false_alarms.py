"""How often a harmless change is red beside the metrics: questions that must pass, and floors."""

import math
from collections.abc import Iterable

from ragate.core.comparison.compare import Comparison
from ragate.core.rules.metric_case import MetricCase
from ragate.core.rules.must_pass import MustPassOdds
from ragate.core.rules.noisy.visible_drop import noise_of
from ragate.core.statistics.quantiles import normal_tail
from ragate.core.text.wording import count, listed
from ragate.models import DecisionSettings, MetricRow

MOST_NAMED = 5
_RARE = 1e-4  # is not worth a word


def other_alarms(
    odds: MustPassOdds | None,
    rows: Iterable[tuple[MetricCase, MetricRow]],
    comparison: Comparison,
    settings: DecisionSettings,
) -> str:
    """Return the sentence on what fails a harmless change beside the metrics, "" for nothing.

    Args:
        rows: Of the metrics and of the slices.
    """
    parts, fine = [], 1 - settings.alpha
    if odds is not None and odds.chance > _RARE:
        parts.append(must_pass_sentence(odds))
        fine *= 1 - odds.chance
    by_floors = floors_chance(rows, comparison)
    if by_floors > _RARE:
        parts.append(f"{about(by_floors)} by floors")
        fine *= 1 - by_floors
    if parts and fine < 1 - 1.5 * settings.alpha:
        parts.append(f"together {about(1 - fine)}")
    return "; ".join(parts)


def must_pass_sentence(odds: MustPassOdds) -> str:
    """Return how often questions that must pass fail a harmless change, and what to write."""
    who = f"the {count(odds.questions, 'question')} that must pass"
    sentence = f"{about(odds.chance)} by {who}"
    if odds.proposed is None:
        return sentence
    tries, fails = odds.proposed
    return f"{sentence}: write `tries = {tries}`, `fails = {fails}` below [policy]"


def unsteady_sentence(odds: MustPassOdds) -> str:
    """Name the questions that must pass and did not in every baseline run, "" for none."""
    named = [f"{key} ({passed} of {runs})" for key, (passed, runs) in odds.unsteady.items()]
    if not named:
        return ""
    return f"must pass, but did not in every run: {listed(named, most=MOST_NAMED)}"


def about(chance: float) -> str:
    """Say a chance of a harmless change: ``about 1 in 4``."""
    if chance > 0.5:
        return "more than every second one"
    return f"about 1 in {round(1 / chance):,}"


def floors_chance(rows: Iterable[tuple[MetricCase, MetricRow]], comparison: Comparison) -> float:
    """Return how often any gated floor is missed by what the baseline's own runs differ by."""
    fine = 1.0
    for case, row in rows:
        floor, before = row.floor, row.baseline
        if floor is None or before is None or not case.gates or case.column is None or row.n < 1:
            continue
        noise = noise_of(case, comparison)
        if row.exact or not noise.measured:
            continue
        fails_at = floor.limit if floor.fails_at is None else floor.fails_at
        k, base = (max(len(s.distinct), 1) for s in (comparison.candidate, comparison.baseline))
        spread = case.column.span * math.sqrt(noise.q / 2 * (1 / base + 1 / k) / row.n)
        room = before - fails_at if floor.limit == case.rule.minimum else fails_at - before
        # At its very limit stands what never failed, as errors at 0: there no noise was seen.
        fine *= 1 - (normal_tail(room / spread) if room else 0.0)
    return 1 - fine
