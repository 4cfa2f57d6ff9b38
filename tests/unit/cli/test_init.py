"""What `ragate init` finds, and what it writes."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from ragate.cli.init import command
from ragate.cli.init.config_text import Choice, Recorded, config_text
from ragate.cli.init.plan import (
    NewFile,
    WritePlan,
    guess,
    ignore_state,
    make_plan,
    write_new,
)
from ragate.cli.init.questions import from_corpus, from_recordings, to_jsonl
from ragate.cli.init.survey import Survey, look
from ragate.cli.init.workflow_text import workflow_text
from ragate.config import load_config, parse_config
from ragate.dataset import read_dataset
from ragate.errors import StorageError, UsageError
from ragate.models import Sample
from ragate.outputs import RecordedOutput
from ragate.systems.pgvector.corpus.files import read_corpus

PGVECTOR = Choice("pgvector", "docs")
REPLAY = Choice("replay", "outputs/*.jsonl")
JUDGED = Sample(id="q1", query="Which?", relevant={"a.md": 1})


def write(root: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def pages(*names: str) -> dict[str, str]:
    return {name: f"# About {name}\n\nText.\n\n## Limits of {name}\n\nMore.\n" for name in names}


def config_of(text: str, root: Path) -> dict[str, Any]:
    """Return the tables; what ragate itself could not read fails."""
    parse_config(text, where="ragate.toml", root=root)
    return tomllib.loads(text)


# Looking


def test_a_folder_with_a_telling_name_comes_before_one_with_more_pages(tmp_path: Path) -> None:
    write(tmp_path, pages("docs/a.md", "notes/a.md", "notes/b.md", "tests/c.md", ".github/d.md"))

    survey = look(tmp_path)

    assert [(one.path, one.pages) for one in survey.docs] == [("docs", 1), ("notes", 2)]


def test_html_and_text_are_pages_and_requirements_are_not(tmp_path: Path) -> None:
    write(tmp_path, {"site/a.html": "<p>a</p>", "kb/b.txt": "b", "app/requirements.txt": "openai"})

    assert {one.path for one in look(tmp_path).docs} == {"site", "kb"}


def test_a_beir_folder_is_found(tmp_path: Path) -> None:
    write(tmp_path, beir("data/nf"))

    assert look(tmp_path).beir == ("data/nf",)


def beir(folder: str) -> dict[str, str]:
    return {
        f"{folder}/corpus.jsonl": '{"_id": "d1", "title": "T", "text": "Word."}\n',
        f"{folder}/queries.jsonl": '{"_id": "q1", "text": "Word?"}\n',
        f"{folder}/qrels/test.tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\n",
    }


def test_a_golden_set_is_found_by_reading_it(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "evals/golden.csv": "question,expected\nWhich?,a.md\n",
            "data/questions.jsonl": '{"prompt": "no golden set"}\n',
            "config.yaml": "- query: not looked at, its name says nothing\n",
        },
    )

    assert look(tmp_path).golden == ("evals/golden.csv",)


def test_recorded_outputs_are_found_by_reading_them(tmp_path: Path) -> None:
    write(tmp_path, {"outputs/a.jsonl": '{"id": "q1", "answer": "Yes."}\n'})
    assert look(tmp_path).recorded == ("outputs/*.jsonl",)

    write(tmp_path, {"outputs/a.jsonl": '{"event": "log line"}\n'})
    assert look(tmp_path).recorded == ()


def test_libraries_are_read_from_the_requirements(tmp_path: Path) -> None:
    write(tmp_path, {"requirements.txt": "llama-index-core>=0.14\nOpenAI==2.0\n"})

    assert look(tmp_path).libraries == ("llama-index", "openai")


def test_the_host_is_read_from_the_remote(tmp_path: Path) -> None:
    assert not look(tmp_path).elsewhere
    git(tmp_path, "init", "-q")
    assert not look(tmp_path).elsewhere
    git(tmp_path, "remote", "add", "origin", "git@github.com:acme/rag.git")
    assert not look(tmp_path).elsewhere
    git(tmp_path, "remote", "set-url", "origin", "https://gitlab.example/acme/rag.git")
    assert look(tmp_path).elsewhere


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-C", str(folder), *arguments], check=True)


# Guessing


def test_recordings_are_guessed_before_documents(tmp_path: Path) -> None:
    write(tmp_path, pages("docs/a.md"))
    assert guess(look(tmp_path)) == PGVECTOR

    write(tmp_path, {"outputs/a.jsonl": '{"id": "q1", "answer": "Yes."}\n'})
    assert guess(look(tmp_path)) == REPLAY


def test_where_there_is_nothing_to_gate_the_error_says_what_to_add(tmp_path: Path) -> None:
    write(tmp_path, {"requirements.txt": "llama-index\n"})

    with pytest.raises(UsageError) as caught:
        guess(look(tmp_path))

    assert caught.value.exit_code == 2
    assert "llama-index" in caught.value.remedy


# Starter questions


def test_questions_are_made_from_headings_of_pages_all_over_the_corpus(tmp_path: Path) -> None:
    write(tmp_path, pages(*(f"docs/{letter}.md" for letter in "abcdefghij")))
    corpus = read_corpus(tmp_path, "docs")

    found = from_corpus(corpus)

    assert [next(iter(one.relevant)) for one in found] == ["a.md", "c.md", "e.md", "h.md", "j.md"]
    assert found[0].query == 'What about "Limits of docs/a.md" in "About docs/a.md"?'
    assert {one.tags for one in found} == {("starter",)}


def test_a_single_page_gives_several_questions(tmp_path: Path) -> None:
    text = "# Guide\n\n## Install it\n\nA.\n\n## Why is it slow?\n\nB.\n\n## Overview\n\nC.\n"
    write(tmp_path, {"docs/guide.md": text})

    found = [one.query for one in from_corpus(read_corpus(tmp_path, "docs"))]

    assert found == ['What about "Install it" in "Guide"?', "Why is it slow?"]


def test_a_heading_in_a_code_block_and_markup_make_no_question(tmp_path: Path) -> None:
    text = (
        "# The `run` command\n\n```bash\n# not a heading\n```\n\n## 2. See [the docs](x.md)\n\nB."
    )
    write(tmp_path, {"docs/run.md": text})

    found = [one.query for one in from_corpus(read_corpus(tmp_path, "docs"))]

    assert found == ['What about "See the docs" in "The run command"?']


@pytest.mark.parametrize(
    ("name", "text", "query"),
    [
        ("a.txt", "Refunds end after 30 days.\n", 'What is "Refunds end after 30 days." about?'),
        ("a.html", "<title>Fees</title><h1>Fees</h1><p>x</p>", 'What is "Fees" about?'),
        ("a.md", "Only text, no heading.", 'What is "Only text, no heading." about?'),
    ],
)
def test_a_page_without_headings_is_asked_for_by_its_beginning(
    tmp_path: Path, name: str, text: str, query: str
) -> None:
    write(tmp_path, {f"docs/{name}": text})

    assert [one.query for one in from_corpus(read_corpus(tmp_path, "docs"))] == [query]


def test_recorded_questions_keep_their_ids_and_are_not_judged() -> None:
    lines = [{"id": "q1", "question": "Which?"}, {"question": "Which?"}, {"id": "q2"}]

    found = from_recordings(RecordedOutput.model_validate(line) for line in lines)

    assert [(one.id, one.query, one.relevant) for one in found] == [("q1", "Which?", {})]


def test_a_starter_set_is_a_golden_set(tmp_path: Path) -> None:
    odd = Sample(id="a", query='He said "é\\"\u2028?', relevant={"ü.md": 1}, tags=("starter",))
    write(tmp_path, {"golden.jsonl": to_jsonl([odd])})

    assert read_dataset(tmp_path / "golden.jsonl") == [odd]


# ragate.toml


@pytest.mark.parametrize(
    "choice",
    [PGVECTOR, REPLAY, Choice("pgvector", "docs", "chat")],
    ids=lambda choice: f"{choice.system}-{choice.answers}",
)
def test_every_key_of_a_new_configuration_is_explained(tmp_path: Path, choice: Choice) -> None:
    text = config_text(choice, [JUDGED])

    tables = config_of(text, tmp_path)
    assert tables["system"]["use"] == choice.system
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    assert len(lines) > 10
    for line in lines:
        assert re.search(r"  # \S.{2,}$", line), line
        assert len(line) <= 100, line


def test_the_metrics_are_the_ones_that_the_samples_allow(tmp_path: Path) -> None:
    answered = Sample(id="q2", query="And?", references=("So.",))
    refused = Sample(id="q3", query="Not?", answerable=False)

    def metrics(*samples: Sample, recorded: Recorded | None = None) -> set[str]:
        text = config_text(REPLAY, samples, recorded)
        return set(config_of(text, tmp_path)["policy"]["metrics"])

    assert "ndcg@10" in metrics(JUDGED)
    assert "idf_f1" not in metrics(JUDGED)
    assert "idf_f1" in metrics(answered)
    assert "ndcg@10" not in metrics(answered)
    assert "refusal_recall" in metrics(refused)
    assert "ndcg@10" not in metrics(JUDGED, recorded=Recorded(ids=False))
    bare = metrics(answered, recorded=Recorded(answers=False, texts=False, ids=False))
    assert bare == {"error_rate", "latency_p95"}


def test_chat_names_the_key_variable_and_holds_no_key(tmp_path: Path) -> None:
    tables = config_of(config_text(Choice("pgvector", "docs", "chat"), [JUDGED]), tmp_path)

    assert tables["policy"]["providers"]["openai"]["key_env"] == "OPENAI_API_KEY"
    assert tables["system"]["answer"]["provider"] == "openai"


@pytest.mark.parametrize("folder", ['my "docs"', "döcs", "back\\slash", "a'b", "del\x7f"])
def test_a_folder_with_an_odd_name_is_written_so_that_it_reads_back(
    tmp_path: Path, folder: str
) -> None:
    choice = Choice("pgvector", folder)

    assert config_of(config_text(choice, [JUDGED]), tmp_path)["system"]["corpus"] == folder
    assert yaml.safe_load(workflow_text(choice, folder=folder))["jobs"]["gate"]["steps"]


# The workflow


@pytest.mark.parametrize("choice", [PGVECTOR, REPLAY, Choice("pgvector", "docs", "chat")])
def test_the_workflow_has_few_rights_and_pinned_actions(choice: Choice) -> None:
    flow = yaml.safe_load(workflow_text(choice))
    gate = flow["jobs"]["gate"]
    used = [step["uses"] for step in gate["steps"] if "uses" in step]

    assert flow["permissions"] == {}
    assert gate["permissions"] == {"contents": "read"}
    assert "if" not in gate
    assert set(flow[True]) == {"pull_request", "merge_group"}  # YAML 1.1 reads `on` as true
    assert used
    assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", one) for one in used)
    assert not any("${{" in step.get("run", "") for step in gate["steps"])
    assert "@" not in re.sub(r"[\w./-]+@[0-9a-f]{40}", "", workflow_text(choice))


def test_only_chat_gets_a_secret_and_only_in_the_step_that_needs_it() -> None:
    chat = yaml.safe_load(workflow_text(Choice("pgvector", "docs", "chat")))
    steps = [step for step in chat["jobs"]["gate"]["steps"] if "env" in step]

    assert [step["env"] for step in steps] == [{"OPENAI_API_KEY": "${{ secrets.OPENAI_API_KEY }}"}]
    assert "secrets" not in workflow_text(PGVECTOR)


def test_replay_needs_no_database_and_no_cache() -> None:
    assert "embedded" not in workflow_text(REPLAY)
    assert "cache" not in workflow_text(REPLAY)
    assert "ragate[embedded]==" in workflow_text(PGVECTOR)


def test_below_the_repositorys_root_the_workflow_names_the_configuration() -> None:
    gate = yaml.safe_load(workflow_text(PGVECTOR, folder="apps/help"))["jobs"]["gate"]
    cache = next(step["with"] for step in gate["steps"] if "cache" in step.get("uses", ""))

    assert gate["env"] == {"RAGATE_CONFIG": "apps/help/ragate.toml"}
    assert cache["path"] == "apps/help/.ragate/postgres"
    assert "'apps/help/docs/**'" in cache["key"]


# The plan


def plan_for(root: Path) -> WritePlan:
    survey = look(root)
    return make_plan(survey, guess(survey))


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
    assert "lexical_support" in {rule.metric for rule in config.policy.metrics}
    assert read_dataset(config.dataset)[0].id == "q1"


def test_recordings_without_questions_make_no_golden_set_and_say_so(tmp_path: Path) -> None:
    write(tmp_path, {"outputs/a.jsonl": '{"id": "q1", "answer": "A."}\n'})

    plan = plan_for(tmp_path)

    assert "write evals/golden.jsonl" in plan.notes[-1]
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

    names = [file.path.name for file in make_plan(survey, PGVECTOR).files]

    assert names == ["ragate.toml", "golden.jsonl"]


# Writing


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


# Asking


def ask(survey: Survey, typed: str) -> Choice:
    with CliRunner().isolation(input=typed):
        return command._ask(survey)


def test_empty_lines_take_what_was_guessed(tmp_path: Path) -> None:
    write(tmp_path, pages("docs/a.md"))

    assert ask(look(tmp_path), "\n\n\n") == PGVECTOR


def test_three_answers_choose_folder_and_model(tmp_path: Path) -> None:
    write(tmp_path, pages("docs/a.md", "kb/b.md"))

    assert ask(look(tmp_path), "documents\nkb/\nn\n") == Choice("pgvector", "kb", "chat")


def test_a_folder_without_documents_is_asked_for_again(tmp_path: Path) -> None:
    write(tmp_path, pages("docs/a.md"))

    assert ask(look(tmp_path), "documents\nnowhere\ndocs\ny\n") == PGVECTOR


def test_recordings_take_two_answers(tmp_path: Path) -> None:
    assert ask(look(tmp_path), "recordings\nruns/*.jsonl\n") == Choice("replay", "runs/*.jsonl")
