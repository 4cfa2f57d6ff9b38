"""What stands in a baseline file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragate.baseline import contexts_path, load_contexts
from ragate.baseline.write import is_written, recorded_now, save_baseline
from ragate.models import MetricInfo, Score, not_applicable
from tests.unit.baseline.baseline_factories import dumped, run_of


def test_every_sample_stands_on_one_line_in_order_of_its_id():
    lines = dumped(run_of("a")).decode().splitlines()

    starts = [line[:5] for line in lines if line.startswith('"q')]
    assert starts == ['"q1":', '"q2":']


def test_equal_outputs_of_several_passes_are_stored_once():
    sample = json.loads(dumped(run_of("a", "b", "a")))["samples"]["q1"]

    assert len(sample["outputs"]) == 2
    assert sample["runs"] == [0, 1, 0]


def test_latency_is_not_in_the_file():
    slow = run_of("a")
    record = slow.records[0]
    output = record.output.amended(latency_s=9.75)
    changed = slow.amended(records=(record.amended(output=output), *slow.records[1:]))

    assert dumped(changed) == dumped(slow)


def test_hashes_alone_leave_no_answer_in_the_file():
    assert b"secret answer" in dumped(run_of("secret answer"))
    assert b"secret answer" not in dumped(run_of("secret answer"), "hashes")


def test_full_contexts_are_kept_beside_the_file_and_read_back(tmp_path: Path):
    path, run = tmp_path / "docs.json", run_of("a")

    save_baseline(path, [dumped(run, "full")], run, "full")

    record = run.records[0]
    stored = load_contexts(path)[record.retrieval_hash]
    assert [chunk.text for chunk in stored] == [chunk.text for chunk in record.output.chunks]


def test_contexts_are_removed_when_they_are_no_longer_stored(tmp_path: Path):
    path, run = tmp_path / "docs.json", run_of("a")
    save_baseline(path, [dumped(run, "full")], run, "full")

    save_baseline(path, [dumped(run)], run, "answers")

    assert not contexts_path(path).exists()


@pytest.mark.parametrize(
    ("there", "same"), [(b"ab", True), (b"a", False), (b"abc", False), (b"ax", False)]
)
def test_a_file_is_held_against_what_would_be_written(tmp_path: Path, there: bytes, same: bool):
    path = tmp_path / "gate.json"
    path.write_bytes(there)

    assert is_written(path, [b"a", b"b"]) is same


def test_a_recording_says_the_mean_time_of_its_passes_and_no_other_figure() -> None:
    run = run_of("a", "b", "c")
    infos = {
        "latency_p95": MetricInfo(name="latency_p95", fingerprint="f", unit="seconds"),
        "cost": MetricInfo(name="cost", fingerprint="f"),
    }
    passes = (
        {"latency_p95": Score(metric="latency_p95", value=1.0), "cost": Score("cost", 9.0)},
        {"latency_p95": Score(metric="latency_p95", value=2.0001)},
        {"latency_p95": not_applicable("latency_p95", "no answer took any time")},
    )
    run = run.amended(manifest=run.manifest.amended(metrics=infos), aggregates=passes)

    assert recorded_now(run, date="2026-01-02").seconds == {"latency_p95": 1.5}
