"""The pages "Coming from …": configuration and commands as they are printed, and the reports."""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from tests.servers.openai_server import FakeOpenAI, openai_server
from tests.unit.judges.judge_factories import honest
from tests.unit.judges.own_replies import judge_with_own

pytestmark = pytest.mark.integration
ROOT = Path(__file__).parents[3]
PAGES = {
    "llamaindex": "from-llamaindex.md",
    "embedding": "from-embedding-checks.md",
    "beir": "from-beir.md",
    "rag": "from-evaluation-packs.md",
    "tool-calls": "from-tool-call-packs.md",
}
SAMPLES = 24
WEATHER = {
    "name": "weather",
    "parameters": {
        "type": "object",
        "properties": {"city": {"type": "string"}},
        "required": ["city"],
    },
}
VARIES = re.compile(
    r"\d{4}-\d\d-\d\d \d\d:\d\d UTC|\d+ model calls?|"
    r"\d{8}-\d{6}-\d{3}-[0-9a-f]{4}|\$\d+\.\d\d|\d+(\.\d+)? s\b"
)


def blocks(page: str, language: str) -> list[str]:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def sample(number: int) -> dict[str, Any]:
    question = {
        "id": f"q{number:02d}",
        "query": f"What is the value of {number}?",
        "relevant": {f"doc{number}.md": 1},
        "references": [f"The value of {number} is {number} apples."],
        "tags": ["prices" if number % 2 else "stock"],
        "metadata": {"complexity": 1 + number % 3, "source_type": "sme"},
    }
    calls = [{"name": "weather", "arguments": {"city": f"Town {number}"}}] if number % 6 else []
    return question | {"tools": [WEATHER], "expected_calls": calls}


def output(number: int, *, broken: bool = False) -> dict[str, Any]:
    """Return a right output, or one without document, with a made-up answer and a wrong call."""
    text = f"The value of {number} is {number} apples."
    chunks = [
        {"doc_id": f"doc{number}.md", "text": text},
        {"doc_id": "other.md", "text": "Something else."},
    ]
    calls = sample(number)["expected_calls"]
    if broken:
        calls = [{"name": "weather", "arguments": {"town": "Nowhere"}}]
        chunks, text = chunks[1:], "Zebras fly over purple mountains."
    return {
        "id": f"q{number:02d}",
        "answer": f"{text} [1]",
        "chunks": chunks,
        "tool_calls": calls,
        "latency_s": 0.25,
    }


def record(broken: bool, runs: int) -> None:
    for old in Path("outputs").glob("*.jsonl"):
        old.unlink()
    for number in range(runs):
        rows = [output(n, broken=broken and n % 4 == 0) for n in range(SAMPLES)]
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        Path(f"outputs/run{number}.jsonl").write_text(lines)


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with openai_server() as fake:
        fake.reply = lambda body: judge_with_own(body, honest(), lambda text: "idiot" not in text)
        yield fake


@pytest.fixture
def project(tmp_path: Path, server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the address that takes the place of the pages'."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    for name in ("RAGATE_CONFIG", "RAGATE_STATE_DIR"):
        monkeypatch.delenv(name, raising=False)
    for folder in ("evals", "outputs"):
        (tmp_path / folder).mkdir()
    golden = "".join(json.dumps(sample(n)) + "\n" for n in range(SAMPLES))
    (tmp_path / "evals/golden.jsonl").write_text(golden)
    return server.base_url


def configure(page: str, url: str) -> None:
    text = blocks(page, "toml")[0].replace("https://api.openai.com/v1", url)
    Path("ragate.toml").write_text(text)


def commands(page: str) -> list[list[str]]:
    lines = [line for block in blocks(page, "bash") for line in block.splitlines()]
    return [shlex.split(line, comments=True)[1:] for line in lines]


def matches_golden(name: str, text: str) -> None:
    path = ROOT / "tests" / "golden" / name
    text = VARIES.sub("…", text)
    if os.environ.get("RAGATE_UPDATE_GOLDEN") == "1":
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text, "RAGATE_UPDATE_GOLDEN=1 writes it anew"


@pytest.mark.parametrize(("preset", "page"), PAGES.items(), ids=list(PAGES))
def test_the_commands_of_a_page_record_check_and_report_as_it_says(
    project: str, preset: str, page: str, capsys: pytest.CaptureFixture[str]
) -> None:
    configure(page, project)
    update, check, report = commands(page)
    record(broken=False, runs=3)
    assert run(update) == 0
    record(broken=True, runs=3)
    capsys.readouterr()

    assert run(check) == 1

    assert run(report) == 1
    told = json.loads(Path("report.json").read_text())
    rates = {row["metric"]: row["candidate"] for row in told["decision"]["metrics"]}
    assert rates["pass_rate"] == 0.75
    capsys.readouterr()
    assert run(["report", "latest"]) == 1
    matches_golden(f"preset_{preset}.txt", capsys.readouterr().out)


@pytest.mark.parametrize(("preset", "page"), PAGES.items(), ids=list(PAGES))
def test_an_unchanged_system_passes_each_of_them(project: str, preset: str, page: str) -> None:
    configure(page, project)
    assert f'preset = "{preset}"' in Path("ragate.toml").read_text()
    record(broken=False, runs=3)
    assert run(["baseline", "update"]) == 0

    assert run(["check"]) == 0


def test_the_preset_of_a_retriever_gives_its_report(
    project: str, capsys: pytest.CaptureFixture[str]
) -> None:
    configure(PAGES["rag"], project)
    text = Path("ragate.toml").read_text().replace('preset = "rag"', 'preset = "retrieval"')
    Path("ragate.toml").write_text(text)
    record(broken=False, runs=3)
    assert run(["baseline", "update"]) == 0
    record(broken=True, runs=3)
    capsys.readouterr()

    assert run(["check"]) == 1

    matches_golden("preset_retrieval.txt", capsys.readouterr().out)


def test_with_the_key_that_the_page_names_only_qrels_of_2_count(project: str) -> None:
    first, *_, only_2 = blocks(PAGES["beir"], "toml")
    rows = [sample(n) | {"relevant": {f"doc{n}.md": 2, "never.md": 1}} for n in range(SAMPLES)]
    Path("evals/golden.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    record(broken=False, runs=1)
    rates: dict[str, float] = {}
    for block in ("", only_2):
        config = f"{first}\n{block}".replace("https://api.openai.com/v1", project)
        Path("ragate.toml").write_text(config)
        run(["check", "--format", "json", "--output", "report.json"])
        metrics = json.loads(Path("report.json").read_text())["decision"]["metrics"]
        (rates[block],) = [row["candidate"] for row in metrics if row["metric"] == "pass_rate"]

    assert rates == {"": 0.0, only_2: 1.0}


@pytest.mark.parametrize("page", PAGES.values())
def test_every_configuration_of_a_page_can_be_read(project: str, page: str) -> None:
    first, *more = blocks(page, "toml")
    record(broken=False, runs=1)
    for block in more:
        Path("ragate.toml").write_text(
            f"{first}\n{block}".replace("https://api.openai.com/v1", project)
        )
        assert run(["check"]) == 3  # there is no baseline: it was read, and measured
