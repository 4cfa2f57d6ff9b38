"""What a run's figures are."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.baseline import parse_baseline
from ragate.baseline.recording.write_baseline import baseline_files, with_run
from ragate.config import load_config
from ragate.core.comparison.run_passes import run_means
from ragate.errors import RagateError
from ragate.models import (
    Acceptance,
    Failure,
    Filters,
    MetricInfo,
    Needs,
    Run,
    SystemInfo,
    unscored,
)
from tests.factories import output_factory, record_factory, run_factory, sample_factory
from tests.projects import ReplayProject


def test_a_sample_that_was_asked_again_counts_once():
    run = run_factory(
        [
            record_factory(scores={"mrr": 0.0}),
            record_factory(scores={"mrr": 0.0}, run=1),
            record_factory(scores={"mrr": 0.0}, run=2),
            record_factory(sample_factory("q002"), scores={"mrr": 1.0}),
        ]
    )

    assert run_means(run) == {"mrr": 0.5}


INFOS = {name: MetricInfo(name=name) for name in ("hit_rate@5", "token_f1")}


def run_of(*answers: str, samples: int = 2, **manifest: object) -> Run:
    """A run of a few samples; each answer is one pass."""
    records = [
        record_factory(
            sample_factory(f"q{number}"),
            output_factory(answer=answer),
            run=run,
            scores={"hit_rate@5": 1.0, "token_f1": 0.5},
        )
        for number in range(samples)
        for run, answer in enumerate(answers)
    ]
    return run_factory(records, metrics=INFOS, runs=len(answers), **manifest)


def test_a_stored_run_becomes_the_baseline_with_what_was_accepted(tmp_path: Path):
    config = load_config(ReplayProject(tmp_path).root / "ragate.toml")
    taken = Acceptance(metric="token_f1", by="mona", reason="shorter", commit="c" * 40)

    files = baseline_files(config, run_of("a", "b"), tmp_path / "none", accepted=[taken])

    assert list(files) == ["baselines/gate.json"]
    back = parse_baseline(files["baselines/gate.json"], where="x")
    assert back.manifest.runs == 2
    assert back.manifest.accepted == (taken,)


@pytest.mark.parametrize(
    ("run", "said"),
    [
        (run_of("a", filters=Filters(limit=1)), "part of the golden set"),
        (run_of("a", retrieval_only=True), "part of the golden set"),
        (run_of("a", left_out=("faithfulness",)), "key is not set"),
    ],
)
def test_a_run_that_measured_a_part_makes_no_baseline(tmp_path: Path, run: Run, said: str):
    config = load_config(ReplayProject(tmp_path).root / "ragate.toml")
    with pytest.raises(RagateError, match=said):
        baseline_files(config, run, tmp_path / "none")


def test_a_run_with_too_much_unscored_makes_no_baseline(tmp_path: Path):
    config = load_config(ReplayProject(tmp_path).root / "ragate.toml")
    run = run_of("a")
    lost = {"hit_rate@5": unscored("hit_rate@5", "timeout")}
    records = tuple(record.amended(scores=lost) for record in run.records)
    with pytest.raises(RagateError, match="could not be measured"):
        baseline_files(config, run.amended(records=records), tmp_path / "none")


@pytest.mark.parametrize(
    ("error", "said"),
    [(None, "mend [policy.judge]"), (Failure(kind="provider", message="503"), "ragate collect")],
)
def test_the_remedy_names_the_judge_where_there_are_answers(
    tmp_path: Path, error: Failure | None, said: str
):
    config = load_config(ReplayProject(tmp_path).root / "ragate.toml")
    infos = {"token_f1": MetricInfo(name="token_f1", needs=Needs.JUDGE)}
    lost = {"token_f1": unscored("token_f1", "the judge fails a known answer")}
    run = run_of("a", "b")
    first, *others = run.records
    records = [first, *(each.amended(output=output_factory(error=error)) for each in others)]
    if error is not None:
        records[0] = first.amended(scores={})
    run = run.amended(
        manifest=run.manifest.amended(metrics=infos),
        records=tuple(each.amended(scores=each.scores and lost) for each in records),
    )

    with pytest.raises(RagateError) as raised:
        baseline_files(config, run, tmp_path / "none")

    assert said in raised.value.remedy


def test_one_run_more_is_added_with_its_own_number():
    more = with_run(run_of("a", "b"), run_of("c"))
    assert (more.manifest.runs, more.manifest.identical) == (3, 0)
    assert {record.run for record in more.records} == {0, 1, 2}
    again = with_run(more, run_of("b", "ignored"))
    assert (again.manifest.runs, again.manifest.identical) == (4, 1)
    assert len(again.records) == 8


@pytest.mark.parametrize(
    "other",
    [
        run_of("c", samples=3),
        run_of("c", system=SystemInfo(use="replay", fingerprint="another")),
        run_of("c", judge="another"),
    ],
)
def test_a_run_of_something_else_is_not_added(other: Run):
    with pytest.raises(RagateError, match="baseline holds"):
        with_run(run_of("a"), other)
