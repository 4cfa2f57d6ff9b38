"""Recorded outputs as people have them, from the first error to a red verdict."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.command import ragate

pytestmark = pytest.mark.e2e
CONFIG = """\
[policy]
dataset = "{dataset}"
baseline = "baselines/main.json"
systems = ["replay"]
replay_paths = ["{file}"]
runs = 1

[policy.metrics.{metric}]
level = "error"

[system]
use = "replay"
paths = ["{file}"]
"""
PAGES = {number: f"page{number}.md" for number in range(12)}


def write_outputs(path: Path, *, wrong: bool = False) -> None:
    """Write lines as a stranger's own code does."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(
        "".join(
            json.dumps(
                {
                    "ticket": {"text": f"What is on page {number}?"},
                    "result": {
                        "text": f"Page {number} is about apples.",
                        "sources": [
                            {"file": f"kb/{page}" if wrong else page, "body": f"Page {number}."}
                        ],
                    },
                }
            )
            + "\n"
            for number, page in PAGES.items()
        )
    )


def test_a_strangers_lines_are_gated_with_the_table_that_the_error_prints(tmp_path: Path) -> None:
    config, outputs = tmp_path / "ragate.toml", tmp_path / "outputs" / "answers.jsonl"
    config.write_text(
        CONFIG.format(dataset="golden.jsonl", file="outputs/answers.jsonl", metric='"recall@5"')
    )
    (tmp_path / "golden.jsonl").write_text(
        "".join(
            json.dumps({"id": page, "query": f"What is on page {number}?", "expected": [page]})
            + "\n"
            for number, page in PAGES.items()
        )
    )
    write_outputs(outputs)

    refused = ragate(tmp_path, "baseline", "update")
    assert refused.returncode == 2
    assert "answers.jsonl:1: neither `answer` nor `contexts` in this line" in refused.stderr
    assert "Traceback" not in refused.stderr

    table = refused.stderr[refused.stderr.index("[system.pointers]") :]
    config.write_text(config.read_text() + "\n" + table.partition("\n\n")[0])
    recorded = ragate(tmp_path, "baseline", "update")
    assert recorded.returncode == 0, recorded.stdout + recorded.stderr
    checked = ragate(tmp_path, "check")
    assert checked.returncode == 0, checked.stdout + checked.stderr

    write_outputs(outputs, wrong=True)
    broken = ragate(tmp_path, "check")
    assert broken.returncode == 1, broken.stdout + broken.stderr


def test_one_file_of_questions_answers_and_references_is_gated(tmp_path: Path) -> None:
    file = tmp_path / "answers.json"
    (tmp_path / "ragate.toml").write_text(
        CONFIG.format(dataset="answers.json", file="answers.json", metric="token_f1")
    )

    def write(answer: str) -> None:
        rows = [
            {
                "question": f"What is on page {number}?",
                "reference_answer": f"Page {number} is about apples.",
                "answer": answer.format(number),
                "contexts": [f"Page {number}."],
            }
            for number in PAGES
        ]
        file.write_text(json.dumps(rows))

    write("Page {} is about apples.")
    assert ragate(tmp_path, "baseline", "update").returncode == 0
    assert ragate(tmp_path, "check").returncode == 0

    write("Nobody knows number {}.")
    broken = ragate(tmp_path, "check")

    assert broken.returncode == 1, broken.stdout + broken.stderr
