"""The reports whose rendered text is kept in tests/golden/, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ragate.core.decision.pooling import note_of
from ragate.core.rules.checked_metric import counts_in_metrics
from ragate.models import (
    Acceptance,
    CauseKind,
    ChangedPart,
    ChangeOrigin,
    CheckoutRules,
    DataChanges,
    Diagnosis,
    Direction,
    EarlierFigure,
    EarlierPasses,
    EarlierRun,
    Filters,
    FloorResult,
    MetricVerdict,
    MustPassRow,
    PassShare,
    RemovedSample,
    Report,
    RunFacts,
    SampleSide,
    SliceRow,
    SourceLinks,
    SuggestedFloor,
    Verdict,
    WaiverRow,
)
from tests.factories import decision_factory, metric_row_factory, report_factory, sample_row_factory
from tests.unit.renderers.card_case import scorecard

TWO_TESTED = (
    "faithfulness, hit_rate@10 are tested together: at most 1 harmless change in 50 fails by chance"
)
INVOICE = sample_row_factory(
    "q031",
    "Can I pay by invoice?",
    expected=["billing/invoice.md"],
    docs=(["billing/cards.md", "faq.md", "billing/invoice.md"], ["billing/cards.md", "faq.md"]),
    answers=("Yes, from 500 euros. [3]", "Only cards are accepted. [1]"),
    scores={"hit_rate@10": (1.0, 0.0)},
    cause=CauseKind.RETRIEVAL,
    evidence="billing/invoice.md fell out of the first 2",
    displaced_by=["billing/cards.md"],
)
VAT = sample_row_factory(tags=("billing",))
LIMITS = sample_row_factory(
    "q102",
    "Rate limit per key?",
    tags=("api", "limits"),
    must_pass=True,
    expected=["api/limits.md"],
    docs=(["api/limits.md"], ["api/limits.md"]),
    answers=("600 a minute [1]", "6,000 a minute [1]"),
)
TIMEOUT = sample_row_factory(
    "q140",
    "How do I rotate a key?",
    change="failed",
    expected=["api/keys.md"],
    docs=(["api/keys.md"], []),
    cause=CauseKind.SYSTEM_ERROR,
    evidence="timeout after 60 s",
    candidate=SampleSide(error="timeout after 60 s"),
)
BETTER = sample_row_factory(
    "q009",
    "Is there a student discount?",
    change="better",
    expected=["plans.md"],
    docs=(["faq.md"], ["plans.md", "faq.md"]),
    answers=("I do not know.", "Yes, 30 %. [1]"),
    scores={"hit_rate@10": (0.0, 1.0)},
    cause=CauseKind.RETRIEVAL,
    evidence="plans.md was found",
)
DRIFTED = sample_row_factory(
    "q055",
    "Where is my data kept?",
    answers=("In Frankfurt. [1]", "In Frankfurt. [1]"),
    cause=CauseKind.JUDGE,
    evidence="the output is the same, the verdict is not",
)
HELD = metric_row_factory(
    candidate=0.915, interval=(-0.016, 0.026), better=3, worse=2, p=0.9, mde=0.05
)
SAME = metric_row_factory(
    "hit_rate@10", 0.9, 0.9, MetricVerdict.UNCHANGED, exact=True, interval=None
)


REWORDED = sample_row_factory(
    "q120",
    "How long is the trial?",
    change="same",
    answers=("14 days. [1]", "The trial lasts 14 days. [1]"),
    scores={"faithfulness": (1.0, 1.0)},
    cause=None,
)


PAGES = "https://github.com/octo-org/support-bot/blob/" + "bad0" * 10
ORIGIN = ChangeOrigin(
    parts=(
        ChangedPart(
            words="top_k = 1 (was 10)", path="ragate.toml", line=79, url=f"{PAGES}/ragate.toml#L79"
        ),
        ChangedPart(path="prompts/answer.md", line=14, url=f"{PAGES}/prompts/answer.md#L14"),
    )
)
LINKS = SourceLinks(
    samples={key: f"{PAGES}/evals/golden.jsonl#L{key[1:]}" for key in ("q017", "q031", "q102")},
    documents={
        key: f"{PAGES}/docs/{key}" for key in ("billing/invoice.md", "billing/cards.md", "plans.md")
    },
)


def unchanged() -> Report:
    rows = [metric_row_factory(verdict=MetricVerdict.UNCHANGED), SAME]
    facts = RunFacts(samples=200, affected=0, reused=200, cost_usd=0.0, duration_s=14.2)
    return report_factory(decision_factory(metrics=rows), facts=facts, unchanged=200)


def improvement() -> Report:
    hits = metric_row_factory(
        "hit_rate@10", 0.855, 0.9, MetricVerdict.IMPROVED, exact=True, better=11, worse=2
    )
    exact = metric_row_factory(
        "correctness", 0.79, 0.825, MetricVerdict.IMPROVED, interval=(0.007, 0.063), better=9,
        worse=2, p=0.004,
    )  # fmt: skip
    latency = metric_row_factory(
        "latency_p95", 1.42, 1.31, MetricVerdict.SHOWN, level="warn", unit="seconds",
        direction=Direction.LOWER, aggregate=True,
    )  # fmt: skip
    facts = RunFacts(
        samples=200, affected=41, reused=159, model_calls=82, calls_reused=1, verdicts_reused=1159,
        cost_usd=0.19, saved_usd=0.6049, duration_s=38.4,
    )  # fmt: skip
    return report_factory(
        decision_factory(
            metrics=[HELD, exact, hits, latency],
            lines=(TWO_TESTED,),
        ),
        facts=facts,
        samples=(
            INVOICE,
            INVOICE.amended(sample_id="q032"),
            *(BETTER.amended(sample_id=f"q{number:03}") for number in range(9, 20)),
        ),
        unchanged=187,
        origin=ORIGIN.amended(
            parts=(ORIGIN.parts[0].amended(words="top_k = 10 (was 1)"),), alone=True
        ),
        links=LINKS,
        report_url="https://example.org/run/7",
    )


def checkout_rules() -> Report:
    rules = CheckoutRules(base_read=True, changed=("policy", "golden set", "baseline"))
    return unchanged().amended(checkout_rules=rules)


def regression() -> Report:
    faith = metric_row_factory(
        candidate=0.845, verdict=MetricVerdict.REGRESSED, interval=(-0.099, -0.031), blocks=True,
        better=4, worse=17, p=0.0033, p_here=0.0011, mde=0.04, unscored_candidate=3,
        unscored_reasons={"judge timeout": 3}, reason="the drop is proven and exceeds 0.010",
        allowed=0.01,
    )  # fmt: skip
    hits = metric_row_factory(
        "hit_rate@10", 0.9, 0.875, MetricVerdict.REGRESSED, exact=True, blocks=True, worse=5,
        limit=0.01, allowed=0.01, reason="deterministic: 5 samples lost their document",
    )  # fmt: skip
    correct = metric_row_factory(
        "correctness", 0.82, 0.805, MetricVerdict.HELD, interval=(-0.046, 0.016), better=6, worse=9,
        p=0.24, allowed=0.01,
    )  # fmt: skip
    rows = [VAT, INVOICE, LIMITS, DRIFTED, TIMEOUT, REWORDED]
    rows += [BETTER.amended(sample_id=f"q{number:03}") for number in (9, 10, 11, 12)]
    more = [VAT.amended(sample_id=f"q2{i:02}") for i in range(12)]
    return report_factory(
        decision_factory(
            Verdict.FAILED,
            [correct, hits, faith],
            runs_candidate=3,
            confirmed=True,
            reasons=(
                "faithfulness fell by 0.065 (about 1 run in 303 by luck)",
                "hit_rate@10 fell by 0.025, 0.010 is allowed",
            ),
            warnings=("3 samples are unscored for faithfulness: judge timeout",),
            waivers=(
                WaiverRow(
                    sample_id="q077", metric="correctness", owner="billing",
                    reason="reference under review", until="2026-12-31",
                ),
            ),
            lines=(
                ("faithfulness, hit_rate@10, correctness are tested together:"
" at most 1 harmless change in 50 fails by chance"),
                ("with 200 samples and 3 baseline runs a drop of 4 points"
" in faithfulness is missed in one of five runs"),
            ),
        ),
        facts=RunFacts(
            samples=200, affected=156, reused=44, errors=1, unscored=3, model_calls=1316,
            cost_usd=3.05, duration_s=171,
        ),
        samples=(*rows, *more),
        unchanged=178,
        pull=7,
        origin=ORIGIN,
        links=LINKS,
        diagnosis=(
            Diagnosis(
                symptom="retrieval held, faithfulness fell",
                likely_cause="the model says more than its contexts do",
                action="compare the answer prompt with the baseline's",
            ),
        ),
    )  # fmt: skip


def two_causes() -> Report:
    """Retrieval and generation broke at once, and nothing tells which change did it."""
    lost = [INVOICE.amended(sample_id=f"q{n}", tags=("billing",)) for n in range(300, 305)]
    refusing = SampleSide(docs=("billing/vat.md",), answer="I do not know.", refused=True)
    silent = [VAT.amended(sample_id=f"q{n}", candidate=refusing) for n in range(310, 313)]
    talking = VAT.amended(sample_id="q320", tags=("legal",), baseline=refusing)
    row = metric_row_factory(
        "correctness", 0.91, 0.865, MetricVerdict.REGRESSED, blocks=True, better=0, worse=9,
        allowed=0.01, p=0.002, interval=(-0.07, -0.02),
    )  # fmt: skip
    return report_factory(
        decision_factory(Verdict.FAILED, [row], reasons=("correctness fell by 0.045",)),
        samples=(*lost, *silent, talking),
        diagnosis=(
            Diagnosis(
                symptom="retrieval fell", likely_cause="the index changed", action="look at top_k"
            ),
        ),
    )


def fall_that_held() -> Report:
    """Two metrics fell by less than is allowed, one of them by much; nothing blocks."""
    refusals = metric_row_factory(
        "refusal_recall", 0.524, 0.476, MetricVerdict.HELD, exact=True, worse=1, allowed=0.15
    )
    numbers = metric_row_factory(
        "number_recall", 0.517, 0.477, MetricVerdict.HELD, exact=True, better=2, worse=6,
        allowed=0.06,
    )  # fmt: skip
    return report_factory(decision_factory(metrics=[SAME, refusals, numbers]), samples=(VAT,))


def cannot_tell() -> Report:
    rows = [
        metric_row_factory("correctness", 0.783, 0.733, MetricVerdict.CANNOT_TELL, n=60,
            interval=(-0.136, 0.036), better=2, worse=5, p=0.14, mde=0.1, allowed=0.02),
        metric_row_factory("faithfulness", 0.933, 0.933, MetricVerdict.CANNOT_TELL, n=60,
            interval=(-0.065, 0.065), p=1.0, mde=0.08, allowed=0.02),
        metric_row_factory("hit_rate@10", 0.867, 0.867, MetricVerdict.UNCHANGED, n=60, exact=True),
        metric_row_factory("rouge_l", 0.41, 0.38, MetricVerdict.WORSE_HERE, n=60, level="warn",
            interval=(-0.06, 0.0), better=10, worse=22, p=0.08, p_here=0.01),
    ]  # fmt: skip
    return report_factory(
        decision_factory(
            metrics=rows, runs_candidate=3, remedies=("ragate power",),
            lines=(("with 60 samples and 3 baseline runs a drop of 10 points"
" in mrr is missed in one of five runs"),),
        ),
        gate="hr-assistant",
        facts=RunFacts(samples=60, affected=60, reused=0, model_calls=360, cost_usd=0.83,
            duration_s=82),
        data=DataChanges(matched=60, selected=60),
        samples=(VAT, LIMITS),
        unchanged=53,
    )  # fmt: skip


def not_comparable() -> Report:
    why = "the judge is gpt-5.2-mini, the baseline's was gpt-5-mini"
    rows = [
        metric_row_factory("faithfulness", None, 0.88, MetricVerdict.NOT_COMPARABLE, blocks=True,
            reason=why, floor=FloorResult(limit=0.85, kind="point", met=True)),
        metric_row_factory("correctness", None, 0.8, MetricVerdict.NOT_COMPARABLE, blocks=True,
            reason=why),
        SAME,
    ]  # fmt: skip
    return report_factory(
        decision_factory(
            Verdict.NO_DECISION, rows, reasons=(f"faithfulness, correctness: {why}",),
            remedies=("ragate baseline rejudge",),
        ),
    )  # fmt: skip


def no_baseline() -> Report:
    rows = [metric_row_factory("hit_rate@10", None, 0.9, MetricVerdict.SHOWN)]
    return report_factory(
        decision_factory(
            Verdict.NO_DECISION, rows, reasons=("baselines/support-bot.json does not exist",),
            remedies=("ragate baseline update",), runs_baseline=0,
        ),
        baseline_system=None,
        baseline_recorded="",
        facts=RunFacts(samples=200, duration_s=9.0),
    )  # fmt: skip


def other_rules() -> Report:
    """A pull request whose own rules are not the base's, which decide."""
    differs = (
        "[policy.metrics.faithfulness] minimum: 0.85 → 0.0",
        "the baseline baselines/gate.json",
        "the golden set evals/<b>golden</b>.jsonl",
    )
    floors = (
        SuggestedFloor(metric="hit_rate@10", unit="fraction", mean=0.9, key="minimum", limit=0.85),
    )
    return regression().amended(rules_differ=differs, suggested_floors=floors)


