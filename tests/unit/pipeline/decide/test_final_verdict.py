"""What fails whatever a judge will say, outputs in two wordings, and a work tree with our files."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from ragate.core.hashing import content_hash
from ragate.errors import DatasetError
from ragate.models import FloorResult, MetricVerdict, MustPassRow, Verdict
from ragate.pipeline.decide.final_verdict import is_firm
from ragate.pipeline.run.collected_outputs import read_collected
from ragate.support.git import is_clean
from tests.factories import decision_factory, metric_row_factory, sample_factory

UNMET = FloorResult(limit=0.9, kind="point", met=False)
MET = FloorResult(limit=0.1, kind="point", met=True)


@pytest.mark.parametrize(
    ("fields", "firm"),
    [
        ({"exact": True, "blocks": True}, True),
        ({"exact": False, "blocks": True}, False),
        ({"exact": True, "blocks": False}, False),
        ({"exact": False, "blocks": True, "floor": UNMET}, True),
        ({"exact": False, "blocks": False, "floor": UNMET}, False),
        ({"exact": False, "blocks": True, "floor": MET}, False),
    ],
)
def test_only_what_needs_no_test_is_firm(fields, firm) -> None:
    row = metric_row_factory("recall@10", 0.9, 0.5, MetricVerdict.REGRESSED)
    row = row.model_copy(update=fields)
    assert is_firm(decision_factory(Verdict.FAILED, metrics=[row])) is firm


@pytest.mark.parametrize("met", [True, False])
def test_a_must_pass_sample_that_fails_is_firm(met: bool) -> None:
    row = MustPassRow(
        sample_id="q1",
        metric="recall@10",
        pass_at=1.0,
        tries=3,
        failed=0 if met else 2,
        met=met,
        eligible=True,
    )
    verdict = Verdict.PASSED if met else Verdict.FAILED
    decision = decision_factory(verdict, metrics=[]).model_copy(update={"must_pass": (row,)})
    assert is_firm(decision) is not met


@pytest.mark.parametrize(
    "fields",
    [
        {"failed": 2, "eligible": False},  # it failed in the baseline as well: a warning only
        {"failed": 1, "scores": (0.0, None, 1.0)},  # not decided: a judge is still to be asked
    ],
)
def test_a_must_pass_sample_that_is_not_red_spares_no_judge(fields) -> None:
    row = MustPassRow(
        sample_id="q1",
        metric="recall@10",
        pass_at=1.0,
        **{"tries": 3, "met": False, "eligible": True, **fields},
    )
    for verdict in Verdict:
        decision = decision_factory(verdict, metrics=[]).model_copy(update={"must_pass": (row,)})
        assert not is_firm(decision)


OLD = sample_factory("q1", query="What is it?")
NEW = sample_factory("q1", query="What is it now?")


def lines(path: Path, *samples, answer: str = "") -> Path:
    rows = [
        {"id": one.id, "run": 0, "hash": content_hash(one), "answer": answer or one.query}
        for one in samples
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.mark.parametrize("order", [(OLD, NEW), (NEW, OLD)])
def test_a_sample_in_two_wordings_finds_the_output_of_its_own(tmp_path: Path, order) -> None:
    path = lines(tmp_path / "outputs.jsonl", *order)
    for sample in (OLD, NEW):
        found = read_collected([path], [sample]).passes[0][sample.id]
        assert found.answer == sample.query


def test_an_output_of_the_old_wording_alone_is_not_measured(tmp_path: Path) -> None:
    path = lines(tmp_path / "outputs.jsonl", OLD)
    found = read_collected([path], [NEW]).passes[0]["q1"]
    assert found.error is not None
    assert found.error.kind == "provider"


def test_two_outputs_of_one_wording_are_refused(tmp_path: Path) -> None:
    path = lines(tmp_path / "outputs.jsonl", OLD, NEW, OLD)
    with pytest.raises(DatasetError, match="second output"):
        read_collected([path], [OLD])


def test_our_own_files_leave_a_work_tree_clean(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    who = ("-c", "user.name=o", "-c", "user.email=o@example.org")
    commit = ["git", "-C", str(tmp_path), *who, "commit", "-q", "--allow-empty", "-m", "x"]
    subprocess.run(commit, check=True)
    assert is_clean(tmp_path)
    state, outputs = tmp_path / ".ragate", tmp_path / "ragate-outputs.jsonl"
    (state / "runs").mkdir(parents=True)
    (state / "runs" / "x").write_text("x")
    outputs.write_text("{}\n")
    assert not is_clean(tmp_path)
    assert not is_clean(tmp_path, but=[state])
    assert is_clean(tmp_path, but=[state, outputs, tmp_path.parent / "elsewhere"])
    inner = tmp_path / "app"
    inner.mkdir()
    assert is_clean(inner, but=[state, outputs])
    (tmp_path / "other.txt").write_text("x")
    assert not is_clean(inner, but=[state, outputs])
    assert not is_clean(tmp_path, but=[tmp_path])
