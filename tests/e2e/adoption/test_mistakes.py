"""Mistakes of a first day: each ends without a verdict, and one line says what to do.

Those that need no repository like those of others are in `../test_planted_mistakes.py`.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.e2e.adoption.apps import (
    INIT,
    App,
    copied,
    engine_app,
    function_app,
    jsonl_script,
    starlette_service,
)

pytestmark = pytest.mark.e2e
RECORD = ("baseline", "update", "--runs", "1")
CHECK = ("check",)


@dataclass(frozen=True)
class Mistake:
    """What a user gets wrong, and what must be said about it.

    Attributes:
        make: The repository, adopted rightly before.
        edits: What stands in ragate.toml, and what the user made of it.
        files: What the user wrote or took away besides, by path; None takes it away.
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
    files: Mapping[str, str | None] = field(default_factory=dict)


def built_in(root: Path) -> App:
    """Return a repository of documents alone."""
    app = App(copied("starlette_service", root), "pgvector")
    (app.root / "service.py").unlink()
    return app


def empty(root: Path) -> App:
    root.joinpath("nothing").mkdir()
    return App(root / "nothing", "")


def golden(*doc_ids: str) -> str:
    """Return a golden set with one sample for each expected document."""
    rows = [
        {"id": f"q{number}", "query": "What does a rented bicycle cost?", "relevant": [doc_id]}
        for number, doc_id in enumerate(doc_ids)
    ]
    return "".join(f"{json.dumps(row)}\n" for row in rows)


MISTAKES = {
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
        engine_app, {"bot:build": "bot:biuld"}, "bot has no 'biuld'; did you mean 'build'?"
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
        {"start = ": "#"},
        "no connection to 127.0.0.1:",
        exit_code=3,
        command=RECORD,
    ),
    "a missing variable": Mistake(
        starlette_service,
        {"url = ": 'url_env = "BIKE_URL" #'},
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
    "ids with another folder in the golden set": Mistake(
        function_app,
        {},
        "expected kb/rental.md; came back rental.md: the folder differs",
        "dataset relink --respell",
        3,
        RECORD,
        files={"evals/golden.jsonl": golden("kb/rental.md", "kb/repairs.md")},
    ),
    "ids of another ending in the golden set": Mistake(
        function_app,
        {},
        "came back rental.md: the ending differs",
        "dataset relink --respell",
        3,
        RECORD,
        files={"evals/golden.jsonl": golden("rental.html")},
    ),
    "a metadata key that no node has": Mistake(
        engine_app,
        {'doc_id = "file_path"': 'doc_id = "path"'},
        "a source node has no metadata 'path'",
        "",
        3,
        RECORD,
    ),
    "pointers of a function that lead nowhere": Mistake(
        function_app,
        {'answer = "/result"': 'answer = "/results"'},
        "/results leads nowhere: an object has no 'results'; did you mean 'result'?",
        "",
        3,
        RECORD,
    ),
    "a misspelt field in the golden set": Mistake(
        function_app,
        {},
        "did you mean 'relevant'?",
        "",
        files={"evals/golden.jsonl": '{"query": "a", "relevnt": ["a.md"]}\n'},
    ),
    "a golden set of drafts alone": Mistake(
        function_app,
        {},
        "every sample is a draft",
        "ragate dataset accept",
        files={"evals/golden.jsonl": '{"query": "a", "draft": true}\n'},
    ),
    "a metric that may stand at its worst value and is none": Mistake(
        function_app,
        {},
        "--accept 'recal@10': no such metric in the policy; did you mean 'recall@10'?",
        "",
        command=(*RECORD, "--accept", "recal@10"),
    ),
    "pointers into recordings that lead nowhere": Mistake(
        jsonl_script,
        {'answer = "/completion"': 'answer = "/completions"'},
        "completions",
        "",
        command=RECORD,
    ),
    "init in a folder with nothing to gate": Mistake(
        empty,
        {},
        "no code that answers questions was seen",
        "--have code writes an adapter",
        command=("init", "--yes"),
    ),
}


Adopted = Callable[[Callable[[Path], App], Path], App]


@pytest.fixture(scope="module")
def adopted(tmp_path_factory: pytest.TempPathFactory) -> Adopted:
    """Return what copies a repository that `init` went through, once for all its mistakes.

    One with a service or a database is made anew: its port or server is its own.
    """
    made: dict[Callable[[Path], App], App] = {}

    def adopt(make: Callable[[Path], App], root: Path) -> App:
        is_shared = make not in (built_in, starlette_service)
        if make not in made or not is_shared:
            app = make(tmp_path_factory.mktemp(make.__name__) if is_shared else root)
            assert app.run(*INIT).returncode == 0
            if not is_shared:
                return app
            made[make] = app
        first = made[make]
        return App(shutil.copytree(first.root, root / first.root.name, symlinks=True), first.use)

    return adopt


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_is_named_with_its_remedy_in_one_line(
    name: str, tmp_path: Path, adopted: Adopted
) -> None:
    mistake = MISTAKES[name]
    if mistake.make is starlette_service and find_spec("uvicorn") is None:
        pytest.skip("not installed: uvicorn")
    app = empty(tmp_path) if mistake.make is empty else adopted(mistake.make, tmp_path)
    for right, wrong in mistake.edits.items():
        app.edit(right, wrong)

    for path, text in mistake.files.items():
        if text is None:
            (app.root / path).unlink()
        else:
            (app.root / path).write_text(text)

    done = app.run(*mistake.command, env=mistake.env)

    lines = (done.stdout + done.stderr).splitlines()
    assert done.returncode == mistake.exit_code, lines
    assert any(mistake.says in line for line in lines), lines
    assert any("->" in line and mistake.remedy in line for line in lines) or not mistake.remedy
    assert "Traceback" not in done.stderr
