"""Single samples as they stand: four scenarios, what fails, and what was so before."""

from __future__ import annotations

import pytest

from ragate.core.diagnosis.advice import MODEL
from ragate.core.diagnosis.standing_faults import fault_of, standing_faults
from ragate.models import Direction, Failure, MetricInfo, Record, Score
from tests.factories import output_factory, record_factory, sample_factory

INFOS = {
    name: MetricInfo(name=name, low=low, high=high, direction=direction)
    for name, low, high, direction in (
        ("hit_rate@5", 0, 1, Direction.HIGHER),
        ("mrr@5", 0, 1, Direction.HIGHER),
        ("faithfulness", 0, 1, Direction.HIGHER),
        ("unsupported_numbers", 0, 1, Direction.LOWER),
        ("relevancy", 0, 1, Direction.HIGHER),
        ("correctness", 1, 5, Direction.HIGHER),
    )
}
FINE = {"hit_rate@5": 1.0, "mrr@5": 1.0, "faithfulness": 1.0, "relevancy": 1.0, "correctness": 5.0}


def record(name: str = "q", run: int = 0, **values: float) -> Record:
    named = {key.replace("_at_", "@"): value for key, value in values.items()}
    scores = {key: Score(metric=key, value=value) for key, value in (FINE | named).items()}
    return record_factory(sample_factory(name), run=run, scores=dict(scores))


@pytest.mark.parametrize(
    ("values", "symptom"),
    [
        ({"faithfulness": 0.0}, "the answer says what the contexts do not"),
        ({"unsupported_numbers": 0.5}, "the answer says what the contexts do not"),
        ({"relevancy": 0.0}, "true to the contexts, beside the question"),
        ({"hit_rate_at_5": 0.0, "mrr_at_5": 0.0}, "no expected document is retrieved"),
        ({"correctness": 2.5}, "the answer is right in part or wrong"),
        ({"faithfulness": 0.0, "relevancy": 0.0}, "neither true to the contexts nor to the point"),
        ({"mrr_at_5": 0.25}, "the expected documents come third or later"),
    ],
)
def test_each_scenario_is_told_from_the_others(values: dict[str, float], symptom: str) -> None:
    assert fault_of([record("q", 0, **values)], INFOS, MODEL).startswith(symptom)


def test_a_lost_document_is_named_before_what_follows_from_it() -> None:
    found = fault_of([record(hit_rate_at_5=0.0, faithfulness=0.0, correctness=1.0)], INFOS, MODEL)

    assert found.startswith("no expected document is retrieved")


def test_nothing_is_said_of_a_sample_that_is_fine() -> None:
    assert fault_of([record()], INFOS, MODEL) == ""
    assert fault_of([], INFOS, MODEL) == ""


def test_a_failure_of_the_system_comes_first() -> None:
    failed = output_factory(error=Failure(kind="system", message="boom"))
    broken = record(hit_rate_at_5=0.0).amended(output=failed)

    assert fault_of([broken], INFOS, MODEL).startswith("the system fails")


def test_one_bad_pass_of_three_is_no_fault() -> None:
    passes = [record(run=0, relevancy=0.0), record(run=1), record(run=2), record(run=3)]

    assert fault_of(passes, INFOS, MODEL) == ""


def test_what_was_bad_already_is_counted_and_most_come_first() -> None:
    now = [record(f"q{n}", relevancy=0.0) for n in range(4)] + [record("r", hit_rate_at_5=0.0)]
    before = [record("q0", relevancy=0.0), record("q1", relevancy=0.0), record("q2")]

    rows = standing_faults([*now, record("fine")], before, INFOS, MODEL)

    beside, missed = (row.symptom for row in rows)
    assert beside.startswith(
        "4 of 6 samples as they stand, 2 of them in the baseline as well: true"
    )
    assert beside.endswith("beside the question: q0, q1, q2 and 1 more")
    assert missed == "1 of 6 samples as they stand: no expected document is retrieved: r"


@pytest.mark.parametrize(("more", "is_named"), [(0, False), (2, False), (9, True)])
def test_a_cause_is_named_only_where_more_samples_have_the_fault_than_in_the_baseline(
    more: int, is_named: bool
) -> None:
    names = [f"q{number:02}" for number in range(60)]
    now = [record(name, faithfulness=float(n > more)) for n, name in enumerate(names)]
    before = [record(name, faithfulness=float(n > 0)) for n, name in enumerate(names)]

    [row] = standing_faults(now, before, INFOS, MODEL)

    assert (row.likely_cause == MODEL.made_up) is is_named


def test_where_nothing_of_it_was_measured_nothing_is_said() -> None:
    assert standing_faults([record(relevancy=0.0)], [], {}, MODEL) == ()
