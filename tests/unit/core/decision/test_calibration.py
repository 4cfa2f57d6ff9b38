"""A short, seeded version of benchmarks/gate_calibration.py: the gate errs as often as it says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks.gate_answers import DATA, azure
from benchmarks.gate_calibration import judge_only
from benchmarks.gate_cells import PUBLISHED, PUBLISHED_ADAPTIVE, TRUTHS, misfit, run_cell
from benchmarks.gate_figures import simulated_cells
from benchmarks.gate_sight import Sight, sight
from benchmarks.gate_verdicts import decide_scores
from ragate.core.comparison.compare import compare
from ragate.models import Decision, MetricInfo, Needs, Rule, Run, Verdict
from tests.unit.core.decision_factories import NIGHT, by_night, judge, run_of, samples_of

SLACK = 0.03


@pytest.mark.parametrize(
    ("n", "q"),
    [
        (50, 0.05),
        *(pytest.param(50, q, marks=by_night) for q in (0.02, 0.10)),
        *(pytest.param(15, q, marks=by_night) for q in (0.02, 0.05, 0.10)),
    ],
)
def test_a_change_that_changes_nothing_is_red_at_most_alpha_of_the_time(n, q):
    cell = run_cell(n, q, TRUTHS["identical"], 250)

    for claim in ("this-set", "generalise"):
        for design in ("1x1", "3x1", "3x3", "adaptive"):
            assert cell.red(design, claim, alpha=0.05) <= 0.05 + SLACK
    assert cell.naive(0.02) > 0.15


@pytest.mark.parametrize(
    ("n", "truth"),
    [
        (15, "one -.20"),
        *(pytest.param(50, truth, marks=by_night) for truth in ("one -.10", "all -.05")),
    ],
)
def test_real_drops_are_caught_as_often_as_published(n, truth):
    cell = run_cell(n, 0.05, TRUTHS[truth], 250)

    for place, design in enumerate(("1x1", "3x1", "3x3", "adaptive")):
        goal = PUBLISHED[n, truth][place]
        assert cell.red(design, "this-set", alpha=0.05) == pytest.approx(goal, abs=0.07)


def test_a_neutral_rewrite_is_red_on_this_set_and_not_for_fresh_questions():
    cell = run_cell(50, 0.05, TRUTHS["rewrite all"], 250)
    here, fresh = PUBLISHED_ADAPTIVE[50, "rewrite all"]
    options = {"alpha": 0.05, "min_drop": 0.02}

    assert cell.red("adaptive", "this-set", **options) == pytest.approx(here, abs=0.08)
    assert cell.red("adaptive", "generalise", **options) <= fresh + SLACK


@by_night
def test_a_noisy_judge_of_answers_that_repeat_is_not_blamed_on_a_neutral_rewording():
    assert judge_only(60, alpha=0.02) <= 0.02 + SLACK


@pytest.mark.parametrize(
    "cell",
    [
        Sight("yes", 100, "this-set", 3, 2, 3),
        pytest.param(Sight("yes", 100, "generalise", 3, 2, 1), marks=by_night),
        pytest.param(Sight("continuous", 100, "generalise", 3, 0, 3), marks=by_night),
    ],
    ids=lambda cell: f"{cell.family}-{cell.claim}",
)
def test_the_printed_effect_is_where_power_reaches_80_percent(cell):
    printed, seen = sight(cell, 200)

    assert printed == pytest.approx(seen, rel=0.2)


def test_what_chance_alone_puts_between_two_tables_fits_and_a_tenth_does_not():
    rng = np.random.default_rng(4)
    truth = np.linspace(0.05, 0.95, 18)
    ours, theirs = (rng.binomial(many, truth) / many for many in (4000, 300))

    assert misfit(ours, theirs, 4000, 300)[1] > 0.05
    assert misfit(np.clip(ours + 0.1, 0, 1), theirs, 4000, 300)[1] < 1e-6


def test_by_default_a_change_that_changes_nothing_is_seldom_red():
    cell = next(simulated_cells(100, ("yes", "continuous", "grade")))
    rng = np.random.default_rng(8)
    seeds = range(200 if NIGHT else 50)
    outcomes = [decide_scores(cell.draw(rng), (3, 3), "generalise", seed=i) for i in seeds]

    assert sum(each.is_red() for each in outcomes) <= len(seeds) // 25


@pytest.mark.skipif(not DATA.is_dir(), reason="the real answers are not beside this checkout")
def test_wrong_names_in_real_answers_are_red_at_a_drop_of_14_thousandths():
    answers = azure()
    fall = float((answers.scores[:, :, 0, 0, 0] - answers.scores[:, :, 1, 0, 0]).mean())
    rng = np.random.default_rng(9)
    # idf_f1 alone: beside a metric that sees each wrong name the first pass is red already, and
    # what falls less is not asked again.
    outcomes = [
        decide_scores(
            answers.draw(rng, 198, runs=(3, 3), broken=0.014 / fall)[:, :, :1],
            (3, 3),
            "generalise",
            seed=seed,
        )
        for seed in range(200, 260)
    ]

    assert sum(each.is_red(0) for each in outcomes) >= 36


def decided_in_full(scores: np.ndarray, claim: str) -> Decision:
    """Decide on records: three baseline runs, one of the candidate, and two more if wanted."""
    infos = [MetricInfo(name=f"m{m}", needs=Needs.JUDGE) for m in range(scores.shape[2])]
    samples = samples_of(len(scores))

    def one_side(runs: np.ndarray, words: str, **manifest: Any) -> Run:
        values = {info.name: runs[:, :, m].tolist() for m, info in enumerate(infos)}
        return run_of(values, samples, infos=infos, words=words, **manifest)

    baseline, rules = one_side(scores[:, :3], "before"), [Rule(metric=each.name) for each in infos]
    for last in (4, 6):
        candidate = one_side(scores[:, 3:last], "after", confirm=2)
        decision = judge(compare(baseline, candidate, samples), *rules, claim=claim)
        if not decision.wants_runs:
            break
    return decision


@pytest.mark.parametrize("claim", ["generalise", "this-set"])
def test_scores_in_an_array_are_decided_on_as_records_are(claim):
    cells = {cell.label: cell for cell in simulated_cells(60, ("yes", "continuous", "grade"))}
    rng = np.random.default_rng(11)
    agree, reds, seeds = 0, 0, range(12 if NIGHT else 6)
    for seed in seeds:
        scores = cells["one metric -0.1" if seed % 3 else "no change"].draw(rng)
        plain = decide_scores(scores, (3, 3), claim, seed=seed)
        full = decided_in_full(scores, claim)
        agree += plain.is_red() == (full.verdict is Verdict.FAILED)
        agree += plain.runs == full.runs_candidate
        reds += plain.is_red()

    assert len(seeds) <= 6 * reds <= 5 * len(seeds)
    assert (
        agree >= len(seeds) * 11 // 6
    )  # relabellings are drawn anew: a p at its level may fall on either side
