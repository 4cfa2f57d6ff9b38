"""Whether a changed file is an input, and answers that were copied into the corpus."""

from __future__ import annotations

import fnmatch
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.config import Config, SystemConfig, load_config
from ragate.github.commits.changed_files import copied_answers, named_files, touches
from ragate.github.commits.commit_tree import ConfigLocation
from ragate.models import Sample
from tests.projects import write_docs_project

TOP = ConfigLocation("")


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [
        ("app/**", "app/a/b.py", True),
        ("app/**", "app.py", False),
        ("app", "app/a/b.py", True),
        ("app/", "app/x", True),
        ("app", "app", True),
        ("app", "apple/x", False),
        ("prompts/*.md", "prompts/a.md", True),
        ("prompts/*.md", "prompts/deep/a.md", False),
        ("**/*.py", "a.py", True),
        ("**/*.py", "x/y/a.py", True),
        ("**/*.py", "x/y/a.pyc", False),
        ("a?c.txt", "abc.txt", True),
        ("a?c.txt", "a/c.txt", False),
        ("a.c", "abc", False),
        ("**", "anything/at/all", True),
        ("app/**", "app", True),
        ("app/src/**/*.py", "app", True),
        ("app/src/*.py", "app/src", True),
        ("app/src/*.py", "app/sr", False),
        ("*/src/*.py", "app", False),
        (".", "anything/at/all", True),
    ],
)
def test_a_pattern_names_files(pattern: str, name: str, expected: bool) -> None:
    assert touches([name], [pattern], TOP) is expected


def test_patterns_start_at_the_projects_folder() -> None:
    place = ConfigLocation("services/rag")
    assert touches(["services/rag/app/a.py"], ["app/**"], place)
    assert not touches(["app/a.py"], ["app/**"], place)


@pytest.mark.parametrize(
    ("pattern", "link", "expected"),
    [
        ("**/*.py", "vendor", True),
        ("*/src/*.py", "app", True),
        ("*/src/*.py", "app/src", True),
        ("*/src/*.py", "app/tests", False),
        ("docs/*.md", "app", False),
        ("app", "app/vendor", True),
    ],
)
def test_what_is_known_to_be_a_link_holds_what_a_pattern_names(
    pattern: str, link: str, expected: bool
) -> None:
    assert touches([link], [pattern], TOP, links={link}) is expected


@given(st.text("ab./-_é", min_size=1, max_size=12).filter(lambda t: "//" not in t and t[0] != "/"))
def test_a_name_without_wildcards_names_itself(name: str) -> None:
    path = Path(name).as_posix()
    if path != "." and ".." not in Path(name).parts:
        assert touches([path], [name], TOP)


@given(st.text("ab*?", min_size=1, max_size=6), st.text("ab", max_size=6))
def test_in_one_folder_it_is_what_fnmatch_says(pattern: str, name: str) -> None:
    if name and pattern != "**":
        assert touches([name], [pattern], TOP) is fnmatch.fnmatchcase(name, pattern)


@pytest.fixture
def config(tmp_path: Path) -> Config:
    write_docs_project(tmp_path)
    return load_config(tmp_path / "ragate.toml")


SAMPLE = Sample(id="q1", query="?", references=("The figs come\nfrom orchard 5, as always.",))


def test_an_answer_that_moves_into_the_corpus_is_pointed_out(config: Config) -> None:
    text = "# Figs\n\nThe figs come from   orchard 5, as always. Indeed.\n"
    (config.root / "docs" / "figs.md").write_text(text)
    changed = ["docs/figs.md", "README.md", "docs/gone.md"]
    (told,) = copied_answers(changed, config, [SAMPLE], lambda _: None, TOP)
    assert told == "docs/figs.md now holds the reference answer of q1 verbatim"
    before = {"docs/figs.md": text.encode()}.get
    assert copied_answers(changed, config, [SAMPLE], before, TOP) == ()
    short = SAMPLE.amended(references=("orchard 5",))
    assert copied_answers(changed, config, [short], lambda _: None, TOP) == ()


def test_only_so_much_is_read(config: Config, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragate.github.commits.changed_files.MOST_BYTES", 10)
    (config.root / "docs" / "figs.md").write_text(SAMPLE.references[0])
    assert copied_answers(["docs/figs.md"], config, [SAMPLE], lambda _: None, TOP) == ()


# The files that ``[system]`` names, whatever its keys are called.


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
