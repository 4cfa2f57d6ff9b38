"""The files that init writes, and those it leaves alone."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from ragate.cli.init.config_text import Choice
from ragate.cli.init.kinds import choice_of, likeliest
from ragate.cli.init.new_files import NewFile, ignore_state, write_new
from ragate.cli.init.plan import WritePlan, make_plan, with_workflows
from ragate.cli.init.survey import Survey, look
from ragate.cli.main import run
from ragate.config import load_config
from ragate.dataset import read_dataset
from ragate.errors import StorageError, UsageError
from ragate.systems.pgvector.corpus import read_corpus
from tests.unit.cli.init.init_factories import PGVECTOR, beir, pages, write
from tests.unit.whole import of_the_whole


def guess(survey: Survey) -> Choice:
    return choice_of(survey, likeliest(survey))


def test_the_adapter_that_code_needs_is_written_and_never_over_another(tmp_path: Path) -> None:
    write(tmp_path, {**pages("docs/a.md"), "rag.py": "def answer(question): ...\n"})

    plan = plan_for(tmp_path)

    assert plan.choice.system == "python"
    (adapter,) = (file for file in plan.files if file.path.name == "ragate_rag.py")
    adapter.path.write_text("mine")
    assert not write_new(adapter)
    assert not [file for file in plan_for(tmp_path).files if file.path == adapter.path]


def plan_for(root: Path) -> WritePlan:
    survey = look(root)
    plan = make_plan(survey, guess(survey))
    return with_workflows(survey, plan, plain=True, commit="", shards=None)


def put(plan: WritePlan) -> list[bool]:
    return [write_new(file) for file in plan.files]


def test_the_plan_for_documents_is_a_gate_that_can_be_read(tmp_path: Path) -> None:
    write(tmp_path, pages("docs/a.md", "docs/b.md", "docs/sub/c.md"))

    assert put(plan_for(tmp_path)) == [True, True, True]

    config = load_config(tmp_path / "ragate.toml")
    samples = read_dataset(config.dataset)
    known = {one.doc_id for one in read_corpus(tmp_path, "docs").documents}
    assert 3 <= len(samples) <= 5
    assert all(one.expected and one.expected <= known for one in samples)
    assert (tmp_path / ".github/workflows/ragate.yml").is_file()


def test_a_golden_set_that_fits_is_taken_and_none_is_made(tmp_path: Path) -> None:
    write(tmp_path, pages("docs/a.md"))
    write(tmp_path, {"qa/golden.jsonl": '{"query": "Which?", "expected": "a.md"}\n'})

    plan = plan_for(tmp_path)

    assert plan.choice.dataset == "qa/golden.jsonl"
    assert plan.questions == 0
    assert "evals/golden.jsonl" not in {str(file.path) for file in plan.files}


@of_the_whole
def test_the_import_that_is_told_for_questions_can_be_typed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, pages("docs/a.md"))
    row = '{"question": "Which?", "gold_answer": "a", "gold_context_snippet": "b"}\n'
    write(tmp_path, {"qa/eval set.jsonl": row})
    plan = plan_for(tmp_path)
    put(plan)

    (told,) = (note.split("`")[1] for note in plan.notes if "names of its own" in note)
    monkeypatch.chdir(tmp_path)

    assert run(shlex.split(told)[1:]) == 0
    assert [one.query for one in read_dataset(tmp_path / "evals/golden.jsonl")] == ["Which?"]


def test_a_golden_set_about_other_documents_is_named_and_not_taken(tmp_path: Path) -> None:
    write(tmp_path, pages("docs/a.md"))
    write(tmp_path, {"qa/golden.jsonl": '{"query": "Which?", "expected": "z.md"}\n'})

    plan = plan_for(tmp_path)

    assert plan.choice.dataset == "evals/golden.jsonl"
    assert "qa/golden.jsonl: not used" in plan.notes[0]


def test_a_beir_folder_is_corpus_and_golden_set(tmp_path: Path) -> None:
    write(tmp_path, beir("bench"))

    put(plan_for(tmp_path))

    config = load_config(tmp_path / "ragate.toml")
    assert config.system.settings["corpus"] == config.policy.dataset == "bench"


def test_recordings_get_the_metrics_that_can_read_them(tmp_path: Path) -> None:
    line = {"id": "q1", "question": "Which?", "answer": "A.", "contexts": ["Text A."]}
    write(tmp_path, {"outputs/a.jsonl": json.dumps(line) + "\n"})

    put(plan_for(tmp_path))

    config = load_config(tmp_path / "ragate.toml")
    assert config.policy.replay_paths == ("outputs/*.jsonl",)
    assert "word_precision" in {rule.metric for rule in config.policy.metrics}
    assert read_dataset(config.dataset)[0].id == "q1"


def test_recordings_without_questions_make_no_golden_set_and_say_so(tmp_path: Path) -> None:
    write(tmp_path, {"outputs/a.jsonl": '{"id": "q1", "answer": "A."}\n'})

    plan = plan_for(tmp_path)

    assert "write evals/golden.jsonl" in plan.notes[-1]
    assert not any(file.path.name == "golden.jsonl" for file in plan.files)


def test_scores_need_no_golden_set_and_say_what_is_not_known_of_them(tmp_path: Path) -> None:
    rows = "".join(f"q{n},0.{n},{n}\n" for n in range(1, 9))
    write(tmp_path, {"out/results.csv": f"id,faithfulness,wit\n{rows}"})

    plan = plan_for(tmp_path)
    put(plan)

    config = load_config(tmp_path / "ragate.toml")
    assert (config.system.use, config.policy.scores_paths) == ("scores", ("out/results.csv",))
    assert {rule.metric for rule in config.policy.metrics} == {"faithfulness", "wit"}
    assert "direction and range of wit" in plan.notes[0]
    assert not any(file.path.name == "golden.jsonl" for file in plan.files)


@pytest.mark.parametrize("pattern", ["/etc/*.jsonl", "../*.jsonl"])
def test_recordings_outside_the_folder_are_refused(tmp_path: Path, pattern: str) -> None:
    with pytest.raises(UsageError):
        make_plan(look(tmp_path), Choice("replay", pattern))


def test_documents_without_any_text_make_no_golden_set_and_say_so(tmp_path: Path) -> None:
    write(tmp_path, {"docs/a.md": "\n"})

    assert "write evals/golden.jsonl" in plan_for(tmp_path).notes[-1]


def test_a_repository_on_another_host_gets_no_workflow(tmp_path: Path) -> None:
    write(tmp_path, pages("docs/a.md"))
    survey = Survey(root=tmp_path, top=tmp_path, remote="https://gitlab.example/x.git")

    plan = with_workflows(survey, make_plan(survey, PGVECTOR), plain=False, commit="", shards=None)

    names = [file.path.name for file in plan.files]
    assert names == ["ragate.toml", "golden.jsonl"]


def test_a_file_that_is_there_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "ragate.toml"
    path.write_text("mine")

    assert write_new(NewFile(path, "ours")) is False
    assert path.read_text() == "mine"


def test_a_link_that_leads_nowhere_is_left_alone_too(tmp_path: Path) -> None:
    path = tmp_path / "ragate.toml"
    path.symlink_to(tmp_path / "elsewhere")

    assert write_new(NewFile(path, "ours")) is False
    assert not (tmp_path / "elsewhere").exists()


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "evals").write_text("a file")

    with pytest.raises(StorageError, match=r"golden\.jsonl"):
        write_new(NewFile(tmp_path / "evals/golden.jsonl", "x"))


@pytest.mark.parametrize(
    ("before", "after"),
    [("", ".ragate/\n"), ("dist", "dist\n.ragate/\n"), ("dist/\n", "dist/\n.ragate/\n")],
)
def test_the_state_folder_is_added_to_gitignore_once(
    tmp_path: Path, before: str, after: str
) -> None:
    path = tmp_path / ".gitignore"
    if before:
        path.write_text(before)

    assert ignore_state(tmp_path) is True
    assert ignore_state(tmp_path) is False
    assert path.read_text() == after


@pytest.mark.parametrize("line", [".ragate", "/.ragate/", ".ragate/*"])
def test_a_state_folder_that_is_ignored_in_other_words_is_not_added(
    tmp_path: Path, line: str
) -> None:
    (tmp_path / ".gitignore").write_text(f"{line}\n")

    assert ignore_state(tmp_path) is False


def test_a_golden_set_that_cannot_be_used_is_named_and_no_question_is_promised(
    tmp_path: Path,
) -> None:
    write(tmp_path, {**pages("docs/a.md"), "evals/golden.jsonl": ""})

    plan = make_plan(look(tmp_path), PGVECTOR)

    assert "evals/golden.jsonl: not used as it is" in plan.notes[-1]
    assert (plan.questions, plan.drafts) == (0, 0)
    assert all(file.path.name != "golden.jsonl" for file in plan.files)
