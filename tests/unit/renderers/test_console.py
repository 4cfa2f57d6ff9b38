"""The terminal: the verdict first, 40 lines of its width, and foreign text stays text."""

from __future__ import annotations

import re

import pytest

from ragate.models import (
    CauseKind,
    ChangedPart,
    ChangeOrigin,
    Diagnosis,
    MetricVerdict,
    MustPassRow,
    Report,
    SampleOutcome,
    SampleSide,
    Story,
    Verdict,
)
from ragate.renderers import console, markdown
from ragate.renderers._lines import columns, wrapped
from ragate.renderers._lists import lists, set_up, stages
from ragate.renderers.console import MOST, Page, at_most, every_sample
from tests.factories import decision_factory, metric_row_factory, report_factory, sample_row_factory
from tests.unit.renderers.cases import CASES
from tests.unit.renderers.test_markdown import EVIL, report_made_of

MANY = tuple(sample_row_factory(f"q{i:03}") for i in range(25))


def failed(error: str, *ids: str, **fields: object) -> list[object]:
    side = SampleSide(error=error)
    return [sample_row_factory(key, change="failed", candidate=side, **fields) for key in ids]  # type: ignore[arg-type]


def one_word(line: str) -> bool:
    """Return whether a line is a name with at most an indent, or a command: neither is broken."""
    return len(line.split()) == 1 or line.startswith("  -> ")


def large() -> Report:
    """Return a red report with more of everything than a screen holds."""
    rows = [
        metric_row_factory(
            f"a_metric_with_quite_a_long_name_{i}@10", 0.9, 0.8, MetricVerdict.REGRESSED,
            blocks=True, worse=5, allowed=0.01,
        )
        for i in range(30)
    ]  # fmt: skip
    sentence = "a sentence of some length that has to be broken once or twice in eighty columns "
    return report_factory(
        decision_factory(
            Verdict.FAILED, rows, reasons=[sentence * 3] * 9, warnings=[sentence * 3] * 40,
            remedies=("ragate baseline update", "ragate power"), lines=[sentence] * 5,
        ),
        samples=MANY,
    )  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_the_verdict_stands_first_and_last_with_what_to_type_below(name: str) -> None:
    report = CASES[name]()
    blocks = console.render(report).strip().split("\n\n")
    word = report.decision.verdict.value.replace("_", " ").upper()
    first = "MEASURED" if "baseline" in name or name == "bootstrap" else word

    assert re.search(rf"^{first}  ", blocks[0], re.MULTILINE)
    assert blocks[-1].startswith(f"{word} (exit {report.decision.exit_code})")
    assert blocks[-1].count("  -> ") >= len(report.decision.remedies)


@pytest.mark.parametrize("report", [*(case() for case in CASES.values()), large()])
def test_a_report_has_at_most_40_lines_of_80_columns(report: Report) -> None:
    lines = console.render(report).splitlines()

    assert len(lines) <= 40
    assert not [line for line in lines if columns(line) > 80 and not one_word(line)]


@pytest.mark.parametrize("text", EVIL)
def test_a_report_of_hostile_text_has_at_most_40_lines(text: str) -> None:
    assert len(console.render(report_made_of(text)).splitlines()) <= 40


def test_what_is_left_out_is_counted_beside_the_command_that_shows_it() -> None:
    text = console.render(report_factory(samples=MANY))
    listed = len(re.findall(r"(?m)^  q\d+", text))

    assert 3 <= listed < 25
    assert f"and {25 - listed} more questions: ragate report 20261118-101500 --verbose" in " ".join(
        text.split()
    )


def test_verbose_lists_everything() -> None:
    report = large()
    text = console.render(report, verbose=True)

    assert len(re.findall(r"(?m)^  q\d+", text)) == 25
    assert all(row.metric in text for row in report.decision.metrics)
    assert text.count("  - a sentence") == 9 + 40 + 5
    assert text.count("Why: a sentence") == 3
    assert "--verbose" not in text


