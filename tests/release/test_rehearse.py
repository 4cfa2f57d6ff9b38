"""The rehearsal of a release: without an image, without an index, and what it must not miss."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.release.rehearse import (
    NO_DIGEST,
    ONLY_REAL,
    ROOT,
    WORKFLOW,
    Release,
    check_page,
    check_site,
    check_tags,
    run_workflow,
    stand_ins,
    tag_release,
    try_action,
)
from tests.release.workflow import Runner, StepError

PAGE = (ROOT / "docs/releasing.md").read_text()
# What takes longer than a test may: installing locked tools and building with them.
SLOW = {"package", "manual"}


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Release:
    """A release of the last commit, of which package, papers and site were made by hand."""
    made = Release(tmp_path_factory.mktemp("release"))
    tag_release(made)
    for name in ("package", "papers", "manual"):
        (made.folder / "artifacts" / name).mkdir(parents=True)
    dist, papers = made.folder / "artifacts/package", made.folder / "artifacts/papers"
    for name in (f"ragate-{made.version}.tar.gz", f"ragate-{made.version}-py3-none-any.whl"):
        (dist / name).write_text(name)
    (papers / f"ragate-{made.version}.cdx.json").write_text("{}")
    sums = subprocess.run("sha256sum ./*", shell=True, cwd=dist, capture_output=True, check=True)
    (papers / "SHA256SUMS").write_bytes(sums.stdout)
    (papers / "notes.md").write_bytes(notes(made.tag))
    (made.folder / "artifacts/manual/index.html").write_text("the manual")
    names = WORKFLOW["jobs"].keys() - SLOW
    jobs = {
        name: {**WORKFLOW["jobs"][name], "needs": sorted(needed(name) - SLOW)} for name in names
    }
    run_workflow(made, {"jobs": jobs})
    return made


def needed(job: str) -> set[str]:
    return set(WORKFLOW["jobs"][job].get("needs", []))


def notes(tag: str, root: Path = ROOT) -> bytes:
    script = str(ROOT / ".ci/release-notes")
    return subprocess.run([script, tag], cwd=root, check=True, capture_output=True).stdout


def test_the_tags_lead_to_the_action_by_its_image_and_the_major_one_moves(release: Release):
    image = check_tags(release)

    assert image == f"ghcr.io/ragate/ragate@{NO_DIGEST}"
    major = release.tag.partition(".")[0]
    assert release.git("rev-parse", f"{major}^{{}}") != release.git("rev-parse", "HEAD")


def test_the_page_of_the_release_has_notes_and_files_with_their_checksums(release: Release):
    check_page(release)

    file = release.page / f"ragate-{release.version}.tar.gz"
    text = file.read_text()
    file.write_text("other")
    with pytest.raises(AssertionError, match=r"tar\.gz"):
        check_page(release)
    file.write_text(text)


def test_the_site_is_on_the_branch_that_pages_serve(release: Release):
    check_site(release)


def test_the_action_of_the_tag_is_red_and_green(release: Release):
    try_action(release, check_tags(release))


def test_a_tag_that_does_not_fit_is_not_released(tmp_path: Path):
    other = Release(tmp_path, version="77.0.0")
    tag_release(other)

    with pytest.raises(StepError, match=r"v77\.0\.0 tags version"):
        run_workflow(other, {"jobs": {"tests": WORKFLOW["jobs"]["tests"]}})


def test_every_action_of_the_workflow_has_a_stand_in(tmp_path: Path):
    used = set(
        re.findall(r"uses: ([\w./-]+)@", (ROOT / ".github/workflows/release.yml").read_text())
    )

    assert used <= stand_ins(Release(tmp_path)).keys()


def test_what_only_a_real_release_does_is_on_its_page():
    for name in (*ONLY_REAL, "pypa/gh-action-pypi-publish", "gh release create", ".ci/run"):
        assert f"`{name}" in PAGE.split("## What does only a real release show?")[1], name
    for job in WORKFLOW["jobs"]:
        assert re.search(rf"`{job}`", PAGE), job


def test_the_notes_are_the_section_of_the_version_and_link_to_its_tag(tmp_path: Path):
    (tmp_path / "CHANGELOG.md").write_text(
        "# Changelog\n\n## 2.0.0 (2030-01-02)\n\nNew.\n\n"
        "## 1.0.0 (2029-01-02)\n\nOld ([Cost](docs/cost.md)).\n"
    )

    assert notes("v2.0.0", tmp_path) == b"\nNew.\n"
    address = b"https://github.com/ragate/ragate/blob/action/v1.0.0/docs/cost.md"
    assert b"Old ([Cost](" + address + b"))." in notes("v1.0.0", tmp_path)
    with pytest.raises(subprocess.CalledProcessError):
        notes("v1.0", tmp_path)


def runner(folder: Path) -> Runner:
    return Runner(folder, {"WHO": "you"}, {"github.ref_name": "v1"}, {})


def test_lines_run_as_they_stand_and_later_jobs_see_what_earlier_ones_told(tmp_path: Path):
    workflow = yaml.safe_load("""
        jobs:
          last:
            needs: [first]
            steps:
              - run: echo "${{ needs.first.outputs.said }} $WHO" > said
          first:
            outputs: {said: "${{ steps.one.outputs.word }} ${{ github.ref_name }}"}
            steps:
              - {id: one, run: 'echo word=hello >> "$GITHUB_OUTPUT"'}
    """)

    runner(tmp_path).run(workflow)

    assert (tmp_path / "jobs/last/said").read_text() == "hello v1 you\n"


def test_a_line_that_fails_ends_the_release(tmp_path: Path):
    workflow = {"jobs": {"one": {"steps": [{"run": "echo no; false; touch late"}]}}}

    with pytest.raises(StepError, match="no"):
        runner(tmp_path).run(workflow)
    assert not (tmp_path / "jobs/one/late").exists()


def test_the_stand_in_for_gh_makes_no_release_without_its_tag(tmp_path: Path):
    gh = str(ROOT / "tests/release/gh")
    subprocess.run(["git", "init", "-q", "--bare", str(tmp_path / "ragate.git")], check=True)
    command = [gh, "release", "create", "v1.0.0", "--verify-tag"]

    done = subprocess.run(
        command, env={"FORGE": str(tmp_path), "PATH": "/usr/bin:/bin"}, check=False
    )

    assert done.returncode == 1
    assert not (tmp_path / "releases").exists()
    assert shutil.which(gh)
