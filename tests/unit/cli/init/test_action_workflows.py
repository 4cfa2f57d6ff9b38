"""What init writes for the action is what the manual shows, for one's own gate."""

from __future__ import annotations

import re
import subprocess
from fnmatch import fnmatch
from pathlib import Path

import pytest
import yaml

from ragate.cli.init.action_workflows import action_workflows
from ragate.cli.init.config_text import Choice
from ragate.cli.main import run
from ragate.cli.main import run as ragate
from ragate.cli.workflows import PLACEHOLDER
from ragate.errors import UsageError
from ragate.repository import git
from ragate.version import REPOSITORY
from tests.workflows.blocks import workflows
from tests.workflows.written import manual_workflow

COMMIT = "c0ffee" * 6 + "c0ff"
CODE = Choice("python", "app.rag:answer", provider_keys=("OPENAI_API_KEY",))
DATA = Choice("pgvector", "docs")
NAMES = ("ragate", "ragate-collect", "ragate-decide", "ragate-commands", "ragate-main")
ON_RUNNER = ("ragate-collect-code", "ragate-main-code", "ragate-collect-shards")


@pytest.mark.parametrize("name", [*NAMES, *ON_RUNNER])
def test_the_manual_shows_the_very_workflow(name: str):
    shown = [block.text for block in workflows() if block.page.parent.name == "docs"]
    action = f"{REPOSITORY}@{PLACEHOLDER}"
    text = manual_workflow(name).replace(action, f"{action} # the commit of the release you use")
    assert text in shown


@pytest.mark.parametrize(("choice", "folder"), [(CODE, ""), (DATA, ""), (CODE, "apps/help")])
def test_every_gap_is_filled_and_every_file_is_a_workflow(choice: Choice, folder: str):
    found = action_workflows(choice, gate="handbook", commit=COMMIT, folder=folder)
    for text in found.values():
        assert yaml.safe_load(text)["jobs"]
        assert not {"@ACTION@", "@GATE@", "@MAIN@"} & set(text.split())
        assert f"{REPOSITORY}@{COMMIT}" in text
        assert bool(re.search("working-directory:? apps/help", text)) is bool(folder)
    pair = {"ragate-collect.yml", "ragate-decide.yml"} <= set(found)
    assert pair is (choice is CODE)


def test_code_is_run_on_the_runner_where_its_packages_are():
    found = action_workflows(CODE, gate="handbook", commit=COMMIT, folder="my app")

    for name, mode in (("ragate-collect.yml", "collect"), ("ragate-main.yml", "record")):
        job = next(iter(yaml.safe_load(found[name])["jobs"].values()))
        runs = [step["run"] for step in job["steps"] if "run" in step]
        # What the run writes into its environment is gone with the job.
        assert runs[0].startswith('python -m venv "$RUNNER_TEMP/gate"')
        assert f"git+https://github.com/{REPOSITORY}@{COMMIT}" in runs[1]
        assert (
            f"ragate action --mode {mode} --gate handbook --working-directory 'my app'" in runs[2]
        )
    assert "secrets." not in found["ragate-collect.yml"]
    assert "mode: decide" in found["ragate-decide.yml"]  # in the container


def test_data_needs_no_key_and_allows_no_code():
    for text in action_workflows(DATA, gate="handbook", commit=COMMIT).values():
        assert "secrets." not in text
        assert "allow-code" not in text


@pytest.mark.parametrize("commit", ["v1", "main", COMMIT[:7], COMMIT.upper()])
def test_a_tag_is_refused_with_the_reason(commit: str):
    with pytest.raises(UsageError, match="forty digits"):
        action_workflows(DATA, gate="handbook", commit=commit)


