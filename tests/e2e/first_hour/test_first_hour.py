"""A stranger's first hour: five repositories, and nothing typed but what was printed."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from ragate.config import load_config
from ragate.dataset import read_dataset
from tests.e2e.first_hour.projects import (
    Project,
    flask_monorepo,
    haystack_app,
    langgraph_app,
    logs,
    node_app,
    seed,
)
from tests.night import by_night
from tests.repositories import commit

pytestmark = pytest.mark.e2e
MOST_COMMANDS = 3


def lose_pages(folder: str) -> Callable[[Project], None]:
    def lose(project: Project) -> None:
        pages = sorted((project.root / folder).glob("*.md"))
        for page in pages[::3]:
            page.unlink()

    return lose


def lose_rows(file: str) -> Callable[[Project], None]:
    def lose(project: Project) -> None:
        path = project.root / file
        rows = json.loads(path.read_text())
        path.write_text(json.dumps([row for number, row in enumerate(rows) if number % 3]))
        if project.folder:
            seed(project)

    return lose


@dataclass(frozen=True)
class Foreign:
    """A repository of a kind.

    Attributes:
        reads: What `[system]` has to say of where the parts of its reply are.
        lose: Takes away a third of its documents.
        invented: What its answer becomes, as a text that stands in its code and another.
        neutral: A change that changes nothing, in the same way.
        step: Stands in the workflow that asks it.
    """

    make: Callable[[Path], Project]
    reads: tuple[str, ...]
    lose: Callable[[Project], None]
    invented: tuple[str, str]
    neutral: tuple[str, str]
    step: str = "pip install"


FOREIGN = {
    "haystack": Foreign(
        haystack_app,
        (".venv/bin/python", "/llm/replies/0", "/retriever/documents/*/meta/file_path"),
        lose_pages("knowledge"),
        (
            "one: len(asked & words(one)))]",
            "one: len(asked & words(one))) + ' It costs 77 euros.']",
        ),
        ("asked = words(query)", "asked = words(str(query))"),
    ),
    "langgraph": Foreign(
        langgraph_app,
        ("ragate_rag:answer", "/messages/-1/content", "/context/*/metadata/article_id"),
        lose_rows("data/articles.json"),
        ("AIMessage(content=best,", "AIMessage(content=best + ' It costs 77 euros.',"),
        ("best = max(", "best: str = max("),
    ),
    "node": Foreign(
        node_app,
        ("npm", "/data/reply", "/data/matches/*/slug"),
        lose_pages("content"),
        ("? b : a));", "? b : a)) + ' It costs 77 euros.';"),
        ("const shared =", "// Words in common.\nconst shared ="),
        "npm ci",
    ),
    "flask": Foreign(
        flask_monorepo,
        ("app.py:create_app", "/api/ask", "/sources/*/title"),
        lose_rows("services/helpdesk/articles.json"),
        ("words(sentence)))", "words(sentence))) + ' It costs 77 euros.'"),
        ("asked = words(question)", "asked = words(str(question))"),
    ),
}
# By day one of Python: the others differ by what `init` reads of them, and that has unit tests.
WITHOUT_NPM = pytest.mark.skipif(shutil.which("npm") is None, reason="not installed: npm")
NAMES = [
    "haystack",
    pytest.param("langgraph", marks=by_night),
    pytest.param("node", marks=[by_night, WITHOUT_NPM]),
    pytest.param("flask", marks=by_night),
]


@pytest.mark.parametrize("name", NAMES)
def test_the_printed_commands_lead_to_a_right_gate_that_sees_what_breaks(
    name: str, tmp_path: Path
) -> None:
    foreign = FOREIGN[name]
    project = foreign.make(tmp_path)
    at = ("--at", project.at) if project.at else ()
    begun = project.run("init", "--yes", "--ask", *at)
    assert begun.returncode == 0, begun.stdout + begun.stderr

    typed = project.follow(begun.stdout)

    assert 1 + len(typed) <= MOST_COMMANDS
    config = load_config(project.root / project.folder / "ragate.toml")
    settings = json.dumps(config.system.settings)
    assert all(part in settings for part in foreign.reads), settings
    assert all(sample.expected for sample in read_dataset(config.dataset))
    assert config.policy.inputs == (("**",) if project.folder else ())
    (collects,) = (project.root / ".github/workflows").glob("ragate-collect*.yml")
    assert foreign.step in collects.read_text()
    commit(project.root)

    project.edit(*foreign.neutral)
    assert project.check().returncode == 0
    project.edit(*reversed(foreign.neutral))

    project.edit(*foreign.invented)
    invented = project.check()
    assert invented.returncode == 1, invented.stdout + invented.stderr
    assert "number_unit_support" in invented.stdout
    project.edit(*reversed(foreign.invented))

    foreign.lose(project)
    lost = project.check()
    told = " ".join(lost.stdout.split())
    assert lost.returncode in {0, 1}
    assert "pushed out by" in told, told
    if lost.returncode == 0:  # five questions prove little, and it says so and what would tell
        assert "this may be a real drop" in told, told
        assert "ragate power says how many" in told, told


@by_night
def test_a_halved_top_k_is_red_with_the_line_that_is_printed_and_before_it_cannot_tell(
    tmp_path: Path,
) -> None:
    project = haystack_app(tmp_path)
    assert project.run("init", "--yes", "--ask").returncode == 0
    (project.root / "evals/golden.jsonl").write_text(
        "".join(f"{json.dumps(row)}\n" for row in asked_of(project.root / "knowledge"))
    )
    assert project.run("baseline", "update").returncode == 0
    commit(project.root)
    project.edit("TOP_K = 4", "TOP_K = 2", "app/pipeline.py")

    first = project.check()

    told = " ".join(first.stdout.split())
    assert first.returncode == 1, told
    assert "3 questions lost their document" in told, told
    assert "recall@10 −10.0 points" in first.stdout


def asked_of(knowledge: Path) -> list[dict[str, object]]:
    """Return 30 questions, of which 3 are answered by what their words find third."""
    pages = {path.name: path.read_text() for path in sorted(knowledge.glob("*.md"))}
    rows: list[dict[str, object]] = []
    for number in range(30):
        name = list(pages)[number % len(pages)]
        query = (
            f"What do I have to know about {pages[name].splitlines()[0][2:].lower()} ({number})?"
        )
        asked = set(re.findall(r"\w{4,}", query.lower()))
        ranked = sorted(
            pages, key=lambda one: -len(asked & set(re.findall(r"\w{4,}", pages[one].lower())))
        )
        right = ranked[2] if number % 10 == 0 else ranked[0]
        rows.append({"id": f"q{number}", "query": query, "relevant": {right: 1}})
    return rows


PAGE = (Path(__file__).parents[3] / "docs/replay.md").read_text()
FROM_LOGS = (
    PAGE.partition("## From logs to a gate")[2].partition("```bash\n")[2].partition("```")[0]
)


def test_two_months_of_logs_come_to_a_verdict_in_six_commands(tmp_path: Path) -> None:
    project = logs(tmp_path)

    commands = [line.partition("#")[0].split()[1:] for line in FROM_LOGS.splitlines()]
    for command in commands:
        done = project.run(*command)
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"

    assert len(commands) == 6
    config = load_config(project.root / "ragate.toml")
    pointers = config.system.settings["pointers"]
    assert (pointers["ids"], pointers["id_before"]) == ("/retrieved/*/chunk_id", "::")
    assert "id" not in pointers  # a session's: the question tells which sample it answers
    samples = read_dataset(config.dataset)
    disliked = [int(str(sample.metadata.get("disliked", 0))) for sample in samples]
    assert len(samples) == 10
    assert disliked == sorted(disliked, reverse=True)

    for log in (project.root / "logs").iterdir():
        log.write_text(re.sub(r'("response": "[^"]*)"', r'\1 It costs 77 euros."', log.read_text()))
    worse = project.check()
    assert worse.returncode == 1, worse.stdout + worse.stderr
    assert "number_unit_support" in worse.stdout
