"""The whole line on a real collection, where that data lies beside this repository."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from tests.night import by_night

pytestmark = pytest.mark.integration

CRANFIELD = Path(__file__).parents[2] / "../shared/data/cranfield"
CONFIG = """\
[policy]
dataset  = "cranfield"
baseline = "baselines/cranfield.json"
systems  = ["pgvector"]

[policy.metrics."ndcg@10"]
level = "error"

[system]
use           = "pgvector"
corpus        = "cranfield"
chunk_size    = 8000
chunk_overlap = 0
retrieval     = "bm25"
top_k         = 10

[system.bm25]
stemmer = "{stemmer}"
k1      = 1.2
b       = 0.75
"""


@pytest.fixture
def cranfield(ready: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project on a copy of the collection: the corpus must lie inside the project's folder."""
    if not (CRANFIELD / "corpus.jsonl").exists():
        pytest.skip("the Cranfield collection is not beside this repository")
    monkeypatch.setenv("RAGATE_STATE_DIR", str(ready))
    root = ready / "project"
    (root / "cranfield" / "qrels").mkdir(parents=True)
    for name in ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv"):
        shutil.copy(CRANFIELD / name, root / "cranfield" / name)
    monkeypatch.chdir(root)
    write(root, stemmer="english")
    return root


def write(root: Path, *, stemmer: str) -> None:
    (root / "ragate.toml").write_text(CONFIG.format(stemmer=stemmer))


def report(state: Path) -> dict[str, Any]:
    newest = max((state / "runs").glob("*/report.json"))
    found: dict[str, Any] = json.loads(newest.read_text())
    return found


@by_night
def test_stemming_switched_off_and_nothing_else_is_red_on_ndcg(cranfield: Path, ready: Path):
    assert run(["baseline", "update", "--runs", "2"]) == 0
    assert run(["check"]) == 0
    write(cranfield, stemmer="none")

    assert run(["check"]) == 1

    found = report(ready)
    (row,) = found["decision"]["metrics"]
    assert (row["metric"], row["verdict"], row["exact"]) == ("ndcg@10", "regressed", True)
    assert row["n"] == 225
    assert row["change"] < -row["limit"]
    assert row["worse"] > row["better"] > 0
    assert found["decision"]["family"] == []
    worse = [one for one in found["samples"] if one["change"] == "worse"]
    assert {one["cause"]["kind"] for one in worse} <= {"retrieval", "unknown"}
    assert sum(one["cause"]["kind"] == "retrieval" for one in worse) >= 0.9 * len(worse)
