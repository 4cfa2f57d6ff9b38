"""Slips of one sign, one limit or one number that would leave a verdict plausible and wrong."""

from __future__ import annotations

import numpy as np
import pytest

from ragate.core.comparison.compare import compare
from ragate.core.hashing import calls_hash
from ragate.core.rules.metric_case import read_cases, worst_case
from ragate.core.rules.metric_family import build_table
from ragate.core.statistics.interval import difference_interval, tango
from ragate.core.statistics.permutation import Block, relabel
from ragate.models import Direction, MetricInfo, MetricVerdict, Needs, Rule, Sample, Verdict
from tests.unit.core.decision_factories import (
    EXACT,
    N_A,
    NOISY,
    TODAY,
    exact_pair,
    judge,
    noisy_pair,
    row_of,
    run_of,
    samples_of,
)

RULE = Rule(metric="faithfulness")


def test_the_worst_case_leaves_what_the_baseline_measured():
    samples = samples_of(3)
    before = [[None, 0.5], [1.0, 0.0], [0.25, 0.75]]
    pair = compare(
        run_of({"faithfulness": before}, samples, words="before"),
        run_of({"faithfulness": [[1.0]] * 3}, samples, words="after"),
        samples,
    )
    (case,) = read_cases([RULE], pair, [], TODAY)
    filled = worst_case(case)

    assert filled is not None
    assert filled.column is not None
    assert filled.column.baseline.values.tolist() == [[0.5, 0.5], [1.0, 0.0], [0.25, 0.75]]


@pytest.mark.parametrize(("direction", "worst"), [(Direction.HIGHER, 1.0), (Direction.LOWER, 5.0)])
def test_the_worst_case_fills_the_candidate_with_the_worst_of_its_range(direction, worst):
    info = NOISY.model_copy(update={"low": 1.0, "high": 5.0, "direction": direction})
    samples = samples_of(2)
    pair = compare(
        run_of({"faithfulness": [[3.0]] * 2}, samples, infos=(info,), words="before"),
        run_of({"faithfulness": [[None], [3.0]]}, samples, infos=(info,), words="after"),
        samples,
    )
    filled = worst_case(read_cases([RULE], pair, [], TODAY)[0])

    assert filled is not None
    assert filled.column is not None
    assert filled.column.candidate.values.ravel().tolist() == [worst, 3.0]


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_no_bound_of_a_change_leaves_the_range(sign):
    differences = sign * np.array([1.0, 1.0, 1.0, 0.25])
    low, high = difference_interval(differences, seed=1, paired_binary=False).two_sided()

    assert sign * (high if sign > 0 else low) == 1.0
    assert -1.0 <= low < high <= 1.0


@pytest.mark.parametrize("lost", [1, 2])
@pytest.mark.parametrize("n", range(20, 80, 4))
def test_a_resample_without_the_few_that_changed_does_not_stretch_the_interval(n, lost):
    differences = np.random.default_rng(n).normal(0.0, 1e-17, n)  # means of equal runs
    differences[:lost] -= 6 / 7
    low, high = difference_interval(differences, seed=n, paired_binary=False).two_sided()

    assert -8 * lost / n < low < -lost / n < high < 4 * lost / n


def clusters_of(sizes: list[int], lost: list[int], *, runs: int = 1):
    """Compare samples in clusters of these sizes, of which so many break in every run."""
    samples = [
        Sample(id=f"{cluster}-{row}", query=f"{cluster} {row}", metadata={"doc": str(cluster)})
        for cluster, size in enumerate(sizes)
        for row in range(size)
    ]
    after = [
        [0.0 if row < broken else 1.0] * runs
        for size, broken in zip(sizes, lost, strict=True)
        for row in range(size)
    ]
    return compare(
        run_of({"faithfulness": [[1.0] * runs] * len(samples)}, samples, words="before"),
        run_of({"faithfulness": after}, samples, words="after"),
        samples,
        cluster="doc",
    )


