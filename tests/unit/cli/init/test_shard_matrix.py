"""The workflows with the first half in shards."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from ragate.cli.init.action_workflows import action_workflows
from ragate.cli.init.config_text import Choice
from ragate.cli.main import run

COMMIT = "c0ffee" * 6 + "c0ff"
CODE = Choice("python", "app.rag:answer")
DATA = Choice("replay", "outputs/*.jsonl")


def job(choice: Choice, name: str, *, folder: str = ""):
    texts = action_workflows(choice, gate="g", commit=COMMIT, shards=3, folder=folder)
    return next(iter(yaml.safe_load(texts[f"{name}.yml"])["jobs"].values()))


@pytest.mark.parametrize("choice", [CODE, DATA])
def test_each_job_of_the_matrix_collects_one_shard_and_uploads_it_under_its_number(choice: Choice):
    collecting = job(choice, "ragate-collect")

    assert collecting["strategy"] == {"fail-fast": False, "matrix": {"shard": [1, 2, 3]}}
    (upload,) = (step for step in collecting["steps"] if "upload-artifact" in step.get("uses", ""))
    expected = "ragate-outputs-g-${{ matrix.shard }}-${{ github.run_attempt }}"
    assert upload["with"]["name"] == expected


def test_data_is_collected_in_the_container_by_inputs():
    (step,) = (one for one in job(DATA, "ragate-collect")["steps"] if "mode" in one.get("with", {}))

    assert step["with"]["shards"] == "3"
    assert step["with"]["shard"] == "${{ matrix.shard }}"
    assert step["with"]["outputs-path"] == (
        "ragate-outputs-${{ matrix.shard }}-${{ github.run_attempt }}.jsonl"
    )


@pytest.mark.parametrize("folder", ["", "apps/help"])
def test_code_is_collected_on_the_runner_and_no_expression_stands_in_its_shell(folder: str):
    collecting = job(CODE, "ragate-collect", folder=folder)
    (line,) = (one["run"] for one in collecting["steps"] if "ragate action" in one.get("run", ""))

    assert collecting["env"] == {"SHARD": "${{ matrix.shard }}"}
    assert '--runs 3 --shards 3 --shard "$SHARD" --allow-code' in line
    assert '--outputs-path "ragate-outputs-$SHARD-$GITHUB_RUN_ATTEMPT.jsonl"' in line
    assert "${{" not in line


def test_the_second_half_knows_the_number_and_nothing_else_changes():
    plain = action_workflows(CODE, gate="g", commit=COMMIT)
    (step,) = (one for one in job(CODE, "ragate-decide")["steps"] if "mode" in one.get("with", {}))

    assert step["with"]["shards"] == "3"
    sharded = action_workflows(CODE, gate="g", commit=COMMIT, shards=3)
    for name in ("ragate-commands.yml", "ragate-main.yml"):
        assert sharded[name] == plain[name]


def test_init_writes_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text("# Prices\n\nAn apple costs one euro.\n")
    monkeypatch.chdir(tmp_path)

    assert run(["init", "--yes", "--shards", "4", "--action", COMMIT]) == 0

    text = (tmp_path / ".github/workflows/ragate-collect.yml").read_text()
    assert "shard: [1, 2, 3, 4]" in text
    assert 'shards: "4"' in (tmp_path / ".github/workflows/ragate-decide.yml").read_text()
    assert not (tmp_path / ".github/workflows/ragate.yml").exists()


def test_the_plain_workflow_has_no_shards(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert run(["init", "--yes", "--plain", "--shards", "4", str(tmp_path)]) == 2
    assert "leave out --plain or --shards" in capsys.readouterr().err
