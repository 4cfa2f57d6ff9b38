"""Projects that earlier versions wrote come to this one by what `ragate init` prints.

`tests/fixtures/upgrade` holds each as its version left it: `ragate init --yes --action` and
`ragate baseline update` in a folder of four pages.
"""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.e2e.test_init import ragate
from tests.night import by_night
from tests.repositories import commit, git

pytestmark = [pytest.mark.e2e, pytest.mark.usefixtures("served")]

VERSIONS = Path(__file__).parents[1] / "fixtures" / "upgrade"
RELEASE = "2" * 40
UPGRADE = ("init", "--yes", "--action", RELEASE)


# By day the oldest comes the whole way: it has most to change.
OLDEST, *LATER = ("d16bf3b", "e27ae3b8", "ae2d4c2f")


@pytest.fixture(params=[OLDEST, *LATER])
def earlier(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A project that an earlier version wrote, in a clone of another name."""
    folder = tmp_path / "clone"
    shutil.copytree(VERSIONS / request.param, folder)
    git(folder, "init", "--quiet", "--initial-branch=main")
    commit(folder, "as it was")
    return folder


def printed_commands(output: str) -> list[list[str]]:
    """Return the commands that init prints, in order."""
    lines = re.findall(r"^  ragate (.*?)(?:  +\(.*)?$", output, re.MULTILINE)
    return [line.split() for line in lines]


def workflows(folder: Path) -> dict[str, str]:
    found = (folder / ".github" / "workflows").iterdir()
    return {path.name: path.read_text() for path in found}


def todays_workflows(folder: Path) -> dict[str, str]:
    """Return what init writes into a folder of the same pages, for a gate of this name."""
    folder = folder / "handbook"
    shutil.copytree(next(VERSIONS.iterdir()) / "docs", folder / "docs")
    git(folder, "init", "--quiet", "--initial-branch=main")
    assert ragate(folder, *UPGRADE).returncode == 0
    return workflows(folder)


@pytest.mark.parametrize(
    "earlier", [OLDEST, *(pytest.param(name, marks=by_night) for name in LATER)], indirect=True
)
def test_a_project_of_an_earlier_version_comes_to_this_one_by_what_init_prints(
    earlier: Path, tmp_path: Path
) -> None:
    said = ragate(earlier, *UPGRADE)
    assert said.returncode == 0, said.stderr

    commands = printed_commands(said.stdout)
    for command in commands:
        done = ragate(earlier, *command)
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"

    assert commands[-2:] == [["baseline", "update"], ["check"]]
    assert workflows(earlier) == todays_workflows(tmp_path)
    doctor = ragate(earlier, "doctor", "--format", "json")
    assert doctor.returncode == 0, doctor.stdout
    states = {(one["check"], one["status"]) for one in json.loads(doctor.stdout)["checks"]}
    assert {status for check, status in states if check in {"baseline", "workflows"}} == {"ok"}
    before = (earlier / "baselines" / "main.json").read_bytes()
    assert ragate(earlier, "baseline", "update").returncode == 0
    assert (earlier / "baselines" / "main.json").read_bytes() == before


def test_a_baseline_of_an_earlier_version_is_read(earlier: Path) -> None:
    shown = ragate(earlier, "baseline", "show", "--json")

    assert shown.returncode == 0, shown.stderr
    assert json.loads(shown.stdout)["samples"] == 4


def test_a_newer_ragate_leaves_out_what_it_measures_in_another_way_and_the_others_gate(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "handbook"
    shutil.copytree(VERSIONS / "ae2d4c2f", folder)
    git(folder, "init", "--quiet", "--initial-branch=main")
    commit(folder, "as it was")

    first = ragate(folder, "check")
    assert first.returncode == 0, first.stdout + first.stderr
    said = " ".join(first.stdout.split())
    assert "left out until main is recorded anew" in said
    assert "number_unit_support" in said

    again = ragate(folder, "baseline", "rejudge")
    assert again.returncode == 0, again.stderr
    assert "complete_answer" in again.stdout
    assert "number_unit_support" in again.stderr  # it reads passages, and the baseline holds none

    for page in (folder / "docs").glob("*.md"):
        page.write_text("Nothing is here.\n")
    assert ragate(folder, "check").returncode == 1


def test_what_is_gone_is_taken_out_of_the_configuration(tmp_path: Path) -> None:
    folder = tmp_path / "handbook"
    shutil.copytree(VERSIONS / "ae2d4c2f", folder)
    git(folder, "init", "--quiet", "--initial-branch=main")
    config = folder / "ragate.toml"
    now = config.read_text()
    gone = '# Other documents?\n[policy.metrics.rbo]\nlevel = "warn"  # shown only\n\n[system] '
    config.write_text(now.replace("[system] ", gone))
    assert "rbo" in config.read_text()
    assert ragate(folder, "check").returncode == 2

    said = ragate(folder, *UPGRADE)

    assert said.returncode == 0, said.stderr
    assert config.read_text() == now.replace("[system] ", "# Other documents?\n\n[system] ")
    assert '-level = "warn"  # shown only' in said.stdout
    again = ragate(folder, *UPGRADE)
    assert "brought to this version" not in again.stdout
