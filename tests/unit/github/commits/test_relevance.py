"""The files that ``[system]`` names, whatever its keys are called."""

from __future__ import annotations

from typing import Any

import pytest

from ragate.config import SystemConfig
from ragate.github.commits.changed_files import touches
from ragate.github.commits.policy_files import ConfigLocation
from ragate.github.commits.relevance import named_files

TOP = ConfigLocation("")


def is_named(
    changed: str, place: ConfigLocation = TOP, *, use: str = "command", **settings: Any
) -> bool:
    return touches([changed], named_files(SystemConfig(use=use, settings=settings)), place)


@pytest.mark.parametrize(
    ("settings", "changed"),
    [
        ({"answer": {"use": "chat", "prompt": "prompts/answer.md"}}, "prompts/answer.md"),
        ({"corpus": "docs"}, "docs/deep/page.md"),
        ({"corpus": "./docs/"}, "docs/page.md"),
        ({"corpus": "."}, "page.md"),
        ({"paths": ["outputs/*.jsonl"]}, "outputs/run1.jsonl"),
        ({"fingerprint_files": ["lib/**/*.py"]}, "lib/a/b.py"),
        ({"command": ["python", "scripts/answer.py"]}, "scripts/answer.py"),
        ({"command": ["sh", "-c", "./run.sh --conf=conf/rag.yaml"]}, "run.sh"),
        ({"command": ["sh", "-c", "./run.sh --conf=conf/rag.yaml"]}, "conf/rag.yaml"),
        ({"command": ["curl", "-d", "@body.json"]}, "body.json"),
        ({"command": ["python", "-m", "app.serve"]}, "app/serve.py"),
        ({"start": ["uvicorn", "app.main:app"]}, "app/main.py"),
        ({"target": "app.rag:answer"}, "app/rag.py"),
        ({"target": "app.rag:answer"}, "app/rag/core.py"),
        ({"target": "app.rag:answer"}, "app/__init__.py"),
        ({"pattern": "my pages/a page.md"}, "my pages/a page.md"),
        ({"deep": [{"template": "t/body.j2"}]}, "t/body.j2"),
    ],
)
def test_a_file_that_a_value_names_is_an_input(settings: dict[str, Any], changed: str) -> None:
    assert is_named(changed, **settings)
    assert is_named(f"services/rag/{changed}", ConfigLocation("services/rag"), **settings)


def test_a_system_of_ones_own_is_named_by_its_module() -> None:
    assert is_named("app/plugin.py", use="app.plugin:create")


@pytest.mark.parametrize(
    "settings",
    [
        {"corpus": "docs", "top_k": 10},
        {"url": "http://localhost:8000/ask", "body": '{"q": {{ query | tojson }}}'},
        {"command": ["/usr/bin/python", "../elsewhere.py"]},
    ],
)
def test_other_files_are_not(settings: dict[str, Any]) -> None:
    assert not is_named("web/index.html", **settings)
    assert not is_named("README.md", **settings)


def test_a_path_may_lead_out_of_the_projects_folder_inside_the_repository() -> None:
    assert is_named("services/shared/a.md", ConfigLocation("services/rag"), prompt="../shared/a.md")