def bootstrap() -> Report:
    rows = [
        metric_row_factory("hit_rate@10", None, 0.9, MetricVerdict.SHOWN),
        metric_row_factory("faithfulness", None, 0.91, MetricVerdict.SHOWN, unscored_candidate=3,
            unscored_reasons={"judge timeout": 3}),
    ]  # fmt: skip
    first = INVOICE.amended(change="new", baseline=None, cause=None)
    return report_factory(
        decision_factory(
            Verdict.BOOTSTRAP, rows, runs_baseline=0,
            reasons=("the base commit has no ragate.toml",),
            remedies=("ragate baseline update",),
        ),
        facts=RunFacts(samples=200, unscored=3, unjudged=9, model_calls=400, cost_usd=0.93,
            duration_s=70),
        data=DataChanges(selected=200,
            missing_documents={"q044": ("billing/old.md",), "q101": ("a.md", "b.md", "c.md")}),
        samples=(first,),
        base="",
    )  # fmt: skip


def partial() -> Report:
    return report_factory(
        decision_factory(metrics=[SAME.amended(n=12)]),
        partial=True,
        retrieval_only=True,
        filters=Filters(tags=("billing", "vat"), limit=12),
        facts=RunFacts(samples=12, duration_s=1.2),
        data=DataChanges(matched=12, selected=12),
    )


