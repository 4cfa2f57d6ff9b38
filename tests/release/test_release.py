"""A release: what the check refuses, and what the workflow may do."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

import ragate
from tests.release.check import (
    RECORD,
    ROOT,
    changed,
    line,
    metric_versions,
    previous_release,
    problems,
    recorded,
)
from tests.repositories import commit, git

WORKFLOW: dict[str, Any] = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text())
TAG = f"v{ragate.__version__}"


@pytest.fixture
def release(tmp_path: Path) -> Path:
    """A checkout of which the version may be released."""
    (tmp_path / RECORD).parent.mkdir(parents=True)
    (tmp_path / RECORD).write_text(json.dumps(metric_versions()))
    changes = f"# Changelog\n\n## {ragate.__version__} (2030-01-02)\n"
    (tmp_path / "CHANGELOG.md").write_text(changes)
    return tmp_path


def test_no_recorded_metric_changed_its_version_within_a_line():
    before = recorded((ROOT / RECORD).read_text())

    assert changed(before, metric_versions()) == []


def test_a_metric_that_is_not_recorded_yet_starts_at_one():
    before, now = recorded((ROOT / RECORD).read_text()), metric_versions()

    assert {now[name] for name in now.keys() - before.keys()} <= {1}


def test_what_fits_may_be_released(release: Path):
    assert problems(TAG, root=release) == []


@pytest.mark.parametrize("tag", ["1.2.3", "v1.2", "v1.2.3-rc1", "main", "v1.2.3\n"])
def test_a_tag_of_another_form_is_refused(release: Path, tag: str):
    assert "is no tag of a release" in problems(tag, root=release)[0]


def test_a_tag_of_another_version_is_refused(release: Path):
    assert f"v99.0.0 tags version {ragate.__version__}" in problems("v99.0.0", root=release)


def test_a_changelog_that_calls_it_unreleased_is_refused(release: Path):
    (release / "CHANGELOG.md").write_text(f"# Changes\n\n## {ragate.__version__} (unreleased)\n")

    assert problems(TAG, root=release) == [f"CHANGELOG.md calls {ragate.__version__} unreleased"]


def test_a_record_of_yesterday_is_refused(release: Path):
    (release / RECORD).write_text("{}")

    assert [text for text in problems(TAG, root=release) if "--record" in text]


def test_a_metric_may_change_in_a_major_release_only(release: Path):
    other = json.dumps({**metric_versions(), "mrr": 99})

    (found,) = problems(TAG, root=release, previous=(TAG, other))

    assert "metric mrr changed" in found
    assert problems(TAG, root=release, previous=("v77.0.0", other)) == []


@pytest.mark.parametrize(("version", "found"), [("0.3.1", "0.3"), ("1.9.2", "1"), ("12.0.0", "12")])
def test_before_one_a_minor_release_counts_as_major(version: str, found: str):
    assert line(version) == found


def test_a_new_metric_changes_nothing_and_a_lost_one_does():
    assert changed({"a": 1}, {"a": 1, "b": 1}) == []
    assert changed({"a": 1, "b": 1}, {"b": 2}) == ["a", "b"]


def test_the_release_before_is_found_in_the_history(tmp_path: Path):
    (tmp_path / RECORD).parent.mkdir(parents=True)
    git(tmp_path, "init", "-q")
    for tag in ("v1.0.0", "v1.1.0"):
        (tmp_path / RECORD).write_text(json.dumps({tag: 1}))
        commit(tmp_path, tag)
        git(tmp_path, "tag", tag)

    assert previous_release("v1.1.0", tmp_path) == ("v1.0.0", '{"v1.0.0": 1}')
    assert previous_release("v1.0.0", tmp_path) is None


def jobs_with(permission: str) -> set[str]:
    return {
        name
        for name, job in WORKFLOW["jobs"].items()
        if job["permissions"].get(permission) == "write"
    }


def test_no_job_may_publish_in_two_places():
    assert jobs_with("packages") == {"image"}
    assert jobs_with("contents") == {"tags", "pages", "notes"}
    assert jobs_with("id-token") == {"pypi", "attest"}
    assert jobs_with("attestations") == {"attest"}


def test_who_publishes_waits_for_a_person_and_for_the_tests():
    for name in ("image", "tags", "pypi", "pages", "attest", "notes"):
        assert WORKFLOW["jobs"][name]["environment"]["name"] == "release"
    assert set(WORKFLOW["jobs"]["image"]["needs"]) == {"tests", "package"}
    assert WORKFLOW["jobs"]["tags"]["needs"] == ["image"]
    assert set(WORKFLOW["jobs"]["pypi"]["needs"]) == {"tags", "package"}
    assert set(WORKFLOW["jobs"]["pages"]["needs"]) == {"tags", "manual"}
    assert set(WORKFLOW["jobs"]["notes"]["needs"]) == {"attest", "pypi"}


def test_the_site_is_built_where_nothing_may_be_written():
    ran = {
        name: " ".join(step.get("run", "") for step in WORKFLOW["jobs"][name]["steps"])
        for name in ("manual", "pages")
    }

    assert WORKFLOW["jobs"]["manual"]["permissions"] == {"contents": "read"}
    assert "make docs REVISION=" in ran["manual"]
    assert "make" not in ran["pages"]
    assert ".ci/publish-site site" in ran["pages"]


def test_the_image_is_described_and_attested():
    step = next(s for s in WORKFLOW["jobs"]["image"]["steps"] if "build-push" in s.get("uses", ""))

    assert step["with"]["sbom"] is True
    assert step["with"]["provenance"] == "mode=max"
    assert step["with"]["no-cache"] is True


def test_nothing_from_a_cache_gets_into_a_release():
    text = (ROOT / ".github/workflows/release.yml").read_text()

    assert not re.search(r"cache(-from|-to)?:", text.replace("no-cache:", ""))


def test_the_action_of_a_release_names_the_image_by_its_digest(tmp_path: Path):
    shutil.copy(ROOT / "action.yml", tmp_path)
    name = f"ghcr.io/octo-org/ragate@sha256:{'a1' * 32}"

    subprocess.run([str(ROOT / ".ci/name-image"), name], cwd=tmp_path, check=True)

    runs = yaml.safe_load((tmp_path / "action.yml").read_text())["runs"]
    assert runs == {"using": "docker", "image": f"docker://{name}"}


@pytest.mark.parametrize("name", ["", "ghcr.io/a/b:v1", "ghcr.io/a/b@sha256:12", "a&b@sha256:x"])
def test_an_image_without_a_digest_is_not_named(tmp_path: Path, name: str):
    shutil.copy(ROOT / "action.yml", tmp_path)
    before = (tmp_path / "action.yml").read_text()

    done = subprocess.run(
        [str(ROOT / ".ci/name-image"), name], cwd=tmp_path, check=False, capture_output=True
    )

    assert done.returncode != 0
    assert (tmp_path / "action.yml").read_text() == before
