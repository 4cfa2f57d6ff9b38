"""What a recording is sure to need is looked at before anything of it is started or paid for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from ragate import plugins
from ragate.cli.main import run
from ragate.installed import install_line
from tests.projects import write_docs_project
from tests.servers.model import answers_and_judges
from tests.servers.openai_server import FakeOpenAI, openai_server

pytestmark = [pytest.mark.integration, pytest.mark.usefixtures("served")]
RECORD = ["baseline", "update", "--runs", "1"]
CONFIG = """
[policy.providers.local]
base_url = "{url}"
key_env = "LOCAL_KEY"
{policy}
[system.answer]
use = "chat"
provider = "local"
model = "answer-1"
"""
JUDGE = """
[policy.judge]
use = "llamaindex"
provider = "local"
model = "judge-1"
[policy.judge.embedder]
use = "sentence_transformers"
[policy.metrics.semantic_similarity]
level = "error"
"""


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeOpenAI]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LOCAL_KEY", "sk-canary-0123456789")
    with openai_server() as fake:
        fake.reply = answers_and_judges()
        yield fake


def write(root: Path, server: FakeOpenAI, *, policy: str = "", system: str = "") -> None:
    write_docs_project(root)
    config = root / "ragate.toml"
    added = CONFIG.format(url=server.base_url, policy=policy)
    config.write_text(config.read_text() + added + system)


def test_the_key_of_the_answering_model_is_missed_before_anything_is_asked(
    tmp_path, server, monkeypatch, capsys
):
    write(tmp_path, server)
    monkeypatch.delenv("LOCAL_KEY")

    assert run(RECORD) == 3

    assert server.requests == []
    assert "LOCAL_KEY is not set; no answer can be recorded" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("added", "told"),
    [
        ({"system": '[system.rerank]\nuse = "cross_encoder"\n'}, "[system.rerank] use"),
        ({"policy": JUDGE}, "[policy.judge.embedder] use"),
    ],
    ids=["reranker", "judge"],
)
def test_a_library_that_is_not_installed_is_missed_before_anything_is_asked(
    tmp_path, server, monkeypatch, capsys, added, told
):
    write(tmp_path, server, **added)
    monkeypatch.setattr(plugins, "is_installed", lambda _library: False)

    assert run(RECORD) != 0

    assert server.requests == []
    said = capsys.readouterr().err
    assert told in said
    assert install_line("local") in said


def test_a_gated_metric_that_no_sample_can_be_measured_by_is_told_first(tmp_path, server, capsys):
    policy = '[policy.metrics.refusal_recall]\nlevel = "error"\nminimum = 0.5\n'
    write(tmp_path, server, policy=policy)

    run(RECORD)

    said = capsys.readouterr().err
    assert "warning: golden.jsonl: no sample has what refusal_recall needs" in said
    assert 'or let it only warn: level = "warn" in ragate.toml' in said
    assert said.index("refusal_recall needs") < said.index("run 1:")
