"""Variables of programs: a key that is not given cannot be spent, nor a step spoken for."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from ragate.errors import ConfigError
from ragate.systems._variables import (
    inherited_environment,
    named_environment,
    passed_secrets,
    program_environment,
)
from tests.factories import sample_factory
from tests.unit.systems.using import ask, info, module, resources_of

HTTP = {"url": "http://rag.test/ask", "start": ["serve"], "health": "http://rag.test/up"}
SYSTEMS: dict[str, dict[str, Any]] = {
    "command": {"command": ["rag"]},
    "http": HTTP,
    "http prepared": {
        "url": "http://rag.test/ask",
        "prepare": [{"command": ["load"]}],
    },
    "mcp": {"command": ["rag"], "tool": "ask"},
}
RUNNERS = {
    "GITHUB_OUTPUT": "/files/output",
    "GITHUB_ENV": "/files/env",
    "GITHUB_PATH": "/files/path",
    "GITHUB_STATE": "/files/state",
    "GITHUB_STEP_SUMMARY": "/files/summary",
    "ACTIONS_RUNTIME_TOKEN": "token",
    "ACTIONS_ID_TOKEN_REQUEST_TOKEN": "token",
    "INPUT_DATABASE-URL": "postgres://u:p@h/d",
}


@pytest.mark.parametrize("kind", SYSTEMS)
def test_no_program_of_any_kind_is_given_the_judges_key(tmp_path: Path, kind: str):
    keys = {**SYSTEMS[kind], "pass_env": ["OPENAI_API_KEY"]}
    given = {"judge_keys": frozenset({"OPENAI_API_KEY"}), "http_hosts": ("rag.test",)}

    with pytest.raises(ConfigError, match="the judge's key is not given to the code") as raised:
        info(kind.partition(" ")[0], keys, tmp_path, **given)

    assert 'key_env = "JUDGE_API_KEY"' in raised.value.remedy


def test_a_key_of_the_policy_that_is_not_the_judges_is_given_by_name(tmp_path: Path):
    resources = resources_of(
        tmp_path,
        environment={"RAG_KEY": "r", "JUDGE_KEY": "j"},
        key_names=frozenset({"RAG_KEY", "JUDGE_KEY"}),
        judge_keys=frozenset({"JUDGE_KEY"}),
    )

    assert program_environment(resources, ()) == {}
    assert program_environment(resources, ["RAG_KEY"]) == {"RAG_KEY": "r"}


def test_what_speaks_for_a_step_reaches_no_program_even_by_name(tmp_path: Path):
    environment = {"PATH": os.environ["PATH"], "GITHUB_SHA": "0" * 40, **RUNNERS}
    resources = resources_of(tmp_path, environment=environment)

    given = program_environment(resources, [*RUNNERS])
    worker = named_environment(environment, [*RUNNERS, "GITHUB_*", "ACTIONS_*"], frozenset())

    assert given.keys() == worker.keys() == {"PATH", "GITHUB_SHA"}


@pytest.mark.parametrize(
    "name",
    ["GITHUB_TOKEN", "RAGATE_DATABASE_URL", "RAGATE_RUNS_URL", "OTEL_EXPORTER_OTLP_HEADERS"],
)
def test_the_token_the_databases_password_and_the_collectors_key_are_given_by_their_full_name_alone(
    tmp_path: Path, name: str
):
    resources = resources_of(tmp_path, environment={name: "secret"})
    pattern = [f"{name[:6]}*"]

    assert program_environment(resources, ()) == {}
    assert named_environment(resources.environment, pattern, frozenset()) == {}
    assert program_environment(resources, [name]) == {name: "secret"}
    assert named_environment(resources.environment, [name], frozenset()) == {name: "secret"}


def test_a_key_under_another_name_is_the_same_key(tmp_path: Path):
    environment = {"JUDGE_KEY": "sk-0123456789", "COPY": "sk-0123456789", "PORT": "8080"}
    keys = frozenset({"JUDGE_KEY"})
    resources = resources_of(tmp_path, environment=environment, key_names=keys, judge_keys=keys)

    assert program_environment(resources, ()) == {"PORT": "8080"}
    assert named_environment(environment, ["C*", "P*"], keys) == {"PORT": "8080"}
    assert program_environment(resources, ["COPY"]) == {"COPY": "sk-0123456789", "PORT": "8080"}
    assert passed_secrets(resources, ["COPY", "PORT"]) == ["sk-0123456789"]


def test_what_is_too_short_for_a_secret_hides_no_other_variable(tmp_path: Path):
    resources = resources_of(
        tmp_path,
        environment={"RAG_KEY": "test", "STAGE": "test"},
        key_names=frozenset({"RAG_KEY"}),
    )

    assert program_environment(resources, ()) == {"STAGE": "test"}


LEAKS = """
import base64, json, os, sys

