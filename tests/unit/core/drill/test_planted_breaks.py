from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.core.drill.detection import DrillRow, drill
from ragate.core.drill.planted_breaks import BREAKS, Pair, break_output, plant
from ragate.core.hashing import output_hash
from ragate.models import (
    Decision,
    Failure,
    MetricInfo,
    MetricRow,
    MetricVerdict,
    MustPassRow,
    Reads,
    RetrievedChunk,
    Sample,
    SystemOutput,
    Verdict,
)

ANSWER = "The limit is 600 requests, as Anna Keller decided in 2024 [1]."
OTHER = SystemOutput(answer="Invoices come monthly.", citations=(1,))


def output(answer: str | None = ANSWER, docs: Sequence[str] = ("a", "a", "b", "c")) -> SystemOutput:
    chunks = tuple(RetrievedChunk(doc_id=one, text=f"{one} {n}") for n, one in enumerate(docs))
    return SystemOutput(chunks=chunks, answer=answer, citations=(1, 3), request_hash="r")


def pairs(number: int, **fields: object) -> list[Pair]:
    return [
        (Sample(id=f"q{n}", query="?"), output(f"Answer {n} of Anna says it is {n}.", **fields))  # type: ignore[arg-type]
        for n in range(number)
    ]


def test_dropping_the_top_document_takes_all_its_chunks_and_moves_the_citations():
    broken = break_output("drop_top_document", output())

    assert [chunk.doc_id for chunk in broken.chunks] == ["b", "c"]
    assert broken.citations == (0, 1)


def test_shuffling_keeps_the_chunks_and_their_citations():
    broken = break_output("shuffle_ranking", output(docs=[str(n) for n in range(9)]))

    assert sorted(chunk.doc_id for chunk in broken.chunks) == [str(n) for n in range(9)]
    assert broken.citations is not None
    assert [broken.chunks[one - 1].doc_id for one in broken.citations] == ["0", "2"]


def test_empty_contexts_leave_citations_that_resolve_to_nothing():
    broken = break_output("empty_contexts", output())

    assert (broken.chunks, broken.citations) == ((), (0, 0))


@pytest.mark.parametrize(
    ("name", "answer", "expected"),
    [
        ("change_numbers", "It is 600 or 9.5 [1], [2, 3].", "It is 700 or 1.5 [1], [2, 3]."),
        ("change_numbers", "v2 and A4 stay", "v2 and A4 stay"),
        ("change_names", "The plan is free.", "The plan is free."),
        ("negate", "Yes, it is.", "No, it is."),
        ("negate", "It is not allowed.", "It is allowed."),
        ("negate", "It isn't allowed.", "It is allowed."),
        ("negate", "It is allowed.", "It is not allowed."),
        ("negate", "600 a minute.", "It is not true that 600 a minute."),
        ("truncate", "one two three four five six", "one two"),
        ("truncate", "one two three", "one two three"),
    ],
)
def test_an_answer_is_broken(name: str, answer: str, expected: str):
    assert break_output(name, SystemOutput(answer=answer)).answer == expected


def test_another_name_stands_for_each_name_inside_a_sentence():
    broken = break_output("change_names", SystemOutput(answer="The head is Anna Keller now."))

    assert broken.answer
    assert "Keller" not in broken.answer
    assert broken.answer.startswith("The head is ")


def test_swapping_takes_the_first_other_answer_that_differs():
    same = SystemOutput(answer=ANSWER)

    broken = break_output("swap_answers", output(), [same, OTHER])

    assert (broken.answer, broken.citations) == (OTHER.answer, (1,))
    assert break_output("swap_answers", output(), [same]).answer == ANSWER


def test_a_broken_output_is_no_longer_known_by_its_request():
    assert break_output("negate", output()).request_hash is None
    assert break_output("change_numbers", output("no number")).request_hash == "r"


def test_an_unknown_break_is_an_error():
    with pytest.raises(KeyError):
        break_output("explode", output())
    with pytest.raises(KeyError):
        plant([], "explode", 0.5)


@pytest.mark.parametrize("share", [0, -0.1, 1.01, float("nan")])
def test_a_share_outside_its_range_is_an_error(share: float):
    with pytest.raises(ValueError, match="share"):
        plant(pairs(3), "negate", share)


@given(
    st.sampled_from(BREAKS),
    st.floats(0.01, 1),
    st.floats(0.01, 1),
    st.integers(1, 30),
    st.integers(),
)
def test_a_larger_share_breaks_the_same_samples_and_more(
    name: str, one: float, other: float, number: int, seed: int
):
    small, large = (plant(pairs(number), name, share, seed) for share in sorted((one, other)))

    assert set(small.ids) <= set(large.ids)
    assert small == plant(pairs(number), name, min(one, other), seed)


@given(st.sampled_from(BREAKS), st.floats(0.01, 1), st.integers(1, 30))
def test_what_is_planted_is_what_differs(name: str, share: float, number: int):
    before = pairs(number)
    planted = plant(before, name, share)

    assert [sample for sample, _ in planted.pairs] == [sample for sample, _ in before]
    differs = [
        sample.id
        for (sample, old), (_, new) in zip(before, planted.pairs, strict=True)
        if output_hash(old) != output_hash(new)
    ]
    assert tuple(differs) == planted.ids
    assert len(planted.ids) <= planted.wanted


