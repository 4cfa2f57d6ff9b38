"""Why a metric cannot be compared at all: too little of it, or what `compare.problem_of` found."""

from collections.abc import Sequence

import numpy as np

from ragate.core.judging.canary_rule import OBEYED, VOIDED
from ragate.core.publishable import NONE_MEASURED, SCORES_MISSING
from ragate.core.rules.metric_case import MetricCase, RuleOutcome, blank_row, left_open
from ragate.core.rules.unscored import lost_scores, share_allowed
from ragate.core.statistics.score_columns import SLACK, Mask
from ragate.core.text.wording import count, listed
from ragate.models import DecisionSettings, MetricVerdict

_NOUNS = ("samples", "clusters")


def usable_cases(
    cases: Sequence[MetricCase], settings: DecisionSettings
) -> tuple[list[MetricCase], dict[str, RuleOutcome]]:
    """Return the cases that can be compared, and by metric why the others cannot."""
    usable, refused = [], {}
    for case in cases:
        refusal = decide_unusable(case, settings.max_unscored)
        if refusal is None:
            usable.append(case)
        else:
            refused[case.name] = refusal
    return usable, refused


def decide_unusable(case: MetricCase, max_unscored: float) -> RuleOutcome | None:
    """Return why a metric cannot be compared at all; None where it can."""
    comparison = case.comparison
    remedy, verdict = "", MetricVerdict.NOT_MEASURED
    if comparison.all_failed:
        reason = "every sample failed"
    elif comparison.not_measured:
        reason = f"{NONE_MEASURED}: {comparison.not_measured}"
    elif case.column is None:
        reason = f"{case.name} was not measured"
    elif case.column.problem:
        reason, remedy = case.column.problem, case.column.remedy
        if case.measured in comparison.candidate_run.manifest.metrics:
            verdict = MetricVerdict.NOT_COMPARABLE
        if case.column.risen:  # the others gate; `about_risen` names it
            return RuleOutcome(blank_row(case, verdict, reason), remedies=(remedy,))
    elif not comparison.enough:
        matched, selected = comparison.data.matched, comparison.data.selected
        reason = f"only {matched} of the baseline's {count(selected, 'sample')} are still the same"
        remedy, verdict = "ragate baseline update", MetricVerdict.NOT_COMPARABLE
    else:
        reason, remedy = _too_few_measured(case)
        if not reason:
            reason, remedy = _too_little(case, max_unscored)
    return left_open(case, verdict, reason, remedy=remedy) if reason else None


def _too_few_measured(case: MetricCase) -> tuple[str, str]:
    """Return why a case with a least size is not decided on what happens to have values.

    With the remedy; both "" where it is decided.
    """
    before = case.counted & case.scores.baseline.valued
    after = case.counted & case.scores.candidate.valued
    few = _few(before & after, case)
    if not few:
        return "", ""
    total = int(case.counted.sum()) + int(case.counted_added.sum())
    new = int((case.counted_added & case.scores.added.valued).sum())
    reason = (
        f"{case.name}: {few} (of {total} samples the baseline has {before.sum()}, the candidate "
        f"{after.sum() + new})"
    )
    return reason, "ragate baseline update" if _few(before, case) else ""


def _few(rows: Mask, case: MetricCase) -> str:
    """Return how many of these rows there are and how many are needed, "" where these do."""
    samples, clusters = int(rows.sum()), case.least[1]
    if case.comparison.clusters is not None:
        clusters = len(np.unique(case.comparison.clusters[rows]))
    for number, noun, least in zip((samples, clusters), _NOUNS, case.least, strict=True):
        if number < least:
            return f"{number} {noun} with a value on both sides, {least} are needed"
    return ""


def _too_little(case: MetricCase, max_unscored: float) -> tuple[str, str]:
    """Return why too little of a metric has scores, with the remedy; both "" where enough has."""
    if not case.counted.any():
        needed = "none says what it is measured by, such as documents or a reference answer"
        return f"{case.name} applies to no sample: {needed}", ""
    lost = lost_scores(case)
    before, asked = lost.usual
    allowed = share_allowed(lost.of, lost=before, runs=asked, max_unscored=max_unscored)
    limits = {"baseline": max_unscored, "candidate": allowed}
    sides = (case.scores.baseline, case.scores.candidate)
    for (name, limit), side in zip(limits.items(), sides, strict=True):
        missing = side.unscored[case.counted]
        share = float(missing.mean()) if missing.size else 1.0
        # On a slice two samples are many.
        if case.slice and share < 1:
            continue
        if not share <= limit + SLACK:
            why = listed([f"{reason} ({n})" for reason, n in side.reasons.items()], most=2)
            reason = (
                f"{case.name}: {share:.1%} of the {name}'s {SCORES_MISSING}; "
                f"{limit:.1%} is allowed" + (f": {why}" if why else "")
            )
            wrong = any(VOIDED in why or OBEYED in why for why in side.reasons)
            return reason, "ragate calibrate" if wrong and name == "candidate" else ""
    return "", ""