def answer(query):
    key = os.environ["RAG_KEY"]
    print("my key is", key, file=sys.stderr)
    if "raise" in query:
        raise ValueError(f"refused: {key}")
    return f"{key} {base64.b64encode(key.encode()).decode()} is mine"

if __name__ == "__main__":
    for line in sys.stdin:
        print(json.dumps({"answer": answer(json.loads(line)["query"])}), flush=True)
"""


@pytest.mark.parametrize("question", ["What?", "Please raise."])
@pytest.mark.parametrize("use", ["command", "python"])
def test_what_a_program_says_of_a_key_that_it_was_given_is_cut_out(
    tmp_path: Path, use: str, question: str
):
    name = module(tmp_path, LEAKS)
    of_python = {"target": f"{name}:answer", "interpreter": [sys.executable]}
    keys = of_python if use == "python" else {"command": [sys.executable, f"{name}.py"]}
    said: list[str] = []

    (output,) = ask(
        use,
        {**keys, "pass_env": ["RAG_KEY"]},
        tmp_path,
        samples=[sample_factory(query=question)],
        environment={**os.environ, "RAG_KEY": "sk-0123456789"},
        key_names=frozenset({"RAG_KEY"}),
        say=said.append,
    )

    told = f"{output.model_dump_json()} {said}"
    assert "***" in told
    assert "sk-0123456789" not in told
    assert "c2stMDEyMzQ1Njc4" not in told
    assert output.answer == "*** *** is mine" if question == "What?" else output.error


@pytest.mark.parametrize("variable", ["RAGATE_RUNS_URL", "RAGATE_QUEUE_URL"])
def test_the_password_of_our_own_server_reaches_a_program_by_name_alone(
    tmp_path: Path, variable: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PGPASSWORD", f"of {variable}")
    environment = {"PGPASSWORD": f"of {variable}", variable: "postgresql://me@host/ours"}
    said: list[str] = []
    resources = resources_of(tmp_path, environment=environment, say=said.append)

    assert program_environment(resources, ()) == {}
    assert program_environment(resources, ["PGPASSWORD"]) == {"PGPASSWORD": f"of {variable}"}
    assert "PGPASSWORD" not in inherited_environment(resources)
    assert len(said) == 2
    assert f"write ours into {variable}" in said[0]


def test_code_without_an_interpreter_has_our_variables_but_for_what_is_nobody_elses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    judges = frozenset({"JUDGE_KEY", "OPENAI_API_KEY"})
    kept = {"RAG_KEY": "r", "OPENAI_API_KEY": "k", "GITHUB_SHA": "0" * 40}
    ours = {"JUDGE_KEY": "j", "RAGATE_DATABASE_URL": "u", "RAGATE_CACHE": "c", "GITHUB_TOKEN": "t"}
    for name, value in {**kept, **ours, **RUNNERS}.items():
        monkeypatch.setenv(name, value)

    found = inherited_environment(
        resources_of(tmp_path, judge_keys=judges, key_names=judges | {"RAG_KEY"})
    )

    assert kept.items() <= found.items()
    assert not found.keys() & {*ours, *RUNNERS}


@pytest.mark.parametrize(
    "url", ["", "postgresql://me:own@host/ours", "host=h password=own", "postgres//no-url"]
)
def test_a_password_that_no_server_of_ours_takes_is_the_programs(
    tmp_path: Path, url: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("PGPASSWORD", "the rag's")
    environment = {"PGPASSWORD": "the rag's", "RAGATE_RUNS_URL": url}

    given = program_environment(resources_of(tmp_path, environment=environment), ())

    assert given == {"PGPASSWORD": "the rag's"}