def unscored() -> Report:
    row = metric_row_factory(
        "faithfulness", 0.91, 0.92, MetricVerdict.NOT_MEASURED, n=150, blocks=True,
        unscored_candidate=50, unscored_reasons={"provider: 429": 48, "judge timeout": 2},
        reason="50 of 200 samples are unscored, 10 are allowed",
    )  # fmt: skip
    return report_factory(
        decision_factory(
            Verdict.NO_DECISION, [row, SAME],
            reasons=("faithfulness: 50 of 200 samples are unscored, 10 are allowed",),
            remedies=("ragate check",),
        ),
        facts=RunFacts(samples=200, unscored=50, model_calls=260, cost_usd=0.4, duration_s=95),
    )  # fmt: skip


def voided_criterion() -> Report:
    """One criterion of the judge does not count, and the others decide beside it."""
    why = (
        "judge: the judge scored test answers wrongly, so its scores of relevancy were discarded: "
        "beside the point: relevancy is 1, expected 0"
    )
    missing = f"relevancy: 100.0% of the candidate's scores are missing; 5.0% is allowed: {why}"
    void = metric_row_factory(
        "relevancy", None, None, MetricVerdict.NOT_MEASURED, n=0, blocks=True,
        unscored_candidate=200, unscored_reasons={why: 200}, reason=missing,
    )  # fmt: skip
    held = metric_row_factory("faithfulness", 0.91, 0.92, MetricVerdict.HELD)
    return report_factory(
        decision_factory(
            Verdict.NO_DECISION, [void, held, SAME], reasons=(missing,),
            remedies=("ragate calibrate",),
        ),
        facts=RunFacts(samples=200, unscored=200, model_calls=246, cost_usd=0.4, duration_s=95),
    )  # fmt: skip


