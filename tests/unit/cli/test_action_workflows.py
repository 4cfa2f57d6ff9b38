"""What init writes for the action is what the manual shows, for one's own gate."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from ragate.cli.main import run as ragate
from ragate.cli.scaffold.action_workflows import PLACEHOLDER, REPOSITORY, action_workflows, template
from ragate.cli.scaffold.config_text import Choice
from ragate.errors import UsageError
from tests.workflows.blocks import workflows

COMMIT = "c0ffee" * 6 + "c0ff"
CODE = Choice("python", "app.rag:answer", "chat")
DATA = Choice("pgvector", "docs")
NAMES = ("ragate", "ragate-collect", "ragate-decide", "ragate-commands", "ragate-main")


@pytest.mark.parametrize("name", NAMES)
def test_the_manual_shows_the_very_workflow(name: str):
    shown = [block.text for block in workflows() if block.page.parent.name == "docs"]
    action = f"{REPOSITORY}@{PLACEHOLDER} # the commit of the release you use"
    text = template(name).replace("@ACTION@", action).replace("@GATE@", "docs")
    assert text.replace("@MAIN@", "main") in shown


@pytest.mark.parametrize(("choice", "folder"), [(CODE, ""), (DATA, ""), (CODE, "apps/help")])
def test_every_gap_is_filled_and_every_file_is_a_workflow(choice: Choice, folder: str):
    found = action_workflows(choice, gate="handbook", commit=COMMIT, folder=folder)
    for text in found.values():
        assert yaml.safe_load(text)["jobs"]
        assert not {"@ACTION@", "@GATE@", "@MAIN@"} & set(text.split())
        assert f"{REPOSITORY}@{COMMIT}" in text
        assert ("working-directory: apps/help" in text) is bool(folder)
    pair = {"ragate-collect.yml", "ragate-decide.yml"} <= set(found)
    assert pair is (choice is CODE)


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


def test_a_wrong_commit_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/refunds.md").write_text("# Refunds\n\nFor 30 days.\n")
    monkeypatch.chdir(tmp_path)

    assert ragate(["init", "--yes", "--action", "v1"]) == 2
    assert not (tmp_path / "ragate.toml").exists()
