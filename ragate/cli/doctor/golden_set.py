"""The golden set: what it holds, and whether the rules can be held on it."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from ragate.cli.finding import Finding, ok, plural, problem, warning
from ragate.core.text.listed_names import listed
from ragate.dataset import Entry
from ragate.models import Rule, Sample
from ragate.process import NO_DECISION

CHECK = "golden set"


def golden_set(
    entries: Sequence[Entry], samples: Sequence[Sample], *, dataset: str
) -> Iterable[Finding]:
    """Say what the golden set holds; drafts wait for a person and count for nothing."""
    unjudged = sum(sample.answerable and not sample.expected for sample in samples)
    bare = sum(sample.answerable and not sample.references for sample in samples)
    unanswerable = sum(not sample.answerable for sample in samples)
    must = sum(sample.must_pass for sample in samples)
    yield ok(
        CHECK,
        f"{dataset}: {plural(len(samples), 'sample')}, {unanswerable} unanswerable, {must} "
        f"must-pass; of the answerable ones {unjudged} unjudged (no expected document), {bare} "
        "without a reference",
    )
    drafts = sum(entry.draft for entry in entries)
    references = sum(len(entry.drafted) for entry in entries)
    if drafts or references:
        yield ok(
            CHECK,
            f"{plural(drafts, 'draft sample')} and {plural(references, 'draft reference')} do not "
            "count; `ragate dataset accept` shows them",
        )


def rules(
    policy_rules: Sequence[Rule],
    uses: Mapping[str, Sequence[Sample]],
    samples: Sequence[Sample],
    *,
    on_slices: Collection[str] = (),
) -> list[Finding]:
    """Say whether every rule can be held, and must-pass samples have a mark to reach.

    Args:
        uses: The samples that each built-in metric can speak about, by metric.
        on_slices: Metrics that can fail the gate on a slice.
    """
    check = "rules"
    gated = [rule for rule in policy_rules if rule.gates]
    names = {rule.metric for rule in gated}.union(on_slices)
    if not names:
        return [
            problem(
                check,
                'no metric has level = "error": the gate can never fail',
                'set level = "error" on what must not get worse',
            )
        ]
    findings = [
        problem(
            check,
            f"{rule.metric} must be measured, and no sample has what it needs",
            'add such samples, or set its level to "warn" or "off"; as it is, `check` ends '
            "without a decision",
            exit_code=NO_DECISION,
        )
        for rule in gated
        if uses.get(rule.metric) == []
    ]
    findings += _must_pass(gated, uses, samples)
    return findings or [ok(check, f"{plural(len(names), 'metric')} can fail the gate")]


def _must_pass(
    gated: Sequence[Rule], uses: Mapping[str, Sequence[Sample]], samples: Sequence[Sample]
) -> Iterable[Finding]:
    check = "must-pass"
    must = [sample.id for sample in samples if sample.must_pass]
    marked = [rule.metric for rule in gated if rule.pass_at is not None]
    if must and not marked:
        yield problem(
            check,
            f"{plural(len(must), 'must-pass sample')}, and no metric of level error has a pass "
            "mark: none of them can fail",
            'set pass_at for a metric, such as pass_at = 1.0 in [policy.metrics."hit_rate@5"]',
        )
    elif must and all(name in uses for name in marked):
        reached = {sample.id for name in marked for sample in uses[name]}
        if free := [sample_id for sample_id in must if sample_id not in reached]:
            yield warning(
                check,
                f"no metric with a pass mark applies to {listed(free)}",
                "give them what the metric needs (an expected document, a reference), or set "
                "pass_at on a metric that applies to them",
            )
