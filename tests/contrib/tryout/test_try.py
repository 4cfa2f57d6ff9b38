"""`ragate try`: variants asked side by side, and what the table says of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ragate.cli.main import run
from ragate.database import PostgresDatabase
from tests.projects import ReplayProject, right, write_docs_project
from tests.servers.faults import Fault, status
from tests.servers.model import answers_and_judges
from tests.servers.openai_server import FakeOpenAI

pytestmark = pytest.mark.integration
GOOD, SAME, BAD, GONE = "good", "same", "bad", "gone"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ReplayProject:
    """Recorded outputs of three variants: two are alike, one lost a third of its answers."""
    monkeypatch.chdir(tmp_path)
    made = ReplayProject(tmp_path, samples=60)
    made.record(right)
    outputs = tmp_path / "outputs"
    lines = [json.loads(line) for line in (outputs / "run0.jsonl").read_text().splitlines()]
    for name in (GOOD, SAME, BAD):
        rows = [
            {**line, "answer": "No.", "chunks": []} if name == BAD and not number % 3 else line
            for number, line in enumerate(lines)
        ]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (outputs / f"{name}.jsonl").write_text(text)
    return made


def trying(*names: str) -> list[str]:
    values = ",".join(f'["outputs/{name}.jsonl"]' for name in names)
    return ["try", "--set", f"paths={values}"]


def told(*arguments: str, code: int = 0) -> dict[str, Any]:
    assert run([*arguments, "--format", "json", "--output", "trial.json"]) == code
    found: dict[str, Any] = json.loads(Path("trial.json").read_text())
    return found


def test_a_worse_variant_is_told_from_an_equal_one(project: ReplayProject) -> None:
    trial = told(*trying(GOOD, SAME, BAD))

    assert [row["verdict"] for row in trial["variants"]] == ["first", "not proven safe", "worse"]
    assert "hit_rate@5 −33.3 points" in trial["variants"][2]["why"]


def test_a_variant_is_safe_where_the_policys_limit_is_wide_enough(project: ReplayProject) -> None:
    path = Path("ragate.toml")
    wide = path.read_text().replace('level = "error"', 'level = "error"\nmax_drop = 0.3')
    path.write_text(wide)

    trial = told(*trying(GOOD, SAME))

    assert [row["verdict"] for row in trial["variants"]] == ["first", "safe"]


def test_the_table_says_that_the_best_was_chosen_on_this_set(
    project: ReplayProject, capsys: pytest.CaptureFixture[str]
) -> None:
    path = Path("outputs/same.jsonl")
    path.write_text(path.read_text().replace("59 apples", "no pears"))

    assert run(trying(SAME, GOOD)) == 0

    shown = capsys.readouterr().out
    assert "Best hit_rate@5" not in shown  # both have it
    assert 'token_f1: 100.0 % paths=["outputs/good.jsonl"]. The best of 2 was chosen on' in shown
    assert "hit_rate@5" in shown.splitlines()[0]


def test_a_set_that_is_too_small_to_prove_anything_says_so(
    project: ReplayProject, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(trying(GOOD, SAME)) == 0

    shown = capsys.readouterr().out
    assert "No variant is better than the others." in shown
    assert "less than 1.0 points takes 565 that are all answered alike, and there are 60" in shown


def test_markdown_holds_no_markup_of_a_value(
    project: ReplayProject, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("outputs/same.jsonl").rename("outputs/<b>@me.jsonl")

    assert run([*trying(GOOD, "<b>@me"), "--format", "markdown"]) == 0

    shown = capsys.readouterr().out
    assert "<b>" not in shown
    assert "<code>" in shown


def test_a_variant_that_cannot_start_is_out_and_the_others_count(project: ReplayProject) -> None:
    trial = told(*trying(GOOD, GONE, SAME))

    assert [row["verdict"] for row in trial["variants"]] == ["first", "out", "not proven safe"]
    assert "outputs/gone.jsonl" in trial["variants"][1]["why"]


def test_without_the_first_there_is_no_comparison(project: ReplayProject) -> None:
    assert run(trying(GONE, GOOD)) in {2, 3}


def test_all_are_held_against_the_baseline_where_that_is_asked_for(project: ReplayProject) -> None:
    assert run([*trying(GOOD, BAD), "--against", "baseline"]) == 2
    Path("outputs/bad.jsonl").rename("bad.jsonl")
    assert run(["baseline", "update", "--runs", "1"]) == 0
    Path("bad.jsonl").rename("outputs/bad.jsonl")

    trial = told(*trying(BAD, GOOD), "--against", "baseline")

    assert [row["verdict"] for row in trial["variants"]] == ["worse", "not proven safe"]


def test_no_baseline_is_made_of_a_trial_and_its_runs_say_what_was_set(
    project: ReplayProject, capsys: pytest.CaptureFixture[str]
) -> None:
    run(trying(GOOD, SAME))
    capsys.readouterr()

    assert run(["runs", "list"]) == 0

    assert capsys.readouterr().out.count("partial") == 2


RAG = """
from pathlib import Path


