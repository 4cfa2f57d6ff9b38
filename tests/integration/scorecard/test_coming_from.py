"""The page "Coming from another tool": configurations and commands as printed, and the reports."""

from __future__ import annotations

import json
import os
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from tests.servers.openai_server import FakeOpenAI
from tests.unit.judges.judge_factories import honest
from tests.unit.judges.own_replies import judge_with_own

pytestmark = pytest.mark.integration
ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs/import.md").read_text(encoding="utf-8")
HEAD, *REST = re.split(r"^## From ", PAGE, flags=re.MULTILINE)
PRESETS = {
    "llamaindex": "LlamaIndex's evaluators",
    "embedding": "embedding metrics",
    "beir": "a BEIR set in pytest",
    "rag": "evaluation packs",
    "tool-calls": "a tool-call pack",
}
SECTIONS = {text.partition("\n")[0]: text for text in REST}
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
    r"\d{4}-\d\d-\d\d( \d\d:\d\d UTC)?|\d+ model calls?|"
    r"\d{8}-\d{6}-\d{3}-[0-9a-f]{4}|\$\d+\.\d\d|\d+(\.\d+)? s\b"
)


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def configurations(preset: str) -> list[str]:
    """Return what a reader writes for a preset: first without, then with each further block."""
    section = SECTIONS[PRESETS[preset]]
    common, judge = blocks(HEAD, "toml")
    first, *more = blocks(section, "toml")
    start = f"{common}\n{judge if 'With a judge.' in section else ''}\n{first}"
    return [start, *(f"{start}\n{block}" for block in more)]


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
def project(tmp_path: Path, server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the address that takes the place of the pages'."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    server.reply = lambda body: judge_with_own(body, honest(), lambda text: "idiot" not in text)
    for folder in ("evals", "outputs"):
        (tmp_path / folder).mkdir()
    golden = "".join(json.dumps(sample(n)) + "\n" for n in range(SAMPLES))
    (tmp_path / "evals/golden.jsonl").write_text(golden)
    return server.base_url


def configure(text: str, url: str) -> None:
    Path("ragate.toml").write_text(text.replace("https://api.openai.com/v1", url))


def commands() -> list[list[str]]:
    (block,) = blocks(PAGE, "bash")
    return [shlex.split(line, comments=True)[1:] for line in block.splitlines()]


def test_every_section_is_tried() -> None:
    assert set(SECTIONS) == set(PRESETS.values())


def matches_golden(name: str, text: str) -> None:
    path = ROOT / "tests" / "golden" / name
    text = VARIES.sub("…", text)
    if os.environ.get("RAGATE_UPDATE_GOLDEN") == "1":
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text, "RAGATE_UPDATE_GOLDEN=1 writes it anew"


@pytest.mark.parametrize("preset", PRESETS)
def test_the_commands_record_check_and_report_as_the_page_says(
    project: str, preset: str, capsys: pytest.CaptureFixture[str]
) -> None:
    configure(configurations(preset)[0], project)
    assert f'preset = "{preset}"' in Path("ragate.toml").read_text()
    update, check, report = commands()
    record(broken=False, runs=3)
    assert run(update) == 0
    assert run(check) == 0
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


def test_the_preset_of_a_retriever_gives_its_report(
    project: str, capsys: pytest.CaptureFixture[str]
) -> None:
    rag = configurations("rag")[0]
    configure(rag.replace('preset = "rag"', 'preset = "retrieval"'), project)
    record(broken=False, runs=3)
    assert run(["baseline", "update"]) == 0
    record(broken=True, runs=3)
    capsys.readouterr()

    assert run(["check"]) == 1

    matches_golden("preset_retrieval.txt", capsys.readouterr().out)


def test_with_the_key_that_the_page_names_only_qrels_of_2_count(project: str) -> None:
    first, *_, only_2 = configurations("beir")
    rows = [sample(n) | {"relevant": {f"doc{n}.md": 2, "never.md": 1}} for n in range(SAMPLES)]
    Path("evals/golden.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    record(broken=False, runs=1)
    rates: dict[str, float] = {}
    for text in (first, only_2):
        configure(text, project)
        run(["check", "--format", "json", "--output", "report.json"])
        metrics = json.loads(Path("report.json").read_text())["decision"]["metrics"]
        (rates[text],) = [row["candidate"] for row in metrics if row["metric"] == "pass_rate"]

    assert rates == {first: 0.0, only_2: 1.0}


@pytest.mark.parametrize("preset", PRESETS)
def test_every_configuration_of_a_section_can_be_read(project: str, preset: str) -> None:
    record(broken=False, runs=1)
    for text in configurations(preset)[1:]:
        configure(text, project)
        assert run(["check"]) == 3  # there is no baseline: it was read, and measured
