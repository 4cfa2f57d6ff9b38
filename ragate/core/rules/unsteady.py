"""Samples that vary although their metric is declared to carry no noise: tested as noisy ones."""

from dataclasses import replace

import numpy as np

from ragate.core.rules.metric_case import MetricCase, RuleOutcome
from ragate.core.statistics.score_columns import SLACK
from ragate.core.text.wording import count, listed
from ragate.models import MetricRow, MetricVerdict

_QUIET = {MetricVerdict.HELD, MetricVerdict.UNCHANGED, MetricVerdict.IMPROVED}


def varying_part(case: MetricCase) -> MetricCase | None:
    """Return the case on its samples that vary and are scored, None where there is none."""
    column = case.scores
    scores = np.concatenate([column.baseline.values, column.candidate.values], axis=1)
    rows = case.counted & column.varies & np.isfinite(scores).all(axis=1)
    return replace(case, counted=rows, least=(0, 0)) if rows.any() else None


def decide_both_parts(exact: RuleOutcome, noisy: RuleOutcome) -> RuleOutcome:
    """Put what the samples that vary say beside what the others say: the worse counts.

    Too few of them to be tested leave no gap: the others decided.
    """
    row, varying = exact.row, noisy.row
    if row is None or varying is None or row.verdict.uncompared:
        return exact
    if noisy.red and not exact.red:
        red = _with_test(row, varying, MetricVerdict.REGRESSED).amended(blocks=True, exact=False)
        return RuleOutcome(red, red=noisy.red, undecided=exact.undecided)
    if varying.verdict is MetricVerdict.WORSE_HERE and row.verdict in _QUIET:
        shown = _with_test(row, varying, MetricVerdict.WORSE_HERE)
        return replace(exact, row=shown, warnings=noisy.warnings)
    if varying.verdict is MetricVerdict.CANNOT_TELL and row.verdict in _QUIET:
        return replace(exact, row=_with_what_varied(row, varying))
    return exact


def _with_what_varied(row: MetricRow, varying: MetricRow) -> MetricRow:
    """Return the row of samples that repeat beside others that prove nothing by their number.

    It holds nothing where the loss of all together is more than what is allowed.
    """
    if not varying.change:
        return row
    noun = count(varying.n, "sample")
    reason = f"of the samples that repeat: {row.reason}; {noun} that did not: {varying.reason}"
    allowed = row.limit is not None and row.lost <= row.limit + SLACK
    verdict = row.verdict if allowed else MetricVerdict.CANNOT_TELL
    return row.amended(verdict=verdict, reason=reason)


def _with_test(row: MetricRow, varying: MetricRow, verdict: MetricVerdict) -> MetricRow:
    noun = count(varying.n, "sample")
    reason = f"{varying.reason} (on {noun} that did not repeat)"
    tested = row.amended(p=varying.p, p_here=varying.p_here)
    return tested.amended(verdict=verdict, reason=reason)


def decide_no_longer_repeating(case: MetricCase, outcome: RuleOutcome) -> RuleOutcome:
    """Turn a quiet verdict yellow where the candidate stopped to repeat: it hides behind noise."""
    comparison, row = case.comparison, outcome.row
    repetition = comparison.repetition.of(case.info)
    if repetition is None or row is None or case.info.reads not in comparison.repetition.exact:
        return outcome
    ids = comparison.ids_of(repetition.jitters & case.counted)
    if not ids or row.verdict not in _QUIET:
        return outcome
    reason = f"{count(len(ids), 'sample')} no longer repeated: {listed(ids)}"
    if row.reason:
        reason = f"{row.reason}; {reason}"
    return replace(outcome, row=row.amended(verdict=MetricVerdict.CANNOT_TELL, reason=reason))