def asked(name, question):
    with open("order.log", "a") as log:
        log.write(f"{name} {question}\\n")
    number = question.split()[-1].rstrip("?")
    text = f"The value of {number} is {number} apples."
    return {"answer": text, "chunks": [{"doc_id": f"doc{number}.md", "text": text}]}


def one(question):
    return asked("one", question)


def two(question):
    return asked("two", question)


def bad(question):
    return {**asked("bad", question), "answer": "No.", "chunks": []}
"""


def test_questions_are_put_to_all_in_turns_and_to_a_clearly_worse_one_once(
    project: ReplayProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = Path("ragate.toml")
    policy = path.read_text().partition("[system]")[0].replace('"replay"', '"python"')
    path.write_text(policy + '[system]\nuse = "python"\ntarget = "rag:one"\n')
    Path("rag.py").write_text(RAG)
    monkeypatch.setenv("RAGATE_CONCURRENCY", "1")

    trial = told("try", "--set", "target=rag:one,rag:two,rag:bad", "--limit", "30")

    log = [line.split() for line in Path("order.log").read_text().splitlines()]
    for start in range(0, 90, 3):
        assert {line[0] for line in log[start : start + 3]} == {"one", "two", "bad"}
        assert len({line[-1] for line in log[start : start + 3]}) == 1
    assert [row["passes"] for row in trial["variants"]] == [1, 1, 1]
    assert trial["variants"][2]["verdict"] == "worse"


MODELS = """
[policy.providers.local]
base_url = "{url}"
[policy.providers.local.prices]
small = {{ input_usd_per_million = 1, output_usd_per_million = 1 }}
large = {{ input_usd_per_million = 9, output_usd_per_million = 9 }}

