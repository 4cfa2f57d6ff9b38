"""Golden set and system that name documents in two ways: what is said, refused and mended."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragate.cli.main import run

pytestmark = pytest.mark.integration

CONFIG = """
[policy]
dataset = "golden.jsonl"
baseline = "baselines/main.json"
systems = ["python"]
runs = 1
[policy.metrics."recall@5"]
level = "error"
[system]
use = "python"
target = "rag:answer"
"""
RAG = """
PAGES = {"refunds.md": "Refunds: 30 days.", "fees.md": "Fees: none."}
def answer(query):
    asked = query.lower().split()[0]
    ids = sorted(PAGES, key=lambda name: not name.startswith(asked))
    chunks = [{"doc_id": PREFIX + name, "text": PAGES[name]} for name in ids]
    return {"answer": "x", "chunks": chunks}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "ragate.toml").write_text(CONFIG)
    (tmp_path / "kb/billing").mkdir(parents=True)
    for topic in ("refunds", "fees"):
        (tmp_path / f"kb/billing/{topic}.md").write_text(topic)
    expecting(tmp_path, "billing/refunds.md", "billing/fees.md")
    system(tmp_path)
    return tmp_path


def expecting(root: Path, *doc_ids: str) -> None:
    rows = [
        {"id": f"q{number}", "query": f"{Path(doc_id).stem} ?", "relevant": {doc_id: 1}}
        for number, doc_id in enumerate(doc_ids)
    ]
    (root / "golden.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))


def system(root: Path, prefix: str = "") -> None:
    # A name of its own for each text: a module that is imported stays.
    name = f"rag_{abs(hash((str(root), prefix)))}"
    (root / f"{name}.py").write_text(f"PREFIX = {prefix!r}\n{RAG}")
    config = root / "ragate.toml"
    lines = config.read_text().splitlines()
    kept = [line for line in lines if not line.startswith("target")]
    config.write_text("\n".join([*kept, f'target = "{name}:answer"', ""]))


def test_a_first_baseline_whose_ids_do_not_fit_is_refused_and_says_both_spellings(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["baseline", "update"]) == 3

    told = capsys.readouterr().err
    assert "recall@5: at its worst value" in told
    assert "expected billing/fees.md; came back fees.md: the folder differs" in told
    assert 'doc_id_relative_to = "kb"' in told
    assert "--accept recall@5" in told
    assert not (project / "baselines/main.json").exists()


def test_a_worst_value_that_is_right_is_recorded_where_it_is_named(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["baseline", "update", "--accept", "recall@6"]) == 2
    assert "did you mean 'recall@5'?" in capsys.readouterr().err

    assert run(["baseline", "update", "--accept", "recall@5"]) == 0
    assert "warning: the ids do not fit" in capsys.readouterr().err
    assert run(["baseline", "update"]) == 0  # it was so before


def test_the_golden_set_can_be_written_as_the_system_does(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["baseline", "update"]) == 3
    before = (project / "golden.jsonl").read_text()
    capsys.readouterr()

    assert run(["dataset", "relink", "--respell"]) == 0
    assert "q0: billing/refunds.md -> refunds.md" in capsys.readouterr().out
    assert (project / "golden.jsonl").read_text() == before
    assert run(["dataset", "relink", "--respell", "--accept-all"]) == 0

    assert run(["baseline", "update"]) == 0
    capsys.readouterr()
    assert run(["dataset", "relink", "--respell"]) == 0
    assert "nothing to write otherwise" in capsys.readouterr().out


def test_a_change_that_names_documents_otherwise_is_told_so_by_check(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expecting(project, *["refunds.md", "fees.md"] * 3)
    assert run(["baseline", "update"]) == 0
    system(project, "kb/")
    capsys.readouterr()

    run(["check"])

    told = " ".join(capsys.readouterr().out.split())
    assert "golden set and system name documents in two ways" in told


@pytest.mark.parametrize("left", ['PAGES["other.md"] = "Other."', ""])
def test_documents_that_are_lost_are_no_other_spelling(
    project: Path, capsys: pytest.CaptureFixture[str], left: str
) -> None:
    expecting(project, *["refunds.md", "fees.md"] * 3)
    page = 'PAGES["other.md"] = "Other."'
    (project / "before.py").write_text(f"PREFIX = ''\n{RAG}\n{page}\n")
    name = "after" if left else "nothing"
    (project / f"{name}.py").write_text(f"PREFIX = ''\n{RAG}\nPAGES.clear()\n{left}\n")
    config = (project / "ragate.toml").read_text().partition("target")[0]
    (project / "ragate.toml").write_text(f'{config}target = "before:answer"\n')
    assert run(["baseline", "update"]) == 0
    (project / "ragate.toml").write_text(f'{config}target = "{name}:answer"\n')
    capsys.readouterr()

    assert run(["check"]) == 1

    assert "in two ways" not in capsys.readouterr().out


def test_before_any_run_relink_does_not_know_how_the_system_writes(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["dataset", "relink", "--respell"]) == 2
    assert "nothing was retrieved yet" in capsys.readouterr().err
    assert run(["dataset", "relink", "--respell", "--corpus", "kb/billing"]) == 0
    assert "q0: billing/refunds.md -> refunds.md" in capsys.readouterr().out
    assert run(["dataset", "relink", "--respell", "--accept", "q0"]) == 2
