from __future__ import annotations

from ragate.core.diagnosis.changed_samples import changed_samples
from ragate.models import Failure, Rule
from tests.unit.core.diagnosis.changed_factory import RULES, changed, sample
from tests.unit.core.diagnosis.diagnosis_factory import SAMPLE, record, run_of


def test_equal_samples_are_counted_and_not_listed():
    same = [record(idf_f1=1.0)]

    assert changed([SAMPLE], same, same) == ((), 1)


def test_an_output_that_the_baseline_gave_in_one_run_is_no_change():
    before = [record(idf_f1=1.0), record(answer="Other words.", run=1, idf_f1=1.0)]

    assert changed([SAMPLE], before, [record(idf_f1=1.0)]) == ((), 1)


def test_failures_come_first_and_better_ones_last():
    names = ["better", "warn", "small", "large", "failed", "must", "same", "new"]
    samples = [sample(name, must_pass=name == "must") for name in names]
    before = [record(sample=one, idf_f1=0.5, mrr=0.5) for one in samples[:-1]]
    error = Failure(kind="system", message="boom")
    means = [(0.9, 0.5), (0.5, 0.0), (0.4, 0.5), (0.1, 0.5), (0.0, 0.0), (0.45, 0.5), (0.5, 0.5)]
    means.append((0.0, 0.5))
    after = [
        record(
            answer="x",
            sample=one,
            error=error if one.id == "failed" else None,
            idf_f1=f1,
            mrr=mrr,
        )
        for one, (f1, mrr) in zip(samples, means, strict=True)
    ]
    rules = (Rule(metric="idf_f1", pass_at=0.5), Rule(metric="mrr", level="warn"))

    rows, _ = changed(samples, before, after, rules=rules)

    assert [row.sample_id for row in rows] == [
        "must", "failed", "large", "small", "warn", "new", "better", "same",
    ]  # fmt: skip


def test_samples_beyond_the_most_are_counted_and_the_worst_get_the_rows():
    samples = [sample(f"s{number}") for number in range(5)]
    before = [record(sample=one, idf_f1=1.0) for one in samples]
    after = [
        record(sample=one, answer="x", idf_f1=1.0 - 0.1 * number)
        for number, one in enumerate(samples)
    ]

    found = changed_samples(
        samples, run_of(*before), run_of(*after), rules=RULES, missing_documents={}, most=2
    )

    assert [row.sample_id for row in found.rows] == ["s4", "s3"]
    assert found.left_out == 3


def test_a_lost_pass_stands_before_a_larger_loss_that_passes_or_failed_already():
    samples = [sample(name) for name in ("failed before", "lost its pass", "still passes")]
    scores = [(0.45, 0.0), (0.55, 0.45), (1.0, 0.5)]
    before = [record(sample=one, idf_f1=old) for one, (old, _) in zip(samples, scores, strict=True)]
    after = [
        record(answer="x", sample=one, idf_f1=new)
        for one, (_, new) in zip(samples, scores, strict=True)
    ]

    rows, _ = changed(samples, before, after, rules=(Rule(metric="idf_f1", pass_at=0.5),))

    assert [row.sample_id for row in rows] == ["lost its pass", "still passes", "failed before"]


def test_a_row_tells_which_of_its_answers_refuse():
    before, after = [record(answer="Ja.", idf_f1=1.0)], [record(answer="Weiß nicht.", idf_f1=0.0)]

    (row,), _ = changed([SAMPLE], before, after, refuses=lambda answer: "nicht" in answer)

    assert row.baseline is not None
    assert row.candidate is not None
    assert (row.baseline.refused, row.candidate.refused) == (False, True)


def test_a_must_pass_sample_below_the_floor_of_a_mean_fails_nothing_and_stands_by_its_loss():
    samples = [sample("must", must_pass=True), sample("lost")]
    before = [record(sample=one, idf_f1=1.0, mrr=1.0) for one in samples]
    after = [
        record(answer="x", sample=samples[0], idf_f1=0.5, mrr=1.0),
        record(answer="x", sample=samples[1], idf_f1=1.0, mrr=0.0),
    ]
    rules = (Rule(metric="idf_f1", minimum=0.7), Rule(metric="mrr", pass_at=0.5))

    rows, _ = changed(samples, before, after, rules=rules)

    assert [row.sample_id for row in rows] == ["lost", "must"]


def test_what_got_worse_beyond_the_rows_is_known():
    samples = [sample(f"s{number}") for number in range(5)]
    before = [record(sample=one, idf_f1=0.5) for one in samples]
    after = [record(sample=one, answer="x", idf_f1=0.1) for one in samples[:4]]
    after.append(record(sample=samples[4], answer="x", idf_f1=0.9))

    found = changed_samples(
        samples, run_of(*before), run_of(*after), rules=RULES, missing_documents={}, most=2
    )

    assert [one.id for one in found.worse] == ["s0", "s1", "s2", "s3"]
