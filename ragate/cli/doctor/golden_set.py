"""The golden set: what it holds, and whether the corpus and the rules can use it."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence

from ragate.cli.finding import Finding, ok, plural, problem, warning
from ragate.core.conversation import conversation
from ragate.core.doc_ids.advice import RESPELL, mismatch_words
from ragate.core.doc_ids.mismatch import MismatchKind, find_mismatch
from ragate.core.text.listed_names import listed
from ragate.dataset import Entry
from ragate.models import Rule, Sample

CHECK = "golden set"
STARTER_TAG = "starter"
FEW = 20


def golden_set(samples: Sequence[Sample], *, dataset: str) -> list[Finding]:
    """Say what the golden set holds, and what in it looks like an accident."""
    unjudged = sum(sample.answerable and not sample.expected for sample in samples)
    bare = sum(sample.answerable and not sample.references for sample in samples)
    unanswerable = sum(not sample.answerable for sample in samples)
    must = sum(sample.must_pass for sample in samples)
    counts = (
        f"{dataset}: {plural(len(samples), 'sample')}, {unanswerable} unanswerable, {must} "
        f"must-pass; of the answerable ones {unjudged} unjudged (no expected document), {bare} "
        "without a reference"
    )
    return [
        ok(CHECK, counts),
        *_twice(samples),
        *_contradictions(samples),
        *_size(samples),
    ]


def drafts(entries: Sequence[Entry]) -> Iterable[Finding]:
    """Say what waits for a person: drafts count for nothing."""
    count = sum(entry.draft for entry in entries)
    references = sum(len(entry.drafted) for entry in entries)
    if count or references:
        yield ok(
            CHECK,
            f"{plural(count, 'draft sample')} and {plural(references, 'draft reference')} do not "
            "count; `ragate dataset accept` shows them",
        )


def _twice(samples: Sequence[Sample]) -> Iterable[Finding]:
    # A variant may ask the same, over passages that are arranged: it is meant so.
    samples = [sample for sample in samples if not sample.metadata.get("variant_of")]
    queries = Counter(_key(sample) for sample in samples)
    twice = [sample.id for sample in samples if queries[_key(sample)] > 1]
    if twice:
        yield warning(
            CHECK,
            f"{plural(len(twice), 'sample')} ask the same as another: {listed(twice)}",
            "remove the copies: each counts as a question of its own",
        )


def _key(sample: Sample) -> str:
    return " ".join(conversation(sample).casefold().split())


def _contradictions(samples: Sequence[Sample]) -> Iterable[Finding]:
    odd = [
        sample.id
        for sample in samples
        if not sample.answerable and (sample.expected or sample.references)
    ]
    if odd:
        yield warning(
            CHECK,
            f"{plural(len(odd), 'unanswerable sample')} with an expected document or a reference: "
            f"{listed(odd)}",
            "an unanswerable question has neither; correct `answerable`, or remove them",
        )


def _size(samples: Sequence[Sample]) -> Iterable[Finding]:
    starters = sum(STARTER_TAG in sample.tags for sample in samples)
    if starters:
        yield warning(
            CHECK,
            f"{starters} of {plural(len(samples), 'sample')} were made by `ragate init`",
            f"replace them by questions of your users, without the tag {STARTER_TAG!r}: "
            "docs/golden-set.md",
        )
    if len(samples) < FEW:
        yield warning(
            CHECK,
            f"{plural(len(samples), 'sample')}: only large drops can be seen",
            f"write {FEW} or more; `ragate power` tells which drop a number of them can show",
        )


def expected_documents(samples: Sequence[Sample], documents: Collection[str]) -> list[Finding]:
    """Say which expected documents the corpus does not hold."""
    check = "expected documents"
    expected = {doc_id for sample in samples for doc_id in sample.expected}
    lost = sorted(expected - set(documents))
    if not lost:
        return [
            ok(check, f"all {len(expected)} are among the {plural(len(documents), 'document')}")
        ]
    concerned = [sample.id for sample in samples if sample.expected & set(lost)]
    mismatch = find_mismatch([(expected, documents)])
    respelt = mismatch is not None and mismatch.kind is MismatchKind.SPELT_OTHERWISE
    hint = f"; {mismatch_words(mismatch, came='the corpus holds')}" if mismatch and respelt else ""
    return [
        problem(
            check,
            f"{len(lost)} of {len(expected)} are not in the corpus: {listed(lost)}; expected by "
            f"{plural(len(concerned), 'sample')}: {listed(concerned)}{hint}",
            "correct their `relevant` ids (the path below the corpus folder)"
            f"{f': {RESPELL};' if respelt else ','} or add the documents; `ragate dataset relink` "
            "proposes where lost ones went",
        )
    ]


def rules(
    policy_rules: Sequence[Rule],
    uses: dict[str, list[Sample]],
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
            exit_code=3,
        )
        for rule in gated
        if uses.get(rule.metric) == []
    ]
    findings += _must_pass(gated, uses, samples)
    return findings or [ok(check, f"{plural(len(names), 'metric')} can fail the gate")]


def _must_pass(
    gated: Sequence[Rule], uses: dict[str, list[Sample]], samples: Sequence[Sample]
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