def test_samples_that_failed_with_one_error_are_said_once_with_their_number() -> None:
    samples = failed("timeout after 60 s", *(f"q{i}" for i in range(17)))
    text = console.render(report_factory(samples=samples))

    assert "17 of 17 failed with one error: timeout after 60 s" in text
    assert text.count("timeout after 60 s") == 2  # of all, and of the first
    assert "and 16 more questions" in text


def test_a_must_pass_sample_among_those_that_failed_alike_is_named() -> None:
    samples = [*failed("timeout", "q1", "q2", "q3"), *failed("timeout", "q9", must_pass=True)]

    text = console.render(report_factory(samples=samples))
    assert "must-pass among them: q9" in text


def test_why_a_must_pass_sample_fails_is_said_once_beside_the_sample() -> None:
    row = MustPassRow(
        sample_id="q102", metric="correctness", pass_at=0.8, tries=3, failed=2, met=False,
        eligible=True,
    )  # fmt: skip
    reason = "must-pass q102: correctness missed its pass mark 0.800 in 2 of 3 tries"
    decision = decision_factory(Verdict.FAILED, must_pass=(row,), reasons=(reason,))
    listed = sample_row_factory("q102", must_pass=True)

    text = console.render(report_factory(decision, samples=[listed]))
    assert reason not in text
    assert "fails correctness in 2 of 3 tries; same documents" in text
    unlisted = " ".join(console.render(report_factory(decision)).split())
    assert "Must pass: q102 fails correctness in 2 of 3 tries." in unlisted


@pytest.mark.parametrize(
    ("case", "colour"), [("regression", 31), ("cannot_tell", 33), ("improvement", 0)]
)
def test_samples_that_got_worse_have_the_colour_of_the_verdict(case: str, colour: int) -> None:
    text = console.render(CASES[case](), colour=True)
    worse = next(line for line in text.splitlines() if re.search(r"^  \S*q\d\d\d", line))

    assert worse.startswith(f"  \x1b[{colour}mq" if colour else "  q")


def test_colour_changes_no_text() -> None:
    report = CASES["regression"]()
    coloured = console.render(report, colour=True)

    assert "\x1b[31m" in coloured
    assert re.sub(r"\x1b\[\d+m", "", coloured) == console.render(report)


@pytest.mark.parametrize("verbose", [False, True])
@pytest.mark.parametrize("text", EVIL)
def test_foreign_text_gives_neither_escape_sequences_nor_workflow_commands(
    text: str, verbose: bool
) -> None:
    shown = console.render(report_made_of(text), verbose=verbose)

    assert "\x1b" not in shown
    assert "##[" not in shown
    assert not [line for line in shown.splitlines() if line.lstrip().startswith("::")]


def test_a_change_too_small_for_a_decimal_is_not_printed_as_none() -> None:
    rows = [metric_row_factory(baseline=0.5, candidate=0.4997)]
    text = console.render(report_factory(decision_factory(metrics=rows)))

    assert "−0.03" in text


def test_what_is_missing_is_said_once_where_there_is_no_baseline_either() -> None:
    missing = metric_row_factory("mrr", None, None, MetricVerdict.NOT_MEASURED)
    decision = decision_factory(Verdict.NO_DECISION, [missing])

    text = console.render(report_factory(decision, baseline_system=None))

    assert "MEASURED  support-bot: no baseline yet · blocks the merge" in text
    assert "there is no baseline to compare with" not in text
    assert "not measured" in text


def test_a_long_name_of_a_metric_has_a_line_of_its_own_and_is_whole() -> None:
    name = "billing_and_invoices:citation_validity_of_all"
    text = console.render(report_factory(decision_factory(metrics=[metric_row_factory(name)])))

    assert f"\n{name}\n" in text


def test_lines_break_between_words_and_a_long_word_is_whole() -> None:
    word = "x" * 90

    assert wrapped(f"one {word} two", first="- ", rest="  ") == ["- one", f"  {word}", "  two"]


def test_wide_characters_count_two_columns_and_may_be_parted() -> None:
    lines = wrapped("請" * 100)

    assert [columns(line) for line in lines] == [80, 80, 44]
    assert "".join(line.strip() for line in lines) == "請" * 100


