"""Which run's artifact is believed, and which archive is unpacked."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest

from ragate.errors import StorageError
from ragate.github.rest import artifacts
from ragate.github.rest.artifacts import find_results, runs_with_results, unpack

OWN, SHA = "octo/handbook", "a" * 40
URL = f"https://github.com/{OWN}/actions/runs"


class Kept:
    """A repository with these statuses, runs and artifacts."""

    name = OWN

    def __init__(self, statuses: list[Any], runs: list[Any], kept: dict[int, list[Any]]) -> None:
        self._statuses, self._runs, self._kept = statuses, runs, kept

    def statuses(self, _sha: str) -> list[Any]:
        return self._statuses

    def runs_of(self, sha: str) -> list[Any]:
        return [run for run in self._runs if run["head_sha"] == sha]

    def run(self, run_id: int) -> Any:
        return next(run for run in self._runs if run["id"] == run_id)

    def run_artifacts(self, run_id: int) -> list[Any]:
        return self._kept.get(run_id, [])


def run(number: int, event: str, *, head: str = SHA, source: str = OWN, own: str = OWN) -> Any:
    return {
        "id": number,
        "event": event,
        "head_sha": head,
        "head_repository": {"full_name": source},
        "repository": {"full_name": own},
    }


def named(name: str, *, expired: bool = False) -> Any:
    return {"id": len(name), "name": name, "expired": expired}


def result(attempt: int, *, gate: str = "docs", sha: str = SHA) -> str:
    return f"ragate-{gate}-{sha}-{attempt}"


def status(number: int, *, gate: str = "docs", url: str = URL) -> Any:
    return {"context": f"ragate/{gate}", "target_url": f"{url}/{number}/attempts/1"}


def found(kept: Kept) -> list[tuple[int, str]]:
    results = find_results(kept, "docs", SHA)  # type: ignore[arg-type]
    return [(number, artifact["name"]) for number, artifact in results]


def test_the_newest_attempt_of_an_own_run_comes_first():
    names = [named(result(attempt)) for attempt in (1, 10, 9)]
    kept = Kept([], [run(5, "pull_request")], {5: [*names, named("ragate-docs-other-1")]})
    assert [name[-2:] for _, name in found(kept)] == ["10", "-9", "-1"]


def test_the_deciding_half_is_found_by_its_status():
    decided = run(6, "workflow_run", head="d" * 40)
    kept = Kept([status(6)], [decided], {6: [named(result(1))]})
    assert [number for number, _ in found(kept)] == [6]


@pytest.mark.parametrize(
    "made",
    [
        run(7, "pull_request", source="mallory/handbook"),
        run(7, "pull_request", head="b" * 40),
        run(7, "pull_request_target"),
        run(7, "issue_comment"),
        run(7, "workflow_run", own="mallory/handbook", source="mallory/handbook"),
        run(7, "workflow_run", source="mallory/handbook"),
        {"id": 7, "event": "pull_request", "head_sha": SHA, "head_repository": None},
    ],
)
def test_a_run_that_a_stranger_may_have_written_is_not_believed(made):
    kept = Kept([status(7)], [made], {7: [named(result(1))]})
    assert found(kept) == []


def test_a_status_that_points_elsewhere_leads_nowhere():
    name = named(result(1))
    decided = run(8, "workflow_run", head="d" * 40)
    for told in (
        status(8, gate="x"),
        status(8, url="https://github.com/octo/handbook2/actions/runs"),
    ):
        assert found(Kept([told], [decided], {8: [name]})) == []


def test_what_has_expired_or_has_another_name_is_passed_over():
    names = [
        named(result(2), expired=True),
        named(result(1) + "x"),
        named(result(1, gate="docs2")),
        named(result(1, sha="b" * 40)),
    ]
    assert found(Kept([], [run(5, "pull_request")], {5: names})) == []


def test_runs_to_repeat_are_those_that_left_outputs_or_a_result():
    fork = run(5, "pull_request", source="mallory/handbook")
    kept = Kept([], [run(4, "pull_request"), fork], {5: [named("ragate-outputs-docs-1")]})
    assert [one["id"] for one in runs_with_results(kept, "docs", SHA)] == [5]  # type: ignore[arg-type]


def test_a_gate_whose_name_begins_with_this_ones_is_another():
    names = {
        5: [named("ragate-outputs-docs-api-1")],
        6: [named("ragate-outputs-docs-12")],
        7: [named(result(1, gate="docs-" + SHA))],
    }
    runs = [run(number, "pull_request") for number in names]
    found_runs = runs_with_results(Kept([], runs, names), "docs", SHA)  # type: ignore[arg-type]
    assert [one["id"] for one in found_runs] == [6]


def zipped(files: dict[str, bytes], *, mode: int = 0o100644) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name)
            entry.external_attr = mode << 16
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def test_plain_files_are_unpacked(tmp_path: Path):
    unpack(zipped({"result.json": b"{}", "run/scores.jsonl": b"x"}), tmp_path)
    assert (tmp_path / "result.json").read_bytes() == b"{}"
    assert (tmp_path / "run/scores.jsonl").read_bytes() == b"x"


@pytest.mark.parametrize("name", ["../x", "/etc/x", "a/../../x", "a\\b", "a\x1bb"])
def test_a_path_that_leads_out_is_refused(tmp_path: Path, name: str):
    folder = tmp_path / "inner"
    with pytest.raises(StorageError, match="no plain file inside"):
        unpack(zipped({name: b"x"}), folder)
    assert list(tmp_path.rglob("x")) == []


def test_a_link_is_refused(tmp_path: Path):
    with pytest.raises(StorageError, match="no plain file"):
        unpack(zipped({"link": b"/proc/self/environ"}, mode=0o120777), tmp_path)


def test_what_unpacks_to_too_much_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(artifacts, "MOST_BYTES", 1000)
    with pytest.raises(StorageError, match="more than 1000 bytes"):
        unpack(zipped({"a": b"0" * 600, "b": b"0" * 600}), tmp_path)


def test_too_many_files_and_no_archive_are_refused(tmp_path: Path):
    with pytest.raises(StorageError, match="201 files"):
        unpack(zipped({f"f{n}": b"" for n in range(201)}), tmp_path)
    for data in (b"", b"PK\x03\x04", b"<html>", zipped({"a": b"x" * 5000})[:-30]):
        with pytest.raises(StorageError, match="no zip file"):
            unpack(data, tmp_path / "other")


def test_the_same_name_twice_is_refused(tmp_path: Path):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a", b"1")
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("a", b"2")
    with pytest.raises(StorageError, match="twice"):
        unpack(buffer.getvalue(), tmp_path)
