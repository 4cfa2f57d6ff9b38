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