[system.answer]
use = "chat"
provider = "local"
model = "small"
"""


@pytest.fixture
def models(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, served: None, server: FakeOpenAI
) -> Path:
    monkeypatch.chdir(tmp_path)
    server.reply = answers_and_judges()
    write_docs_project(tmp_path)
    path = tmp_path / "ragate.toml"
    path.write_text(path.read_text() + MODELS.format(url=server.base_url))
    return path


def test_models_are_compared_with_what_an_answer_costs(models: Path, server: FakeOpenAI) -> None:
    trial = told("try", "--set", "answer.model=small,large", "--set", "top_k=2,5")

    costs = [row["cost_usd"] for row in trial["variants"]]
    assert trial["variants"][0]["name"] == "answer.model=small top_k=2"
    assert costs[2] == pytest.approx(9 * costs[0])
    assert trial["calls"] == len(server.requests)


def test_a_cap_of_the_policy_holds_for_all_variants_together(
    models: Path, server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGATE_CONCURRENCY", "1")
    models.write_text(models.read_text().replace("[policy]", "[policy]\nmax_calls = 10", 1))

    trial = told("try", "--set", "answer.model=small,large", code=3)

    assert trial["stopped"].startswith("all variants together: [policy] max_calls = 10 is reached")
    assert trial["answers"] == len(server.requests) == 10
    assert "Ended early, with 10 of 16 answers: all variants together" in trial["sentences"][0]


def test_an_estimate_sends_nothing(
    models: Path, server: FakeOpenAI, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["try", "--set", "answer.model=small,large", "--estimate"]) == 0

    shown = capsys.readouterr().out
    assert server.requests == []
    assert "2 variants, each asked once" in shown
    assert "together 16 calls" in shown
    assert "a cap would end it early" not in shown


def test_an_estimate_says_that_a_cap_is_too_low_and_who_cannot_be_started(
    models: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    models.write_text(models.read_text().replace("[policy]", "[policy]\nmax_calls = 15", 1))

    assert run(["try", "--set", "answer.model=small,large", "--estimate"]) == 0
    assert "a cap would end it early" in capsys.readouterr().out
    assert run(["try", "--set", "corpus=docs,nowhere", "--estimate"]) == 0
    assert "corpus=nowhere: it cannot be started: [system] corpus = 'nowhere'" in (
        capsys.readouterr().out
    )


def test_a_model_that_answers_nothing_is_out_before_all_is_asked(
    models: Path, server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAGATE_CONCURRENCY", "1")

    def unknown(body: dict[str, Any]) -> Fault | None:
        return status(404, message="no such model") if body["model"] == "gone" else None

    server.rules = unknown

    trial = told("try", "--set", "answer.model=small,gone,large")

    assert [row["verdict"] for row in trial["variants"]] == ["first", "out", "not proven safe"]
    assert "no such model" in trial["variants"][1]["why"]
    assert server.refusals < 8


def test_nothing_more_is_asked_where_no_second_variant_is_left(
    models: Path, server: FakeOpenAI, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["try", "--set", "corpus=docs,nowhere"]) == 3

    assert server.requests == []
    assert "every other variant is out" in capsys.readouterr().err


def indexes(root: Path, database: PostgresDatabase) -> int:
    with psycopg.connect(database.conninfo()) as connection:
        row = connection.execute(
            "SELECT count(*) FROM ragate.indexes WHERE corpus = %s", [str(root / "docs")]
        ).fetchone()
    assert row is not None
    return int(row[0])


def test_indexes_that_variants_made_are_dropped_at_the_end(
    models: Path, database: PostgresDatabase
) -> None:
    root = models.parent
    kept, tried = models.read_text(), models.read_text().replace("= 128", "= 96")
    models.write_text(tried)
    assert run(["ingest"]) == 0
    models.write_text(kept)

    # The one that was there before stays, and so does the one of ragate.toml.
    assert run(["try", "--set", "chunk_size=128,96,64,48"]) == 0
    assert indexes(root, database) == 2


def test_indexes_of_a_trial_that_a_cap_ended_are_there_for_its_resume(
    models: Path, database: PostgresDatabase
) -> None:
    models.write_text(models.read_text().replace("[policy]", "[policy]\nmax_calls = 5", 1))

    assert run(["try", "--set", "chunk_size=128,64"]) == 3
    assert indexes(models.parent, database) == 2


def test_what_was_remembered_has_no_latency_and_the_price_that_it_had(models: Path) -> None:
    arguments = ("try", "--set", "answer.model=small,large")

    first, again = told(*arguments), told(*arguments)

    assert [row["latency_s"] is None for row in first["variants"]] == [False, False]
    assert [row["latency_s"] for row in again["variants"]] == [None, None]
    assert [row["cost_usd"] for row in again["variants"]] == [
        row["cost_usd"] for row in first["variants"]
    ]
    assert again["calls"] == 0


TURNS = """
from pathlib import Path


def one(question):
    return answered("one", question, {2: range(10, 15)})


def two(question):
    return answered("two", question, {1: range(5)})


def answered(name, question, lost):
    with open("order.log", "a") as log:
        log.write(f"{name} {question}\\n")
    asked = Path("order.log").read_text().splitlines().count(f"{name} {question}")
    number = int(question.split()[-1].rstrip("?"))
    wrong = number in lost.get(asked, ())
    return {"answer": "No." if wrong else f"The value of {number} is {number} apples."}
"""


def test_one_that_looks_worse_is_asked_once_more_and_no_third_time_where_it_no_longer_does(
    project: ReplayProject, capsys: pytest.CaptureFixture[str]
) -> None:
    policy = Path("ragate.toml").read_text().partition("[policy.metrics")[0]
    policy = policy.replace('"replay"', '"python"').replace("replay_paths", "# replay_paths")
    rule = '[policy.metrics.token_f1]\nlevel = "error"\n'
    system = '[system]\nuse = "python"\ntarget = "rag:one"\n'
    Path("ragate.toml").write_text(policy + rule + system)
    Path("rag.py").write_text(TURNS)

    trial = told("try", "--set", "target=rag:one,rag:two")

    assert "asked once more, since it may be worse: target=rag:two" in capsys.readouterr().err
    assert [row["passes"] for row in trial["variants"]] == [2, 2]
    assert trial["variants"][1]["held"][0]["drop"] == pytest.approx(0.0)