@given(st.sampled_from(BREAKS), st.text(max_size=80))
def test_any_answer_can_be_broken_or_left(name: str, answer: str):
    assert break_output(name, output(answer), [OTHER]).error is None


def test_the_seed_chooses_other_samples():
    chosen = {plant(pairs(40), "negate", 0.1, seed).ids for seed in range(5)}

    assert len(chosen) > 1


def test_outputs_that_failed_or_hold_nothing_to_break_are_passed_over():
    failed = SystemOutput(error=Failure(kind="system", message="boom"))
    given_pairs = [
        (Sample(id="failed", query="?"), failed),
        (Sample(id="plain", query="?"), output("no number at all")),
        (Sample(id="number", query="?"), output("It is 5.")),
    ]

    planted = plant(given_pairs, "change_numbers", 1.0)

    assert (planted.ids, planted.wanted) == (("number",), 3)


# --- the drill --------------------------------------------------------------------------------

METRICS = {
    "mrr": MetricInfo(name="mrr", reads=Reads.RETRIEVAL),
    "idf_f1": MetricInfo(name="idf_f1"),
}


def metric(name: str, mean: float, **more: object) -> MetricRow:
    fields = {"level": "error", "verdict": MetricVerdict.HELD} | more
    return MetricRow(metric=name, candidate=mean, **fields)


class Gate:
    """Reads answers: red where a share of them, 0.2 by default, lost its number."""

    def __init__(self, *, reddens_at: float = 0.2, **row: object) -> None:
        self.reddens_at, self.row, self.calls = reddens_at, row, 0

    def __call__(self, outputs: Sequence[Pair]) -> Decision:
        self.calls += 1
        right = [str(one.answer).endswith(f" {sample.id[1:]}.") for sample, one in outputs]
        mean = sum(right) / len(right)
        red = 1 - mean >= self.reddens_at - 1e-9
        row = metric("idf_f1", mean, blocks=red, **self.row)
        verdict = Verdict.FAILED if red else Verdict.PASSED
        return Decision(verdict=verdict, metrics=(row,))


def one_row(name: str, gate: object, **more: object) -> DrillRow:
    found = drill(pairs(20), gate, metrics=METRICS, names=[name], **more)  # type: ignore[arg-type]
    return found.rows[0]


def test_the_smallest_share_that_is_caught_is_found():
    gate = Gate()
    found = drill(pairs(20), gate, metrics=METRICS, names=["change_numbers"])

    (row,) = found.rows
    assert (row.share, row.planted, row.caught, row.by) == (0.2, 4, True, ("idf_f1",))
    assert [one.share for one in found.tries] == [0.05, 0.1, 0.2]
    assert gate.calls == 4
    assert (found.caught, found.clean, found.samples) == (1, Verdict.PASSED, 20)


def test_a_break_that_no_metric_reads_says_so():
    row = one_row("drop_top_document", Gate(level="warn"))

    assert not row.caught
    expected = "no error-level metric reads the retrieved chunks: idf_f1 is at level warn"
    assert row.why_not == expected


def test_a_break_that_lowers_nothing_says_so():
    row = one_row("shuffle_ranking", Gate())

    assert row.why_not == "idf_f1 read the retrieved chunks, and this break lowers none of them"


def test_a_drop_that_is_too_small_names_what_the_set_can_see():
    row = one_row("change_numbers", Gate(reddens_at=2.0, mde=0.31), shares=(0.1,))

    assert row.why_not == (
        "idf_f1 fell by 0.100 with 2 samples broken; this set can see drops of 0.310 or more"
    )


def test_a_drop_that_is_allowed_names_the_limit():
    row = one_row("change_numbers", Gate(reddens_at=2.0, limit=0.2), shares=(0.1,))

    assert row.why_not.endswith("; 0.200 is allowed")


def test_nothing_to_break_says_so_and_is_judged_once():
    gate = Gate()
    given_pairs = [(Sample(id="a1", query="?"), output("no number"))]

    found = drill(given_pairs, gate, metrics=METRICS, names=["change_numbers"])

    assert found.rows[0].why_not == "no output that this break could change"
    assert gate.calls == 1


def test_what_was_red_before_the_break_proves_nothing():
    row = one_row("change_numbers", Gate(reddens_at=0.0))

    assert not row.caught
    assert row.why_not == "idf_f1 was red without the break"


def test_no_decision_is_not_called_caught():
    def no_decision(outputs: Sequence[Pair]) -> Decision:
        rows = (metric("idf_f1", 0.5),)
        return Decision(verdict=Verdict.NO_DECISION, metrics=rows, reasons=("too few samples",))

    assert one_row("negate", no_decision).why_not == "no decision: too few samples"


def test_a_must_pass_sample_can_catch_a_break():
    def must(outputs: Sequence[Pair]) -> Decision:
        met = all(" not" not in str(one.answer) for _, one in outputs)
        row = MustPassRow(
            sample_id="q1", metric="idf_f1", pass_at=1, tries=3, failed=3, met=met, eligible=True
        )
        verdict = Verdict.PASSED if met else Verdict.FAILED
        return Decision(verdict=verdict, must_pass=(row,))

    assert one_row("negate", must).by == ("must-pass",)
