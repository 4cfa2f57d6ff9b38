"""A list of runs: what each folder tells, and what cannot be read is named."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest

from ragate.errors import StorageError
from ragate.models import RunManifest, SystemInfo, Verdict
from ragate.outputs.outputs_file import OutputsHeader, header_line
from ragate.stores.listed_run import (
    LISTING,
    STILL_RUNNING_SECONDS,
    VERDICTS,
    ListedRun,
    RunFilter,
    RunStatus,
    fitting,
    prunable,
    read_listed_run,
)
from ragate.stores.local import LocalStore
from tests.factories import decision_factory, report_factory, run_factory

RUN = ListedRun(
    run_id="20261118-101500-000-aaaa",
    folder=Path("unused"),
    status=RunStatus.FAILED,
    created="2026-11-18T10:15:00+00:00",
    gate="docs",
    commit="bad0bad0",
    branch="main",
    models=("Gpt-Large", "e5"),
    meta={"ticket": "RAG-17", "who": "ann"},
)
RUN_ID = "20261118-101500-000-aaaa"


def stored(tmp_path: Path, verdict: Verdict | None = Verdict.PASSED, **manifest: object) -> Path:
    report = None if verdict is None else report_factory(decision_factory(verdict))
    return LocalStore(tmp_path).save(run_factory([], **({"run_id": RUN_ID} | manifest)), report)


def only(tmp_path: Path) -> ListedRun:
    (run,) = LocalStore(tmp_path).listed()
    return run


@pytest.mark.parametrize("verdict", list(Verdict))
def test_a_judged_run_has_the_status_of_its_verdict(tmp_path: Path, verdict: Verdict):
    stored(tmp_path, verdict)

    assert only(tmp_path).status == str(verdict)


def test_the_report_need_not_be_read_for_the_verdict(tmp_path: Path):
    (stored(tmp_path, Verdict.FAILED) / "report.json").unlink()

    assert only(tmp_path).status is RunStatus.FAILED


def test_a_run_of_before_has_the_verdict_of_its_report(tmp_path: Path):
    path = stored(tmp_path, Verdict.FAILED) / "manifest.json"
    manifest = json.loads(path.read_text())
    del manifest["verdict"]
    path.write_text(json.dumps(manifest))

    assert only(tmp_path).status is RunStatus.FAILED


def test_a_recording_is_judged_by_nobody(tmp_path: Path):
    stored(tmp_path, None)

    assert only(tmp_path).status is RunStatus.RECORDED


def interrupted(tmp_path: Path, *, ended: bool) -> Path:
    folder = tmp_path / "runs" / RUN_ID
    folder.mkdir(parents=True)
    run = run_factory([], run_id=RUN_ID, gate="docs", commit="c" * 40, branch="b")
    header = OutputsHeader(manifest=run.manifest)
    (folder / "outputs.jsonl").write_text(header_line(header) + '{"id": "q001", "an')
    (folder / "begun.json").write_text(json.dumps({"ended": ended}))
    return folder


def test_an_interrupted_run_tells_what_it_was_of(tmp_path: Path):
    interrupted(tmp_path, ended=False)

    run = only(tmp_path)

    assert (run.status, run.gate, run.branch) == (RunStatus.UNFINISHED, "docs", "b")
    assert run.commit == "c" * 40


def test_outputs_that_were_collected_whole_are_not_unfinished(tmp_path: Path):
    interrupted(tmp_path, ended=True)

    assert only(tmp_path).status is RunStatus.COLLECTED


def test_a_head_that_cannot_be_read_leaves_the_run_in_the_list(tmp_path: Path):
    (interrupted(tmp_path, ended=False) / "outputs.jsonl").write_bytes(b"\xff{")

    assert only(tmp_path) == ListedRun(RUN_ID, tmp_path / "runs" / RUN_ID, RunStatus.UNFINISHED)


def test_a_run_without_its_manifest_is_unfinished(tmp_path: Path):
    (stored(tmp_path) / "manifest.json").unlink()

    assert only(tmp_path).status is RunStatus.UNFINISHED


@pytest.mark.parametrize(
    "text", ["{", "[]", "{}", '{"system": null}', '{"system": {"use": "x"}, "meta": 3}']
)
def test_a_manifest_that_is_none_is_listed_as_broken(tmp_path: Path, text: str):
    (stored(tmp_path) / "manifest.json").write_text(text)

    assert only(tmp_path).status is RunStatus.BROKEN


def test_a_verdict_that_nobody_gives_is_broken(tmp_path: Path):
    path = stored(tmp_path) / "manifest.json"
    path.write_text(path.read_text().replace('"verdict": "passed"', '"verdict": "splendid"'))

    assert only(tmp_path).status is RunStatus.BROKEN


def test_what_was_noted_comes_back(tmp_path: Path):
    stored(tmp_path, branch="try", meta={"ticket": "RAG-17"}, description="smaller top_k")

    run = only(tmp_path)

    assert (run.branch, run.meta, run.description) == ("try", {"ticket": "RAG-17"}, "smaller top_k")


def test_the_models_of_settings_and_judge_are_listed_once(tmp_path: Path):
    settings = {"answer.model": '"gpt-x"', "embed.model": '"e5"', "rerank.model": '"e5"'}
    system = SystemInfo(use="pgvector", settings=settings | {"answer.other": '"no"'})
    stored(tmp_path, system=system, judge="0a1b", judge_name="rubric gpt-y")

    assert only(tmp_path).models == ("gpt-x", "e5", "rubric gpt-y")


def test_newer_runs_come_first(tmp_path: Path):
    for run_id in ("20260101-000000-000-aaaa", "20260102-000000-000-aaaa"):
        stored(tmp_path, run_id=run_id)

    ids = [run.run_id for run in LocalStore(tmp_path).listed()]

    assert ids == ["20260102-000000-000-aaaa", "20260101-000000-000-aaaa"]


def test_a_link_is_no_run(tmp_path: Path):
    folder = stored(tmp_path / "elsewhere")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / RUN_ID).symlink_to(folder)

    assert list(LocalStore(tmp_path).listed()) == []


def test_without_a_folder_there_is_no_run(tmp_path: Path):
    assert list(LocalStore(tmp_path).listed()) == []


def test_every_verdict_is_a_status():
    assert set(map(str, Verdict)) <= set(map(str, RunStatus))


def test_a_filtered_run_is_partial(tmp_path: Path):
    manifest = RunManifest(system=SystemInfo(use="replay"), retrieval_only=True)
    folder = stored(tmp_path, retrieval_only=manifest.retrieval_only)

    assert read_listed_run(folder).partial


def test_a_list_does_not_read_the_manifest_of_a_run(tmp_path: Path):
    path = stored(tmp_path, Verdict.FAILED) / "manifest.json"
    path.write_bytes(b"x" * path.stat().st_size)

    assert only(tmp_path).status is RunStatus.FAILED


def test_the_listing_holds_what_the_manifest_does(tmp_path: Path):
    folder = stored(tmp_path, meta={"ticket": "RAG-17"}, judge_name="rubric gpt-y")
    kept = only(tmp_path)
    (folder / LISTING).unlink()

    assert only(tmp_path) == kept


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"manifest_bytes": 1}'])
def test_a_broken_listing_leaves_the_word_to_the_manifest(tmp_path: Path, text: str):
    (stored(tmp_path, Verdict.FAILED) / LISTING).write_text(text)

    assert only(tmp_path).status is RunStatus.FAILED


def test_a_listing_of_another_manifest_does_not_count(tmp_path: Path):
    path = stored(tmp_path, Verdict.FAILED) / "manifest.json"
    path.write_text(path.read_text().replace('"failed"', '"no_decision"'))

    assert only(tmp_path).status is RunStatus.NO_DECISION


def test_notes_longer_than_a_listing_are_read_from_the_manifest(tmp_path: Path):
    meta = {f"key{number}": "\N{EURO SIGN}" * 1000 for number in range(50)}
    stored(tmp_path, meta=meta)

    assert only(tmp_path).meta == meta


def test_a_setting_that_is_no_json_costs_no_run(tmp_path: Path):
    stored(tmp_path, system=SystemInfo(use="http", settings={"model": "small"}))

    assert only(tmp_path).models == ("small",)


def test_a_whole_run_is_not_partial(tmp_path: Path):
    assert not read_listed_run(stored(tmp_path)).partial


def test_the_verdicts_of_a_list_are_those_of_a_decision() -> None:
    assert frozenset(map(str, Verdict)) == VERDICTS


# Which runs are meant: every condition counts.


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"gate": "docs"},
        {"commit": "BAD0"},
        {"branch": "main"},
        {"since": "2026-11-18", "until": "2026-11-18"},
        {"model": "gpt"},
        {"statuses": frozenset({RunStatus.FAILED, RunStatus.BROKEN})},
        {"meta": {"who": "ann"}},
    ],
)
def test_a_run_that_meets_all_conditions_is_meant(fields: dict[str, Any]):
    assert list(fitting([RUN], RunFilter(**fields))) == [RUN]


@pytest.mark.parametrize(
    "fields",
    [
        {"gate": "doc"},
        {"commit": "d0"},
        {"branch": "mai"},
        {"since": "2026-11-19"},
        {"until": "2026-11-17"},
        {"model": "claude"},
        {"statuses": frozenset({RunStatus.PASSED})},
        {"meta": {"who": "ann", "ticket": "RAG-18"}},
        {"gate": "docs", "branch": "other"},
    ],
)
def test_one_condition_that_is_not_met_is_enough(fields: dict[str, Any]):
    assert list(fitting([RUN], RunFilter(**fields))) == []


def test_an_unfinished_run_is_of_the_day_that_its_id_names():
    run = ListedRun("20261118-101500-000-aaaa", Path("unused"), RunStatus.UNFINISHED)

    assert RunFilter(since="2026-11-18", until="2026-11-18").fits(run)
    assert not RunFilter(until="2026-11-17").fits(run)


def test_a_filter_without_a_condition_is_empty():
    assert RunFilter().empty
    assert not RunFilter(gate="docs").empty


def run_at(
    tmp_path: Path, day: int, status: RunStatus = RunStatus.PASSED, gate: str = "docs"
) -> ListedRun:
    folder = tmp_path / f"202611{day:02}-101500-000-aaaa"
    folder.mkdir()
    for name in ("manifest.json", "scores.jsonl"):
        (folder / name).write_text("{}")
    return ListedRun(folder.name, folder, status, gate=gate)


def test_the_newest_of_every_gate_stay(tmp_path: Path):
    runs = [run_at(tmp_path, day, gate="ab"[day % 2]) for day in (6, 5, 4, 3, 2, 1)]

    assert prunable(runs, keep=2) == runs[4:]


def test_a_broken_run_is_none_of_those_that_stay(tmp_path: Path):
    runs = [run_at(tmp_path, 3, RunStatus.BROKEN), run_at(tmp_path, 2)]

    assert prunable(runs, keep=1) == runs[:1]


@pytest.mark.parametrize("status", [RunStatus.UNFINISHED, RunStatus.COLLECTED])
def test_a_run_without_scores_may_still_go_on(tmp_path: Path, status: RunStatus):
    assert prunable([run_at(tmp_path, 1, status)], keep=0) == []


def test_an_unfinished_run_of_yesterday_is_left_behind(tmp_path: Path):
    run = run_at(tmp_path, 1, RunStatus.UNFINISHED)
    later = time.time() + STILL_RUNNING_SECONDS + 60

    assert prunable([run], keep=0, now=later) == [run]


def test_a_folder_of_another_name_is_somebodys_own(tmp_path: Path):
    (tmp_path / "notes").mkdir()

    assert prunable([ListedRun("notes", tmp_path / "notes", RunStatus.PASSED)], keep=0) == []


def test_a_run_is_removed_with_its_folder_and_no_other(tmp_path: Path):
    gone, stays = run_at(tmp_path, 1), run_at(tmp_path, 2)

    assert list(LocalStore(tmp_path).remove([gone])) == [gone]
    assert [path.name for path in tmp_path.iterdir()] == [stays.run_id]


def test_a_link_in_a_folder_is_removed_and_not_what_it_names(tmp_path: Path):
    run, own = run_at(tmp_path, 1), tmp_path / "own"
    own.write_text("keep")
    (run.folder / "linked").symlink_to(own)

    list(LocalStore(tmp_path).remove([run]))

    assert own.read_text() == "keep"


def test_what_cannot_be_removed_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    run = run_at(tmp_path, 1)

    def refused(*_: object, **__: object) -> None:
        raise PermissionError(13, os.strerror(13))

    monkeypatch.setattr("ragate.stores.local.shutil.rmtree", refused)

    with pytest.raises(StorageError, match=r"aaaa: cannot be removed: Permission denied"):
        list(LocalStore(tmp_path).remove([run]))
