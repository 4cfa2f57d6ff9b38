"""`git merge` of two branches that both recorded, with the driver and without it."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from ragate.baseline import load_baseline
from ragate.baseline.requests import Replies, load_replies, requests_path, save_replies
from ragate.cli.main import run
from ragate.models import SystemInfo
from tests.integration.merge.branches import ANSWERS, Repository

pytestmark = pytest.mark.integration


OURS, THEIRS = {**ANSWERS, "q1": "ours"}, {**ANSWERS, "q4": "theirs"}


def test_git_takes_the_target_branchs_recording_whole_and_names_what_it_lacks(
    clone: Repository,
) -> None:
    clone.both(OURS, {**THEIRS, "q9": "new"})

    done = clone.git("merge", "--no-edit", "change")

    assert done.returncode == 0, done.stderr
    assert clone.answers() == OURS
    assert "recorded on the other side only, and not in the file: q9" in done.stderr
    assert "ragate baseline update" in done.stderr
    merged = load_baseline(clone.file).manifest.merged
    assert merged is not None
    assert [one.commit[0] for one in merged.recordings] == ["2", "3"]
    assert clone.git("status", "--porcelain").stdout == ""


def test_without_the_driver_git_leaves_a_conflict(bare: Repository) -> None:
    bare.both({**ANSWERS, "q1": "ours"}, {**ANSWERS, "q4": "theirs"})

    assert bare.git("merge", "--no-edit", "change").returncode == 1
    assert run(["baseline", "show"]) == 2


def test_main_merged_into_a_branch_brings_mains_recording(clone: Repository) -> None:
    clone.both(OURS, THEIRS)
    clone.git("checkout", "-q", "change")

    done = clone.git("merge", "--no-edit", "main")

    assert done.returncode == 0, done.stderr
    assert "the recording of theirs, whole" in done.stderr
    assert clone.answers() == OURS


def test_a_rebase_onto_main_keeps_mains_recording(clone: Repository) -> None:
    clone.both(OURS, THEIRS)

    done = clone.git("rebase", "main", "change")

    assert done.returncode == 0, done.stderr
    assert clone.answers() == OURS


def test_the_side_that_alone_changed_the_system_is_taken_also_against_main(
    clone: Repository,
) -> None:
    clone.record(ANSWERS, system=SystemInfo(use="pgvector", fingerprint="f"))
    clone.git("checkout", "-q", "-b", "change")
    clone.record(THEIRS, day=3, system=SystemInfo(use="pgvector", fingerprint="g"))
    clone.git("checkout", "-q", "main")
    clone.record(OURS, day=2, system=SystemInfo(use="pgvector", fingerprint="f"))

    done = clone.git("merge", "--no-edit", "change")

    assert done.returncode == 0, done.stderr
    assert clone.answers() == THEIRS


def test_a_merge_reads_no_configuration_and_runs_no_code_of_the_clone(clone: Repository) -> None:
    clone.both(OURS, THEIRS)
    package = clone.root / "ragate"
    package.mkdir()
    trap = "import pathlib\npathlib.Path(__file__).parent.parent.joinpath('MARK').touch()\n"
    for name in ("__init__.py", "__main__.py"):
        (package / name).write_text(trap)
    for name in ("sitecustomize.py", "click.py", "evil.py"):
        (clone.root / name).write_text(trap)
    (clone.root / "ragate.toml").write_text('[system]\nuse = "evil:create"\n"broken')
    clone.git("add", "-A")
    clone.git("commit", "-q", "-m", "hostile")

    done = clone.git("merge", "--no-edit", "change")

    assert done.returncode == 0, done.stderr
    assert not (clone.root / "MARK").exists()
    assert clone.answers() == OURS


def test_a_hostile_attribute_on_another_file_only_leaves_a_conflict(clone: Repository) -> None:
    name = "$(touch MARK).py"
    (clone.root / ".gitattributes").write_text("*.py merge=ragate-baseline\n")
    for branch, text in (("main", "a"), ("change", "b"), ("main", "c")):
        clone.git("checkout", "-q", *(["-b"] if text == "b" else []), branch)
        (clone.root / name).write_text(f"{text}\n")
        clone.git("add", "-A")
        clone.git("commit", "-q", "-m", text)

    done = clone.git("merge", "--no-edit", "change")

    assert done.returncode == 1
    assert not (clone.root / "MARK").exists()
    assert "not a baseline" in done.stderr or "(before)" in done.stderr


def test_what_is_packed_beside_the_baseline_is_merged_too(clone: Repository) -> None:
    def packed(*keys: str) -> bytes:
        rows = [json.dumps({"chunks": [], "hash": key}, separators=(",", ":")) for key in keys]
        return gzip.compress("".join(f"{row}\n" for row in rows).encode(), mtime=0)

    def beside(day: int, *, contexts: bytes, replies: dict[str, str]) -> None:
        (clone.root / "baselines/docs.contexts.jsonl.gz").write_bytes(contexts)
        kept = Replies()
        for key, text in replies.items():
            kept.add(key * 16, 0, "m", json.dumps({"said": text}))
        save_replies(requests_path(clone.file), kept)
        clone.record({**ANSWERS, f"q{day}": "new"}, day=day)

    beside(1, contexts=packed("h0"), replies={"a": "x"})
    clone.git("checkout", "-q", "-b", "change")
    beside(3, contexts=packed("h0", "h3"), replies={"a": "x", "b": "theirs", "c": "theirs"})
    clone.git("checkout", "-q", "main")
    beside(2, contexts=packed("h0", "h2"), replies={"a": "x", "b": "ours"})

    done = clone.git("merge", "--no-edit", "change")

    assert done.returncode == 0, done.stderr
    contexts = (clone.root / "baselines/docs.contexts.jsonl.gz").read_bytes()
    assert contexts == packed("h0", "h2", "h3")
    assert set(load_replies(requests_path(clone.file)).draws) == {"a" * 16, "c" * 16}


def test_show_says_what_was_merged(clone: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    clone.both(OURS, {**THEIRS, "q9": "new"})
    clone.git("merge", "--no-edit", "change")
    text = 'dataset = "golden.jsonl"\nbaseline = "baselines/docs.json"\nsystems = ["replay"]\n'
    rules = '[policy.metrics.token_f1]\n[system]\nuse = "replay"\npaths = ["o.jsonl"]\n'
    (clone.root / "ragate.toml").write_text(f"[policy]\n{text}replay_paths = ['*']\n{rules}")

    assert run(["baseline", "show"]) == 0

    shown = capsys.readouterr().out
    assert "merged of:  2222222" in shown
    assert "neither:    q9" in shown
    assert run(["baseline", "show", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["merged"]["neither"] == ["q9"]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ([], "0 files"),
        (["a", "b"], "2 files"),
        (["--install", "a", "b", "c"], "--install takes no files"),
        (["--config", "ragate.toml", "a", "b", "c"], "--config is for --install"),
        (["missing", "b", "c"], "missing"),
    ],
)
def test_a_wrong_call_is_said(
    bare: Repository, capsys: pytest.CaptureFixture[str], arguments: list[str], named: str
) -> None:
    assert run(["baseline", "merge", *arguments]) == 2
    assert named in capsys.readouterr().err


def test_a_device_is_no_baseline(bare: Repository, capsys: pytest.CaptureFixture[str]) -> None:
    name = str(Path("/dev/zero"))

    assert run(["baseline", "merge", name, bare.baseline, name]) == 2

    assert "not a regular file" in capsys.readouterr().err
