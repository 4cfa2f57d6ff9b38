"""Mistakes of a first day: each ends without a verdict, and one line says what to do."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.e2e.adoption.apps import App, copied, jsonl_script, llamaindex_app, starlette_service

pytestmark = pytest.mark.e2e
RECORD = ("baseline", "update", "--runs", "1")
CHECK = ("check",)


@dataclass(frozen=True)
class Mistake:
    """What a user gets wrong, and what must be said about it.

    Attributes:
        make: The repository, adopted rightly before.
        edits: What stands in ragate.toml, and what the user made of it.
        says: Stands in one line of what is printed, with the wrong thing named.
        remedy: Stands in the line that says what to do; "" where `says` does.
    """

    make: Callable[[Path], App]
    edits: Mapping[str, str]
    says: str
    remedy: str = ""
    exit_code: int = 2
    command: tuple[str, ...] = CHECK
    env: Mapping[str, str] = field(default_factory=dict)


def built_in(root: Path) -> App:
    return App(copied("llamaindex_app", root), "pgvector")


MISTAKES = {
    "no baseline": Mistake(
        jsonl_script, {}, "there is no baseline to compare with", "ragate baseline update", 3
    ),
    "wrong path of the golden set": Mistake(
        jsonl_script,
        {"data/questions.csv": "data/question.csv"},
        "data/question.csv: there is no golden set",
        "set [policy] dataset",
    ),
    "wrong name of a key": Mistake(
        jsonl_script, {'level = "error"': 'levle = "error"'}, "did you mean 'level'?"
    ),
    "unknown metric": Mistake(
        jsonl_script, {'"recall@10"': '"recal@10"'}, "did you mean 'recall'?"
    ),
    "outputs that are not there": Mistake(
        jsonl_script,
        {'paths = ["results': 'paths = ["result'},
        "'result/*.jsonl' matches no file",
        "let the step that records the outputs run first",
    ),
    "outputs that the policy does not allow": Mistake(
        jsonl_script,
        {'replay_paths = ["results': 'replay_paths = ["out'},
        "is not allowed by [policy] replay_paths",
        "add 'results/*.jsonl' to replay_paths",
    ),
    "wrong target function": Mistake(
        llamaindex_app, {"bot:build": "bot:biuld"}, "bot has no 'biuld'; did you mean 'build'?"
    ),
    "wrong target module": Mistake(
        llamaindex_app,
        {"bot:build": "bott:build"},
        "there is no module 'bott'",
        "modules are looked for in",
    ),
    "a target that is no engine": Mistake(
        llamaindex_app,
        {"bot:build": "bot:WordEmbedding"},
        "a WordEmbedding has no query, chat or retrieve",
        "name a query engine",
        command=RECORD,
    ),
    "a kind of system that the policy does not allow": Mistake(
        llamaindex_app,
        {'systems = ["llamaindex"]': 'systems = ["pgvector"]'},
        "is not in [policy] systems",
        "a kind is added to it in a pull request of its own",
    ),
    "wrong JSON pointer": Mistake(
        starlette_service,
        {"/reply/text": "/reply/txt"},
        "/reply/txt leads nowhere: an object has no 'txt'; did you mean 'text'?",
        exit_code=3,
        command=RECORD,
    ),
    "a host that the policy does not allow": Mistake(
        starlette_service,
        {'http_hosts = ["127.0.0.1': 'http_hosts = ["127.0.0.2'},
        "is not in [policy] http_hosts",
        'add "127.0.0.1:',
        command=RECORD,
    ),
    "closed port": Mistake(
        starlette_service,
        {"start  = ": "#", "health = ": "#"},
        "call a service by its name",
        exit_code=3,
        command=RECORD,
    ),
    "a missing variable": Mistake(
        starlette_service,
        {"url    = ": 'url_env = "BIKE_URL" #'},
        "the environment variable BIKE_URL holds no address",
        "set BIKE_URL",
        command=RECORD,
    ),
    "a service that does not start": Mistake(
        starlette_service,
        {"service:app": "servise:app"},
        'Could not import module "servise"',
        exit_code=3,
        command=RECORD,
    ),
    "wrong folder of documents": Mistake(
        built_in,
        {'corpus = "docs"': 'corpus = "doc"'},
        "corpus = 'doc': there is no folder",
        "write the folder of your documents",
    ),
    "localhost for a database in another container": Mistake(
        built_in,
        {},
        "Postgres at localhost:1 ",
        "RAGATE_DATABASE_URL",
        3,
        RECORD,
        {"RAGATE_DATABASE_URL": "postgresql://u@localhost:1/x"},
    ),
    "a model's folder that is not there": Mistake(
        built_in,
        {
            'retrieval = "bm25"': 'retrieval = "dense"\n'
            'embedder = {use = "sentence_transformers", model = "./models/x"}'
        },
        "'./models/x': there is no such folder",
        "the path starts where the command does",
        command=RECORD,
    ),
    "a provider that the policy does not know": Mistake(
        built_in,
        {'use = "extractive"': 'use = "chat"\nprovider = "openai"\nmodel = "m"'},
        "provider 'openai' is not in [policy.providers]",
        "add [policy.providers.openai]",
        command=RECORD,
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_named_with_its_remedy_in_one_line(name: str, tmp_path: Path) -> None:
    mistake = MISTAKES[name]
    if mistake.make is starlette_service and find_spec("uvicorn") is None:
        pytest.skip("not installed: uvicorn")
    app = mistake.make(tmp_path)
    assert app.run("init", "--yes").returncode == 0
    app.adopt()
    for right, wrong in mistake.edits.items():
        app.edit(right, wrong)

    done = app.run(*mistake.command, env=mistake.env)

    lines = (done.stdout + done.stderr).splitlines()
    assert done.returncode == mistake.exit_code, lines
    assert any(mistake.says in line for line in lines), lines
    assert any("->" in line and mistake.remedy in line for line in lines) or not mistake.remedy
    assert "Traceback" not in done.stderr


def test_at_least_ten_mistakes_are_planted() -> None:
    assert len(MISTAKES) >= 10
