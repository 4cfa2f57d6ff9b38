"""``ragate score``: a file that holds answers, and no gate."""

from __future__ import annotations

import json

import pytest

from ragate.cli.main import run

pytestmark = pytest.mark.integration
ROWS = [
    {
        "question": "Where is it?",
        "reference_answer": "It is in Oslo.",
        "answer": "It is in Oslo.",
        "contexts": ["It is in Oslo."],
    },
    {
        "question": "Who wrote it?",
        "reference_answer": "Ibsen did.",
        "answer": "Zebras fly.",
        "contexts": ["Ibsen wrote it."],
    },
]


@pytest.fixture
def answers(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "answers.json"
    path.write_text(json.dumps(ROWS))
    return path


def test_each_question_and_the_averages_are_told_by_the_stages_own_names(answers, capsys):
    assert run(["score", "answers.json", "--model", "hashing", "--json"]) == 0

    told = json.loads(capsys.readouterr().out)
    first, second = (each["scores"]["answer_correctness"] for each in told["questions"])
    assert (first, second) == (1.0, 0.0)
    assert told["averages"]["answer_correctness"] == 0.5
    assert told["averages"]["pass_rate"] == 0.5


def test_nothing_is_left_beside_the_file(answers):
    run(["score", "answers.json", "--model", "hashing"])

    assert [path.name for path in answers.parent.iterdir()] == ["answers.json"]


def test_a_score_that_is_missing_is_told_and_ends_with_3(answers, capsys):
    assert run(["score", "answers.json", "--preset", "checks"]) == 3

    assert "min_retrieval_score: not scored: the retrieved chunks carry no" in (
        capsys.readouterr().err
    )


def test_a_judged_stage_without_a_judge_says_what_to_add(answers, capsys):
    assert run(["score", "answers.json", "--preset", "rag"]) == 2

    assert "needs a judge" in capsys.readouterr().err


def test_an_unknown_preset_names_the_nearest(answers, capsys):
    assert run(["score", "answers.json", "--preset", "embeding"]) == 2

    assert "did you mean 'embedding'?" in capsys.readouterr().err


def test_the_judges_key_may_stand_in_dotenv(answers, server, monkeypatch, capsys):
    monkeypatch.delenv("CI", raising=False)
    (answers.parent / "ragate.toml").write_text(
        f'[policy.providers.own]\nbase_url = "{server.base_url}"\nkey_env = "A_KEY"\n'
        '[policy.judge]\nuse = "rubric"\nprovider = "own"\nmodel = "m"\n'
    )
    command = ["score", "answers.json", "--preset", "rag", "--config", "ragate.toml"]

    run(command)
    assert "A_KEY" in capsys.readouterr().err
    assert server.seen == 0

    (answers.parent / ".env").write_text("A_KEY=k\n")
    run(command)
    assert "A_KEY" not in capsys.readouterr().err
    assert server.seen > 0
