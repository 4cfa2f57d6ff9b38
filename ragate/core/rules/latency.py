"""Latency: red only beside a control run of the base in the same job.

A machine's speed differs from day to day by more than most changes cost, and a slow session slows
every sample alike: no test over samples of two sessions can tell that from a slower system.
"""

import datetime
import math
from collections.abc import Iterable, Mapping

import numpy as np

from ragate.core.comparison.run_passes import newest_run
from ragate.core.rules.expense import Increase
from ragate.core.rules.metric_case import MetricCase, RuleOutcome
from ragate.core.statistics.quantiles import t_quantile
from ragate.models import DecisionSettings, MetricVerdict, Record, Run

SAME_SESSION_S = 3600
FEWEST = 20


def decide_latency(
    case: MetricCase,
    candidate: Run,
    control: Run | None,
    shown: RuleOutcome,
    settings: DecisionSettings,
) -> RuleOutcome:
    """Hold a percentile's rule against the control run; `shown` is what holds without one.

    Args:
        control: The base version, run in the same job.
    """
    limit = case.rule.max_increase
    if limit is None or shown.row is None or shown.row.candidate is None:
        return shown
    if control is None:
        return _shown_only(case, shown, "max_increase needs a control run of the base (--control)")
    if why := _apart(candidate, control):
        return _shown_only(case, shown, why)
    session = newest_run(candidate)  # passes of earlier runs were timed in another
    field = "first_token_s" if case.name.startswith("first_token") else "latency_s"
    taken, base = _times(session.records, field), _times(control.records, field)
    slower = _slowdown(taken, base, limit, settings.alpha)
    if slower is None:
        return _shown_only(case, shown, f"fewer than {FEWEST} samples were timed on both sides")
    times = f"mean time {slower.share:+.1%} against the control run"
    reason = f"{case.name}: {times}; {limit:.0%} allowed"
    if not slower.above:
        within = slower.share <= limit
        verdict = MetricVerdict.HELD if within else MetricVerdict.CANNOT_TELL
        reason += "" if within else f"; not proven by these {slower.units}"
        return RuleOutcome(shown.row.amended(verdict=verdict, reason=reason))
    row = shown.row.amended(verdict=MetricVerdict.REGRESSED, reason=reason, blocks=case.gates)
    return RuleOutcome(row, red=(reason,) if case.gates else ())


def _slowdown(
    times: Mapping[str, float], base: Mapping[str, float], limit: float, alpha: float
) -> Increase | None:
    """Return the mean increase of the time of a sample; None where too few were timed.

    The mean of the logarithms of the ratios, so that one sample that hung weighs no more than it
    should; proven where its lower one-sided bound at `alpha` lies above the limit.
    """
    ids = sorted(times.keys() & base.keys())
    ratios = np.array([math.log(times[key] / base[key]) for key in ids])  # raises where one is 0
    if len(ratios) < FEWEST:
        return None
    mean, spread = float(ratios.mean()), float(ratios.std(ddof=1)) / math.sqrt(len(ratios))
    reach = t_quantile(1 - alpha, len(ratios) - 1) * spread
    above = mean - reach > math.log1p(limit)
    return Increase(math.expm1(mean), above=above, below=mean + reach < 0, units=len(ratios))


def _times(records: Iterable[Record], field: str) -> dict[str, float]:
    """Return the mean time by sample, without failures and answers taken from memory."""
    times: dict[str, list[float]] = {}
    for record in records:
        output, usage = record.output, record.output.usage
        remembered = usage is not None and usage.calls == 0 and output.request_hash is not None
        if output.error is None and not remembered and (taken := getattr(output, field)):
            times.setdefault(record.sample_id, []).append(taken)
    return {key: sum(values) / len(values) for key, values in times.items()}


def _apart(candidate: Run, control: Run) -> str:
    """Return why the two runs are not of one session, "" where they are."""
    try:
        starts = [datetime.datetime.fromisoformat(r.manifest.created) for r in (candidate, control)]
        apart = abs((starts[0] - starts[1]).total_seconds())
    except (ValueError, TypeError):
        return "it is not known when the control was run"
    if apart <= SAME_SESSION_S:
        return ""
    return f"the control was run {apart / 3600:.1f} h apart, not in the same job"


def _shown_only(case: MetricCase, shown: RuleOutcome, why: str) -> RuleOutcome:
    assert shown.row is not None
    reason = f"shown only: {why}"
    row = shown.row.amended(reason=reason)
    # Beside a limit it gates all the same; without one its level promises more than it holds.
    open_gate = case.gates and not case.has_floor
    warnings = (f"{case.name}: {reason}",) if open_gate else ()
    return RuleOutcome(row, undecided=shown.undecided, warnings=warnings)