@pytest.mark.parametrize(
    ("sizes", "lost", "expected"),
    [([1, 2, 3], [1, 1, 0], [-0.5, -0.5, 0.0]), ([1], [1], [-1.0]), ([2, 2], [2, 0], [-1.0, 0.0])],
)
def test_what_clusters_lost_averages_to_the_change_of_a_sample(sizes, lost, expected):
    comparison = clusters_of(sizes, lost)
    table = build_table(read_cases([RULE], comparison, [], TODAY), comparison)

    assert table.spread(0).tolist() == pytest.approx(expected)
    assert table.spread(0).mean() == pytest.approx(-sum(lost) / sum(sizes))


def test_a_broken_cluster_is_one_of_twenty_labellings_of_three_runs_a_side():
    row = row_of(judge(clusters_of([4] * 10, [4] + [0] * 9, runs=3), RULE), "faithfulness")

    assert row.p == pytest.approx(1 / 20)


def test_tangos_interval_is_for_one_yes_or_no_run_a_side_without_clusters():
    before, after = np.ones((30, 1)), np.ones((30, 1))
    after[:6] = 0.0
    counts = tango(6, 0, 30).two_sided()

    def interval(pair) -> tuple[float, float]:
        found = row_of(judge(pair, RULE), "faithfulness").interval
        assert found is not None
        return found

    def plain(change: np.ndarray) -> tuple[float, float]:
        return difference_interval(change, seed=0, paired_binary=False).two_sided()

    change = after[:, 0] - before[:, 0]
    assert interval(noisy_pair(before, after)) == pytest.approx(counts)
    graded = interval(noisy_pair(before / 2, after / 2))
    assert graded == pytest.approx(plain(change / 2), abs=0.02)
    repeated = interval(noisy_pair(np.repeat(before, 3, axis=1), after))
    assert repeated == pytest.approx(plain(change), abs=0.02)
    clustered = interval(clusters_of([1] * 30, [1] * 6 + [0] * 24))
    assert clustered == pytest.approx(plain(change), abs=0.02)
    assert all(abs(found[0] - counts[0]) > 0.03 for found in (graded, repeated, clustered))


def test_a_sample_that_a_metric_is_silent_on_flips_no_sign():
    infos = (NOISY, MetricInfo(name="correctness", needs=Needs.JUDGE))
    samples = samples_of(32)
    steady = {"faithfulness": [[1.0] * 3] * 32}
    then = steady | {"correctness": [[N_A] * 3] * 20 + [[1.0] * 3] * 12}
    now = steady | {"correctness": [[N_A] * 3] * 20 + [[0.0] * 3] * 5 + [[1.0] * 3] * 7}
    pair = compare(
        run_of(then, samples, infos=infos, words="before"),
        run_of(now, samples, infos=infos, words="after"),
        samples,
    )
    decision = judge(pair, RULE, Rule(metric="correctness"), claim="generalise")
    row = row_of(decision, "correctness")

    assert row.p == pytest.approx(0.5**6)  # five of five signs, and half of the only tie


def test_two_runs_and_one_still_have_two_claims():
    after = np.ones((30, 1))
    after[:4] = 0.0
    row = row_of(judge(noisy_pair(np.ones((30, 2)), after), RULE), "faithfulness")

    assert row.p == pytest.approx(3**-4)
    assert row.p_other == pytest.approx(0.5**5)


def test_one_run_a_side_can_show_an_improvement():
    before = np.ones((30, 1))
    before[:8] = 0.0
    row = row_of(judge(noisy_pair(before, np.ones((30, 1))), RULE), "faithfulness")

    assert row.verdict is MetricVerdict.IMPROVED


def test_two_baseline_runs_are_not_planned_as_sign_flips_for_this_set():
    pair = noisy_pair(np.ones((15, 2)), np.ones((15, 1)))

    assert "15 samples: 4 must break before this gate can fail" in judge(pair, RULE).warnings