def floors_and_must_pass() -> Report:
    floor = FloorResult(limit=0.85, kind="point", met=False)
    ceiling = FloorResult(limit=2.0, kind="point", met=False)
    rows = [
        metric_row_factory("faithfulness", 0.855, 0.845, MetricVerdict.HELD, blocks=True,
            interval=(-0.03, 0.01), floor=floor, better=2, worse=4),
        metric_row_factory("latency_p95", 1.9, 2.31, MetricVerdict.SHOWN, level="warn",
            unit="seconds", direction=Direction.LOWER, aggregate=True, floor=ceiling),
    ]  # fmt: skip
    failing = MustPassRow(
        sample_id="q102", metric="correctness", pass_at=0.8, tries=3, failed=2, met=False,
        eligible=True, false_red=0.01, scores=(0.5, 0.5, 1.0),
    )  # fmt: skip
    return report_factory(
        decision_factory(
            Verdict.FAILED, rows, must_pass=(failing,),
            reasons=(
                "faithfulness 0.845 is below its floor 0.850",
                "must-pass q102: correctness missed its pass mark 0.800 in 2 of 3 tries",
            ),
        ),
        samples=(LIMITS,),
        pull=7,
    )  # fmt: skip


def accepted() -> Report:
    taken = Acceptance(metric="faithfulness", by="mona", reason="shorter answers <b>on purpose</b>")
    rows = [
        metric_row_factory("faithfulness", 0.91, 0.845, MetricVerdict.REGRESSED, accepted=True,
            interval=(-0.099, -0.031), better=4, worse=17, p=0.003),
        SAME,
    ]  # fmt: skip
    warning = "accepted by mona (shorter answers): faithfulness fell by 0.065 (0.910 -> 0.845)"
    return report_factory(
        decision_factory(metrics=rows, accepted=(taken,), warnings=(warning,)), samples=(VAT,)
    )


