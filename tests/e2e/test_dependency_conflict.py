"""A RAG pinned to `openai<2` is gated while ragate has `openai` 2: each in its environment."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.e2e.command import ragate
from tests.night import by_night
from tests.servers.openai_server import FakeOpenAI, openai_server

pytestmark = pytest.mark.e2e
INSTALL_S = 300
RAG = """
import openai

CLIENT = openai.OpenAI()

def answer(query):
    reply = CLIENT.chat.completions.create(
        model="gpt-4o-mini", messages=[{"role": "user", "content": query}], temperature=0
    )
    return {"answer": reply.choices[0].message.content + " " + openai.__version__,
            "chunks": [{"doc_id": PAGE, "text": "Refunds: 30 days."}]}
"""
RIGHT, WRONG = '"refunds.md"', '"other.md"'
CONFIG = """
[system]
use = "python"
target = "rag:answer"
interpreter = [".venv/bin/python"]
record = true

[policy]
dataset = "golden.jsonl"
baseline = "baselines/main.json"
systems = ["python"]
metrics = {{"recall@5" = {{level = "error", minimum = 0.9}}}}

[policy.providers.openai]
base_url = "{url}"
key_env = "TEST_OPENAI_KEY"
"""


@pytest.fixture(scope="session")
def old_openai(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with `openai` 1, and nothing of ragate."""
    folder = tmp_path_factory.mktemp("openai1") / ".venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin/python")]
    install = [*pip, "install", "--quiet", "--no-compile", "openai<2"]
    try:
        ran = subprocess.run(install, capture_output=True, text=True, timeout=INSTALL_S)
    except subprocess.TimeoutExpired:
        pytest.skip("no package index answers in time, so there is no openai<2 to install")
    if ran.returncode:
        last = (ran.stderr.strip().splitlines() or ["no word"])[-1]
        pytest.skip(f"openai<2 cannot be installed here: {last}")
    return folder


@pytest.fixture
def server():
    with openai_server() as running:
        yield running


@by_night
def test_a_rag_pinned_to_openai_1_is_gated_from_an_environment_with_a_newer_one(
    old_openai: Path, tmp_path: Path, server: FakeOpenAI
):
    assert version("openai").startswith(("2.", "3."))
    (tmp_path / ".venv").symlink_to(old_openai)
    rows = [
        {"id": f"q{number}", "query": f"Refund {number}?", "relevant": {"refunds.md": 1}}
        for number in range(12)
    ]
    (tmp_path / "golden.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "ragate.toml").write_text(CONFIG.format(url=server.base_url))
    (tmp_path / "rag.py").write_text(RAG.replace("PAGE", RIGHT))
    key = {"TEST_OPENAI_KEY": "sk-of-the-policy"}

    recorded = ragate(tmp_path, "baseline", "update", env=key)
    assert recorded.returncode == 0, recorded.stderr
    asked = server.seen
    unchanged = ragate(tmp_path, "check", env=key)
    (tmp_path / "rag.py").write_text(RAG.replace("PAGE", WRONG))
    broken = ragate(tmp_path, "check", "--save-outputs", "outputs.jsonl", env=key)

    assert unchanged.returncode == 0, unchanged.stdout + unchanged.stderr
    assert broken.returncode == 1, broken.stdout + broken.stderr
    assert server.seen == asked > 0  # replayed, as in ragate's own process
    lines = [json.loads(line) for line in (tmp_path / "outputs.jsonl").read_text().splitlines()]
    answers = [line["answer"] for line in lines[1:]]
    assert all(answer.rpartition(" ")[2].startswith("1.") for answer in answers)