def test_init_writes_them_in_place_of_the_plain_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/refunds.md").write_text("# Refunds\n\nFor 30 days.\n")
    monkeypatch.chdir(tmp_path)

    assert ragate(["init", "--yes", "--action", COMMIT]) == 0

    written = {path.name for path in (tmp_path / ".github/workflows").iterdir()}
    assert written == {"ragate.yml", "ragate-commands.yml", "ragate-main.yml"}
    assert (
        "github.event.pull_request.head.sha"
        in (tmp_path / ".github/workflows/ragate.yml").read_text()
    )
    assert 'require the status check "ragate/' in capsys.readouterr().out


def docs_project(root: Path) -> None:
    (root / "docs").mkdir()
    (root / "docs/refunds.md").write_text("# Refunds\n\nFor 30 days.\n")


def test_they_are_the_default_and_wait_for_the_commit_of_a_release(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    docs_project(tmp_path)
    monkeypatch.chdir(tmp_path)

    assert ragate(["init", "--yes"]) == 0

    folder = tmp_path / ".github/workflows"
    names = {path.name for path in folder.iterdir()}
    assert names == {"ragate.yml", "ragate-commands.yml", "ragate-main.yml"}
    assert f"uses: {REPOSITORY}@{PLACEHOLDER}" in (folder / "ragate.yml").read_text()
    told = capsys.readouterr().out
    assert "for the zeros" in told
    assert "git ls-remote" in told


def test_the_plain_workflow_is_written_where_it_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    docs_project(tmp_path)
    monkeypatch.chdir(tmp_path)

    assert ragate(["init", "--yes", "--plain"]) == 0

    (written,) = (tmp_path / ".github/workflows").iterdir()
    assert "ragate check" in written.read_text()
    assert "zeros" not in capsys.readouterr().out
    assert ragate(["init", "--yes", "--plain", "--action", COMMIT]) == 2


def test_recordings_need_no_database():
    text = action_workflows(Choice("replay", "outputs/*.jsonl"), gate="g", commit=COMMIT)
    assert "postgres" not in "".join(text.values())
    assert yaml.safe_load(text["ragate.yml"])["jobs"]["gate"]["steps"][1]["with"] == {"gate": "g"}


@pytest.mark.parametrize("branch", ["trunk", "master", "release 1"])
def test_the_main_branch_is_the_repositorys_own(branch: str):
    text = action_workflows(DATA, gate="g", commit=COMMIT, main=branch)["ragate-main.yml"]
    assert yaml.safe_load(text)[True]["push"]["branches"] == [branch]


def test_the_main_branchs_name_is_read_from_git(tmp_path: Path):
    subprocess.run(["git", "init", "-q", "-b", "trunk", str(tmp_path)], check=True)
    assert git.main_branch(tmp_path) == "trunk"
    head = ["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/develop"]
    subprocess.run(["git", "-C", str(tmp_path), *head], check=True)
    assert git.main_branch(tmp_path) == "develop"


def test_a_wrong_commit_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/refunds.md").write_text("# Refunds\n\nFor 30 days.\n")
    monkeypatch.chdir(tmp_path)

    assert ragate(["init", "--yes", "--action", "v1"]) == 2
    assert not (tmp_path / "ragate.toml").exists()


@pytest.mark.parametrize("folder", ["", "apps/help", "my [app]"])
def test_no_job_that_installs_packages_can_write_and_what_it_recorded_is_handed_on(folder: str):
    text = action_workflows(CODE, gate="handbook", commit=COMMIT, folder=folder)["ragate-main.yml"]

    record, commit = yaml.safe_load(text)["jobs"].values()
    assert set(record["permissions"].values()) == {"read"}
    assert not [step for step in commit["steps"] if "run" in step]
    up, (down, action) = record["steps"][-1]["with"], [one["with"] for one in commit["steps"][-2:]]
    assert (up["name"], down["pattern"]) == ("ragate-baseline-handbook",) * 2
    assert down["path"].removeprefix(f"{folder}/") == action["outputs-path"] == "ragate-baseline"
    assert fnmatch(down["path"], up["path"])


def test_what_fills_a_database_is_a_step_after_the_packages():
    choice = Choice(
        "http", "", settings={"start": ["npm", "start"]}, seeds=("npm ci", "make -C ../.. seed")
    )

    texts = action_workflows(choice, gate="help", commit="a" * 40, folder="apps/my help")

    steps = texts["ragate-collect.yml"]
    assert "- run: cd 'apps/my help' && make -C ../.. seed\n" in steps
    assert steps.index("pip install") < steps.index("npm ci") < steps.index("make -C")
    assert "make -C" in texts["ragate-main.yml"]
    assert "make -C" not in texts["ragate-decide.yml"]


MADE = Choice("python", "app.rag:answer")
RECORDED = Choice("replay", "outputs/*.jsonl")


def job(choice: Choice, name: str, *, folder: str = ""):
    texts = action_workflows(choice, gate="g", commit=COMMIT, shards=3, folder=folder)
    return next(iter(yaml.safe_load(texts[f"{name}.yml"])["jobs"].values()))


@pytest.mark.parametrize("folder", ["", "apps/my help"])
@pytest.mark.parametrize("choice", [MADE, RECORDED])
def test_each_job_of_the_matrix_collects_one_shard_and_uploads_it_under_its_number(
    choice: Choice, folder: str
):
    collecting = job(choice, "ragate-collect", folder=folder)
    (step,) = (one for one in collecting["steps"] if "ragate collect" in one.get("run", ""))
    upload = collecting["steps"][-1]["with"]

    assert collecting["strategy"] == {"fail-fast": False, "matrix": {"shard": [1, 2, 3]}}
    assert collecting["env"] == {"SHARD": "${{ matrix.shard }}"}
    assert (
        'ragate collect --shard "$SHARD/3" --runs 3 --save-outputs "ragate-outputs-' in step["run"]
    )
    assert "${{" not in step["run"]
    assert "git checkout HEAD^1 -- evals/golden.jsonl || true" in step["run"]
    assert step.get("working-directory", "") == folder
    assert upload["name"] == "ragate-outputs-g-${{ matrix.shard }}"
    assert upload["path"].strip().removeprefix(f"{folder}/") == "ragate-outputs-*.jsonl"


def test_a_built_in_rag_brings_its_database_to_each_shard():
    (install,) = (one["run"] for one in job(DATA, "ragate-collect")["steps"] if "pip" in str(one))

    assert "ragate[embedded] @ git+https://github.com" in install


def test_nothing_but_the_first_half_changes():
    plain = action_workflows(MADE, gate="g", commit=COMMIT)
    sharded = action_workflows(MADE, gate="g", commit=COMMIT, shards=3)

    assert plain.keys() == sharded.keys()
    assert [name for name in plain if plain[name] != sharded[name]] == ["ragate-collect.yml"]


def test_init_knows_its_own_matrix_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    docs_project(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert run(["init", "--yes", "--shards", "4", "--action", COMMIT]) == 0
    workflow = tmp_path / ".github/workflows/ragate-collect.yml"

    assert run(["init", "--yes", "--shards", "8", "--action", COMMIT]) == 0

    assert "shard: [1, 2, 3, 4, 5, 6, 7, 8]" in workflow.read_text()


def test_init_writes_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# Prices\n\nAn apple costs one euro.\n")
    monkeypatch.chdir(tmp_path)

    assert run(["init", "--yes", "--shards", "4", "--action", COMMIT]) == 0

    text = (tmp_path / ".github/workflows/ragate-collect.yml").read_text()
    assert "shard: [1, 2, 3, 4]" in text
    assert (tmp_path / ".github/workflows/ragate-decide.yml").is_file()
    assert not (tmp_path / ".github/workflows/ragate.yml").exists()


def test_the_plain_workflow_has_no_shards(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run(["init", "--yes", "--plain", "--shards", "4", str(tmp_path)]) == 2
    assert "leave out --plain or --shards" in capsys.readouterr().err