def earlier_runs() -> Report:
    fell = metric_row_factory("faithfulness", 0.91, 0.845, MetricVerdict.REGRESSED, blocks=True,
        interval=(-0.099, -0.031), better=4, worse=17, p=0.003)  # fmt: skip
    figure = EarlierFigure(metric="faithfulness", newest=0.845, earlier=0.912, pooled=0.895)
    runs = (
        EarlierRun(created="2026-11-20T09:14:00+00:00", passes=1),
        EarlierRun(created="2026-11-21T10:00:00+00:00", passes=3, failed=True),
    )
    earlier = EarlierPasses(runs=runs, use="differ", p_differ=0.002, metrics=(figure,))
    earlier = earlier.amended(note=note_of(earlier))
    decision = decision_factory(Verdict.FAILED, [fell, SAME], earlier=earlier)
    return report_factory(decision, samples=(VAT,))


def citations_taken_out() -> Report:
    """Leaving citations out does not pay: what there was to check fell, not the metric itself."""
    valid = metric_row_factory(
        "citation_validity", 0.985, 0.99, MetricVerdict.HELD, interval=(-0.01, 0.02), better=2,
        worse=1, p=0.8, mde=0.03, allowed=0.01,
    )  # fmt: skip
    held = metric_row_factory(
        "citation_validity.checked", 0.94, 0.82, MetricVerdict.REGRESSED, blocks=True, better=1,
        interval=(-0.17, -0.07), worse=25, p=0.0004, p_here=0.0002, mde=0.05, allowed=0.01,
        reason="citation_validity.checked fell by 0.120 (0.940 -> 0.820)",
    )  # fmt: skip
    quoted = metric_row_factory(
        "quote_fidelity.checked", 0.31, 0.29, MetricVerdict.CANNOT_TELL, level="warn",
        interval=(-0.07, 0.03), better=6, worse=10, p=0.3, mde=0.08, allowed=0.01,
    )  # fmt: skip
    quotes = metric_row_factory(
        "quote_fidelity", 1.0, 1.0, MetricVerdict.UNCHANGED, level="warn", interval=None
    )
    bare = sample_row_factory(
        "q017",
        "What does the team plan cost?",
        expected=["plans.md"],
        docs=(["plans.md"], ["plans.md"]),
        answers=("12 euros a month. [1]", "12 euros a month."),
        scores={"citation_validity": (1.0, 1.0), "citation_validity.checked": (1.0, 0.0)},
    )
    report = report_factory(
        decision_factory(
            Verdict.FAILED, [quotes, quoted, valid, held], runs_candidate=3, confirmed=True,
            reasons=("citation_validity.checked fell by 0.120 (0.940 -> 0.820)",),
            lines=(TWO_TESTED,),
        ),
        samples=(bare,),
    )  # fmt: skip
    return counts_in_metrics(report)


def golden_set_changed() -> Report:
    return report_factory(
        decision_factory(metrics=[HELD, SAME]),
        data=DataChanges(
            matched=195,
            selected=200,
            added=("q201", "q202", "q203", "q007"),
            edited=("q007",),
            renamed={"q050": "billing-50"},
            failing=("q007", "q203"),
            removed=(
                RemovedSample(sample_id="q007", means={"hit_rate@10": 1.0}),
                RemovedSample(sample_id="q044", means={"hit_rate@10": 0.0, "faithfulness": 0.33}),
                RemovedSample(sample_id="q045", means={"hit_rate@10": 1.0}),
            ),
            missing_documents={"q101": ("billing/renamed.md",)},
        ),
    )


