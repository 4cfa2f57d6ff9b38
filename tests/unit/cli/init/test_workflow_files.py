"""The text of a new workflow."""

from __future__ import annotations

import re

import pytest
import yaml

from ragate.cli.init.config_text import Choice
from ragate.cli.init.workflow_files import workflow_text
from tests.unit.cli.init.init_factories import PGVECTOR, REPLAY


@pytest.mark.parametrize("choice", [PGVECTOR, REPLAY, Choice("pgvector", "docs", "chat")])
def test_the_workflow_has_few_rights_and_pinned_actions(choice: Choice) -> None:
    flow = yaml.safe_load(workflow_text(choice))
    gate = flow["jobs"]["gate"]
    used = [step["uses"] for step in gate["steps"] if "uses" in step]

    assert flow["permissions"] == {}
    assert gate["permissions"] == {"contents": "read"}
    assert "if" not in gate
    assert set(flow[True]) == {"pull_request", "merge_group"}  # YAML 1.1 reads `on` as true
    assert used
    assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", one) for one in used)
    assert not any("${{" in step.get("run", "") for step in gate["steps"])
    assert "@" not in re.sub(r"[\w./-]+@[0-9a-f]{40}", "", workflow_text(choice))


def test_only_chat_gets_a_secret_and_only_in_the_step_that_needs_it() -> None:
    chat = yaml.safe_load(workflow_text(Choice("pgvector", "docs", "chat")))
    steps = [step for step in chat["jobs"]["gate"]["steps"] if "env" in step]

    assert [step["env"] for step in steps] == [{"OPENAI_API_KEY": "${{ secrets.OPENAI_API_KEY }}"}]
    assert "secrets" not in workflow_text(PGVECTOR)


def test_replay_needs_no_database_and_no_cache() -> None:
    assert "embedded" not in workflow_text(REPLAY)
    assert "cache" not in workflow_text(REPLAY)
    assert "ragate[embedded]==" in workflow_text(PGVECTOR)


def test_below_the_repositorys_root_the_workflow_names_the_configuration() -> None:
    gate = yaml.safe_load(workflow_text(PGVECTOR, folder="apps/help"))["jobs"]["gate"]
    cache = next(step["with"] for step in gate["steps"] if "cache" in step.get("uses", ""))

    assert gate["env"] == {"RAGATE_CONFIG": "apps/help/ragate.toml"}
    assert cache["path"] == "apps/help/.ragate/postgres"
    assert "'apps/help/docs/**'" in cache["key"]


def test_a_function_of_the_projects_own_gets_its_packages() -> None:
    own = Choice("python", "kb", settings={"target": "a:b"}, packages="--requirement 'a b.txt'")
    runs = [
        step.get("run", "") for step in yaml.safe_load(workflow_text(own))["jobs"]["gate"]["steps"]
    ]

    assert "pip install --requirement 'a b.txt'" in runs
    assert "answer_golden" not in workflow_text(own)


def test_an_mcp_system_gets_its_library() -> None:
    assert "ragate[mcp]==" in workflow_text(Choice("mcp", "", settings={"url": "u"}))