def test_what_is_to_be_done_begins_as_a_sentence_does() -> None:
    said = Diagnosis(symptom="it fails", likely_cause="exceptions", action="read the errors")
    report = report_factory().model_copy(update={"diagnosis": (said,)})

    assert "it fails: exceptions: Read the errors" in console.render(report, verbose=True)


def test_a_reason_that_repeats_its_row_is_not_said() -> None:
    rows = [
        metric_row_factory(
            name, 0.9, 0.8, MetricVerdict.REGRESSED, blocks=True, exact=exact, reason=f"{name} fell"
        )
        for name, exact in (("recall@5", True), ("faithfulness", False), ("relevancy", False))
    ]
    decision = decision_factory(
        Verdict.FAILED, rows, reasons=[*(row.reason for row in rows), "token_f1 has no value"]
    )
    text = console.render(report_factory(decision))

    assert re.findall(r"(?m)^  Why: (.*)$", text) == ["token_f1 has no value"]


def test_two_scores_of_a_sample_are_shown_and_the_others_counted() -> None:
    scores: dict[str, tuple[float | None, float | None]] = dict.fromkeys("abcd", (1.0, 0.0))
    text = console.render(report_factory(samples=[sample_row_factory(scores=scores)]))

    assert "a 1 → 0, b 1 → 0 and 2 more" in text


def test_a_cut_text_ends_with_an_ellipsis_within_its_width() -> None:
    lines = at_most(wrapped("word " * 60), 2)

    assert len(lines) == 2
    assert lines[1].endswith("word …")
    assert columns(lines[1]) <= 80


def test_what_changed_stands_below_the_verdict_with_its_line_in_place_of_a_guess() -> None:
    report = CASES["regression"]()
    said = Diagnosis(symptom="it fails", likely_cause="a guess", action="read on")
    parts = [ChangedPart(words="top_k = 1 (was 10)", path="ragate.toml", line=79)]
    many = ChangeOrigin(parts=(*parts, ChangedPart(path="prompts/answer.md", line=14)))
    alone = ChangeOrigin(parts=tuple(parts), alone=True)

    text = console.render(report.amended(origin=many, diagnosis=(said,)))
    assert "\n  Changed here: ragate.toml:79 top_k = 1 (was 10), prompts/answer.md:14." in text
    assert "a guess" not in text
    one = console.render(report.amended(origin=alone))
    assert "\n  Because of ragate.toml:79 top_k = 1 (was 10), the only difference:" in one
    counted = console.render(report.amended(origin=ChangeOrigin(), diagnosis=(said,)))
    assert "a guess" not in counted
    nothing = report.amended(origin=ChangeOrigin(), diagnosis=(said,), story=Story())
    assert "Likely: a guess → read on" in console.render(nothing)


def test_what_came_instead_is_named_also_where_retrieval_is_not_blamed() -> None:
    row = sample_row_factory(
        docs=(["billing/vat.md"], ["terms.md"]), cause=CauseKind.DATA, evidence="it was edited"
    )
    text = console.render(report_factory(samples=[row]))

    assert "data: it was edited; expected billing/vat.md, rank 1 → gone" in text


@pytest.mark.parametrize(
    ("evidence", "said"),
    [
        ("expected billing/vat.md is not in the corpus", "; came instead: terms.md"),
        ("same text under another id: billing/vat.md as terms.md", ""),
    ],
)
def test_a_document_that_the_evidence_names_is_not_told_twice(evidence: str, said: str) -> None:
    docs = (["billing/vat.md"], ["terms.md"])
    row = sample_row_factory(docs=docs, cause=CauseKind.DATA, evidence=evidence)
    text = " ".join(console.render(report_factory(samples=[row])).split())

    assert f"data: {evidence}{said}; was No" in text


