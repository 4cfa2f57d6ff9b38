"""Four ways in which answers go wrong, replayed: each must be told apart from the others.

Every project has forty questions about proposals of a governance forum. The metrics need no model.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command import ragate

pytestmark = pytest.mark.e2e

QUESTIONS = 40
CONFIG = """\
[policy]
dataset = "golden.jsonl"
baseline = "baselines/gate.json"
systems = ["replay"]
replay_paths = ["outputs/*.jsonl"]

[policy.metrics."hit_rate@3"]
level = "error"
[policy.metrics."mrr@3"]
level = "error"
[policy.metrics.word_precision]
level = "error"
[policy.metrics.unsupported_numbers]
level = "error"
[policy.metrics.token_f1]
level = "error"

[system]
use = "replay"
paths = ["outputs/*.jsonl"]
"""
Output = dict[str, Any]
NAMES = ("Amber", "Birch", "Cedar", "Daisy", "Ember", "Fjord", "Grove", "Heron", "Iris", "Jade")


def name(number: int) -> str:
    return f"{NAMES[number % 10]} {('Council', 'Grant', 'Treasury', 'Bridge')[number // 10 % 4]}"


def facts(number: int) -> str:
    """The passage about one proposal."""
    return (
        f"The {name(number)} proposal was written by delegate Kestrel. "
        f"Its vote ends on 2024-03-{1 + number % 28:02} after an off-chain temperature check "
        f"where token holders signal their opinion without paying fees."
    )


def reference(number: int) -> str:
    return (
        f"The vote on the {name(number)} proposal ends on 2024-03-{1 + number % 28:02}, after an "
        f"off-chain temperature check where token holders signal without paying fees."
    )


def chunk(number: int) -> dict[str, str]:
    return {"doc_id": f"proposal-{number % QUESTIONS}.md", "text": facts(number % QUESTIONS)}


def right(number: int) -> Output:
    """The right answer; its passage comes first, two neighbours follow."""
    chunks = [chunk(number), chunk(number + 1), chunk(number + 2)]
    return {"answer": reference(number), "chunks": chunks}


def hallucination(number: int) -> Output:
    """A: on the subject, with a date and a quorum that nobody wrote."""
    said = f"The vote on the {name(number)} proposal ends on 2024-04-30 and needs a 60% majority."
    return {**right(number), "answer": said}


def beside_the_question(number: int) -> Output:
    """B: true to the contexts, but to the passage about another proposal."""
    return {**right(number), "answer": facts(number + 1)}


def lost_document(number: int) -> Output:
    """C: the passage that was asked for is not retrieved."""
    chunks = [chunk(number + 7), chunk(number + 1), chunk(number + 2)]
    return {"answer": facts(number + 7), "chunks": chunks}


def too_terse(number: int) -> Output:
    """D: nothing wrong, most of it missing."""
    return {
        **right(number),
        "answer": f"It ends on 2024-03-{1 + number % 28:02}, after a temperature check.",
    }


def record(root: Path, answer: Callable[[int], Output], *, every: int = 1) -> None:
    """Write three runs in which each `every`-th question is answered by `answer`."""
    (root / "outputs").mkdir(exist_ok=True)
    for run in range(3):
        lines = [
            {"id": f"q{n}", **(answer(n) if n % every == 0 else right(n))} for n in range(QUESTIONS)
        ]
        write(root / "outputs" / f"run{run}.jsonl", lines)


def write(path: Path, lines: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a baseline of right answers."""
    root = tmp_path_factory.mktemp("forum")
    (root / "ragate.toml").write_text(CONFIG)
    golden = [
        {
            "id": f"q{n}",
            "query": f"When does the vote on the {name(n)} proposal end, and what comes before?",
            "relevant": {f"proposal-{n}.md": 1},
            "references": [reference(n)],
        }
        for n in range(QUESTIONS)
    ]
    write(root / "golden.jsonl", golden)
    record(root, right)
    done = ragate(root, "baseline", "update")
    assert done.returncode == 0, done.stdout + done.stderr
    return root


