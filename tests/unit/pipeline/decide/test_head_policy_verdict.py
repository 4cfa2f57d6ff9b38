"""The proposed verdict: from the gate's outputs, with nothing of the change's own but its rules."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from pathlib import Path

import pytest

from ragate.cli.main import run as ragate
from ragate.config import load_config
from ragate.github.gate.two_verdicts import gate_of_change
from ragate.models import Proposed, Report, Verdict
from ragate.pipeline.decide.head_policy_verdict import difference
from ragate.pipeline.run.run_profile import Selection
from ragate.runtime.operations import Operations
from tests.factories import sample_factory
from tests.projects import ReplayProject, right
from tests.runs import check

WAIVER = """\
[[policy.waivers]]
id = "q1"
metric = "token_f1"
owner = "me"
reason = "old"
until = 2020-01-01

"""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recorded")
    ReplayProject(folder, samples=20)
    before = Path.cwd()
    os.chdir(folder)
    try:
        assert ragate(["baseline", "update", "--runs", "3"]) == 0
    finally:
        os.chdir(before)
    return folder


@pytest.fixture
def base(tmp_path: Path, recorded: Path) -> Path:
    return Path(shutil.copytree(recorded, tmp_path / "base"))


@pytest.fixture
def head(tmp_path: Path, recorded: Path) -> Path:
    return Path(shutil.copytree(recorded, tmp_path / "head"))


def judged(base: Path, head: Path) -> Report:
    gate = gate_of_change(load_config(base / "ragate.toml"), load_config(head / "ragate.toml"))
    operations = Operations(environment={}, state=head.parent / "state")
    return asyncio.run(check(gate.config, operations, Selection(), proposal=gate.proposal))


def proposed(base: Path, head: Path) -> Proposed:
    report = judged(base, head)
    assert report.decision.verdict is Verdict.PASSED
    assert report.proposed is not None
    return report.proposed


def edit(head: Path, old: str, new: str) -> None:
    path = head / "ragate.toml"
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def add_question(head: Path, **fields: object) -> None:
    row = {"id": "q77", "query": "What is the value of 77?", "relevant": {"doc77.md": 1}, **fields}
    with (head / "golden.jsonl").open("a") as file:
        file.write(json.dumps(row) + "\n")
    for path in (head / "outputs").iterdir():
        with path.open("a") as file:
            file.write(json.dumps({"id": "q77", **right(77, 0)}) + "\n")


def test_equal_rules_are_not_judged_twice(base: Path, head: Path) -> None:
    assert judged(base, head).proposed is None


def test_a_stricter_floor_is_shown_failing_and_does_not_decide(base: Path, head: Path) -> None:
    edit(head, "[policy.metrics.token_f1]\n", "[policy.metrics.token_f1]\nminimum = 1.0\n")
    add_question(head, references=["Something else altogether."])
    found = proposed(base, head)
    assert found.verdict is Verdict.FAILED
    assert found.exit_code == 1
    assert any("token_f1" in reason for reason in found.reasons)


@pytest.mark.parametrize("must_pass", [True, False])
def test_a_new_question_is_asked_in_every_pass(base: Path, head: Path, must_pass: bool) -> None:
    edit(head, '[policy.metrics."hit_rate@5"]\n', '[policy.metrics."hit_rate@5"]\npass_at = 1.0\n')
    add_question(head, must_pass=must_pass)
    found = proposed(base, head)
    assert found.added == ("q77",)
    assert found.verdict is Verdict.PASSED


def test_a_new_must_pass_question_that_fails_is_shown_failing(base: Path, head: Path) -> None:
    edit(head, '[policy.metrics."hit_rate@5"]\n', '[policy.metrics."hit_rate@5"]\npass_at = 1.0\n')
    add_question(head, must_pass=True, relevant={"nowhere.md": 1})
    found = proposed(base, head)
    assert found.verdict is Verdict.FAILED
    assert any("q77" in reason for reason in found.reasons)


@pytest.mark.parametrize(
    ("old", "new", "note"),
    [
        ("[policy.metrics.token_f1]", '[policy.metrics."os.path:join"]', "is code"),
        ('"golden.jsonl"', '"none.jsonl"', "there is no golden set"),
        (
            "[system]",
            WAIVER + "[system]",
            "expired",
        ),
    ],
)
def test_what_is_wrong_with_the_proposal_is_told_in_it(
    base: Path, head: Path, old: str, new: str, note: str
) -> None:
    edit(head, old, new)
    found = proposed(base, head)
    assert found.verdict is None
    assert note in found.note
    assert found.differs


def test_a_broken_baseline_of_the_change_is_told_too(base: Path, head: Path) -> None:
    (head / "baselines" / "gate.json").write_text("{")
    found = proposed(base, head)
    assert found.verdict is None
    assert "gate.json" in found.note


def test_golden_sets_are_compared_by_content() -> None:
    old = [sample_factory("q1"), sample_factory("q2"), sample_factory("q3")]
    new = [sample_factory("q4"), sample_factory("q2", query="Otherwise?"), sample_factory("q1")]
    found = difference(old, new)
    assert [one.id for one in found.kept] == ["q1"]
    assert [one.id for one in found.new] == ["q4", "q2"]
    assert (found.added, found.edited, found.removed) == (("q4",), ("q2",), ("q3",))


def test_a_sample_with_another_id_is_renamed_and_neither_added_nor_removed() -> None:
    sample = sample_factory("q1", query="How?")
    found = difference([sample], [sample.amended(id="q2")])
    assert (found.added, found.removed, found.renamed) == ((), (), {"q1": "q2"})


def test_a_question_that_no_longer_must_pass_is_named_under_its_id_of_today() -> None:
    required = [sample_factory(key, must_pass=True) for key in ("q1", "q2", "q3")]
    free = sample_factory("q4")
    now = [
        required[0].amended(must_pass=False),
        required[1].amended(id="q9", must_pass=False),
        required[2],
        free.amended(must_pass=True),
    ]

    assert difference([*required, free], now).released == ("q1", "q9")


def test_an_accident_in_the_proposal_does_not_take_the_verdict_away(
    base: Path, head: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_question(head)
    monkeypatch.setattr("ragate.pipeline.decide.head_policy_verdict.difference", lambda *_: 1 / 0)
    found = proposed(base, head)
    assert found.verdict is None
    assert found.note.startswith("unexpected ZeroDivisionError")