def slice_fell() -> Report:
    """Billing fell, and the whole set held: one question of six is about billing."""
    held = metric_row_factory(
        "faithfulness", 0.91, 0.893, MetricVerdict.HELD, interval=(-0.034, 0.002), better=7,
        worse=12, p=0.06, mde=0.044, allowed=0.01,
    )  # fmt: skip
    of_slices: dict[str, Any] = {"metric": "faithfulness", "level": "error", "n": 33, "samples": 33}
    billing = SliceRow(
        slice="billing", conditions=("tags billing, invoices",), baseline=0.92, candidate=0.80,
        change=-0.12, interval=(-0.21, -0.04), worse=6, p=0.0021, allowed=0.061, mde=0.104,
        verdict=MetricVerdict.REGRESSED, blocks=True,
        reason="billing:faithfulness fell by 0.120 (0.920 -> 0.800)", **of_slices,
    )  # fmt: skip
    forum = SliceRow(
        slice="forum", conditions=("source=forum",), baseline=0.88, candidate=0.89, change=0.01,
        interval=(-0.06, 0.08), better=2, worse=1, p=0.9, allowed=0.061, mde=0.112,
        verdict=MetricVerdict.CANNOT_TELL, **of_slices,
    )  # fmt: skip
    few = SliceRow(
        slice="vat", conditions=("tags vat",), baseline=0.75, candidate=0.75, change=0.0,
        verdict=MetricVerdict.CANNOT_TELL, too_few=True,
        reason="8 samples count: shown only, from 20 on a slice can fail the gate",
        **(of_slices | {"level": "warn", "n": 8, "samples": 8}),
    )  # fmt: skip
    return report_factory(
        decision_factory(
            Verdict.FAILED, [held, SAME], slices=(billing, forum, few), runs_candidate=3,
            confirmed=True, reasons=("billing:faithfulness fell by 0.120 (0.920 -> 0.800)",),
            lines=(
                "mrr is tested: at most 1 harmless change in 67 fails by chance",
                "2 slices tested as well: at most 1 harmless change in 200 fails by them",
            ),
        ),
        samples=(LIMITS, VAT.amended(slices=("billing",))),
        pull=7,
    )  # fmt: skip


def pass_rate_fell() -> Report:
    """Fewer answers reach the mark, and the mean hardly moved."""
    share = PassShare(mark=4.0, n=200, baseline=0.82, candidate=0.74, interval=(0.675, 0.796))
    mean = metric_row_factory(
        "correctness", 4.21, 4.17, MetricVerdict.HELD, unit="grade", interval=(-0.11, 0.03),
        better=14, worse=22, p=0.14, mde=0.16, allowed=0.04, pass_share=share,
    )  # fmt: skip
    fell = metric_row_factory(
        "correctness.pass", 0.82, 0.74, MetricVerdict.REGRESSED, blocks=True, better=2, worse=18,
        interval=(-0.12, -0.04), p=0.0008, mde=0.051, allowed=0.01,
        floor=FloorResult(limit=0.75, kind="point", met=False),
        reason="correctness.pass fell by 0.080 (0.820 -> 0.740)",
    )  # fmt: skip
    return report_factory(
        decision_factory(
            Verdict.FAILED, [mean, fell], runs_candidate=3, confirmed=True,
            reasons=(
                "correctness.pass fell by 0.080 (0.820 -> 0.740)",
                "correctness.pass is 0.740, below its minimum 0.750",
            ),
            lines=(TWO_TESTED,),
        ),
        samples=(VAT,),
        pull=7,
    )  # fmt: skip


CASES: dict[str, Callable[[], Report]] = {
    case.__name__: case
    for case in (
        unchanged,
        improvement,
        regression,
        cannot_tell,
        not_comparable,
        no_baseline,
        bootstrap,
        other_rules,
        partial,
        unscored,
        voided_criterion,
        floors_and_must_pass,
        accepted,
        earlier_runs,
        citations_taken_out,
        golden_set_changed,
        two_causes,
        fall_that_held,
        slice_fell,
        pass_rate_fell,
        scorecard,
        checkout_rules,
    )
}