def test_as_many_samples_as_must_break_can_be_decided():
    enough = judge(noisy_pair(np.ones((3, 3)), np.ones((3, 1))), RULE)
    few = judge(noisy_pair(np.ones((2, 3)), np.ones((2, 1))), RULE)

    assert (enough.verdict, few.verdict) == (Verdict.PASSED, Verdict.NO_DECISION)


@pytest.mark.parametrize(("base", "k"), [(2, 1), (3, 2), (1, 2)])
def test_the_scale_of_z_is_that_of_all_labellings(base, k):
    values = np.random.default_rng(base).random((4, base + k, 2))
    null = relabel([Block(values, k)], seed=1)

    assert null.enumerated
    assert null.stars.mean(axis=0) == pytest.approx([0.0, 0.0])
    assert null.stars.std(axis=0) == pytest.approx([1.0, 1.0])


def test_what_was_not_measured_is_not_said_to_be_free_of_noise():
    said = "all gated metrics are free of noise: every change is seen"
    exact = exact_pair([1.0] * 20, [1.0] * 20)
    other = Rule(metric="faithfulness")

    assert judge(exact, Rule(metric=EXACT.name)).lines == (said,)
    assert judge(exact, Rule(metric=EXACT.name), other).lines == ()
    samples = samples_of(4)
    lost = compare(
        run_of({EXACT.name: [[1.0, 1.0]] * 4}, samples, same_outputs=True),
        run_of({EXACT.name: [[None]] * 4}, samples, words="after"),
        samples,
    )
    assert judge(lost, Rule(metric=EXACT.name)).lines == ()


def test_a_floor_by_evidence_is_by_evidence_for_what_is_missing_as_well():
    samples = samples_of(100)
    scores = [[None]] + [[0.0]] * 12 + [[1.0]] * 87
    pair = compare(
        run_of({"faithfulness": scores}, samples, words="before"),
        run_of({"faithfulness": scores}, samples, words="after"),
        samples,
    )

    def reasons(minimum: float) -> tuple[str, ...]:
        return judge(pair, Rule(metric="faithfulness", minimum=minimum), floor="evidence").reasons

    assert reasons(0.9) == ()  # at most 0.92 with the missing one counted as 0, 0.93 without
    assert "could put it beyond 0.922" in reasons(0.922)[0]


def test_as_many_relabellings_as_are_listed_are_all_listed():
    rng = np.random.default_rng(1)
    null = relabel([Block(rng.random((4, 5, 1)), 1), Block(rng.random((5, 2, 1)), 1)], seed=1)

    assert null.enumerated
    assert len(null.stars) == 5**4 * 2**5 == 20_000


@pytest.mark.parametrize(
    ("words", "call", "affected"),
    [
        ("before", "a", 0),  # an output that the baseline gave, from the requests that it made
        ("after", "a", 1),  # the system's own code made something else of the same replies
        ("before", "b", 1),
    ],
)
def test_recorded_requests_count_with_the_output_that_was_made_of_them(words, call, affected):
    samples = samples_of(1)
    pair = compare(
        run_of(
            {"faithfulness": [[1.0, 0.0, 1.0]]},
            samples,
            requests={"q0000": calls_hash(["a"])},
            words="before",
        ),
        run_of(
            {"faithfulness": [[0.0]]}, samples, requests={"q0000": calls_hash([call])}, words=words
        ),
        samples,
    )

    assert pair.affected == affected


def test_a_removed_sample_is_named_with_the_mean_of_its_runs():
    samples = samples_of(6)
    scores = {"faithfulness": [[1.0, 0.5, 0.0, 0.5]] * 6}
    pair = compare(
        run_of(scores, samples, words="before"),
        run_of({"faithfulness": [[1.0]] * 5}, samples[1:], words="after"),
        samples[1:],
    )

    (gone,) = pair.data.removed
    assert (gone.sample_id, gone.means) == ("q0000", {"faithfulness": 0.5})
