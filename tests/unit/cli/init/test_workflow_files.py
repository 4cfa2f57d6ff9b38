"""The text of a new workflow."""

from __future__ import annotations

import re

import pytest
import yaml

from ragate.cli.init.action_workflows import plain_text
from ragate.cli.init.config_text import Choice
from tests.unit.cli.init.init_factories import PGVECTOR, REPLAY

KEYED = Choice("pgvector", "docs", provider_keys=("OPENAI_API_KEY",))


@pytest.mark.parametrize("choice", [PGVECTOR, REPLAY, KEYED])
def test_the_workflow_has_few_rights_and_pinned_actions(choice: Choice) -> None:
    flow = yaml.safe_load(plain_text(choice))
    gate = flow["jobs"]["gate"]
    used = [step["uses"] for step in gate["steps"] if "uses" in step]

    assert flow["permissions"] == {}
    assert gate["permissions"] == {"contents": "read"}
    assert "if" not in gate
    assert set(flow[True]) == {"pull_request", "merge_group"}  # YAML 1.1 reads `on` as true
    assert used
    assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", one) for one in used)
    assert not any("${{" in step.get("run", "") for step in gate["steps"])
    assert "@" not in re.sub(r"[\w./-]+@[0-9a-f]{40}", "", plain_text(choice))


def test_only_a_provider_gets_a_secret_and_only_in_the_step_that_needs_it() -> None:
    keyed = yaml.safe_load(plain_text(KEYED))
    steps = [step for step in keyed["jobs"]["gate"]["steps"] if "env" in step]

    assert [step["env"] for step in steps] == [{"OPENAI_API_KEY": "${{ secrets.OPENAI_API_KEY }}"}]
    assert "secrets" not in plain_text(PGVECTOR)


def test_code_of_a_pull_request_never_stands_beside_the_judges_key() -> None:
    code = Choice("python", "app.rag:answer", provider_keys=("OPENAI_API_KEY",))

    assert "secrets" not in plain_text(code)


def test_the_key_of_the_cache_names_no_folder_where_none_is_known() -> None:
    assert "hashFiles('ragate.toml')" in plain_text(Choice("pgvector", ""))


def test_replay_needs_no_database_and_no_cache() -> None:
    assert "embedded" not in plain_text(REPLAY)
    assert "cache" not in plain_text(REPLAY)
    assert "ragate[embedded]==" in plain_text(PGVECTOR)


def test_below_the_repositorys_root_the_workflow_names_the_configuration() -> None:
    gate = yaml.safe_load(plain_text(PGVECTOR, folder="apps/help"))["jobs"]["gate"]
    cache = next(step["with"] for step in gate["steps"] if "cache" in step.get("uses", ""))

    assert gate["env"] == {"RAGATE_CONFIG": "apps/help/ragate.toml"}
    assert cache["path"] == "apps/help/.ragate/postgres"
    assert "'apps/help/docs/**'" in cache["key"]


def test_a_function_of_the_projects_own_gets_its_packages() -> None:
    own = Choice("python", "kb", settings={"target": "a:b"}, packages="--requirement 'a b.txt'")
    runs = [
        step.get("run", "") for step in yaml.safe_load(plain_text(own))["jobs"]["gate"]["steps"]
    ]

    assert "pip install --requirement 'a b.txt'" in runs
    assert "answer_golden" not in plain_text(own)


def test_an_mcp_system_gets_its_library() -> None:
    assert "ragate[mcp]==" in plain_text(Choice("mcp", "", settings={"url": "u"}))
