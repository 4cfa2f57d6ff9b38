"""The decision on real runs of real systems, where that data lies beside this repository."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from ragate.core.comparison.compare import Comparison, compare
from ragate.models import MetricInfo, MetricVerdict, Needs, Rule, Sample, Verdict
from tests.unit.core.decision_factories import judge, row_of, run_of

DATA = Path(__file__).parents[4] / "../shared/data"
CORRECT = MetricInfo(name="human_correct", needs=Needs.JUDGE)
RULE = Rule(metric="human_correct")


def read(path: str) -> list[dict[str, Any]]:
    file = DATA / path
    if not file.exists():
        pytest.skip(f"{path} is not beside this repository")
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def verdicts(*systems: str) -> tuple[list[Sample], list[dict[str, float]]]:
    """Return the questions that people judged for every system, and the verdicts by id."""
    rows = read("openqa_eval/answers_nq301.jsonl")
    found = [
        {
            row["id"]: float(row["labels"]["human_correct"])
            for row in rows
            if row["model"] == system and row["labels"]["human_correct"] is not None
        }
        for system in systems
    ]
    ids = sorted(set.intersection(*(set(each) for each in found)))
    questions = {row["id"]: row["question"] for row in rows}
    return [Sample(id=key, query=questions[key]) for key in ids], found


def correctness(
    samples: Sequence[Sample], before: dict[str, float], after: dict[str, float]
) -> Comparison:
    def run(scores: dict[str, float], words: str) -> Any:
        column = [[scores[sample.id]] for sample in samples]
        return run_of(
            {"human_correct": column}, samples, infos=(CORRECT,), words=words, fingerprint=words
        )

    return compare(run(before, "before"), run(after, "after"), samples)


def test_a_neutral_prompt_change_of_a_real_app_is_not_red():
    rows = read("azure_rag_ab/answers.jsonl")
    names = ("gpt_groundedness", "gpt_relevance")
    infos = [
        MetricInfo(name=name, low=1, high=5, unit="grade", needs=Needs.JUDGE) for name in names
    ]
    sides: dict[str, dict[str, Any]] = {}
    for row in rows:
        sides.setdefault(row["model"], {}).setdefault(row["id"], row)
    before, after = sides.values()
    ids = sorted(set(before) & set(after))
    samples = [Sample(id=key, query=before[key]["question"]) for key in ids]
    first, second = (
        run_of(
            {name: [[side[key]["labels"][name]] for key in ids] for name in names},
            samples,
            infos=infos,
            words=words,
            fingerprint=words,
        )
        for side, words in ((before, "before"), (after, "after"))
    )
    decision = judge(compare(first, second, samples), *(Rule(metric=name) for name in names))

    assert len(ids) >= 198
    assert decision.verdict is Verdict.PASSED
    assert not any(row.verdict is MetricVerdict.REGRESSED for row in decision.metrics)


def test_a_real_but_small_difference_is_not_proven_and_the_report_says_what_would_be():
    samples, (fid, dpr) = verdicts("FiD", "DPR")
    decision = judge(correctness(samples, fid, dpr), RULE)
    row = row_of(decision, "human_correct")

    assert row.change is not None
    assert row.change < -0.03
    assert row.verdict is not MetricVerdict.REGRESSED
    assert row.mde is not None
    assert row.mde == pytest.approx(0.09, abs=0.01)
    assert "is missed in one of five runs" in decision.lines[0]


@pytest.mark.parametrize("system", ["R2D2", "FiD"])
def test_answers_of_a_worse_system_are_red_where_the_effect_says_they_can_be(system):
    samples, (good, bad) = verdicts(system, "DPR")
    steady = judge(correctness(samples, good, good), RULE)
    mde = row_of(steady, "human_correct").mde
    assert mde is not None

    def with_share(drop: float) -> dict[str, float]:
        lost = [s.id for s in samples if good[s.id] == 1.0 and bad[s.id] == 0.0]
        wanted = round(drop * len(samples))
        assert wanted <= len(lost)
        return {**good, **{key: bad[key] for key in lost[:wanted]}}

    assert judge(correctness(samples, good, with_share(mde)), RULE).verdict is Verdict.FAILED
    barely = judge(correctness(samples, good, with_share(0.01)), RULE)
    assert barely.verdict is Verdict.PASSED