def test_metrics_that_block_and_have_no_room_in_the_table_are_named_as_such() -> None:
    rows = [
        metric_row_factory(f"metric_{i}", 0.9, 0.8, MetricVerdict.REGRESSED, blocks=True)
        for i in range(10)
    ]
    held = metric_row_factory("metric_held")
    text = console.render(report_factory(decision_factory(Verdict.FAILED, [*rows, held])))

    told = " ".join(text.split())
    assert "Blocks as well: metric_8 (−10.0), metric_9 (−10.0). Unchanged: metric_held" in told


def test_a_row_that_leaves_the_gate_undecided_is_yellow_as_the_verdict_is() -> None:
    text = console.render(CASES["not_comparable"](), colour=True)

    assert "\x1b[33mfaithfulness" in text
    assert "\x1b[31m" not in text


def test_it_is_told_how_many_questions_a_metric_has_no_score_of_and_mostly_why() -> None:
    told = "Unscored: faithfulness in 50 questions: mostly provider: 429."
    assert told in console.render(CASES["unscored"]())


def test_a_metric_that_checked_nothing_is_not_called_unchanged() -> None:
    rows = [metric_row_factory("polarity", checks_nothing=True), metric_row_factory("mrr")]
    report = report_factory(decision_factory(metrics=rows))

    assert re.search(r"(?m)^polarity .* nothing to check$", console.render(report))
    assert "Nothing to check: polarity. Unchanged: mrr." in markdown.render(report)


PAGE = Page(colour=False, ci=True)
SETTINGS = {
    "chunk_size": "512",
    "answer.model": '"gpt-5-mini"',
    "retrieval": '"bm25"',
    "top_k": "15",
    "word_forms": "true",
    "answer.prompt": '""',
}


def test_models_and_top_k_stand_before_other_settings() -> None:
    report = report_factory(settings=SETTINGS, judge="rubric openai gpt-5-nano")

    assert "".join(set_up(report, most=9)) == (
        "System: pgvector · judge rubric openai gpt-5-nano · answer.model gpt-5-mini · top_k 15 · "
        "retrieval bm25 · chunk_size 512 · word_forms true"
    )
    assert "".join(set_up(report, most=2)).endswith("gpt-5-mini and 4 more")


def test_a_system_of_which_nothing_is_known_has_no_line() -> None:
    assert set_up(report_factory()) == []


def test_a_setting_cannot_start_a_command_of_the_log() -> None:
    text = console.render(report_factory(settings={"x": '"::error::y"', "z": "no json"}))

    assert "\n::error" not in text
    assert "z no json" in text


def test_every_sample_has_its_word_its_scores_and_its_time() -> None:
    report = report_factory(
        outcomes=(
            SampleOutcome("q1", False, True, {"recall@5": 0.5, "faithfulness": None}, 12.34),
            SampleOutcome("q2", True, True, {"recall@5": 1.0}),
            SampleOutcome("q3", None, None, {}),
        )
    )

    assert every_sample(report, PAGE)[1:] == [
        "  FAIL (was PASS) q1: recall@5 0.5, faithfulness –, 12.34 s",
        "  PASS q2: recall@5 1",
        "  – q3:",
    ]
    assert "FAIL (was PASS) q1" in console.render(report, verbose=True)
    assert "FAIL (was PASS) q1" not in console.render(report)


def test_of_very_many_samples_the_first_are_listed_and_the_rest_counted() -> None:
    report = report_factory(outcomes=tuple(SampleOutcome(f"q{n}") for n in range(MOST + 7)))

    assert every_sample(report, PAGE)[-1] == "  and 7 more: --format json"


def test_without_a_scorecard_nothing_is_said() -> None:
    assert stages(report_factory()) == []
    assert "Pass rate by stage, tag and field" not in lists(report_factory())


def test_a_terminal_sets_the_width_within_what_can_be_read() -> None:
    report = CASES["regression"]()

    def widest(terminal: int) -> int:
        lines = console.render(report, terminal=terminal).splitlines()
        return max(columns(line) for line in lines if not one_word(line))

    assert 80 < widest(110) <= 110
    assert widest(400) <= 120
    assert widest(0) <= 80
