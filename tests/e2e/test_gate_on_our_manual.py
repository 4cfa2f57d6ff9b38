"""Our own gate as a newcomer meets it: it passes, it fails when the RAG is broken, and says why."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.browser.comments import ROOT, record_own_gate
from tests.e2e.command import ragate
from tests.night import by_night
from tests.unit.renderers.test_comment_size import seen

BLOCKING = ("recall@10", "ndcg@10", "mrr@10", "hit_rate@5", "lexical_support", "false_refusal")

# By day `.ci/run` has `make check`, and the manual's recipes break a small gate.
pytestmark = [pytest.mark.e2e, by_night]


def set_key(folder: Path, key: str, value: str) -> None:
    config = folder / "ragate.toml"
    text, changed = re.subn(rf"(?m)^{key}\s*=.*$", f"{key} = {value}", config.read_text())
    assert changed == 1, key
    config.write_text(text)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of our gate with a baseline of its own."""
    folder = tmp_path_factory.mktemp("gate")
    record_own_gate(folder)
    return folder


@pytest.fixture
def gate(recorded: Path) -> Path:
    """Return the recorded gate with the committed configuration and golden set."""
    shutil.copy(ROOT / "ragate.toml", recorded)
    shutil.copy(ROOT / "evals/golden.jsonl", recorded / "evals")
    return recorded


def test_unchanged_it_passes(gate: Path) -> None:
    done = ragate(gate, "check")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "PASSED" in done.stdout


def test_recording_again_leaves_the_bytes_of_the_baseline(gate: Path) -> None:
    baseline = gate / "baselines/docs.json"
    before = baseline.read_bytes()

    done = ragate(gate, "baseline", "update")

    assert done.returncode == 0, done.stdout + done.stderr
    assert baseline.read_bytes() == before


def test_one_chunk_in_place_of_ten_fails_it_with_metrics_and_samples(gate: Path) -> None:
    set_key(gate, "top_k", "1")

    done = ragate(gate, "check")

    assert done.returncode == 1, done.stdout + done.stderr
    assert re.search(r"recall@10 .*regressed", done.stdout)
    assert re.search(r"expected +\S+\.md, rank \d+ → gone", " ".join(done.stdout.split()))
    assert len(done.stdout.splitlines()) <= 40
    above_the_fold = seen(ragate(gate, "report", "--format", "markdown").stdout)
    for metric in BLOCKING:
        assert metric in above_the_fold


def test_a_broken_chunking_fails_it(gate: Path) -> None:
    set_key(gate, "chunk_size", "16")
    set_key(gate, "chunk_overlap", "0")

    done = ragate(gate, "check")

    assert done.returncode == 1, done.stdout + done.stderr
    assert "regressed" in done.stdout


def test_a_deleted_question_is_reported_as_removed(gate: Path) -> None:
    golden = gate / "evals/golden.jsonl"
    first, *rest = golden.read_text().splitlines(keepends=True)
    golden.write_text("".join(rest))

    done = ragate(gate, "check")

    assert done.returncode == 0, done.stdout + done.stderr
    said = f"1 question removed and not asked. Removed: {json.loads(first)['id']}"
    assert said in " ".join(done.stdout.split())