def check(root: Path, answer: Callable[[int], Output]) -> Mapping[str, Any]:
    """Break every second question, expect red, and return the report."""
    record(root, answer, every=2)
    done = ragate(root, "check", "--format", "json")
    assert done.returncode == 1, done.stdout + done.stderr
    found: Mapping[str, Any] = json.loads(done.stdout)
    assert found["decision"]["verdict"] == "failed"
    worse = [row for row in found["samples"] if row["change"] in ("worse", "mixed")]
    assert {row["sample_id"] for row in worse} == {f"q{n}" for n in range(0, QUESTIONS, 2)}
    return found


def red(report: Mapping[str, Any]) -> set[str]:
    return {row["metric"] for row in report["decision"]["metrics"] if row["blocks"]}


def kinds(report: Mapping[str, Any]) -> set[str]:
    return {row["cause"]["kind"] for row in report["samples"]}


def evidence(report: Mapping[str, Any]) -> str:
    row = next(row for row in report["samples"] if row["sample_id"] == "q0")
    said: str = row["cause"]["evidence"]
    return said


def symptoms(report: Mapping[str, Any]) -> list[str]:
    return [one["symptom"].partition(":")[0] for one in report["diagnosis"]]


def test_a_facts_that_no_passage_holds_are_made_up_by_the_model(project: Path) -> None:
    report = check(project, hallucination)

    assert "unsupported_numbers" in red(report)
    assert not {"hit_rate@3", "mrr@3"} & red(report)
    assert kinds(report) == {"generation"}
    assert 'it now says "04", "30", "60", which no retrieved chunk holds' in evidence(report)
    assert symptoms(report)[0] == "answers say what the contexts do not"
    assert "state only what the contexts hold" in report["diagnosis"][0]["action"]
    assert "20 of the 20 samples that got worse" in symptoms(report)
    assert "answers leave the references" not in symptoms(report)


def test_b_an_answer_about_another_passage_is_faithful_and_beside_the_question(
    project: Path,
) -> None:
    report = check(project, beside_the_question)

    assert red(report) == {"token_f1"}
    assert kinds(report) == {"generation"}
    assert "as proposal-1.md does, not the expected document" in evidence(report)
    assert symptoms(report)[0] == "answers leave the references"
    assert "follow a passage about something else" in report["diagnosis"][0]["likely_cause"]
    assert "metadata filters, fewer chunks or a reranker" in report["diagnosis"][0]["action"]


def test_c_a_document_that_is_not_found_is_retrievals_fault_whatever_the_answer_says(
    project: Path,
) -> None:
    report = check(project, lost_document)

    assert {"hit_rate@3", "mrr@3", "token_f1"} <= red(report)
    assert not {"word_precision", "unsupported_numbers"} & red(report)
    assert kinds(report) == {"retrieval"}
    row = next(row for row in report["samples"] if row["sample_id"] == "q0")
    assert (row["cause"]["lost"], row["cause"]["displaced_by"]) == (
        ["proposal-0.md"],
        ["proposal-7.md"],
    )
    assert "expected proposal-0.md rank 1 -> not retrieved" in row["cause"]["evidence"]
    assert symptoms(report)[0] == "expected documents are missed"
    assert "that they are in the corpus" in report["diagnosis"][0]["action"]
    assert "answers leave the references" not in symptoms(report)


def test_d_an_answer_that_leaves_most_out_is_right_in_part(project: Path) -> None:
    report = check(project, too_terse)

    assert red(report) == {"token_f1"}
    assert kinds(report) == {"generation"}
    assert "it says nothing new in 8 words, 22 before" in evidence(report)
    assert symptoms(report)[0] == "answers leave the references"
    assert "they leave parts out" in report["diagnosis"][0]["likely_cause"]
    assert "whole answers" in report["diagnosis"][0]["action"]


def test_the_four_are_told_apart_by_what_held(project: Path) -> None:
    seen = {
        scenario.__name__: (frozenset(red(report)), evidence(report))
        for scenario in (hallucination, beside_the_question, lost_document, too_terse)
        for report in [check(project, scenario)]
    }

    assert len(set(seen.values())) == len(seen)
